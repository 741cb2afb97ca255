//! Who waits for news of which task: told by the connection, heard by whoever waits for the task.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use serde::Deserialize;
use tokio::sync::Notify;

use crate::jsonrpc::RawJson;

/// Everybody who waits, by task.
#[derive(Clone, Default)]
pub(crate) struct TaskNews(Arc<Mutex<Waiting>>);

type Waiting = HashMap<String, Vec<Arc<Notify>>>;

impl TaskNews {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().expect("no panic while locked")
    }

    /// Waits for news of a task from now on.
    pub(super) fn of(&self, task_id: &str) -> Subscriber {
        let notify = Arc::new(Notify::new());
        self.waiting().entry(task_id.to_owned()).or_default().push(notify.clone());
        Subscriber { news: self.clone(), task_id: task_id.to_owned(), notify }
    }

    /// A notification of a server came that is about a task.
    pub(crate) fn came(&self, params: &RawJson) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct About {
            task_id: String,
        }
        let Ok(About { task_id }) = params.decode() else { return };
        for waiting in self.waiting().get(&task_id).into_iter().flatten() {
            waiting.notify_one();
        }
    }
}

/// One who waits.
pub(super) struct Subscriber {
    news: TaskNews,
    task_id: String,
    notify: Arc<Notify>,
}

impl Subscriber {
    /// Resolves when there are news that were not seen yet.
    pub(super) async fn next(&self) {
        self.notify.notified().await;
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let mut waiting = self.news.waiting();
        if let Some(all) = waiting.get_mut(&self.task_id) {
            all.retain(|one| !Arc::ptr_eq(one, &self.notify));
            if all.is_empty() {
                waiting.remove(&self.task_id);
            }
        }
    }
}
