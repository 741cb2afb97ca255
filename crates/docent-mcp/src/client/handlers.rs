//! What a client does for servers: answer questions, list folders, take notice of events.

use std::future::Future;
use std::sync::{Arc, RwLock};

use serde_json::Value;

use super::samples::Samples;
use super::tasks::TaskNews;
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::limits::Limits;
use crate::schema::{Validator, fill_defaults};
use crate::server::check_messages;
use crate::session::encode_for;
use crate::transport::BoxFuture;
use crate::types::{
    Adapt as _, ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitAction,
    ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitResult,
    ElicitationCapability, InputRequest, JsonObject, ListRootsResult,
    LoggingMessageNotificationParams, Revision, Root, RootsCapability, SamplingCapability,
};

/// Something that a server told.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerEvent {
    /// The list of tools changed.
    ToolsChanged,
    /// The list of prompts changed.
    PromptsChanged,
    /// The list of resources or templates changed.
    ResourcesChanged,
    /// The resource at this address changed.
    ResourceUpdated(String),
    /// A log message.
    Log(LoggingMessageNotificationParams),
    /// The page behind an elicitation was finished (2025-11-25).
    ElicitationComplete(String),
    /// The server ended the subscriptions (2026-07-28) and did not take them up again: changes are
    /// no longer told until the next [`Client::subscribe`](super::Client::subscribe).
    SubscriptionsEnded,
    /// A line of the server's output that is no message; only its beginning, if it is long.
    Stray(String),
    /// The server was started again after it had ended unexpectedly, and subscriptions were
    /// renewed.
    Restarted,
    /// A notification that this crate does not know.
    Other {
        /// The method.
        method: String,
        /// The parameters.
        params: Option<RawJson>,
    },
}

pub(crate) type Handler<P, R> =
    Arc<dyn Fn(P) -> BoxFuture<'static, Result<R, ErrorObject>> + Send + Sync>;

/// The functions that a client was built with.
#[derive(Clone, Default)]
pub(crate) struct Handlers {
    pub(crate) elicit_form: Option<Handler<ElicitRequestFormParams, ElicitResult>>,
    pub(crate) elicit_url: Option<Handler<ElicitRequestUrlParams, ElicitAction>>,
    pub(crate) sample: Option<Handler<CreateMessageRequestParams, CreateMessageResult>>,
    pub(crate) sample_tools: bool,
    pub(crate) samples: Samples,
    pub(crate) roots: Option<Arc<RwLock<Vec<Root>>>>,
    pub(crate) event: Option<Arc<dyn Fn(ServerEvent) + Send + Sync>>,
    pub(crate) extensions: JsonObject,
    pub(crate) experimental: JsonObject,
    pub(crate) task_news: TaskNews,
    /// Takes every question, instead of all of the above.
    pub(crate) relay: Option<Relay>,
}

/// A function for all questions, and what it lets the client declare.
#[derive(Clone)]
pub(crate) struct Relay {
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) answer: Handler<InputRequest, Value>,
}

/// Calls a function of the user's from the connection's task, which its panic must not end.
pub(crate) fn guarded(call: impl FnOnce()) {
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err() {
        tracing::error!("a callback of this client panicked");
    }
}

/// Boxes an async function.
pub(crate) fn handler<P, R, F, Fut>(function: F) -> Handler<P, R>
where
    F: Fn(P) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ErrorObject>> + Send + 'static,
{
    Arc::new(move |params| Box::pin(function(params)))
}

