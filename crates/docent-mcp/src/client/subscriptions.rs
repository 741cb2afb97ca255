//! What a client watches, across eras and restarts.
//!
//! A legacy session subscribes to each resource and hears of lists by itself. A modern connection
//! has one `subscriptions/listen` request for everything that is watched: when that changes, a new
//! one is opened before the old one is ended, so nothing is missed in between.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use serde_json::Value;
use tokio::sync::oneshot;

use super::link::Link;
use super::listens::Listening;
use super::restart::Attempts;
use super::service::{ClientCall, ClientService};
use super::{Client, Inner, RequestOptions, ServerEvent};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::RawObject;
use crate::session::Cancel;
use crate::transport::BoxFuture;
use crate::types::{JsonObject, SubscriptionFilter, method};

/// How often in a row a listen request that the server ends is made again.
const LISTENS_MAX: u32 = 6;

/// The field of a listen filter that names tasks.
const TASK_IDS: &str = "taskIds";

/// What is watched, kept so that it can be renewed after a restart.
#[derive(Default)]
pub(crate) struct Watched {
    wanted: Mutex<Wanted>,
    /// Ends the listen request that is open now. Held while another one takes its place.
    listening: tokio::sync::Mutex<Option<Cancel>>,
    /// Listen requests that followed one that the server ended.
    again: Mutex<Attempts>,
}

#[derive(Default)]
struct Wanted {
    uris: BTreeSet<String>,
    /// Further fields of a listen filter, for extensions.
    extra: JsonObject,
    lists: bool,
    /// Tasks, by name.
    tasks: BTreeSet<String>,
}

impl Wanted {
    fn filter(&self) -> SubscriptionFilter {
        let lists = self.lists.then_some(true);
        let mut extra = self.extra.clone();
        if !self.tasks.is_empty() {
            extra.insert(TASK_IDS.to_owned(), self.tasks.iter().map(|id| &**id).collect());
        }
        SubscriptionFilter {
            tools_list_changed: lists,
            prompts_list_changed: lists,
            resources_list_changed: lists,
            resource_subscriptions: self.uris.iter().cloned().collect(),
            extra,
        }
    }
}

impl Watched {
    fn wanted(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().expect("no panic while locked")
    }

    pub(crate) fn is_empty(&self) -> bool {
        let wanted = self.wanted();
        wanted.uris.is_empty()
            && wanted.extra.is_empty()
            && !wanted.lists
            && wanted.tasks.is_empty()
    }

    pub(crate) fn has_task(&self, task_id: &str) -> bool {
        self.wanted().tasks.contains(task_id)
    }
}

impl Client {
    /// Watches the resource at `uri`: [`ServerEvent::ResourceUpdated`](super::ServerEvent) comes
    /// when it changes.
    pub async fn subscribe(&self, uri: impl Into<String>) -> Result<()> {
        let uri = uri.into();
        let link = self.link().await?;
        let new = self.inner.watched.wanted().uris.insert(uri.clone());
        let watching = match link.is_modern() {
            true => self.listen(&link).await.and_then(|honored| {
                let honored = honored.resource_subscriptions.contains(&uri);
                honored.then_some(()).ok_or_else(|| refused(&uri))
            }),
            false => self.watch_legacy(&link, method::RESOURCES_SUBSCRIBE, &uri).await,
        };
        if watching.is_err() && new {
            self.inner.watched.wanted().uris.remove(&uri);
        }
        watching
    }

    /// Stops watching the resource at `uri`.
    pub async fn unsubscribe(&self, uri: &str) -> Result<()> {
        let link = self.link().await?;
        self.inner.watched.wanted().uris.remove(uri);
        match link.is_modern() {
            true => self.listen(&link).await.map(drop),
            false => self.watch_legacy(&link, method::RESOURCES_UNSUBSCRIBE, uri).await,
        }
    }

    /// Watches the lists of tools, prompts and resources, as far as the server tells of them. A
    /// legacy server does so by itself; a modern one has to be asked.
    pub async fn watch_lists(&self) -> Result<()> {
        let link = self.link().await?;
        let before = std::mem::replace(&mut self.inner.watched.wanted().lists, true);
        if !link.is_modern() {
            return Ok(());
        }
        let watching = self.listen(&link).await.and_then(|honored| lists_honored(&link, &honored));
        if watching.is_err() {
            self.inner.watched.wanted().lists = before;
        }
        watching
    }

