//! Tools: functions with a schema.
//!
//! A tool is made from an `async` function of a [`Context`] and one argument type. The type gives
//! the schema that clients see, and arguments are checked against that schema before the function
//! runs. What the function returns says what clients get: text, content blocks, or, wrapped in
//! [`Json`], structured content with an output schema.

use std::future::Future;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Context;
use crate::error::{Error, Result};
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::schema::{
    MirroredHeader, SchemaLimits, Validator, arguments_schema, mirrored_headers, result_schema,
};
use crate::transport::BoxFuture;
use crate::types::{
    Adapt, CallToolResult, ContentBlock, Icon, JsonObject, Meta, Revision, TaskSupport, Tool,
    ToolAnnotations,
};

type Function = dyn Fn(Context, JsonObject) -> BoxFuture<'static, Result<CallToolResult, ToolError>>
    + Send
    + Sync;

/// A tool and the function behind it.
///
/// ```
/// use docent_mcp::server::{Context, ServerTool, ToolError};
/// use docent_mcp::types::ToolAnnotations;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Add {
///     /// The first number.
///     a: f64,
///     /// The second number.
///     b: f64,
/// }
///
/// async fn add(_: Context, args: Add) -> Result<String, ToolError> {
///     Ok((args.a + args.b).to_string())
/// }
///
/// let tool = ServerTool::new("add", "Adds two numbers", add)
///     .title("Addition")
///     .annotations(ToolAnnotations { read_only_hint: Some(true), ..Default::default() });
/// ```
#[derive(Clone)]
pub struct ServerTool {
    pub(crate) tool: Tool,
    function: Arc<Function>,
    detaches: bool,
    /// Why the argument type cannot be used, reported when the tool is added.
    problem: Option<String>,
}

