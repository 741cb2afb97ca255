//! Waiting for a task: looking at it at the pace that the server wants, answering its questions.

use std::time::Duration;

use serde_json::Value;

use super::super::{Client, RequestOptions, cancelled};
use super::news::Subscriber;
use super::{ClientTask, read};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{ErrorObject, RawJson, RawObject};
use crate::types::{CallToolResult, DetailedTask, InputRequests, TaskStatus, method};

impl ClientTask {
    /// Waits until the task is over, answers what it asks with the client's handlers, and returns
    /// the result of the call. After an error of the connection it can be called again; dropping
    /// it leaves the task alone.
    pub async fn wait(&self) -> Result<CallToolResult> {
        let news = self.client.inner.settings.handlers.task_news.of(&self.id);
        let outcome = self.outcome(&news).await;
        if self.client.is_watching(&self.id) {
            // The connection may be gone by now, and then there is nothing to take back.
            let _ = self.client.unwatch_task(&self.id).await;
        }
        let result = outcome?;
        if let Some(tool) = &self.tool {
            self.client.check_structured(tool, &result)?;
        }
        Ok(result)
    }

    async fn outcome(&self, news: &Subscriber) -> Result<CallToolResult> {
        let made = self.made.lock().expect("no panic while locked").take();
        let mut task = match made {
            Some(made) => *made,
            None => self.status().await?,
        };
        loop {
            let modern = self.client.link().await?.is_modern();
            match task.status {
                TaskStatus::Completed | TaskStatus::Failed if modern => return finished(task),
                // There, questions come while the result is waited for.
                TaskStatus::Completed | TaskStatus::Failed | TaskStatus::InputRequired
                    if !modern =>
                {
                    return self.legacy_result().await;
                }
                TaskStatus::Cancelled => {
                    let message = task.status_message.unwrap_or_else(|| "no reason given".into());
                    let message = format!("the task was cancelled: {message}");
                    return Err(Error::new(ErrorKind::Cancelled, message));
                }
                TaskStatus::InputRequired => {
                    self.answer(task.input_requests.take().unwrap_or_default()).await?;
                }
                _ => {}
            }
            let _ = tokio::time::timeout(self.pause(&task), news.next()).await;
            task = self.status().await?;
        }
    }

    /// How long to wait before the next look: what the server wants, within reason.
    fn pause(&self, task: &DetailedTask) -> Duration {
        let limits = self.client.limits();
        let wanted = task.poll_interval_ms.map_or(limits.task_poll_interval, Duration::from_millis);
        wanted.min(limits.task_poll_interval_max).max(limits.task_poll_interval_min)
    }

    /// Answers the questions that were not answered before.
    async fn answer(&self, mut questions: InputRequests) -> Result<()> {
        {
            let mut answered = self.answered.lock().expect("no panic while locked");
            questions.retain(|key, _| answered.insert(key.clone()));
        }
        if questions.is_empty() {
            return Ok(());
        }
        let link = self.client.link().await?;
        let keys: Vec<_> = questions.keys().cloned().collect();
        let answering = async {
            let responses = self.client.ask_handlers(&link, questions).await?;
            let params = RawObject::from_iter([("inputResponses", Value::Object(responses))]);
            self.request(method::TASKS_UPDATE, params).await.map(drop)
        };
        let outcome = answering.await;
        if outcome.is_err() {
            // The server did not get them, so the next wait may try again.
            let mut answered = self.answered.lock().expect("no panic while locked");
            answered.retain(|key| !keys.contains(key));
        }
        outcome
    }

    async fn legacy_result(&self) -> Result<CallToolResult> {
        let params = RawObject::from_iter([("taskId", RawJson::of(self.id()))]);
        // It takes as long as the task does, which is for the caller to limit.
        let options = RequestOptions::new().timeout(self.client.limits().request_timeout_max);
        let result = self.client.request(method::TASKS_RESULT, params, options).await?;
        read(&result)
    }

    /// [`ClientTask::wait`] within the options of a call. When that is given up, the task is
    /// stopped.
    pub(super) async fn wait_or_cancel(self, options: &RequestOptions) -> Result<CallToolResult> {
        let patience = options.call.timeout.unwrap_or(self.client.limits().request_timeout_max);
        let guard = StopOnDrop(Some(self));
        let task = guard.0.as_ref().expect("taken out below");
        let cancelled_by_caller = async {
            match &options.call.cancel {
                Some(cancel) => cancel.cancelled().await,
                None => std::future::pending().await,
            }
        };
        let result = tokio::select! {
            biased;
            () = cancelled_by_caller => return Err(cancelled(method::TOOLS_CALL)),
            result = tokio::time::timeout(patience, task.wait()) => result.map_err(|_| {
                let message = format!("the task was not over within {} ms", patience.as_millis());
                Error::new(ErrorKind::Timeout, message)
            })?,
        };
        // A task that came to an answer, good or bad, has nothing left to stop.
        let over = match &result {
            Ok(_) => true,
            Err(error) => matches!(error.kind(), ErrorKind::Rpc | ErrorKind::Cancelled),
        };
        if over {
            guard.disarm();
        }
        result
    }
}

/// Stops a task when it is dropped, unless it is disarmed.
struct StopOnDrop(Option<ClientTask>);

impl StopOnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        let (Some(task), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        runtime.spawn(async move {
            if let Err(error) = task.cancel().await {
                tracing::debug!(%error, "a task could not be stopped");
            }
        });
    }
}

/// What a task of the extension came to.
fn finished(task: DetailedTask) -> Result<CallToolResult> {
    if let (TaskStatus::Failed, Some(error)) = (task.status, &task.error) {
        let error: ErrorObject = read(&RawJson::from(&Value::Object(error.clone())))?;
        return Err(error.into());
    }
    match task.result {
        Some(result) => read(&RawJson::from(&Value::Object(result))),
        None => Err(Error::invalid_response("a task is over without a result")),
    }
}

impl Client {
    fn is_watching(&self, task_id: &str) -> bool {
        self.inner.watched.has_task(task_id)
    }
}
