//! Notifications of extensions that are not known here, in both directions.
//!
//! From a server: what comes for a listen request goes to whoever made that request, because each
//! gets one of its own at the server (2026-07-28); what comes beside a call goes to that call, if it
//! can only be meant for one caller (`desk`). From a client: to the one server that it can be meant
//! for, as with methods (`extensions`). What nobody can be found for is dropped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use docent_mcp::Client;
use docent_mcp::client::{Listen, RequestOptions};
use docent_mcp::jsonrpc::{ErrorObject, RawJson, RawObject};
use docent_mcp::server::Context;
use docent_mcp::types::{
    JsonObject, Meta, Revision, Sender, SubscriptionFilter, exists_in, notification,
};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::caller::passed_on;
use super::{Answer, Shared, extensions};

/// Whether a notification is of an extension that is not known here.
pub(super) fn is_foreign(method: &str, from: Sender) -> bool {
    let known = |revision: &Revision| exists_in(method, *revision, from);
    method != notification::TASKS && !Revision::ALL.iter().any(known)
}

/// What it says, with the metadata that goes on.
pub(super) fn params_of(params: Option<&RawJson>) -> JsonObject {
    let mut said: JsonObject = params.and_then(|params| params.decode().ok()).unwrap_or_default();
    if let Some(Value::Object(meta)) = said.remove("_meta") {
        let meta = passed_on(&RawObject::from(meta)).into_inner();
        if !meta.is_empty() {
            said.insert("_meta".to_owned(), Value::Object(meta));
        }
    }
    said
}

/// What servers tell for one listen request of a client.
pub(super) struct News {
    told: mpsc::Receiver<(String, JsonObject)>,
    open: JoinSet<()>,
}

/// Has the servers that may know these fields of a filter tell what they ask for. Returns what they
/// honor.
pub(super) async fn listen(
    shared: &Arc<Shared>,
    context: &Context,
    wanted: JsonObject,
) -> (JsonObject, News) {
    let limits = &shared.host.inner.settings.limits;
    let (tell, told) = mpsc::channel(limits.notices_max);
    let mut honored = JsonObject::new();
    let mut open = JoinSet::new();
    if wanted.is_empty() || !context.revision().is_modern() {
        return (honored, News { told, open });
    }
    let mut asking = JoinSet::new();
    for backend in extensions::having(shared, context) {
        let (backend, tell) = (backend.clone(), tell.clone());
        let filter = SubscriptionFilter { extra: wanted.clone(), ..Default::default() };
        let options = RequestOptions::new()
            .meta(passed_on(context.meta_text()))
            .capabilities(context.client_capabilities().clone());
        let patience = limits.list_patience;
        asking.spawn(async move {
            let listening = async {
                let client = backend.client().await.ok()?;
                let told = move |method: &str, params: Option<&RawJson>| {
                    // A client that does not keep up misses news, not answers.
                    let _ = tell.try_send((method.to_owned(), params_of(params)));
                };
                client.listen_apart(filter, options, told).await.ok()
            };
            tokio::time::timeout(patience, listening).await.ok().flatten()
        });
    }
    while let Some(asked) = asking.join_next().await {
        let Ok(Some(listen)) = asked else { continue };
        if listen.honored().extra.is_empty() {
            continue;
        }
        for (field, value) in &listen.honored().extra {
            if wanted.contains_key(field) {
                join(honored.entry(field), value);
            }
        }
        open.spawn(kept(listen));
    }
    (honored, News { told, open })
}

/// What one more server honors of a field.
fn join(field: serde_json::map::Entry<'_>, value: &Value) {
    match (field.or_insert_with(|| value.clone()), value) {
        (Value::Array(known), Value::Array(more)) => {
            let new: Vec<_> = more.iter().filter(|one| !known.contains(one)).cloned().collect();
            known.extend(new);
        }
        (Value::Bool(known), Value::Bool(more)) => *known |= more,
        _ => {}
    }
}

/// A listen request is open until its server ends it.
async fn kept(mut listen: Listen) {
    listen.ended().await;
}

impl News {
    /// Passes on what comes. Ends when a server has ended its part, so that the client listens
    /// again.
    pub(super) async fn pass_on(&mut self, context: &Context) -> Answer {
        loop {
            tokio::select! {
                Some((method, params)) = self.told.recv() => {
                    // A client that is gone shows in the request itself.
                    let _ = context.tell(&method, params).await;
                }
                Some(_) = self.open.join_next() => {
                    return Err(ErrorObject::internal("a server has ended: listen again"));
                }
                else => std::future::pending().await,
            }
        }
    }
}

/// What is on its way to servers, in its order for each of them.
#[derive(Default)]
pub(super) struct Outgoing(Mutex<HashMap<usize, mpsc::Sender<Sent>>>);

type Sent = (Client, String, JsonObject);

impl Outgoing {
    fn send(&self, number: usize, max: usize, sent: Sent) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mut queues = self.0.lock().expect("no panic while locked");
        let queue = queues.entry(number).or_insert_with(|| {
            let (queue, mut waiting) = mpsc::channel::<Sent>(max);
            runtime.spawn(async move {
                while let Some((client, method, params)) = waiting.recv().await {
                    let _ = client.notify(&method, Some(params)).await;
                }
            });
            queue
        });
        // A server that does not keep up misses news, and delays nobody else.
        let _ = queue.try_send(sent);
    }
}

impl Shared {
    /// A client tells something that is not known here.
    pub(super) fn notified(&self, method: &str, params: Option<&RawJson>, connection: Option<u64>) {
        let said: JsonObject = params.and_then(|params| params.decode().ok()).unwrap_or_default();
        let meta = match said.get("_meta") {
            Some(Value::Object(meta)) => Meta::from(meta.clone()),
            _ => Meta::new(),
        };
        // Notifications need not say what their client can do; requests do.
        let declared = meta.client_capabilities().and_then(|can| can.extensions);
        let mut found: Vec<(usize, Client)> = Vec::new();
        for backend in &self.host.inner.backends {
            let mut others = extensions::others(backend).into_iter();
            let fits =
                others.any(|(id, _)| declared.as_ref().is_none_or(|all| all.contains_key(&id)));
            found.extend(backend.open_client().filter(|_| fits).map(|one| (backend.number, one)));
        }
        // In a session, what is beyond the protocol is an experiment that the server declares.
        let legacy = connection.map(|connection| self.of_session(connection)).unwrap_or_default();
        let tries = |client: &Client| {
            let server = client.server();
            let experiments = server.capabilities.experimental.unwrap_or_default();
            !server.revision.is_modern() && !experiments.is_empty()
        };
        found.extend(legacy.into_iter().filter(|(_, client)| tries(client)));
        match <[_; 1]>::try_from(found) {
            Ok([(number, client)]) => {
                let max = self.host.inner.settings.limits.notices_max;
                self.outgoing.send(number, max, (client, method.to_owned(), params_of(params)));
            }
            Err(found) => {
                tracing::debug!(method, servers = found.len(), "a notification for nobody here");
            }
        }
    }
}