impl ServerTool {
    /// A tool whose schemas are derived from the function's types.
    pub fn new<A, R, E, F, Fut>(
        name: impl Into<String>,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        R: ToolOutput,
        E: Into<ToolError>,
        F: Fn(Context, A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
    {
        let (schema, problem) = match arguments_schema::<A>() {
            Ok(schema) => (schema, None),
            Err(error) => (Value::Null, Some(error.to_string())),
        };
        let tool = Tool { output_schema: R::schema(), ..Tool::new(name, description, schema) };
        let tool = ServerTool::from_schema(tool, move |context, arguments| {
            let called = typed::<A>(arguments).map(|arguments| function(context, arguments));
            async move { called?.await.map_err(Into::into)?.into_result() }
        });
        ServerTool { problem, ..tool }
    }

    /// A tool with a definition made by hand; the function gets the checked arguments as JSON.
    pub fn from_schema<F, Fut>(tool: Tool, function: F) -> Self
    where
        F: Fn(Context, JsonObject) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CallToolResult, ToolError>> + Send + 'static,
    {
        let function =
            move |context, arguments| Box::pin(function(context, arguments)) as BoxFuture<_>;
        ServerTool { tool, function: Arc::new(function), detaches: false, problem: None }
    }

    /// A name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.adjust(|tool| tool.title = Some(title.into()))
    }

    /// Hints about what calling it does.
    #[must_use]
    pub fn annotations(self, annotations: ToolAnnotations) -> Self {
        self.adjust(|tool| tool.annotations = Some(annotations))
    }

    /// An icon; can be called several times.
    #[must_use]
    pub fn icon(self, icon: Icon) -> Self {
        self.adjust(|tool| tool.icons.push(icon))
    }

    /// Metadata of the definition.
    #[must_use]
    pub fn meta(self, meta: Meta) -> Self {
        self.adjust(|tool| tool.meta = Some(meta))
    }

    /// Lets calls run as tasks, which clients do not have to wait for, wherever the client can take
    /// one; with [`TaskSupport::Required`] nowhere else. The same function serves both ways.
    #[must_use]
    pub fn task(self, support: TaskSupport) -> Self {
        self.adjust(|tool| {
            tool.execution.get_or_insert_default().task_support = Some(support);
        })
    }

    /// [`ServerTool::task`] for a function that begins within its request, where it can ask the
    /// client, and becomes a task when it calls [`Context::detach`]. In 2025-11-25 a call that the
    /// client wants as a task is one from the start.
    #[must_use]
    pub fn task_on_detach(self, support: TaskSupport) -> Self {
        ServerTool { detaches: true, ..self.task(support) }
    }

    /// Changes anything about the definition, for example a derived schema.
    #[must_use]
    pub fn adjust(mut self, change: impl FnOnce(&mut Tool)) -> Self {
        change(&mut self.tool);
        self
    }
}

/// Arguments as the type that the function takes. Types that stand for "nothing", such as `()`,
/// take the empty object.
fn typed<A: DeserializeOwned>(arguments: JsonObject) -> Result<A, ToolError> {
    let empty = arguments.is_empty();
    serde_json::from_value(Value::Object(arguments))
        .or_else(|error| match empty {
            true => serde_json::from_value(Value::Null).map_err(|_| error),
            false => Err(error),
        })
        .map_err(|error| ToolError::new(format!("the arguments do not fit: {error}")))
}

/// A registered tool: its definition was checked and its schemas are compiled.
pub(crate) struct ToolEntry {
    pub(crate) tool: Tool,
    input: Validator,
    output: Option<Validator>,
    /// Arguments that clients repeat as HTTP headers.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nothing else has headers"))]
    pub(crate) headers: Vec<MirroredHeader>,
    function: Arc<Function>,
    /// It becomes a task only when its function says so.
    pub(crate) detaches: bool,
    /// The definition as each revision has it, encoded when it is first listed.
    encoded: [OnceLock<RawJson>; Revision::ALL.len()],
}

impl ToolEntry {
    pub(crate) fn new(server_tool: ServerTool, limits: &SchemaLimits) -> Result<Self> {
        let ServerTool { tool, function, detaches, problem } = server_tool;
        let name = &tool.name;
        let bad = |what: String| Error::invalid_input(format!("tool `{name}`: {what}"));
        if !is_valid_name(name) {
            let rule = "a name has 1 to 128 characters of A–Z a–z 0–9 _ . -";
            return Err(bad(rule.to_owned()));
        }
        if let Some(problem) = problem {
            return Err(bad(problem));
        }
        if tool.input_schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(bad("the input schema must have `type: object` at its root".to_owned()));
        }
        let headers =
            mirrored_headers(&tool.input_schema).map_err(|error| bad(error.to_string()))?;
        let compile = |schema: &Value, which: &str| {
            Validator::new(schema, limits).map_err(|error| bad(format!("{which} schema: {error}")))
        };
        let input = compile(&tool.input_schema, "input")?;
        let output =
            tool.output_schema.as_ref().map(|schema| compile(schema, "output")).transpose()?;
        let encoded = Default::default();
        Ok(ToolEntry { tool, input, output, headers, function, detaches, encoded })
    }

    /// The definition as `revision` has it.
    pub(crate) fn encoded(&self, revision: Revision) -> &RawJson {
        self.encoded[revision as usize].get_or_init(|| {
            let mut tool = self.tool.clone();
            tool.adapt(revision);
            RawJson::encode(&tool).expect("a wire type is always representable")
        })
    }

    /// Whether calls may or must run as tasks.
    pub(crate) fn task_support(&self) -> TaskSupport {
        let execution = self.tool.execution.as_ref();
        execution.and_then(|execution| execution.task_support).unwrap_or_default()
    }

    /// What is wrong with the arguments, if anything.
    pub(crate) fn check_arguments(&self, arguments: &Value) -> Option<String> {
        let violations = self.input.check(arguments).err()?;
        let list: Vec<_> = violations.iter().map(ToString::to_string).collect();
        Some(format!(
            "the arguments of `{}` do not fit its schema: {}",
            self.tool.name,
            list.join("; ")
        ))
    }

