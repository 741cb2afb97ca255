//! What passes between the host and its servers, as the page shows it: requests, answers,
//! notifications and questions, without what they say.
//!
//! Values are told as in the gateway's record of calls: by name, kind and length.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use docent_host::{Host, HostEvent, outline};
use docent_mcp::client::{ClientCall, ClientService, RequestOptions};
use docent_mcp::jsonrpc::RawJson;
use docent_mcp::transport::BoxFuture;
use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc};
use tower_layer::Layer;
use tower_service::Service;

use crate::command::servers;

/// Events that somebody who comes later still sees.
const KEPT_MAX: usize = 500;
/// Events that may wait for one page.
const WAITING_MAX: usize = 256;
/// How often a silent stream shows that it is there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Everything that passed. Clones are the same.
#[derive(Clone)]
pub(super) struct Traffic(Arc<Inner>);

struct Inner {
    kept: Mutex<Kept>,
    live: broadcast::Sender<Bytes>,
}

#[derive(Default)]
struct Kept {
    next: u64,
    events: VecDeque<Bytes>,
}

impl Default for Traffic {
    fn default() -> Self {
        let live = broadcast::Sender::new(WAITING_MAX);
        Traffic(Arc::new(Inner { kept: Mutex::default(), live }))
    }
}

impl Traffic {
    /// Something passes. Returns its number.
    pub(super) fn tell(&self, mut event: Value) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut kept = self.0.kept.lock().expect("no panic while locked");
        kept.next += 1;
        event["id"] = kept.next.into();
        event["time"] = u64::try_from(now.as_millis()).unwrap_or(u64::MAX).into();
        // JSON has no line ends of its own, so an event is one line.
        let text = Bytes::from(format!("data: {event}\n\n"));
        if kept.events.len() == KEPT_MAX {
            kept.events.pop_front();
        }
        kept.events.push_back(text.clone());
        // Nobody may be listening. Within the lock, so that whoever comes misses nothing.
        let _ = self.0.live.send(text);
        kept.next
    }

    /// What was kept, then what comes, until nobody reads it.
    pub(super) fn listen(&self) -> mpsc::Receiver<Bytes> {
        let (mut live, before) = {
            let kept = self.0.kept.lock().expect("no panic while locked");
            (self.0.live.subscribe(), kept.events.iter().cloned().collect::<Vec<_>>())
        };
        let (to, events) = mpsc::channel(WAITING_MAX);
        tokio::spawn(async move {
            for event in before {
                if to.send(event).await.is_err() {
                    return;
                }
            }
            loop {
                let event = match tokio::time::timeout(SIGN_OF_LIFE, live.recv()).await {
                    Ok(Ok(event)) => event,
                    Ok(Err(broadcast::error::RecvError::Lagged(missed))) => Bytes::from(format!(
                        "data: {}\n\n",
                        json!({ "kind": "gap", "missed": missed })
                    )),
                    Ok(Err(broadcast::error::RecvError::Closed)) => return,
                    Err(_) => Bytes::from_static(b": still here\n\n"),
                };
                if to.send(event).await.is_err() {
                    return;
                }
            }
        });
        events
    }

    /// Something happened at a server.
    pub(super) fn happened(&self, event: &HostEvent, host: Option<&Host>) {
        self.tell(match event {
            HostEvent::Changed => json!({ "kind": "changed" }),
            HostEvent::State(server) => {
                let all = host.map(Host::servers).unwrap_or_default();
                let state = all.iter().find(|one| one.name == *server).map(servers::as_json);
                let state = state.and_then(|state| state.get("state").cloned());
                json!({ "kind": "state", "server": server, "name": state })
            }
            HostEvent::ResourceUpdated(uri) => json!({
                "kind": "notification",
                "method": "notifications/resources/updated",
                "name": without_query(uri),
            }),
            HostEvent::Log(server, message) => json!({
                "kind": "notification",
                "server": server,
                "method": "notifications/message",
                "name": message.level.as_str(),
                "arguments": outline(&message.data),
            }),
            _ => return,
        });
    }

    /// Options of a call whose progress is told.
    pub(super) fn progress_of(&self, name: &str) -> RequestOptions {
        let (traffic, name) = (self.clone(), name.to_owned());
        RequestOptions::new().on_progress(move |report| {
            traffic.tell(json!({
                "kind": "notification",
                "method": "notifications/progress",
                "name": name,
                "arguments": { "progress": report.progress, "total": report.total },
            }));
        })
    }

    /// The layer that tells of a server's requests.
    pub(super) fn of(&self, server: &str) -> Watching {
        Watching { traffic: self.clone(), server: server.into() }
    }
}

/// An address without what may be secret in it.
fn without_query(uri: &str) -> &str {
    uri.split(['?', '#']).next().unwrap_or_default()
}

/// Watches the requests to one server.
pub(super) struct Watching {
    traffic: Traffic,
    server: Arc<str>,
}

impl Layer<ClientService> for Watching {
    type Service = Watched;

    fn layer(&self, inner: ClientService) -> Watched {
        Watched { traffic: self.traffic.clone(), server: self.server.clone(), inner }
    }
}

#[derive(Clone)]
pub(super) struct Watched {
    traffic: Traffic,
    server: Arc<str>,
    inner: ClientService,
}

impl Service<ClientCall> for Watched {
    type Response = RawJson;
    type Error = docent_mcp::Error;
    type Future = BoxFuture<'static, Result<RawJson, docent_mcp::Error>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<docent_mcp::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ClientCall) -> Self::Future {
        let text = |name: &str| call.params.read::<String>(name).ok().flatten();
        let arguments: Option<Value> = call.params.read("arguments").ok().flatten();
        let name = text("name").or_else(|| text("uri").map(|uri| without_query(&uri).to_owned()));
        let of = self.traffic.tell(json!({
            "kind": "request",
            "server": &*self.server,
            "method": call.method,
            "name": name,
            "arguments": arguments.as_ref().map(outline),
        }));
        let answered = Answered {
            traffic: self.traffic.clone(),
            server: self.server.clone(),
            method: call.method.clone(),
            of,
            since: Instant::now(),
            outcome: json!({ "cancelled": true }),
        };
        let answer = self.inner.call(call);
        Box::pin(async move {
            let answer = answer.await;
            answered.with(match &answer {
                Ok(result) => json!({ "bytes": result.as_bytes().len() }),
                Err(error) => match error.rpc() {
                    Some(rpc) => json!({ "error": rpc.code }),
                    None => json!({ "failed": true }),
                },
            });
            answer
        })
    }
}

/// A request that is told when it is over, also when it is dropped because it was taken back.
struct Answered {
    traffic: Traffic,
    server: Arc<str>,
    method: String,
    of: u64,
    since: Instant,
    outcome: Value,
}

impl Answered {
    fn with(mut self, outcome: Value) {
        self.outcome = outcome;
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        self.traffic.tell(json!({
            "kind": "answer",
            "server": &*self.server,
            "method": self.method,
            "of": self.of,
            "took_us": u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX),
            "outcome": self.outcome,
        }));
    }
}
