//! The experimental tasks of 2025-11-25: looking at tasks, listing and stopping them, and waiting
//! for a result while the questions of the task are put to the client.

use std::sync::Arc;

use serde_json::Value;
use tokio::task::JoinSet;

use super::super::Context;
use super::entry::{Outcome, PutQuestion, TaskEntry};
use super::modern::decode;
use crate::error::{Error, Result};
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::session::{CallOptions, encode_for};
use crate::types::{
    CancelTaskRequestParams, GetTaskPayloadRequestParams, GetTaskRequestParams, InputRequest,
    JsonObject, ListTasksResult, Meta, PaginatedRequestParams, RelatedTaskMetadata,
};

type Answer = Result<RawJson, ErrorObject>;

pub(in super::super) fn get(context: &Context, params: Option<RawJson>) -> Answer {
    let params: GetTaskRequestParams = decode(params)?;
    let task = context.scope.core.shared.tasks.get(&params.task_id, context)?;
    Ok(context.reply(task.summary()))
}

pub(in super::super) fn list(context: &Context, params: Option<RawJson>) -> Answer {
    let params: PaginatedRequestParams =
        params.map_or(Ok(Default::default()), |params| decode(Some(params)))?;
    let (page, next_cursor) =
        context.scope.core.shared.tasks.page(params.cursor.as_deref(), context)?;
    let tasks = page.iter().map(|task| task.summary()).collect();
    Ok(context.reply(ListTasksResult { tasks, next_cursor, ..Default::default() }))
}

pub(in super::super) fn cancel(context: &Context, params: Option<RawJson>) -> Answer {
    let params: CancelTaskRequestParams = decode(params)?;
    let task = context.scope.core.shared.tasks.get(&params.task_id, context)?;
    match task.stop("the client cancelled the task") {
        true => Ok(context.reply(task.summary())),
        false => {
            let message = format!("the task is {} already", task.status());
            Err(ErrorObject::invalid_params(message))
        }
    }
}

/// Waits until the task is over and answers with what it came to. Meanwhile this request is the
/// way on which the task reaches the client.
pub(in super::super) async fn result(context: Context, params: Option<RawJson>) -> Answer {
    let params: GetTaskPayloadRequestParams = decode(params)?;
    let task = context.scope.core.shared.tasks.get(&params.task_id, &context)?;
    let mut asking = JoinSet::new();
    enum Next {
        Put(Box<InputRequest>, PutQuestion),
        Over(Box<Outcome>),
    }
    let outcome = loop {
        let next = task.until_some(|| match task.outcome() {
            Some(outcome) => Some(Next::Over(Box::new(outcome))),
            None => {
                task.question_to_put().map(|(question, put)| Next::Put(Box::new(question), put))
            }
        });
        match next.await {
            Next::Over(outcome) => break *outcome,
            Next::Put(question, put) => {
                let (context, task) = (context.clone(), task.clone());
                asking.spawn(async move { put.answer(ask(&context, &task, *question).await) });
            }
        }
    };
    let mut result = outcome?;
    let related = RelatedTaskMetadata { task_id: task.id.clone(), ..Default::default() };
    result.meta.get_or_insert_default().set_related_task(&related);
    Ok(context.reply(result))
}

/// Puts one question to the client, as a request that names the task.
async fn ask(context: &Context, task: &Arc<TaskEntry>, question: InputRequest) -> Result<Value> {
    let revision = context.revision();
    let method = question.method().to_owned();
    let params = match question {
        InputRequest::Elicit(params) => encode_for(params, revision)?,
        InputRequest::CreateMessage(params) => encode_for(params, revision)?,
        InputRequest::ListRoots(_) | InputRequest::Unknown(_) => RawJson::empty_object(),
    };
    let unreadable = |error: serde_json::Error| {
        Error::invalid_response(format!("the client's answer is malformed: {error}"))
    };
    let mut params: JsonObject = params.decode().map_err(unreadable)?;
    let mut meta = Meta::from(match params.remove("_meta") {
        Some(Value::Object(meta)) => meta,
        _ => JsonObject::new(),
    });
    let related = RelatedTaskMetadata { task_id: task.id.clone(), ..Default::default() };
    meta.set_related_task(&related);
    params.insert("_meta".to_owned(), Value::Object(meta.into_inner()));
    let params = RawJson::from(&Value::Object(params));
    let options = CallOptions {
        // A person may take their time; the end of the task still ends it.
        timeout: Some(context.scope.core.config.limits.request_timeout_max),
        cancel: Some(task.cancel.clone()),
        ..Default::default()
    };
    let answer = context.scope.peer.request(&method, Box::new(move |_| Ok(Some(params))), options);
    answer.await?.decode().map_err(unreadable)
}
