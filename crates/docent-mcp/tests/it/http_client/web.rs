//! An HTTP server on loopback that answers as a test tells it to, also as no server should.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Longer than anything that is waited for; only a failing test waits that long.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// One request as it came in.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) verb: String,
    pub(super) path: String,
    pub(super) headers: HashMap<String, String>,
    pub(super) body: Value,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The method of the message, or the verb of a request without one.
    pub(super) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.verb)
    }
}

/// What is answered.
pub(super) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    steps: Vec<Step>,
    /// What the answer waits for.
    gate: Option<Arc<Notify>>,
}

/// What happens after the head of an answer, in order. The end of the list ends the answer.
pub(super) enum Step {
    Send(String),
    /// Closes the socket without an end.
    Cut,
    /// Waits until the client goes away.
    Hang,
}

impl Reply {
    pub(super) fn text(status: u16, kind: &str, body: impl Into<String>) -> Reply {
        let headers = vec![("content-type", kind.to_owned())];
        Reply { status, headers, steps: vec![Step::Send(body.into())], gate: None }
    }

    pub(super) fn status(status: u16) -> Reply {
        Reply { status, headers: Vec::new(), steps: Vec::new(), gate: None }
    }

    pub(super) fn json(status: u16, body: &Value) -> Reply {
        Reply::text(status, "application/json", body.to_string())
    }

    /// The answer to a request, as JSON.
    pub(super) fn result(to: &Seen, result: Value) -> Reply {
        Reply::json(200, &answer(to, result))
    }

    /// An error object with this status.
    pub(super) fn error(to: &Seen, status: u16, code: i64, data: Value) -> Reply {
        let error = json!({ "code": code, "message": "no", "data": data });
        Reply::json(status, &json!({ "jsonrpc": "2.0", "id": to.body["id"], "error": error }))
    }

    /// A stream of events.
    pub(super) fn events(steps: impl IntoIterator<Item = Step>) -> Reply {
        let headers = vec![("content-type", "text/event-stream; charset=utf-8".to_owned())];
        Reply { status: 200, headers, steps: steps.into_iter().collect(), gate: None }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    /// Holds the answer back until the gate is opened.
    pub(super) fn behind(mut self, gate: &Arc<Notify>) -> Reply {
        self.gate = Some(gate.clone());
        self
    }
}

/// The answer to a request, as a message.
pub(super) fn answer(to: &Seen, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": to.body["id"], "result": result })
}

/// A message as an event.
pub(super) fn event(message: &Value) -> Step {
    Step::Send(format!("data: {message}\n\n"))
}

/// A message as an event with an id.
pub(super) fn event_with_id(id: &str, message: &Value) -> Step {
    Step::Send(format!("id: {id}\ndata: {message}\n\n"))
}

type Handler = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// The server. Dropping it closes all of its sockets.
pub(super) struct Web {
    pub(super) url: String,
    shared: Arc<Shared>,
    running: JoinHandle<()>,
}

struct Shared {
    handler: Mutex<Handler>,
    seen: Mutex<Vec<Seen>>,
    sockets: AtomicUsize,
    hung_up: AtomicUsize,
}

impl Web {
    pub(super) async fn start(handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Web {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            handler: Mutex::new(Arc::new(handler)),
            seen: Mutex::default(),
            sockets: AtomicUsize::new(0),
            hung_up: AtomicUsize::new(0),
        });
        let running = tokio::spawn({
            let shared = shared.clone();
            async move {
                let mut serving = tokio::task::JoinSet::new();
                while let Ok((socket, _)) = listener.accept().await {
                    shared.sockets.fetch_add(1, Ordering::SeqCst);
                    serving.spawn(serve(socket, shared.clone()));
                    while serving.try_join_next().is_some() {}
                }
            }
        });
        Web { url, shared, running }
    }

