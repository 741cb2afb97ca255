//! A request that is in flight when the server is told to stop, of every kind there is.

use std::net::SocketAddr;
use std::time::Instant;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::Result;
use crate::web::connection::{Connection, last_message};
use crate::web::message::{self, Ask};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A call of 2026-07-28, answered by one message.
    ModernJson,
    /// One that reports progress first.
    ModernEvents,
    Listen,
    /// The same in sessions of 2025-11-25.
    LegacyJson,
    LegacyEvents,
    /// The stream of what belongs to no request, which ends without an answer.
    LegacyStream,
    /// A call over HTTP/2.
    Framed,
}

impl Kind {
    pub(super) fn has_handler(self) -> bool {
        !matches!(self, Kind::Listen | Kind::LegacyStream)
    }
}

/// Where the answer is awaited.
pub(super) enum Open {
    /// The head was not read yet, or it was and a stream follows.
    Plain {
        connection: Connection,
        head_read: bool,
        answered: bool,
    },
    Framed(JoinHandle<Result<Vec<u8>>>),
}

const ID: u64 = 7;

/// Sends a request, and reads as far as there is something to read before the server stops.
pub(super) fn start(kind: Kind, address: SocketAddr, millis: u64) -> JoinHandle<Result<Open>> {
    tokio::spawn(async move {
        let wait = |message: Option<&str>| {
            let arguments = json!({ "millis": millis, "after_stop": true, "message": message });
            json!({ "name": "wait", "arguments": arguments, "_meta": { "progressToken": 1 } })
        };
        let modern = |message| message::modern(ID, "tools/call", wait(message));
        if kind == Kind::Framed {
            return Ok(Open::Framed(framed(address, modern(None)).await?));
        }
        let mut connection = Connection::open(address).await?;
        let ask = match kind {
            Kind::ModernJson | Kind::Framed => modern(None),
            Kind::ModernEvents => modern(Some("working")),
            Kind::Listen => message::listen(ID, &[]),
            Kind::LegacyJson | Kind::LegacyEvents | Kind::LegacyStream => {
                let begun = connection.begin(&message::initialize("2025-11-25")).await?;
                let session = begun.map_err(|head| format!("no session: {}", head.status))?;
                match kind {
                    Kind::LegacyStream => message::bare("GET", &session),
                    Kind::LegacyEvents => {
                        message::session_call(&session, ID, "wait", wait(Some("working")))
                    }
                    _ => message::session_call(&session, ID, "wait", wait(None)),
                }
            }
        };
        connection.send(&ask).await?;
        match kind {
            Kind::ModernEvents | Kind::LegacyEvents => connection.begin_stream("working").await?,
            Kind::Listen => connection.begin_stream("acknowledged").await?,
            Kind::LegacyStream => {
                connection.head().await?;
            }
            _ => {}
        }
        let head_read = !matches!(kind, Kind::ModernJson | Kind::LegacyJson);
        Ok(Open::Plain { connection, head_read, answered: kind != Kind::LegacyStream })
    })
}

/// Why a request has ended although nobody told the server to stop, if it has.
pub(super) async fn early(open: Open) -> Result<()> {
    match open {
        Open::Framed(answer) if answer.is_finished() => {
            let body = answer.await??;
            Err(format!("answered early: {}", String::from_utf8_lossy(&body)).into())
        }
        _ => Ok(()),
    }
}

/// Reads the answer to its end.
pub(super) async fn finish(open: Open) -> Result<()> {
    let (body, answered) = match open {
        Open::Framed(answer) => (answer.await??, true),
        Open::Plain { mut connection, head_read: false, answered } => {
            (connection.answer().await?.body, answered)
        }
        Open::Plain { mut connection, answered, .. } => {
            let mut body = Vec::new();
            while let Some(chunk) = connection.chunk().await? {
                body.extend(chunk);
            }
            (body, answered)
        }
    };
    if !answered {
        return Ok(());
    }
    let message: Value = last_message(&body)?;
    let outcome = message.get("result").or_else(|| message.get("error"));
    match message["id"] == json!(ID) && outcome.is_some() {
        true => Ok(()),
        false => Err(format!("not an answer: {message}").into()),
    }
}

/// Sends a request over HTTP/2.
async fn framed(address: SocketAddr, ask: Ask) -> Result<JoinHandle<Result<Vec<u8>>>> {
    let stream = TokioIo::new(TcpStream::connect(address).await?);
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await?;
    tokio::spawn(connection);
    let mut request = hyper::Request::post(format!("http://{address}/mcp"));
    for (name, value) in &ask.headers {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(Bytes::from(ask.body)))?;
    let asked = Instant::now();
    Ok(tokio::spawn(async move {
        let failed = |error: hyper::Error| format!("{error:?} after {:.1?}", asked.elapsed());
        let response: hyper::Response<Incoming> =
            sender.send_request(request).await.map_err(failed)?;
        Ok(response.into_body().collect().await.map_err(failed)?.to_bytes().to_vec())
    }))
}
