//! From a tool call to a task: whether it becomes one, and the running of it.

use std::sync::{Arc, Weak};

use tokio::task::JoinSet;

use super::super::input::{self, Ran, RequestIdentity};
use super::super::router::{missing_extension, permitted};
use super::super::tool::ToolEntry;
use super::super::{Context, reply};
use super::EXTENSION_ID;
use super::entry::{Outcome, TaskEntry};
use super::store::TaskStore;
use crate::jsonrpc::{ErrorObject, RawJson, code};
use crate::session::Cancel;
use crate::transport::BoxFuture;
use crate::types::{CreateTaskResult, JsonObject, Revision, TaskMetadata, TaskSupport};

/// How a tool call is run.
pub(in super::super) enum Plan {
    /// Within its request.
    Now,
    /// As a task from the start, kept as long as the client says.
    Task { ttl_ms: Option<u64> },
    /// Within its request until the handler detaches itself.
    UntilDetached,
}

/// Decides how a call is run: by what the tool can do, and by what the client can take.
pub(in super::super) fn plan(
    entry: &ToolEntry,
    asked: Option<&TaskMetadata>,
    context: &Context,
) -> Result<Plan, ErrorObject> {
    let support = entry.task_support();
    if context.revision().is_modern() {
        // What 2025-11-25 called `task` means nothing here: the server decides.
        return match (support, context.declares(EXTENSION_ID)) {
            (TaskSupport::Forbidden, _) | (TaskSupport::Optional, false) => Ok(Plan::Now),
            (TaskSupport::Required, false) => Err(missing_extension(EXTENSION_ID)),
            (_, true) if entry.detaches => Ok(Plan::UntilDetached),
            (_, true) => Ok(Plan::Task { ttl_ms: None }),
        };
    }
    let refused = |how: &str| {
        let message = format!("the tool `{}` {how}", entry.tool.name);
        Err(ErrorObject::new(code::METHOD_NOT_FOUND, message))
    };
    let asked = asked.filter(|_| context.revision() == Revision::V2025_11_25);
    match (support, asked) {
        (TaskSupport::Forbidden, Some(_)) => {
            refused("cannot run as a task: call it without `task`")
        }
        (TaskSupport::Required, None) => refused("runs only as a task: call it with `task`"),
        (_, Some(task)) => Ok(Plan::Task { ttl_ms: task.ttl }),
        (_, None) => Ok(Plan::Now),
    }
}

/// Makes the task of a call, or none if there is no room and the call can do without.
pub(in super::super) fn create(
    entry: &ToolEntry,
    context: &Context,
    ttl_ms: Option<u64>,
) -> Result<Option<Arc<TaskEntry>>, ErrorObject> {
    let can_wait = context.revision().is_modern() && entry.task_support() == TaskSupport::Optional;
    match context.scope.core.shared.tasks.create(context, ttl_ms, Cancel::new()) {
        Err(_) if can_wait => Ok(None),
        created => created.map(Some),
    }
}

/// Starts a call as a task, and returns the answer that says so.
pub(in super::super) fn start(
    task: &Arc<TaskEntry>,
    entry: Arc<ToolEntry>,
    context: &Context,
    arguments: JsonObject,
) -> RawJson {
    let within = context.for_task(task, task.cancel.clone());
    let own = within.clone();
    let work = Box::pin(async move {
        let outcome = entry.start(own, arguments).await;
        entry.finish(outcome, &within)
    });
    launch(context, task.clone(), work);
    created(context, task)
}

/// Runs a call within its request, and as a task from when its handler detaches itself.
pub(in super::super) async fn run_until_detached(
    entry: Arc<ToolEntry>,
    context: Context,
    params: Option<RawJson>,
    arguments: JsonObject,
) -> Result<RawJson, ErrorObject> {
    let identity =
        RequestIdentity { method: crate::types::method::TOOLS_CALL, params: params.as_ref() };
    let cell = &context.scope.task;
    cell.allow();
    let mut handler = entry.start(context.clone(), arguments);
    let task = loop {
        match input::run(&context.scope, &identity, &mut handler).await? {
            Ran::Done(outcome) => return Ok(context.reply(entry.finish(outcome, &context)?)),
            Ran::Asked(questions) => return Ok(context.reply_as("input_required", questions)),
            Ran::Detached => {
                let store = &context.scope.core.shared.tasks;
                match store.create(&context, None, context.scope.cancel.clone()) {
                    Ok(task) => break task,
                    // No room for a task: a call that can go on without one does.
                    Err(_) if entry.task_support() == TaskSupport::Optional => cell.refuse(),
                    Err(error) => return Err(error),
                }
            }
        }
    };
    cell.attach(task.clone());
    let within = context.clone();
    let work = Box::pin(async move { entry.finish(handler.await, &within) });
    launch(&context, task.clone(), work);
    Ok(created(&context, &task))
}

/// The answer to a request that became a task.
fn created(context: &Context, task: &TaskEntry) -> RawJson {
    match context.revision().is_modern() {
        true => context.reply_as("task", task.created()),
        false => context.reply(CreateTaskResult { task: task.summary(), ..Default::default() }),
    }
}

fn launch(context: &Context, task: Arc<TaskEntry>, work: BoxFuture<'static, Outcome>) {
    let store = Arc::downgrade(&context.scope.core.shared.tasks);
    tokio::spawn(drive(task, work, store));
}

/// Runs the work of a task to its end, and forgets the task when its time is up.
async fn drive(task: Arc<TaskEntry>, work: BoxFuture<'static, Outcome>, store: Weak<TaskStore>) {
    let expired = tokio::time::sleep_until(task.expires);
    tokio::pin!(expired);
    {
        // A task of its own for the handler: its panic ends there, and dropping the set ends it.
        let mut running = JoinSet::new();
        running.spawn(work);
        tokio::select! {
            biased;
            () = task.cancel.cancelled() => drop(task.stop("the task was cancelled")),
            done = running.join_next() => task.finish(match done {
                Some(Ok(outcome)) => outcome.map_err(|error| permitted(error, task.revision)),
                _ => {
                    tracing::error!("the handler of a task panicked");
                    Err(ErrorObject::internal("the handler of this task failed unexpectedly"))
                }
            }),
            () = &mut expired => drop(task.stop("the task took longer than it is kept")),
        }
    }
    let (id, changes) = (task.id.clone(), task);
    expired.await;
    drop(changes);
    if let Some(store) = store.upgrade() {
        store.remove(&id);
    }
}

impl ToolEntry {
    /// The result of a call from what its handler returned.
    pub(in super::super) fn finish(
        &self,
        outcome: Result<crate::types::CallToolResult, super::super::ToolError>,
        context: &Context,
    ) -> Outcome {
        let mut result = reply::tool_result(self.check_result(outcome))?;
        reply::truncate(&mut result, context.scope.core.config.limits.tool_result_bytes_max);
        Ok(result)
    }
}
