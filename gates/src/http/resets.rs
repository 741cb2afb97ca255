//! HTTP/2 streams that are opened and reset at once (RUSTSEC-2024-0003 and its relatives).

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::Result;
use crate::web::child::Served;
use crate::web::frames::{
    DATA, END_HEADERS, END_STREAM, Framed, HEADERS, RST_STREAM, block, frame,
};
use crate::web::message;

/// Connections that do it at the same time.
const CONNECTIONS: usize = 4;

/// Streams of one connection, if the server lets them.
const STREAMS: u32 = 5_000;

/// Returns how many connections there were, and how many of them the server ended.
pub(super) async fn run(served: &Served, time: Duration) -> Result<(usize, usize)> {
    let started = Instant::now();
    let (mut begun, mut ended) = (0, 0);
    while started.elapsed() < time {
        let mut tasks = Vec::new();
        for _ in 0..CONNECTIONS {
            let connection = Framed::open(served.address).await?;
            tasks.push(tokio::spawn(reset(connection)));
        }
        for task in tasks {
            begun += 1;
            ended += usize::from(task.await??);
        }
    }
    Ok((begun, ended))
}

/// Returns whether the server ended the connection.
async fn reset(mut connection: Framed) -> Result<bool> {
    let ask = message::call(1, "wait", &json!({ "millis": 1000 }));
    let mut headers = vec![
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/mcp"),
        (":authority", "localhost"),
    ];
    headers.extend(ask.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let head = block(&headers);
    for number in 0..STREAMS {
        let stream = 2 * number + 1;
        let bytes = [
            frame(HEADERS, END_HEADERS, stream, &head),
            frame(DATA, END_STREAM, stream, &ask.body),
            // Nobody wants it any more.
            frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()),
        ];
        if connection.stream.write_all(&bytes.concat()).await.is_err() {
            return Ok(true);
        }
    }
    Ok(false)
}
