//! Every task of a server, whatever the connections: bounded, and forgotten when its time is up.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::time::Instant;

use super::super::Context;
use super::super::registry::{read_cursor, write_cursor};
use super::entry::{NewTask, TaskEntry};
use crate::jsonrpc::ErrorObject;
use crate::session::Cancel;

#[derive(Default)]
pub(crate) struct TaskStore(Mutex<Tasks>);

#[derive(Default)]
struct Tasks {
    by_id: HashMap<String, (u64, Arc<TaskEntry>)>,
    by_number: BTreeMap<u64, Arc<TaskEntry>>,
    by_principal: HashMap<Option<Arc<str>>, usize>,
    next: u64,
}

impl TaskStore {
    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.0.lock().expect("no panic while locked")
    }

    /// Makes a task for the request of `context`, to be kept for `ttl_ms` if that is not too long.
    pub(super) fn create(
        &self,
        context: &Context,
        ttl_ms: Option<u64>,
        cancel: Cancel,
    ) -> Result<Arc<TaskEntry>, ErrorObject> {
        let scope = &context.scope;
        let limits = &scope.core.config.limits;
        let ttl = ttl_ms.map_or(limits.task_ttl, Duration::from_millis).min(limits.task_ttl_max);
        let entry = Arc::new(TaskEntry::new(NewTask {
            id: unguessable(),
            principal: scope.caller.principal.clone(),
            session: Arc::downgrade(&scope.session),
            revision: context.revision(),
            cancel,
            ttl,
            poll_interval: limits.task_poll_interval,
            result_bytes_max: limits.task_result_bytes_max,
            broker: scope.core.shared.broker.clone(),
        }));
        let mut tasks = self.tasks();
        let held = tasks.by_principal.get(&entry.principal).copied().unwrap_or(0);
        if tasks.by_id.len() >= limits.tasks_max || held >= limits.tasks_per_principal_max {
            return Err(ErrorObject::internal("too many tasks are kept already: try again later"));
        }
        tasks.next += 1;
        let number = tasks.next;
        *tasks.by_principal.entry(entry.principal.clone()).or_default() += 1;
        tasks.by_id.insert(entry.id.clone(), (number, entry.clone()));
        tasks.by_number.insert(number, entry.clone());
        Ok(entry)
    }

    /// Forgets a task.
    pub(super) fn remove(&self, id: &str) {
        let mut tasks = self.tasks();
        let Some((number, entry)) = tasks.by_id.remove(id) else { return };
        tasks.by_number.remove(&number);
        if let Some(held) = tasks.by_principal.get_mut(&entry.principal) {
            *held -= 1;
            if *held == 0 {
                tasks.by_principal.remove(&entry.principal);
            }
        }
    }

    /// The task of that name, if the caller may know of it.
    pub(super) fn find(&self, id: &str, context: &Context) -> Option<Arc<TaskEntry>> {
        let (_, entry) = self.tasks().by_id.get(id)?.clone();
        let known = entry.principal.as_deref() == context.principal()
            && entry.revision.is_modern() == context.revision().is_modern()
            && entry.expires > Instant::now();
        known.then_some(entry)
    }

    /// [`TaskStore::find`], or the error that says there is none.
    pub(super) fn get(&self, id: &str, context: &Context) -> Result<Arc<TaskEntry>, ErrorObject> {
        self.find(id, context).ok_or_else(|| {
            let id: String = id.chars().take(100).collect();
            ErrorObject::invalid_params(format!("there is no task {id:?}, or it has expired"))
        })
    }

    /// One page of the caller's tasks: those of their principal, or, if there is none, those of
    /// their session.
    pub(super) fn page(
        &self,
        cursor: Option<&str>,
        context: &Context,
    ) -> Result<(Vec<Arc<TaskEntry>>, Option<String>), ErrorObject> {
        let after = cursor.map_or(Ok(0), read_cursor)?;
        let session = Arc::downgrade(&context.scope.session);
        let now = Instant::now();
        let tasks = self.tasks();
        let mut rest = tasks.by_number.range(after + 1..).filter(|(_, entry)| {
            let same_session = entry.session.ptr_eq(&session);
            entry.principal.as_deref() == context.principal()
                && (entry.principal.is_some() || same_session)
                && entry.revision.is_modern() == context.revision().is_modern()
                && entry.expires > now
        });
        let page: Vec<_> = rest.by_ref().take(context.scope.core.page_size().max(1)).collect();
        let last = page.last().map_or(after, |(number, _)| **number);
        let next = rest.next().map(|_| write_cursor(last));
        Ok((page.into_iter().map(|(_, entry)| entry.clone()).collect(), next))
    }
}

/// 192 random bits as text.
fn unguessable() -> String {
    let mut id = [0; 24];
    SystemRandom::new().fill(&mut id).expect("the system gives random numbers");
    URL_SAFE_NO_PAD.encode(id)
}