    /// Adds a field to the filter of the listen request, for changes that an extension defines
    /// (2026-07-28). They come as [`ServerEvent::Other`](super::ServerEvent).
    pub async fn watch_extension(&self, field: impl Into<String>, value: Value) -> Result<()> {
        let field = field.into();
        let link = self.link().await?;
        self.inner.watched.wanted().extra.insert(field.clone(), value);
        if !link.is_modern() {
            return Ok(());
        }
        let watching = self.listen(&link).await.and_then(|honored| {
            let honored = honored.extra.contains_key(&field);
            honored.then_some(()).ok_or_else(|| refused(&field))
        });
        if watching.is_err() {
            self.inner.watched.wanted().extra.remove(&field);
        }
        watching
    }

    /// Has the server tell when a task changes; a legacy server does so by itself.
    pub(super) async fn watch_task(&self, task_id: &str) -> Result<()> {
        let link = self.link().await?;
        if !link.is_modern() {
            return Ok(());
        }
        self.inner.watched.wanted().tasks.insert(task_id.to_owned());
        let watching = self.listen(&link).await.and_then(|honored| {
            let ids = honored.extra.get(TASK_IDS).and_then(Value::as_array);
            let honored = ids.is_some_and(|ids| ids.iter().any(|id| id == task_id));
            honored.then_some(()).ok_or_else(|| refused("the task"))
        });
        if watching.is_err() {
            self.inner.watched.wanted().tasks.remove(task_id);
        }
        watching
    }

    pub(super) async fn unwatch_task(&self, task_id: &str) -> Result<()> {
        let link = self.link().await?;
        let watched = self.inner.watched.wanted().tasks.remove(task_id);
        match watched && link.is_modern() {
            true => self.listen(&link).await.map(drop),
            false => Ok(()),
        }
    }

    async fn watch_legacy(&self, link: &Arc<Link>, method: &str, uri: &str) -> Result<()> {
        super::offers::check(link.server(), method)?;
        let params = RawObject::from_iter([("uri", Value::from(uri))]);
        self.request_on(link, method, &params, &RequestOptions::default()).await.map(drop)
    }

    /// Opens a listen request for everything that is watched, waits until the server has taken it
    /// up and ends the one before. Returns what the server will tell.
    async fn listen(&self, link: &Arc<Link>) -> Result<SubscriptionFilter> {
        let mut listening = self.inner.watched.listening.lock().await;
        let wanted = self.inner.watched.wanted().filter();
        let mut next = CancelOnDrop(None);
        let mut honored = SubscriptionFilter::default();
        if wanted != honored {
            let cancel = next.0.insert(Cancel::new()).clone();
            honored = self.open_listen(link, wanted, cancel).await?;
        }
        if let Some(previous) = std::mem::replace(&mut *listening, next.0.take()) {
            previous.cancel(None);
        }
        Ok(honored)
    }

    async fn open_listen(
        &self,
        link: &Arc<Link>,
        wanted: SubscriptionFilter,
        cancel: Cancel,
    ) -> Result<SubscriptionFilter> {
        let (acknowledge, acknowledged) = oneshot::channel();
        let options = RequestOptions::new().cancel(cancel);
        let call = self.listen_call(link, wanted, options, Listening::new(acknowledge, None));
        tokio::spawn(hold(Arc::downgrade(&self.inner), self.inner.service.clone(), call));
        self.acknowledged(acknowledged).await
    }

    pub(super) fn listen_call(
        &self,
        link: &Arc<Link>,
        wanted: SubscriptionFilter,
        mut options: RequestOptions,
        listening: Listening,
    ) -> ClientCall {
        let wanted = serde_json::to_value(wanted).expect("a wire type is always representable");
        options.call.endless = true;
        ClientCall {
            method: method::SUBSCRIPTIONS_LISTEN.to_owned(),
            params: RawObject::from_iter([("notifications", wanted)]),
            protocol_meta: self.protocol_meta(link, &options),
            options,
            link: link.clone(),
            listening: Some(Arc::new(listening)),
        }
    }

