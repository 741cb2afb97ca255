//! Prompts: functions that write the messages a user can start from.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use super::{Completer, Context};
use crate::error::{Error, Result};
use crate::jsonrpc::ErrorObject;
use crate::transport::BoxFuture;
use crate::types::{GetPromptResult, Prompt, PromptArgument, PromptMessage};

/// The arguments of a prompt, all of them text.
pub type PromptArguments = BTreeMap<String, String>;

type Function = dyn Fn(Context, PromptArguments) -> BoxFuture<'static, Result<GetPromptResult, PromptError>>
    + Send
    + Sync;

/// A prompt and the function behind it.
///
/// ```
/// use docent_mcp::server::{Completer, ServerPrompt};
///
/// let greet = ServerPrompt::new("greet", "Greets somebody", |_, args| async move {
///     Ok(format!("Please greet {}", args["name"]))
/// })
/// .required("name", "Whom to greet")
/// .optional("style", "How")
/// .complete("style", Completer::values(["formal", "friendly"]));
/// ```
#[derive(Clone)]
pub struct ServerPrompt {
    pub(crate) prompt: Prompt,
    pub(crate) completers: BTreeMap<String, Completer>,
    function: Arc<Function>,
}

impl ServerPrompt {
    /// A prompt without arguments; add them with [`required`](ServerPrompt::required) and
    /// [`optional`](ServerPrompt::optional).
    pub fn new<R, F, Fut>(
        name: impl Into<String>,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        R: PromptOutput,
        F: Fn(Context, PromptArguments) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, PromptError>> + Send + 'static,
    {
        let function = Arc::new(move |context, arguments| {
            let running = function(context, arguments);
            Box::pin(async move { Ok(running.await?.into_result()) }) as BoxFuture<_>
        });
        ServerPrompt {
            prompt: Prompt::new(name, description),
            completers: BTreeMap::new(),
            function,
        }
    }

    /// Adds an argument that has to be given.
    #[must_use]
    pub fn required(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.adjust(|prompt| prompt.arguments.push(PromptArgument::required(name, description)))
    }

    /// Adds an argument that may be left out.
    #[must_use]
    pub fn optional(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.adjust(|prompt| prompt.arguments.push(PromptArgument::optional(name, description)))
    }

    /// Suggests values for an argument.
    #[must_use]
    pub fn complete(mut self, argument: impl Into<String>, completer: Completer) -> Self {
        self.completers.insert(argument.into(), completer);
        self
    }

    /// Changes anything about the definition.
    #[must_use]
    pub fn adjust(mut self, change: impl FnOnce(&mut Prompt)) -> Self {
        change(&mut self.prompt);
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.prompt.name.is_empty() {
            return Err(Error::invalid_input("a prompt needs a name"));
        }
        let unknown = self.completers.keys().find(|name| self.argument(name).is_none());
        match unknown {
            Some(name) => Err(Error::invalid_input(format!(
                "prompt `{}` completes `{name}`, which is not one of its arguments",
                self.prompt.name
            ))),
            None => Ok(()),
        }
    }

    pub(crate) fn argument(&self, name: &str) -> Option<&PromptArgument> {
        self.prompt.arguments.iter().find(|argument| argument.name == name)
    }

    pub(crate) async fn run(
        &self,
        context: Context,
        arguments: PromptArguments,
    ) -> Result<GetPromptResult, PromptError> {
        let missing: Vec<_> = self
            .prompt
            .arguments
            .iter()
            .filter(|argument| {
                argument.required == Some(true) && !arguments.contains_key(&argument.name)
            })
            .map(|argument| format!("`{}`", argument.name))
            .collect();
        if !missing.is_empty() {
            let message =
                format!("prompt `{}` needs the argument {}", self.prompt.name, missing.join(", "));
            return Err(ErrorObject::invalid_params(message).into());
        }
        let mut result = (self.function)(context, arguments).await?;
        if result.description.is_none() {
            result.description = self.prompt.description.clone();
        }
        Ok(result)
    }
}

/// What a prompt function may return.
pub trait PromptOutput: Send + 'static {
    /// The result that the client gets.
    fn into_result(self) -> GetPromptResult;
}

impl PromptOutput for GetPromptResult {
    fn into_result(self) -> GetPromptResult {
        self
    }
}

impl PromptOutput for Vec<PromptMessage> {
    fn into_result(self) -> GetPromptResult {
        GetPromptResult { messages: self, ..Default::default() }
    }
}

impl PromptOutput for String {
    fn into_result(self) -> GetPromptResult {
        vec![PromptMessage::user(crate::types::ContentBlock::text(self))].into_result()
    }
}

/// Why a prompt could not be written: always a protocol error, for a prompt has no `isError`.
#[derive(Debug)]
pub struct PromptError(pub(crate) ErrorObject);

impl PromptError {
    /// The arguments do not fit.
    pub fn invalid(message: impl Into<String>) -> Self {
        PromptError(ErrorObject::invalid_params(message))
    }
}

impl From<ErrorObject> for PromptError {
    fn from(error: ErrorObject) -> Self {
        PromptError(error)
    }
}

impl From<Error> for PromptError {
    fn from(error: Error) -> Self {
        PromptError(super::reply::as_rpc(error))
    }
}
