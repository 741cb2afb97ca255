//! Requests of both eras, as the bytes of HTTP/1.1 or as parts to write in another way.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A request that is not written yet.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Ask {
    fn new(method: &'static str, body: Vec<u8>) -> Self {
        let mut ask = Ask { method, headers: Vec::new(), body };
        if method == "POST" {
            ask = ask.with("content-type", "application/json");
        }
        ask.with("accept", "application/json, text/event-stream")
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// As HTTP/1.1 has it.
    pub(crate) fn bytes(&self, host: &str) -> Vec<u8> {
        let mut head = format!("{} /mcp HTTP/1.1\r\nhost: {host}\r\n", self.method);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "content-length: {}\r\n\r\n", self.body.len());
        [head.into_bytes(), self.body.clone()].concat()
    }
}

/// A request of 2026-07-28.
pub(crate) fn modern(id: u64, method: &str, mut params: Value) -> Ask {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let name = params["name"].as_str().map(str::to_owned);
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let ask = Ask::new("POST", body.to_string().into_bytes());
    let ask = ask.with("mcp-protocol-version", "2026-07-28").with("mcp-method", method);
    match name {
        Some(name) => ask.with("mcp-name", &name),
        None => ask,
    }
}

/// A call of a tool, of 2026-07-28.
pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Ask {
    modern(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// A request to be told when tools change, and of these resources.
pub(crate) fn listen(id: u64, resources: &[String]) -> Ask {
    let notifications = json!({ "toolsListChanged": true, "resourceSubscriptions": resources });
    modern(id, "subscriptions/listen", json!({ "notifications": notifications }))
}

/// The handshake of a session.
pub(crate) fn initialize(revision: &str) -> Ask {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": { "name": "gate", "version": "1" },
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    Ask::new("POST", body.to_string().into_bytes())
}

/// A message, or several, of a session.
pub(crate) fn in_session(session: &str, message: &Value) -> Ask {
    let ask = Ask::new("POST", message.to_string().into_bytes());
    ask.with("mcp-session-id", session)
}

/// The end of the handshake.
pub(crate) fn initialized(session: &str) -> Ask {
    in_session(session, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
}

/// A call of a tool in a session.
pub(crate) fn session_call(session: &str, id: u64, tool: &str, params: Value) -> Ask {
    let mut params = params;
    params["name"] = json!(tool);
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
    in_session(session, &message)
}

/// The stream of a session, or its end.
pub(crate) fn bare(method: &'static str, session: &str) -> Ask {
    Ask::new(method, Vec::new()).with("mcp-session-id", session)
}