    /// What the server will tell, once it says so.
    pub(super) async fn acknowledged(
        &self,
        acknowledged: oneshot::Receiver<Result<SubscriptionFilter>>,
    ) -> Result<SubscriptionFilter> {
        match tokio::time::timeout(self.limits().request_timeout, acknowledged).await {
            Ok(answer) => answer.unwrap_or_else(|_| Err(Error::closed())),
            Err(_) => {
                let message = "the server did not acknowledge the subscription";
                Err(Error::new(ErrorKind::Timeout, message))
            }
        }
    }

    /// Renews everything after a restart.
    pub(crate) async fn renew(&self, link: &Arc<Link>) {
        // What listened to the connection before ended with it.
        *self.inner.watched.listening.lock().await = None;
        if link.is_modern() {
            if let Err(error) = self.listen(link).await {
                tracing::warn!(%error, "subscriptions could not be renewed");
            }
            return;
        }
        let level = *self.inner.log_level.lock().expect("no panic while locked");
        if let Some(level) = level
            && let Err(error) = self.set_session_log_level(link, level).await
        {
            tracing::warn!(%error, "the log level could not be set again");
        }
        let uris: Vec<_> = self.inner.watched.wanted().uris.iter().cloned().collect();
        for uri in uris {
            if let Err(error) = self.watch_legacy(link, method::RESOURCES_SUBSCRIBE, &uri).await {
                tracing::warn!(uri, %error, "a subscription could not be renewed");
            }
        }
    }
}

/// Holds a listen request open until it ends, and makes it again if it was the server that ended
/// it. Boxed, because that may go on and on.
fn hold(inner: Weak<Inner>, service: ClientService, call: ClientCall) -> BoxFuture<'static, ()> {
    let link = call.link.clone();
    let listening = call.listening.clone();
    let cancel = call.options.call.cancel.clone();
    Box::pin(async move {
        let ended = service.call_boxed(call).await;
        tracing::debug!(?ended, "a listen request ended");
        let acknowledged =
            listening.is_some_and(|listening| link.listens.remove(&listening, ended.map(drop)));
        if acknowledged && !cancel.is_some_and(|cancel| cancel.is_cancelled()) {
            listen_again(inner, link).await;
        }
    })
}

/// Takes up what the server ended, a few times and with growing pauses.
async fn listen_again(inner: Weak<Inner>, link: Arc<Link>) {
    while let Some(inner) = inner.upgrade()
        && link.is_open()
    {
        let client = Client { inner };
        let again = || client.inner.watched.again.lock().expect("no panic while locked");
        let due = again().due();
        if again().count() >= LISTENS_MAX {
            return client.inner.settings.handlers.tell(ServerEvent::SubscriptionsEnded);
        }
        if due > tokio::time::Instant::now() {
            drop(client);
            tokio::time::sleep_until(due).await;
            continue;
        }
        let _ = again().start();
        if client.listen(&link).await.is_ok() {
            return again().succeeded();
        }
    }
}

/// Cancels when dropped, unless that was taken out.
pub(super) struct CancelOnDrop(pub(super) Option<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.cancel(None);
        }
    }
}

fn refused(what: &str) -> Error {
    Error::unsupported(format!("the server does not tell of changes to {what}"))
}

/// Holds what the server will tell of its lists against what it says it can.
fn lists_honored(link: &Link, honored: &SubscriptionFilter) -> Result<()> {
    let can = &link.server().capabilities;
    let can_tools = can.tools.as_ref().and_then(|can| can.list_changed);
    let can_prompts = can.prompts.as_ref().and_then(|can| can.list_changed);
    let can_resources = can.resources.as_ref().and_then(|can| can.list_changed);
    for (name, can, will) in [
        ("tools", can_tools, honored.tools_list_changed),
        ("prompts", can_prompts, honored.prompts_list_changed),
        ("resources", can_resources, honored.resources_list_changed),
    ] {
        if can == Some(true) && will != Some(true) {
            return Err(refused(&format!("its list of {name}")));
        }
    }
    Ok(())
}
