//! Tool calls that a server runs as tasks.
//!
//! [`Client::call`] waits for them without further ado; [`Client::call_task`] hands them out. A
//! task is looked at as often as the server wants (`tasks/get`), and at once when the server tells
//! that it changed. What it asks on the way goes to the client's handlers, each question once.

mod news;
mod wait;

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde::Serialize;

pub(crate) use news::TaskNews;

use super::link::Link;
use super::rounds::kind_of;
use super::{Client, RequestOptions, offers};
use crate::error::{Error, Result};
use crate::jsonrpc::{RawJson, RawObject};
use crate::server::TASKS_EXTENSION;
use crate::types::{
    CallToolResult, CreateTaskResult, DetailedTask, ResultKind, Task, TaskSupport, method,
};

/// What a call came to at first.
#[derive(Debug)]
pub enum Called {
    /// The result: the server did not make a task of it.
    Done(CallToolResult),
    /// A task, whose result comes later.
    Task(ClientTask),
}

/// A tool call that runs as a task on the server. It goes on when this is dropped; its name, kept
/// somewhere, leads back to it with [`Client::task`].
pub struct ClientTask {
    client: Client,
    id: String,
    /// The tool that was called, if this knows it.
    tool: Option<String>,
    /// The task as it was when it was made, until somebody waits for it.
    made: Mutex<Option<Box<DetailedTask>>>,
    /// The questions that were answered: no question is answered twice.
    answered: Mutex<BTreeSet<String>>,
}

impl Client {
    /// Calls a tool and does not wait for its result if the server makes a task of it. A server of
    /// 2026-07-28 decides by itself, and only for clients that were built with
    /// [`tasks`](super::ClientBuilder::tasks); one of 2025-11-25 does so for tools that say they can.
    pub async fn call_task(&self, name: &str, arguments: impl Serialize) -> Result<Called> {
        self.call_task_with(name, arguments, RequestOptions::default()).await
    }

    /// [`Client::call_task`] with options.
    pub async fn call_task_with(
        &self,
        name: &str,
        arguments: impl Serialize,
        options: RequestOptions,
    ) -> Result<Called> {
        let params = super::calls::call_params(name, arguments)?;
        let link = self.link().await?;
        let as_task = runs_tools_as_tasks(&link) && {
            if self.inner.known_tools.task_support(name).is_none() {
                self.tools().await?;
            }
            let support = self.inner.known_tools.task_support(name);
            support.is_some_and(|support| support != TaskSupport::Forbidden)
        };
        self.begin(name, params, options, as_task).await
    }

    /// A task by its name, for example one that was begun before a restart.
    pub fn task(&self, task_id: impl Into<String>) -> ClientTask {
        ClientTask::new(self, task_id.into(), None, None)
    }

    /// Calls a tool. In 2025-11-25, `as_task` asks for a task.
    async fn begin(
        &self,
        name: &str,
        mut params: RawObject,
        options: RequestOptions,
        as_task: bool,
    ) -> Result<Called> {
        if as_task {
            let ttl =
                options.task_ttl.map(|ttl| u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
            let task = crate::types::TaskMetadata { ttl, ..Default::default() };
            params.insert("task", RawJson::of(&task));
        }
        let offered = |link: &Link| offers::check(link.server(), method::TOOLS_CALL);
        let (link, result) = self.persist(method::TOOLS_CALL, &params, &options, offered).await?;
        let made = match link.is_modern() {
            true => match kind_of(&result, method::TOOLS_CALL)? {
                ResultKind::Other(kind) if kind == "task" && self.has_tasks(&link) => {
                    Some(read::<DetailedTask>(&result)?)
                }
                _ => None,
            },
            false if as_task => Some(read::<CreateTaskResult>(&result)?.task.into()),
            false => None,
        };
        match made {
            Some(made) => {
                let (id, tool) = (made.task_id.clone(), Some(name.to_owned()));
                Ok(Called::Task(ClientTask::new(self, id, tool, Some(made))))
            }
            None => {
                self.check_complete(&link, method::TOOLS_CALL, &result)?;
                let result = read(&result)?;
                self.check_structured(name, &result)?;
                Ok(Called::Done(result))
            }
        }
    }

    /// [`Client::call_with`]: a task is waited for, and stopped when nobody waits any more.
    pub(super) async fn call_to_end(
        &self,
        name: &str,
        params: RawObject,
        options: RequestOptions,
    ) -> Result<CallToolResult> {
        let link = self.link().await?;
        let required = self.inner.known_tools.task_support(name) == Some(TaskSupport::Required);
        let as_task = required && runs_tools_as_tasks(&link);
        match self.begin(name, params, options.clone(), as_task).await? {
            Called::Done(result) => Ok(result),
            Called::Task(task) => task.wait_or_cancel(&options).await,
        }
    }

    /// Whether both sides have the extension.
    fn has_tasks(&self, link: &Link) -> bool {
        let theirs = link.server().capabilities.extensions.as_ref();
        self.inner.settings.handlers.extensions.contains_key(TASKS_EXTENSION)
            && theirs.is_some_and(|theirs| theirs.contains_key(TASKS_EXTENSION))
    }
}

/// Whether a server of 2025-11-25 said that tool calls can be tasks.
fn runs_tools_as_tasks(link: &Link) -> bool {
    let tasks = link.server().capabilities.tasks.as_ref();
    !link.is_modern() && tasks.is_some_and(|tasks| tasks.supports_tools())
}

impl ClientTask {
    fn new(client: &Client, id: String, tool: Option<String>, made: Option<DetailedTask>) -> Self {
        ClientTask {
            client: client.clone(),
            id,
            tool,
            made: Mutex::new(made.map(Box::new)),
            answered: Mutex::default(),
        }
    }

    /// Its name. Whoever has it can get at the result: keep it like the result.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Looks at the task. In 2025-11-25 its result is not part of that.
    pub async fn status(&self) -> Result<DetailedTask> {
        let result = self.request(method::TASKS_GET, RawObject::new()).await?;
        match self.client.current().is_modern() {
            true => read(&result),
            false => read::<Task>(&result).map(DetailedTask::from),
        }
    }

    /// Asks the server to stop the task. It may be too late for that.
    pub async fn cancel(&self) -> Result<()> {
        self.request(method::TASKS_CANCEL, RawObject::new()).await.map(drop)
    }

    /// Has the server tell of changes, so that [`ClientTask::wait`] hears of them at once. A server
    /// of 2025-11-25 tells if it likes.
    pub async fn listen(&self) -> Result<()> {
        self.client.watch_task(&self.id).await
    }

    /// Takes [`ClientTask::listen`] back.
    pub async fn unlisten(&self) -> Result<()> {
        self.client.unwatch_task(&self.id).await
    }

    async fn request(&self, method: &str, mut params: RawObject) -> Result<RawJson> {
        params.insert("taskId", RawJson::of(&*self.id));
        let options = RequestOptions::default();
        let (link, result) = self.client.persist(method, &params, &options, |_| Ok(())).await?;
        self.client.check_complete(&link, method, &result)?;
        Ok(result)
    }
}

impl std::fmt::Debug for ClientTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The name is as good as a key to the result, so it is not shown.
        f.debug_struct("ClientTask").field("tool", &self.tool).finish_non_exhaustive()
    }
}

fn read<T: serde::de::DeserializeOwned>(result: &RawJson) -> Result<T> {
    result.decode().map_err(|error| {
        Error::invalid_response("what the server says about a task cannot be read")
            .with_source(error)
    })
}