    /// Calls the function with arguments that were checked.
    pub(crate) fn start(
        &self,
        context: Context,
        arguments: JsonObject,
    ) -> BoxFuture<'static, Result<CallToolResult, ToolError>> {
        (self.function)(context, arguments)
    }

    /// Holds what the function returned against the output schema.
    pub(crate) fn check_result(
        &self,
        outcome: Result<CallToolResult, ToolError>,
    ) -> Result<CallToolResult, ToolError> {
        let result = outcome?;
        let Some(output) = self.output.as_ref().filter(|_| result.is_error != Some(true)) else {
            return Ok(result);
        };
        let problem = match &result.structured_content {
            None => "it returned no structured content".to_owned(),
            Some(content) => match output.check(content) {
                Ok(()) => return Ok(result),
                Err(violations) => {
                    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
                }
            },
        };
        tracing::error!(tool = self.tool.name, problem, "a tool broke its output schema");
        let message = format!("tool `{}` broke its own output schema", self.tool.name);
        Err(ErrorObject::internal(message).into())
    }
}

fn is_valid_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=128).contains(&name.len()) && name.bytes().all(allowed)
}

/// What a tool function may return.
pub trait ToolOutput: Send + 'static {
    /// The schema of the structured content, if the type has any.
    fn schema() -> Option<Value> {
        None
    }

    /// The result that the client gets.
    fn into_result(self) -> Result<CallToolResult, ToolError>;
}

impl ToolOutput for CallToolResult {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(self)
    }
}

impl ToolOutput for String {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

impl ToolOutput for &'static str {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

impl ToolOutput for () {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::default())
    }
}

impl ToolOutput for ContentBlock {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        vec![self].into_result()
    }
}

impl ToolOutput for Vec<ContentBlock> {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult { content: self, ..Default::default() })
    }
}

/// Structured content: the value itself, with an output schema derived from its type, and the same
/// as JSON text for clients that read only text.
#[derive(Clone, Debug)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema + Send + 'static> ToolOutput for Json<T> {
    fn schema() -> Option<Value> {
        Some(result_schema::<T>().schema)
    }

    fn into_result(self) -> Result<CallToolResult, ToolError> {
        let value = serde_json::to_value(&self.0)?;
        Ok(CallToolResult {
            content: vec![ContentBlock::text(value.to_string())],
            structured_content: Some(value),
            ..Default::default()
        })
    }
}

/// Why a tool failed.
///
/// A failure of the work itself is a *result* with `isError`, so that the model reads what went
/// wrong and can try again; every error that implements [`std::error::Error`] becomes one with `?`.
/// An [`ErrorObject`], and an [`Error`] that carries one, is answered as a protocol error instead.
pub struct ToolError(pub(crate) Failure);

pub(crate) enum Failure {
    Execution(Box<CallToolResult>),
    Protocol(Box<ErrorObject>),
}

impl ToolError {
    /// A failure that the model should read.
    pub fn new(message: impl Into<String>) -> Self {
        ToolError(Failure::Execution(Box::new(CallToolResult::error(message))))
    }

    /// A failure with content of any kind; `isError` is set.
    pub fn with_content(content: Vec<ContentBlock>) -> Self {
        let result = CallToolResult { content, is_error: Some(true), ..Default::default() };
        ToolError(Failure::Execution(Box::new(result)))
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let error: Box<dyn std::error::Error + Send + Sync> = Box::new(error);
        let error = match error.downcast::<ErrorObject>() {
            Ok(rpc) => return ToolError(Failure::Protocol(rpc)),
            Err(error) => error,
        };
        match error.downcast_ref::<Error>().and_then(Error::rpc) {
            Some(rpc) => ToolError(Failure::Protocol(Box::new(rpc.clone()))),
            None => ToolError::new(chain(&*error)),
        }
    }
}

/// An error and its causes on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

impl std::fmt::Debug for ToolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Failure::Execution(result) => f.debug_tuple("Execution").field(result).finish(),
            Failure::Protocol(error) => f.debug_tuple("Protocol").field(error).finish(),
        }
    }
}
