//! A task as peers see it: the forms of both eras, and the news of it.

use std::time::Duration;

use serde_json::Value;

use super::super::super::broker::Change;
use super::super::LISTEN_FIELD;
use super::{State, TaskEntry};
use crate::session::encode_for;
use crate::types::{Adapt as _, DetailedTask, JsonObject, Task, TaskStatus, notification};

impl TaskEntry {
    /// The task in the form of 2025-11-25.
    pub(in super::super) fn summary(&self) -> Task {
        self.summary_of(&self.state())
    }

    fn summary_of(&self, state: &State) -> Task {
        Task {
            task_id: self.id.clone(),
            status: state.status,
            status_message: state.message.clone(),
            created_at: self.created_at.clone(),
            last_updated_at: state.updated_at.clone(),
            ttl: Some(millis(self.ttl)),
            poll_interval: Some(millis(self.poll_interval)),
            ..Default::default()
        }
    }

    /// The task in the form of the extension, without what belongs to its status.
    pub(in super::super) fn created(&self) -> DetailedTask {
        self.created_of(&self.state())
    }

    fn created_of(&self, state: &State) -> DetailedTask {
        self.summary_of(state).into()
    }

    /// The task in the form of the extension, with everything.
    pub(in super::super) fn detailed(&self) -> DetailedTask {
        let state = self.state();
        let mut task = self.created_of(&state);
        match (&state.outcome, state.status) {
            (Some(Ok(result)), _) => {
                let mut result = result.clone();
                result.adapt(self.revision);
                task.result = Some(object(&result));
            }
            (Some(Err(error)), _) => task.error = Some(object(error)),
            (None, TaskStatus::InputRequired) => {
                let questions = state.questions.iter();
                let requests = questions.map(|(key, one)| (key.clone(), one.request.clone()));
                task.input_requests = Some(requests.collect());
            }
            (None, _) => {}
        }
        task
    }

    /// Tells those who listen, and those who wait here.
    pub(super) fn tell(&self) {
        let order = self.telling.lock().expect("no panic while locked");
        if self.revision.is_modern() {
            let mut task = self.detailed();
            task.adapt(self.revision);
            self.broker.publish(&Change::Extension {
                field: LISTEN_FIELD.to_owned(),
                value: self.id.clone(),
                method: notification::TASKS.to_owned(),
                params: object(&task),
            });
        } else if let Some(session) = self.session.upgrade()
            && let Ok(params) = encode_for(self.summary(), self.revision)
        {
            session.tell(notification::TASKS_STATUS, &params);
        }
        drop(order);
        self.changed.notify();
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn object(value: &impl serde::Serialize) -> JsonObject {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => unreachable!("only structs are written here"),
    }
}
