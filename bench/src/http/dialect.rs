//! The ways a call can be made over HTTP: the era of the request and the kind of the reply.
//!
//! A server may not have all of them. `find` asks it, with one call whose answer is looked at
//! closely; what it returns makes the calls of the timed loops.

use std::time::Duration;

use serde_json::{Value, json};

use super::blocking::Blocking;
use super::calls::Calls;
use crate::Result;

/// Where calls go: host and port, the path there, and what the tool is called.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) address: String,
    pub(super) path: String,
    pub(super) tool: String,
}

impl Target {
    /// A server as this benchmark starts them.
    pub(super) fn echo(address: &str) -> Self {
        Target { address: address.to_owned(), path: "/mcp".to_owned(), tool: "echo".to_owned() }
    }
}

/// Every kind of call: its key, and how the report calls it.
pub(super) const DIALECTS: [Dialect; 4] = [
    Dialect { key: "modern_json", label: "modern, JSON", modern: true, events: false },
    Dialect { key: "modern_sse", label: "modern, SSE", modern: true, events: true },
    Dialect { key: "legacy_json", label: "legacy, JSON", modern: false, events: false },
    Dialect { key: "legacy_sse", label: "legacy, SSE", modern: false, events: true },
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dialect {
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    /// 2026-07-28, each request for itself; else 2025-11-25 with a session, if there are any.
    pub(super) modern: bool,
    /// A reply as a stream of events; else as one JSON message.
    pub(super) events: bool,
}

/// Some servers choose the kind of reply by what the client takes, others by a setting.
const TAKES: [&str; 2] = ["application/json, text/event-stream", "text/event-stream"];

/// A dialect that a server speaks, and the `Accept` that brings it about.
#[derive(Clone, Copy)]
pub(super) struct Spoken {
    pub(super) dialect: Dialect,
    accept: &'static str,
}

impl Spoken {
    /// A dialect as most clients speak it.
    pub(super) fn of(dialect: Dialect) -> Self {
        Spoken { dialect, accept: TAKES[0] }
    }

    /// How to speak a dialect to a server, or `None` if it does not.
    pub(super) fn find(dialect: Dialect, to: &Target, message: &str) -> Result<Option<Self>> {
        let mut answered = false;
        for accept in TAKES {
            let spoken = Spoken { dialect, accept };
            match spoken.check(to, message) {
                Ok(true) => return Ok(Some(spoken)),
                Ok(false) => answered = true,
                // One that always replies in another way may refuse a client that cannot take it.
                Err(_) if answered => {}
                Err(error) => return Err(format!("{}: {error}", dialect.label).into()),
            }
            if !dialect.events {
                break;
            }
        }
        Ok(None)
    }

    /// The head of a request, up to the length of its body. `method` and `name` are repeated in
    /// headers by modern requests.
    pub(super) fn head(
        &self,
        to: &Target,
        session: Option<&str>,
        method: &str,
        name: &str,
    ) -> String {
        let mut head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: {}\r\n",
            to.path, to.address, self.accept
        );
        if self.dialect.modern {
            head += &format!(
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n"
            );
        } else if method != "initialize" {
            head += "MCP-Protocol-Version: 2025-11-25\r\n";
        }
        if let Some(session) = session {
            head += &format!("Mcp-Session-Id: {session}\r\n");
        }
        head
    }

    /// Opens a session, if the dialect has them and the server gives them out.
    pub(super) fn open(&self, connection: &mut Blocking, to: &Target) -> Result<Option<String>> {
        if self.dialect.modern {
            return Ok(None);
        }
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "docent-bench", "version": "1.0.0" },
        });
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        // What a server does for a client that takes both is what it does for most.
        let both = Spoken::of(self.dialect);
        let reply = connection.post(&both.head(to, None, "initialize", ""), &request)?;
        if reply.message["result"]["protocolVersion"] != "2025-11-25" {
            return Err(format!("unexpected answer to initialize: {}", reply.message).into());
        }
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let head = both.head(to, reply.session.as_deref(), "notifications/initialized", "");
        let taken = connection.post(&head, &initialized)?;
        match taken.status {
            200..=299 => Ok(reply.session),
            status => Err(format!("notifications/initialized was answered with {status}").into()),
        }
    }

    /// Makes one call; true if the reply was of the kind that the dialect asks for.
    fn check(&self, to: &Target, message: &str) -> Result<bool> {
        let mut connection = Blocking::connect(&to.address, Duration::from_secs(10))?;
        let session = self.open(&mut connection, to)?;
        let calls = Calls::new(self, to, session.as_deref(), message);
        let reply = connection.exchange(calls.bytes())?;
        let expected = json!([{ "type": "text", "text": calls.text() }]);
        let result = &reply.message["result"];
        if result["content"] != expected || result["isError"] == true {
            let answer: String = reply.message.to_string().chars().take(200).collect();
            return Err(format!("status {}, answer {answer}", reply.status).into());
        }
        Ok(reply.events == self.dialect.events)
    }
}

/// The `_meta` that each modern request has.
pub(super) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "docent-bench", "version": "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
