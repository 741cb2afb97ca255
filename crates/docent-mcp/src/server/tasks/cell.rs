//! Where a request's context keeps the task that the request is, or may become, and what a handler
//! can do with it.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use super::super::Context;
use super::entry::TaskEntry;
use crate::session::Signal;

/// The task of a request, if it has one.
#[derive(Default)]
pub(crate) struct TaskCell {
    task: OnceLock<Arc<TaskEntry>>,
    stage: AtomicU8,
    changed: Signal,
}

/// The request cannot become a task, or not any more.
const NEVER: u8 = 0;
/// It becomes one when its handler wants that.
const ALLOWED: u8 = 1;
/// Its handler wants that.
const WANTED: u8 = 2;

impl TaskCell {
    /// The cell of a request that is a task from the start.
    pub(crate) fn of(task: Arc<TaskEntry>) -> Self {
        TaskCell { task: task.into(), ..Default::default() }
    }

    pub(crate) fn get(&self) -> Option<&Arc<TaskEntry>> {
        self.task.get()
    }

    fn set(&self, stage: u8) {
        self.stage.store(stage, Ordering::Release);
        self.changed.notify();
    }

    fn is(&self, stage: u8) -> bool {
        self.stage.load(Ordering::Acquire) == stage
    }

    pub(super) fn allow(&self) {
        self.set(ALLOWED);
    }

    /// Whether the handler waits to be detached.
    pub(crate) fn is_wanted(&self) -> bool {
        self.is(WANTED)
    }

    pub(super) fn refuse(&self) {
        self.set(NEVER);
    }

    pub(super) fn attach(&self, task: Arc<TaskEntry>) {
        let _ = self.task.set(task);
        self.set(NEVER);
    }
}

impl Context {
    /// Lets the client go: what follows runs as a task, if the tool was made with
    /// [`ServerTool::task_on_detach`](super::super::ServerTool::task_on_detach) and the client can
    /// take a task; the client has its name as soon as this is called. Questions that are asked
    /// before are part of the request, later ones are the task's. Returns whether this is a task.
    pub async fn detach(&self) -> bool {
        let cell = &self.scope.task;
        if cell.is(ALLOWED) {
            cell.set(WANTED);
            self.scope.questions.wake();
        }
        cell.changed.until(|| !cell.is(WANTED)).await;
        cell.get().is_some()
    }

    /// The name of the task that this runs as, if it is one.
    pub fn task_id(&self) -> Option<&str> {
        self.scope.task.get().map(|task| &*task.id)
    }

    /// Says what is happening, for whoever looks at the task. Outside of a task it does nothing;
    /// [`Context::progress`] reports to a client that waits.
    pub fn task_status(&self, message: impl Into<String>) {
        if let Some(task) = self.scope.task.get() {
            task.set_message(message.into());
        }
    }
}
