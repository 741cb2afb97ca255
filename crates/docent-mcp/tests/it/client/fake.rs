//! A server that does what a test tells it to, message by message: also what no server should do.

use std::fmt::Display;
use std::time::Duration;

use docent_mcp::client::{Client, ClientBuilder, Source};
use docent_mcp::transport::{Transport, stream_with};
use docent_mcp::types::Revision;
use docent_mcp::{Limits, Result};
use docent_testkit::pattern;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::sync::mpsc;

/// Longer than anything a client waits for, so that it is always the client that gives up first.
/// Tests with real time wait for the peer only, which is there at once or never.
const PATIENCE: Duration = Duration::from_secs(4 * 3600);

/// The server's end of a connection. Dropping it closes the connection.
pub(super) struct Fake {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Fake {
    /// Both ends of a connection.
    pub(super) fn pair() -> (Transport, Fake) {
        Fake::pair_with(&Limits::default())
    }

    pub(super) fn pair_with(limits: &Limits) -> (Transport, Fake) {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (near_reader, near_writer) = tokio::io::split(near);
        let (far_reader, writer) = tokio::io::split(far);
        let lines = BufReader::new(far_reader).lines();
        (stream_with(near_reader, near_writer, limits), Fake { lines, writer })
    }

    /// As many connections as the client wants, and the server's end of each.
    pub(super) fn source() -> (Source, Fakes) {
        let (give, given) = mpsc::unbounded_channel();
        let source = Source::connector(move || {
            let (transport, fake) = Fake::pair();
            let given = give.send(fake).map_err(|_| std::io::ErrorKind::ConnectionRefused.into());
            std::future::ready(given.map(|()| transport))
        });
        (source, Fakes(given))
    }

    /// The next message of the client, or `None` when it has closed the connection.
    pub(super) async fn receive(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
        let line = line.expect("a message in time").expect("lines of text")?;
        Some(serde_json::from_str(&line).expect("the client writes JSON"))
    }

