//! A peer that speaks in raw lines.

use std::time::Duration;

use docent_mcp::{Server, transport};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

/// A server being served, and the other end of its connection.
pub(crate) struct Line {
    reader: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: Option<WriteHalf<DuplexStream>>,
    pub(crate) serving: JoinHandle<docent_mcp::Result<()>>,
}

impl Line {
    /// Serves `server` with the limits it was built with.
    pub(crate) fn new(server: Server, limits: &docent_mcp::Limits) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (far_reader, far_writer) = tokio::io::split(far);
        let transport = transport::stream_with(far_reader, far_writer, limits);
        let serving = tokio::spawn(server.limits(limits.clone()).serve(transport));
        let (reader, writer) = tokio::io::split(near);
        Line { reader: BufReader::new(reader).lines(), writer: Some(writer), serving }
    }

    /// With the default limits.
    pub(crate) fn default(server: Server) -> Self {
        Line::new(server, &docent_mcp::Limits::default())
    }

    /// Opens a legacy session.
    pub(crate) async fn open(mut self, revision: &str) -> Self {
        let params = json!({
            "protocolVersion": revision,
            "capabilities": { "elicitation": {}, "roots": {}, "sampling": {} },
            "clientInfo": { "name": "test", "version": "1" },
        });
        self.send(
            json!({ "jsonrpc": "2.0", "id": "open", "method": "initialize", "params": params }),
        )
        .await;
        self.receive().await;
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        self
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        let writer = self.writer.as_mut().expect("not ended");
        writer.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }

    /// The next message; panics when none comes.
    pub(crate) async fn receive(&mut self) -> Value {
        self.try_receive().await.expect("the server ended")
    }

    /// The next message, or `None` when the server ended.
    pub(crate) async fn try_receive(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(Duration::from_secs(600), self.reader.next_line()).await;
        let line = line.expect("no message in time").unwrap();
        line.map(|line| serde_json::from_str(&line).unwrap())
    }

    /// Sends a request and returns the next message.
    pub(crate) async fn request(
        &mut self,
        id: impl Into<Value>,
        method: &str,
        params: Value,
    ) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params }))
            .await;
        self.receive().await
    }

    /// Calls a tool of a legacy session.
    pub(crate) async fn call(
        &mut self,
        id: impl Into<Value>,
        tool: &str,
        arguments: Value,
    ) -> Value {
        self.request(id, "tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Ends the input of the server.
    pub(crate) async fn end(&mut self) {
        self.writer.take().expect("not ended").shutdown().await.unwrap();
    }
}

/// The metadata of a modern request.
pub(crate) fn modern(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}
