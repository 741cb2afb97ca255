//! What a client watches, across eras and restarts.
//!
//! A legacy session subscribes to each resource and hears of lists by itself. A modern connection
//! has one `subscriptions/listen` request for everything that is watched: when that changes, a new
//! one is opened before the old one is ended, so nothing is missed in between.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::link::Link;
use super::service::ClientCall;
use super::{Client, RequestOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::session::Cancel;
use crate::types::{JsonObject, SubscriptionFilter, method};

/// What is watched, kept so that it can be renewed after a restart.
#[derive(Default)]
pub(crate) struct Watched {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    uris: BTreeSet<String>,
    /// Further fields of a listen filter, for extensions.
    extra: JsonObject,
    lists: bool,
    /// Ends the listen request that is open now.
    listening: Option<Cancel>,
}

impl Watched {
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.state.lock().expect("no panic while locked");
        state.uris.is_empty() && state.extra.is_empty() && !state.lists
    }
}

impl Client {
    /// Watches the resource at `uri`: [`ServerEvent::ResourceUpdated`](super::ServerEvent) comes
    /// when it changes.
    pub async fn subscribe(&self, uri: impl Into<String>) -> Result<()> {
        let uri = uri.into();
        let link = self.link().await?;
        self.inner.watched.state.lock().expect("no panic while locked").uris.insert(uri.clone());
        match link.server().revision.is_modern() {
            true => self.listen(&link).await,
            false => self.watch_legacy(method::RESOURCES_SUBSCRIBE, &uri).await,
        }
    }

    /// Stops watching the resource at `uri`.
    pub async fn unsubscribe(&self, uri: &str) -> Result<()> {
        let link = self.link().await?;
        self.inner.watched.state.lock().expect("no panic while locked").uris.remove(uri);
        match link.server().revision.is_modern() {
            true => self.listen(&link).await,
            false => self.watch_legacy(method::RESOURCES_UNSUBSCRIBE, uri).await,
        }
    }

    /// Watches the lists of tools, prompts and resources. A legacy server tells of those by
    /// itself; a modern one has to be asked.
    pub async fn watch_lists(&self) -> Result<()> {
        let link = self.link().await?;
        self.inner.watched.state.lock().expect("no panic while locked").lists = true;
        match link.server().revision.is_modern() {
            true => self.listen(&link).await,
            false => Ok(()),
        }
    }

    /// Adds a field to the filter of the listen request, for changes that an extension defines
    /// (2026-07-28). They come as [`ServerEvent::Other`](super::ServerEvent).
    pub async fn watch_extension(&self, field: impl Into<String>, value: Value) -> Result<()> {
        let link = self.link().await?;
        self.inner
            .watched
            .state
            .lock()
            .expect("no panic while locked")
            .extra
            .insert(field.into(), value);
        match link.server().revision.is_modern() {
            true => self.listen(&link).await,
            false => Ok(()),
        }
    }

    async fn watch_legacy(&self, method: &'static str, uri: &str) -> Result<()> {
        let params = JsonObject::from_iter([("uri".to_owned(), Value::from(uri))]);
        self.request(method, params, RequestOptions::default()).await.map(drop)
    }

    /// Opens a listen request for everything that is watched, then ends the one before.
    async fn listen(&self, link: &Arc<Link>) -> Result<()> {
        let cancel = Cancel::new();
        let (filter, previous) = {
            let mut state = self.inner.watched.state.lock().expect("no panic while locked");
            let lists = state.lists.then_some(true);
            let filter = SubscriptionFilter {
                tools_list_changed: lists,
                prompts_list_changed: lists,
                resources_list_changed: lists,
                resource_subscriptions: state.uris.iter().cloned().collect(),
                extra: state.extra.clone(),
            };
            (filter, state.listening.replace(cancel.clone()))
        };
        let filter = serde_json::to_value(filter).expect("a wire type is always representable");
        let mut options = RequestOptions::new().cancel(cancel);
        options.call.endless = true;
        let call = ClientCall {
            method: method::SUBSCRIPTIONS_LISTEN.to_owned(),
            params: JsonObject::from_iter([("notifications".to_owned(), filter)]),
            options,
            link: link.clone(),
            protocol_meta: self.protocol_meta(link, None),
        };
        let mut acknowledged = link.acknowledged.subscribe();
        let (ended, has_ended) = tokio::sync::oneshot::channel();
        let service = self.inner.service.clone();
        tokio::spawn(async move {
            let outcome = service.call_boxed(call).await;
            tracing::debug!(?outcome, "a listen request ended");
            let _ = ended.send(outcome);
        });
        let wait = self.limits().request_timeout;
        tokio::select! {
            _ = acknowledged.changed() => {}
            outcome = has_ended => {
                outcome.unwrap_or_else(|_| Err(Error::closed()))?;
            }
            () = tokio::time::sleep(wait) => {
                let message = "the server did not acknowledge the subscription";
                return Err(Error::new(ErrorKind::Timeout, message));
            }
        }
        if let Some(previous) = previous {
            previous.cancel(None);
        }
        Ok(())
    }

    /// Renews everything after a restart.
    pub(crate) async fn renew_subscriptions(&self, link: &Arc<Link>) {
        let uris: Vec<_> = {
            let mut state = self.inner.watched.state.lock().expect("no panic while locked");
            state.listening = None;
            state.uris.iter().cloned().collect()
        };
        if self.inner.watched.is_empty() {
            return;
        }
        if link.server().revision.is_modern() {
            if let Err(error) = self.listen(link).await {
                tracing::warn!(%error, "subscriptions could not be renewed");
            }
            return;
        }
        for uri in uris {
            let params = JsonObject::from_iter([("uri".to_owned(), Value::from(uri.as_str()))]);
            let renewed = self
                .request_on(link, method::RESOURCES_SUBSCRIBE, params, RequestOptions::default())
                .await;
            if let Err(error) = renewed {
                tracing::warn!(uri, %error, "a subscription could not be renewed");
            }
        }
    }
}