    /// The next message, which must be of this method.
    pub(super) async fn expect(&mut self, method: &str) -> Value {
        let message = self.receive().await.unwrap_or_else(|| panic!("closed instead of {method}"));
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// The next message, which must match this pattern.
    pub(super) async fn expect_like(&mut self, expected: Value) -> Value {
        let message =
            self.receive().await.unwrap_or_else(|| panic!("closed instead of {expected}"));
        pattern::matches(&expected, &message)
            .unwrap_or_else(|error| panic!("{error} in {message}"));
        message
    }

    /// Everything that still comes until the client closes the connection.
    pub(super) async fn rest(mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        while let Some(message) = self.receive().await {
            rest.push(message);
        }
        rest
    }

    /// The next message, if the client has anything to say for now.
    pub(super) async fn try_receive(&mut self) -> Option<Value> {
        // Paused time only moves when nobody has anything left to do.
        tokio::time::timeout(Duration::from_millis(1), self.receive()).await.ok().flatten()
    }

    /// Checks that the client has nothing to say for now.
    pub(super) async fn expect_silence(&mut self) {
        let message = self.try_receive().await;
        assert!(message.is_none(), "unexpected: {message:?}");
    }

    /// Sends one line as it is.
    pub(super) async fn send(&mut self, line: impl Display) {
        self.try_send(line).await.expect("the client is there");
    }

    pub(super) async fn try_send(&mut self, line: impl Display) -> std::io::Result<()> {
        self.writer.write_all(format!("{line}\n").as_bytes()).await
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Answers a request with a result.
    pub(super) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    /// Answers a request with an error.
    pub(super) async fn refuse(&mut self, request: &Value, error: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await;
    }

    /// Makes a request of its own and returns what the client answers.
    pub(super) async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        let id = id.into();
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        let answer = self.receive().await.expect("an answer");
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Opens the connection as a server of this revision that can do everything does, whatever
    /// the client begins with. Returns the message that decided.
    pub(super) async fn open(&mut self, revision: Revision) -> Value {
        let lists = json!({ "listChanged": true });
        let everything = json!({
            "tools": lists,
            "prompts": lists,
            "resources": { "listChanged": true, "subscribe": true },
            "completions": {},
            "logging": {},
        });
        self.open_with(revision, everything).await
    }

    pub(super) async fn open_with(&mut self, revision: Revision, capabilities: Value) -> Value {
        let mut first = self.receive().await.expect("a first message");
        if revision.is_modern() {
            assert_eq!(first["method"], "server/discover");
            self.answer(&first, discovered(&[revision.as_str()], capabilities)).await;
            return first;
        }
        if first["method"] == "server/discover" {
            self.refuse(&first, error(-32601)).await;
            first = self.receive().await.expect("a second try");
        }
        assert_eq!(first["method"], "initialize");
        self.answer(&first, initialized(revision.as_str(), capabilities)).await;
        self.expect("notifications/initialized").await;
        first
    }

    /// Answers every request with what a function returns for its method and parameters, until
    /// the client is gone. Requests that get `None` are left unanswered.
    pub(super) async fn serve(mut self, mut answer: impl FnMut(&str, &Value) -> Option<Value>) {
        while let Some(request) = self.receive().await {
            let method = request["method"].as_str().unwrap_or_default();
            let result = answer(method, &request["params"]).filter(|_| request.get("id").is_some());
            if let Some(result) = result {
                self.answer(&request, result).await;
            }
        }
    }
}

/// The server's ends of the connections that a client opens, in that order.
pub(super) struct Fakes(mpsc::UnboundedReceiver<Fake>);

impl Fakes {
    pub(super) async fn next(&mut self) -> Fake {
        let next = tokio::time::timeout(PATIENCE, self.0.recv()).await;
        next.expect("another connection in time").expect("the client is there")
    }

    /// A connection that was opened already, if there is one.
    pub(super) fn try_next(&mut self) -> Option<Fake> {
        self.0.try_recv().ok()
    }
}

/// The result of `server/discover`.
pub(super) fn discovered(versions: &[&str], capabilities: Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": capabilities,
        "instructions": "Be kind.",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "fake", "version": "0" } },
    })
}

/// The result of `initialize`.
pub(super) fn initialized(version: &str, capabilities: Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": { "name": "fake", "version": "0" },
        "instructions": "Be kind.",
    })
}

/// An error object.
pub(super) fn error(code: i64) -> Value {
    json!({ "code": code, "message": "no" })
}

/// The result of a tool that says one thing.
pub(super) fn said(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// What a tool said.
pub(super) fn heard(result: &docent_mcp::types::CallToolResult) -> &str {
    result.content.first().and_then(|content| content.as_text()).unwrap_or_default()
}

/// A client and the server it is connected to, which speaks this revision.
pub(super) async fn connected(revision: Revision, builder: ClientBuilder) -> (Client, Fake) {
    let (transport, mut fake) = Fake::pair();
    let (client, _) = tokio::join!(builder.connect(transport), fake.open(revision));
    (client.expect("the server is well-behaved so far"), fake)
}

/// A client and its server, with these limits.
pub(super) async fn connected_within(limits: Limits, revision: Revision) -> (Client, Fake) {
    let (transport, mut fake) = Fake::pair_with(&limits);
    let connecting = super::builder().limits(limits).connect(transport);
    let (client, _) = tokio::join!(connecting, fake.open(revision));
    (client.expect("the server is well-behaved so far"), fake)
}

/// Connects to a server that behaves like this, and returns both outcomes.
pub(super) async fn connect_to<F, T>(
    builder: ClientBuilder,
    behave: impl FnOnce(Fake) -> F,
) -> (Result<Client>, T)
where
    F: Future<Output = T>,
{
    let (transport, fake) = Fake::pair();
    tokio::join!(builder.connect(transport), behave(fake))
}