    /// Another server takes the place of this one.
    pub(super) fn swap(&self, handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) {
        *self.shared.handler.lock().unwrap() = Arc::new(handler);
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// The requests of this method, or of this verb without a message.
    pub(super) fn seen_of(&self, method: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.method() == method).collect()
    }

    /// Methods and verbs in the order they came.
    pub(super) fn methods(&self) -> Vec<String> {
        self.seen().iter().map(|seen| seen.method().to_owned()).collect()
    }

    /// Sockets that were ever opened.
    pub(super) fn sockets(&self) -> usize {
        self.shared.sockets.load(Ordering::SeqCst)
    }

    /// Answers that the client did not wait for.
    pub(super) fn hung_up(&self) -> usize {
        self.shared.hung_up.load(Ordering::SeqCst)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// Waits until something holds.
pub(super) async fn until(what: &str, holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("never: {what}"));
}

async fn serve(mut socket: TcpStream, shared: Arc<Shared>) {
    socket.set_nodelay(true).expect("a socket");
    let mut buffer = Vec::new();
    while let Some(seen) = read_request(&mut socket, &mut buffer).await {
        shared.seen.lock().unwrap().push(seen.clone());
        let handler = shared.handler.lock().unwrap().clone();
        let reply = handler(&seen);
        if !write_reply(&mut socket, reply, &shared).await {
            return;
        }
    }
}

async fn read_request(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Seen> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer[..head_end].to_vec()).expect("ASCII");
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (verb, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(0, |value| value.parse().unwrap());
    while buffer.len() < head_end + length {
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let body = &buffer[head_end..head_end + length];
    let body = match headers.get("content-type").map(String::as_str) {
        Some("application/x-www-form-urlencoded") => read_form(&String::from_utf8_lossy(body)),
        _ => serde_json::from_slice(body).unwrap_or_default(),
    };
    buffer.drain(..head_end + length);
    Some(Seen { verb, path, headers, body })
}

/// A form, or the query of an address, as an object.
pub(super) fn read_form(text: &str) -> Value {
    let decode = |text: &str| {
        let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
        while let Some((first, after)) = rest.split_first() {
            let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
            let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
            let (byte, length) = match (first, byte) {
                (b'%', Some(byte)) => (byte, 2),
                (b'+', _) => (b' ', 0),
                (other, _) => (*other, 0),
            };
            bytes.push(byte);
            rest = &after[length..];
        }
        String::from_utf8(bytes).expect("UTF-8")
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    let mut form = serde_json::Map::new();
    for (name, value) in pairs {
        let earlier = form.insert(decode(name), Value::from(decode(value)));
        assert!(earlier.is_none(), "{name} comes twice in {text}");
    }
    Value::Object(form)
}

/// Returns whether the socket can be used again.
async fn write_reply(socket: &mut TcpStream, reply: Reply, shared: &Shared) -> bool {
    if let Some(gate) = &reply.gate {
        gate.notified().await;
    }
    let mut head = format!("HTTP/1.1 {} x\r\n", reply.status);
    let lengthy = reply.headers.iter().any(|(name, _)| *name == "content-length");
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !lengthy {
        head.push_str("transfer-encoding: chunked\r\n");
    }
    head.push_str("\r\n");
    if socket.write_all(head.as_bytes()).await.is_err() {
        return false;
    }
    for step in reply.steps {
        let written = match step {
            Step::Send(text) if lengthy => socket.write_all(text.as_bytes()).await,
            Step::Send(text) if text.is_empty() => Ok(()),
            Step::Send(text) => {
                let chunk = format!("{:x}\r\n{text}\r\n", text.len());
                socket.write_all(chunk.as_bytes()).await
            }
            Step::Cut => return false,
            Step::Hang => {
                let _ = socket.read_u8().await;
                shared.hung_up.fetch_add(1, Ordering::SeqCst);
                return false;
            }
        };
        if written.is_err() {
            shared.hung_up.fetch_add(1, Ordering::SeqCst);
            return false;
        }
    }
    lengthy || socket.write_all(b"0\r\n\r\n").await.is_ok()
}