impl Handlers {
    /// What is declared: exactly what there is a function for.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        if let Some(relay) = &self.relay {
            return relay.capabilities.clone();
        }
        let elicitation = ElicitationCapability {
            form: self.elicit_form.is_some().then(JsonObject::new),
            url: self.elicit_url.is_some().then(JsonObject::new),
            ..Default::default()
        };
        ClientCapabilities {
            roots: self
                .roots
                .is_some()
                .then(|| RootsCapability { list_changed: Some(true), ..Default::default() }),
            sampling: self.sample.is_some().then(|| SamplingCapability {
                tools: self.sample_tools.then(JsonObject::new),
                ..Default::default()
            }),
            elicitation: (self.elicit_form.is_some() || self.elicit_url.is_some())
                .then_some(elicitation),
            extensions: (!self.extensions.is_empty()).then(|| self.extensions.clone()),
            experimental: (!self.experimental.is_empty()).then(|| self.experimental.clone()),
            ..Default::default()
        }
    }

    /// What is declared, as far as a revision has it.
    pub(crate) fn capabilities_in(&self, revision: Revision) -> ClientCapabilities {
        let mut capabilities = self.capabilities();
        capabilities.adapt(revision);
        capabilities
    }

    pub(crate) fn tell(&self, event: ServerEvent) {
        if let Some(handler) = &self.event {
            guarded(|| handler(event));
        }
    }

    /// Answers one question of a server.
    pub(crate) async fn answer(
        &self,
        question: InputRequest,
        revision: Revision,
        limits: &Limits,
    ) -> Result<RawJson, ErrorObject> {
        if let Some(relay) = &self.relay {
            return (relay.answer)(question).await.map(|answer| RawJson::from(&answer));
        }
        let declared = self.capabilities_in(revision);
        match question {
            InputRequest::Elicit(ElicitRequestParams::Form(params)) => {
                let Some(handler) = &self.elicit_form else { return Err(undeclared("form")) };
                let schema = params.requested_schema.clone();
                let validator = Validator::new(&schema, &limits.schema).map_err(|error| {
                    ErrorObject::invalid_params(format!("the form cannot be used: {error}"))
                })?;
                let result = handler(params).await?;
                encode(checked(result, &schema, &validator)?, revision)
            }
            InputRequest::Elicit(ElicitRequestParams::Url(params)) => {
                let by_page = declared.elicitation.is_some_and(|declared| declared.supports_url());
                let Some(handler) = self.elicit_url.as_ref().filter(|_| by_page) else {
                    return Err(undeclared("url"));
                };
                encode(ElicitResult::of(handler(params).await?), revision)
            }
            InputRequest::Elicit(ElicitRequestParams::Unknown(_)) => Err(undeclared("this")),
            InputRequest::CreateMessage(params) => {
                let Some(handler) = &self.sample else {
                    return Err(ErrorObject::method_not_found(
                        crate::types::method::SAMPLING_CREATE_MESSAGE,
                    ));
                };
                let with_tools = !params.tools.is_empty() || params.tool_choice.is_some();
                if with_tools && declared.sampling.is_none_or(|declared| declared.tools.is_none()) {
                    return Err(ErrorObject::invalid_params(
                        "sampling with tools is not supported",
                    ));
                }
                check_messages(&params.messages).map_err(ErrorObject::invalid_params)?;
                encode(self.samples.ask(handler, params, limits).await?, revision)
            }
            InputRequest::ListRoots(_) => {
                let Some(roots) = &self.roots else {
                    return Err(ErrorObject::method_not_found(crate::types::method::ROOTS_LIST));
                };
                let roots = roots.read().expect("no panic while locked").clone();
                encode(ListRootsResult { roots, ..Default::default() }, revision)
            }
            InputRequest::Unknown(fields) => {
                let method = fields.get("method").and_then(Value::as_str).unwrap_or_default();
                Err(ErrorObject::method_not_found(method))
            }
        }
    }
}

fn encode<T: serde::Serialize + crate::types::Adapt>(
    value: T,
    revision: Revision,
) -> Result<RawJson, ErrorObject> {
    encode_for(value, revision).map_err(|error| ErrorObject::internal(error.to_string()))
}

fn undeclared(mode: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("elicitation in {mode} mode is not supported"))
}

/// Completes an accepted form with its defaults and checks it, so that a server never gets an
/// answer it did not ask for.
fn checked(
    mut result: ElicitResult,
    schema: &Value,
    validator: &Validator,
) -> Result<ElicitResult, ErrorObject> {
    if result.action != ElicitAction::Accept {
        result.content = None;
        return Ok(result);
    }
    let content = result.content.get_or_insert_default();
    fill_defaults(schema, content);
    validator.check(&Value::Object(content.clone())).map_err(|violations| {
        let list: Vec<_> = violations.iter().map(ToString::to_string).collect();
        ErrorObject::internal(format!("the form was not filled in as asked: {}", list.join("; ")))
    })?;
    Ok(result)
}
