//! The extension `io.modelcontextprotocol/tasks` (2026-07-28): looking at tasks, answering them,
//! stopping them, hearing of them.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::router::missing_extension;
use super::super::{Context, Extension, Feature, Server};
use super::{EXTENSION_ID, LISTEN_FIELD};
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::transport::BoxFuture;
use crate::types::{
    CancelTaskRequestParams, EmptyResult, GetTaskRequestParams, SubscriptionFilter,
    UpdateTaskRequestParams, method,
};

/// The extension. Every server has it, and offers it when a tool can run as a task.
pub(crate) struct TasksExtension;

impl Extension for TasksExtension {
    fn id(&self) -> &str {
        EXTENSION_ID
    }

    fn is_offered(&self, server: &Server) -> bool {
        server.offers(Feature::Tasks)
    }

    fn methods(&self) -> &[&str] {
        &[method::TASKS_GET, method::TASKS_UPDATE, method::TASKS_CANCEL]
    }

    fn call(
        &self,
        context: Context,
        method: &str,
        params: Option<RawJson>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        let answer = match method {
            // Older revisions have no extensions, and their own tasks go another way.
            _ if !context.revision().is_modern() => Err(ErrorObject::method_not_found(method)),
            method::TASKS_GET => get(&context, params),
            method::TASKS_UPDATE => update(&context, params),
            _ => cancel(&context, params),
        };
        Box::pin(std::future::ready(answer))
    }

    fn listen(
        &self,
        context: &Context,
        wanted: &SubscriptionFilter,
        honored: &mut SubscriptionFilter,
    ) -> Result<(), ErrorObject> {
        let Some(ids) = wanted.extra.get(LISTEN_FIELD) else { return Ok(()) };
        if !context.declares(EXTENSION_ID) {
            return Err(missing_extension(EXTENSION_ID));
        }
        let max = context.scope.core.config.limits.subscriptions_max;
        let ids = ids.as_array().filter(|ids| ids.len() <= max).ok_or_else(|| {
            let message = format!("`{LISTEN_FIELD}` must be a list of at most {max} tasks");
            ErrorObject::invalid_params(message)
        })?;
        let tasks = &context.scope.core.shared.tasks;
        let is_known =
            |id: &&Value| id.as_str().is_some_and(|id| tasks.find(id, context).is_some());
        let known: Vec<Value> = ids.iter().filter(is_known).cloned().collect();
        honored.extra.insert(LISTEN_FIELD.to_owned(), Value::Array(known));
        Ok(())
    }
}

fn get(context: &Context, params: Option<RawJson>) -> Result<RawJson, ErrorObject> {
    let params: GetTaskRequestParams = decode(params)?;
    let task = context.scope.core.shared.tasks.get(&params.task_id, context)?;
    Ok(context.reply(task.detailed()))
}

fn update(context: &Context, params: Option<RawJson>) -> Result<RawJson, ErrorObject> {
    let params: UpdateTaskRequestParams = decode(params)?;
    let task = context.scope.core.shared.tasks.get(&params.task_id, context)?;
    if let Some((key, _)) = params.input_responses.iter().find(|(_, value)| !value.is_object()) {
        let message = format!("`inputResponses[{key:?}]` must be an object");
        return Err(ErrorObject::invalid_params(message));
    }
    for (key, value) in params.input_responses {
        task.answer(&key, Ok(value));
    }
    Ok(context.reply(EmptyResult::default()))
}

fn cancel(context: &Context, params: Option<RawJson>) -> Result<RawJson, ErrorObject> {
    let params: CancelTaskRequestParams = decode(params)?;
    let task = context.scope.core.shared.tasks.get(&params.task_id, context)?;
    // One that is over stays as it is: the client could not know.
    task.stop("the client cancelled the task");
    Ok(context.reply(EmptyResult::default()))
}

pub(super) fn decode<T: DeserializeOwned>(params: Option<RawJson>) -> Result<T, ErrorObject> {
    let params = params.ok_or_else(|| ErrorObject::invalid_params("`params` is missing"))?;
    params
        .decode()
        .map_err(|error| ErrorObject::invalid_params(format!("`params` does not fit: {error}")))
}

/// The extension as a server holds it.
pub(in super::super) fn extension() -> Arc<dyn Extension> {
    Arc::new(TasksExtension)
}
