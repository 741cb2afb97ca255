//! A connection for what is not timed: handshakes and checks, one exchange at a time.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use super::reply::parse;
use crate::Result;

pub(super) struct Blocking {
    stream: TcpStream,
    read: Vec<u8>,
}

/// An answer that is looked at closely.
pub(super) struct Looked {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    pub(super) events: bool,
    /// The message: the body, or the last event of a stream.
    pub(super) message: Value,
}

impl Blocking {
    pub(super) fn connect(address: &str, patience: Duration) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(Self { stream, read: Vec::new() })
    }

    /// Posts a message; `head` has everything but the length.
    pub(super) fn post(&mut self, head: &str, message: &Value) -> Result<Looked> {
        let body = message.to_string();
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        self.exchange(request.as_bytes())
    }

    pub(super) fn exchange(&mut self, request: &[u8]) -> Result<Looked> {
        self.stream.write_all(request)?;
        let mut piece = vec![0; 64 << 10];
        loop {
            if let Some(reply) = parse(&self.read)? {
                let looked = Looked {
                    status: reply.status,
                    session: reply.session.map(str::to_owned),
                    events: reply.events,
                    message: message(&reply.body, reply.events),
                };
                let length = reply.length;
                self.read.drain(..length);
                return Ok(looked);
            }
            match self.stream.read(&mut piece)? {
                0 => return Err("the server closed the connection".into()),
                count => self.read.extend_from_slice(&piece[..count]),
            }
        }
    }

    pub(super) fn into_stream(self) -> Result<TcpStream> {
        match self.read.is_empty() {
            true => Ok(self.stream),
            false => Err("the server sent more than its answers".into()),
        }
    }
}

/// The one message of a body, or nothing if it has none.
fn message(body: &[u8], events: bool) -> Value {
    let text = String::from_utf8_lossy(body);
    let text = match events {
        true => {
            text.lines().filter_map(|line| line.strip_prefix("data:")).next_back().unwrap_or("")
        }
        false => &text,
    };
    serde_json::from_str(text.trim()).unwrap_or_default()
}
