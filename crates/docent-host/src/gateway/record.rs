//! A record of calls: one line of JSON for each, without what was said.
//!
//! Arguments are told by name, type and length only, because they may hold anything: what is not
//! written down cannot leak.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::server::{Call, Context};
use docent_mcp::types::method;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tracing::dispatcher;

use super::Answer;
use crate::outline::outline;

/// Where lines go: to a thread of its own, so that no call waits for a disk.
pub(super) struct Record {
    lines: SyncSender<String>,
    /// How many lines were sent there, and how many of them are written.
    sent: AtomicU64,
    written: watch::Receiver<u64>,
}

/// What is known of a call before it is made.
pub(super) struct Begun {
    method: String,
    name: Value,
    arguments: Value,
    principal: Value,
    client: Value,
    revision: String,
    since: Instant,
}

impl Record {
    pub(super) fn new(
        mut to: impl Write + Send + 'static,
        waiting_max: usize,
    ) -> std::io::Result<Self> {
        let (lines, coming) = sync_channel::<String>(waiting_max);
        let (done, written) = watch::channel(0);
        // Who builds a gateway also hears what its thread has to say.
        let heard = dispatcher::get_default(Clone::clone);
        let write = move || {
            for line in coming {
                if let Err(error) = writeln!(to, "{line}").and_then(|()| to.flush()) {
                    tracing::warn!("the record of calls ends here, it cannot be written: {error}");
                    return;
                }
                done.send_modify(|lines| *lines += 1);
            }
        };
        let thread = std::thread::Builder::new().name("docent-record".to_owned());
        thread.spawn(move || dispatcher::with_default(&heard, write))?;
        Ok(Record { lines, sent: AtomicU64::new(0), written })
    }

    /// Waits until everything is written, or cannot be, or takes longer than this.
    pub(super) async fn settle(&self, patience: Duration) {
        let mut written = self.written.clone();
        let sent = self.sent.load(Ordering::Acquire);
        let writing = written.wait_for(|lines| *lines >= sent);
        if tokio::time::timeout(patience, writing).await.is_err() {
            tracing::warn!("the record of calls cannot keep up, and its last lines are lost");
        }
    }

    /// Whether calls of a method are written down.
    pub(super) fn takes(method: &str) -> bool {
        matches!(method, method::TOOLS_CALL | method::PROMPTS_GET | method::RESOURCES_READ)
    }

    /// Writes a call down; without an answer it was taken back.
    pub(super) fn write(&self, begun: Begun, answer: Option<&Answer>) {
        let took = begun.since.elapsed();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut line = json!({
            "time_ms": u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            "method": begun.method,
            "name": begun.name,
            "arguments": begun.arguments,
            "principal": begun.principal,
            "client": begun.client,
            "revision": begun.revision,
            "took_us": u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        });
        let outcome = match answer {
            Some(Ok(result)) => json!({ "bytes": result.as_bytes().len() }),
            Some(Err(ErrorObject { code, .. })) => json!({ "error": code }),
            None => json!({ "cancelled": true }),
        };
        line["outcome"] = outcome;
        match self.lines.try_send(line.to_string()) {
            Ok(()) => drop(self.sent.fetch_add(1, Ordering::Release)),
            Err(TrySendError::Full(_)) => {
                tracing::warn!("the record of calls cannot keep up, and misses one");
            }
            // The thread has said why.
            Err(TrySendError::Disconnected(_)) => {}
        }
    }
}

impl Begun {
    pub(super) fn of(call: &Call) -> Self {
        let context: &Context = &call.context;
        let params: Map<String, Value> =
            call.params.as_ref().and_then(|params| params.decode().ok()).unwrap_or_default();
        // What follows a `?` in an address is said, too.
        let address = params.get("uri").and_then(Value::as_str);
        let address = address.map(|uri| uri.split(['?', '#']).next().unwrap_or_default().into());
        let name = params.get("name").cloned().or(address);
        Begun {
            method: call.method.clone(),
            name: name.unwrap_or_default(),
            arguments: params.get("arguments").map(outline).unwrap_or_default(),
            principal: context.principal().into(),
            client: context.client_info().map(|info| &*info.name).into(),
            revision: context.revision().to_string(),
            since: Instant::now(),
        }
    }
}
