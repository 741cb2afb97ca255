//! Tasks of servers, under names of here.
//!
//! A name here is sealed: it says which server the task is at and what that calls it, and only the
//! principal that it was given to can use it. Tasks are passed on between client and server of the
//! same era. Across eras there are none to pass on, because each side sees only what the other
//! offers in its own words: the call is then waited for.

use std::sync::Arc;

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Call, Context, Extension, Server, TASKS_EXTENSION};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{
    CallToolResult, CreateTaskResult, DetailedTask, EmptyResult, ListTasksResult, Meta,
    RelatedTaskMetadata, SubscriptionFilter, Task, method,
};
use serde_json::{Value, json};

use super::caller::{Caller, passed_on};
use super::{Answer, Shared, reply, trace};
use crate::error::Result;

/// What names are sealed for.
const PURPOSE: &str = "task";

fn name(context: &Context, number: usize, own: &str) -> String {
    context.seal(PURPOSE, &json!([number, own]))
}

fn place(context: &Context, id: &str) -> Option<(usize, String)> {
    serde_json::from_value(context.unseal(PURPOSE, id)?).ok()
}

/// A call became a task (2026-07-28).
pub(super) fn made(context: &Context, number: usize, result: &RawJson) -> Answer {
    let mut task: DetailedTask = reply::decode(result)?;
    task.task_id = name(context, number, &task.task_id);
    reply::own_meta(&mut task.meta);
    Ok(context.reply_as("task", task))
}

/// Whether a result is a task of 2025-11-25.
pub(super) fn is_made(result: &RawJson) -> bool {
    result.decode::<CreateTaskResult>().is_ok()
}

/// A call became a task (2025-11-25).
pub(super) fn made_legacy(context: &Context, number: usize, result: &RawJson) -> Answer {
    let mut created: CreateTaskResult = reply::decode(result)?;
    created.task.task_id = name(context, number, &created.task.task_id);
    Ok(context.reply(created))
}

/// `tasks/get`, `tasks/result`, `tasks/update` and `tasks/cancel`.
pub(super) async fn about(shared: Arc<Shared>, call: Call) -> Answer {
    let Call { method, params, context } = call;
    let mut params = reply::object(params)?;
    let Ok(Some(id)) = params.read::<String>("taskId") else {
        return Err(ErrorObject::invalid_params("`taskId` must be a string"));
    };
    let Some((number, own)) = place(&context, &id) else {
        let shown: String = id.chars().take(40).collect();
        let message = format!("there is no task {shown:?}, or it has expired");
        return Err(ErrorObject::invalid_params(message));
    };
    params.insert("taskId", Value::String(own));
    let caller = Caller::of(&context);
    let line = shared.line(number, &caller, &context).await.map_err(|error| error.to_rpc())?;
    let seat = line.desk.sit(&caller.key, &context);
    let mut meta = passed_on(context.meta_text());
    let span = trace::sent(&shared, number, &line.client, &method, &params, &mut meta);
    let options = shared
        .backend(number)
        .options()
        .hand_over_questions()
        .meta(meta)
        .capabilities(caller.capabilities.clone());
    let (client, asked) = (line.client, method.clone());
    let upstream = async move { client.request(&asked, params, options).await };
    let upstream = trace::traced(span, &method, upstream);
    // Questions of a task of 2025-11-25 come while its result is waited for.
    let mut running = super::running::Running::new(upstream, seat, line.lease);
    let super::running::Pause::Done(result) = running.run(&context).await else {
        return Err(ErrorObject::internal("the task asks something that cannot be passed on"));
    };
    let failed = |error| shared.backend(number).request_failed(error).to_rpc();
    let result = result.map_err(failed)?;
    let place = reply::Address { shared: &shared, number };
    Ok(match &*method {
        method::TASKS_RESULT => {
            let mut result: CallToolResult = reply::decode(&result)?;
            place.called(&mut result);
            let related = RelatedTaskMetadata { task_id: id, ..Default::default() };
            result.meta.get_or_insert_with(Meta::new).set_related_task(&related);
            context.reply(result)
        }
        method::TASKS_GET | method::TASKS_CANCEL if !context.revision().is_modern() => {
            let task: Task = reply::decode(&result)?;
            context.reply(Task { task_id: id, ..task })
        }
        method::TASKS_GET => {
            let mut task: DetailedTask = reply::decode(&result)?;
            task.task_id = id;
            task.result = task.result.map(|result| place.held(result));
            reply::own_meta(&mut task.meta);
            context.reply(task)
        }
        _ => context.reply(EmptyResult::default()),
    })
}

/// `tasks/list` (2025-11-25): names are given out when a task is made, and not again.
pub(super) fn list(context: &Context) -> Answer {
    Ok(context.reply(ListTasksResult::default()))
}

/// Has servers tell of tasks. Returns those of which they will.
pub(super) async fn listen(shared: &Arc<Shared>, context: &Context, ids: Vec<Value>) -> Vec<Value> {
    let mut known = Vec::new();
    for id in ids {
        let Some((number, own)) = id.as_str().and_then(|id| place(context, id)) else { continue };
        let listening = async {
            let client = shared.backend(number).client().await?;
            let listening = client.task(&own).listen().await;
            listening.map_err(|error| shared.backend(number).request_failed(error))?;
            Ok::<(), crate::Error>(())
        };
        if listening.await.is_ok() {
            let name = id.as_str().unwrap_or_default().to_owned();
            let mut told = shared.told_tasks();
            if told.len() >= shared.host.inner.settings.limits.links_max {
                told.clear();
            }
            told.insert((number, own), name);
            known.push(id);
        }
    }
    known
}

/// A server told of a task: whoever listens for it is told.
pub(super) fn news(shared: &Shared, server: &Server, number: usize, params: &RawJson) {
    let Ok(Value::Object(mut params)) = params.decode::<Value>() else { return };
    let Some(own) = params.get("taskId").and_then(Value::as_str).map(str::to_owned) else { return };
    let key = (number, own);
    let Some(name) = shared.told_tasks().get(&key).cloned() else { return };
    params.remove("_meta");
    params.insert("taskId".to_owned(), Value::String(name.clone()));
    let over = params.get("status").and_then(Value::as_str);
    if matches!(over, Some("completed" | "failed" | "cancelled")) {
        shared.told_tasks().remove(&key);
        let (number, own) = key;
        if let (Some(client), Ok(runtime)) =
            (shared.backend(number).open_client(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn(async move { client.task(own).unlisten().await });
        }
    }
    server.publish("taskIds", name, docent_mcp::types::notification::TASKS, params);
}

/// Declares tasks, and says that changes will be told; requests are answered before they get here.
pub(super) struct PassedOn;

impl Extension for PassedOn {
    fn id(&self) -> &str {
        TASKS_EXTENSION
    }

    fn methods(&self) -> &[&str] {
        &[]
    }

    fn call(
        &self,
        _: Context,
        method: &str,
        _: Option<RawJson>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        let error = ErrorObject::method_not_found(method);
        Box::pin(std::future::ready(Err(error)))
    }

    fn listen(
        &self,
        _: &Context,
        wanted: &SubscriptionFilter,
        honored: &mut SubscriptionFilter,
    ) -> Result<(), ErrorObject> {
        // What no server honors was taken out before, also of other extensions.
        honored.extra.extend(wanted.extra.clone());
        Ok(())
    }
}
