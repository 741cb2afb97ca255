//! Requests that two readers could take apart differently, with another request hidden in them.
//!
//! Each is either refused or taken as the one request that it is: whatever follows it must never
//! reach a handler. A server of ours does not know what stands before it, so "we read it the right
//! way" is not enough when another reader could see it otherwise.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Result;
use crate::web::child::Served;
use crate::web::message;

pub(super) struct Smuggled {
    pub(super) sent: usize,
    /// How many hidden requests reached a handler.
    pub(super) hits: usize,
    /// How many were answered more than once, or taken although they must not be.
    pub(super) wrong: usize,
}

/// One request: a name, headers beside the usual ones, and the body.
struct Trick {
    about: &'static str,
    headers: String,
    body: Vec<u8>,
    /// Whether it must be refused, and not only what is hidden in it.
    refused: bool,
}

pub(super) async fn run(served: &Served) -> Result<Smuggled> {
    let before = served.hits().await?;
    let tricks = tricks();
    let mut wrong = 0;
    for trick in &tricks {
        let statuses = send(served, trick).await?;
        let refused = statuses.iter().all(|status| (400..500).contains(status));
        if statuses.len() > 1 || trick.refused && !refused {
            wrong += 1;
            println!("{}: {statuses:?}", trick.about);
        }
    }
    let hits = served.hits().await? - before;
    Ok(Smuggled { sent: tricks.len(), hits, wrong })
}

/// Sends a trick and reads until the server has nothing more to say. Returns the statuses.
async fn send(served: &Served, trick: &Trick) -> Result<Vec<u16>> {
    let mut stream = TcpStream::connect(served.address).await?;
    let ask = message::call(1, "hits", &json!({}));
    let mut head = "POST /mcp HTTP/1.1\r\n".to_owned();
    if !trick.headers.to_ascii_lowercase().contains("host:") {
        head += "host: localhost\r\n";
    }
    for (name, value) in &ask.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let bytes = [head.as_bytes(), trick.headers.as_bytes(), b"\r\n", &trick.body].concat();
    // It may be refused before it was sent.
    let _ = stream.write_all(&bytes).await;
    let mut answer = Vec::new();
    let reading = async {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut piece).await {
            answer.extend_from_slice(&piece[..read]);
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(300), reading).await;
    let text = String::from_utf8_lossy(&answer);
    let lines = text.match_indices("HTTP/1.1 ");
    Ok(lines.filter_map(|(at, _)| text[at + 9..].get(..3)?.parse().ok()).collect())
}

/// The request that is hidden: if it reaches a handler, that counts.
fn hidden() -> Vec<u8> {
    message::call(2, "echo", &json!({ "message": "hidden" })).bytes("localhost")
}

fn tricks() -> Vec<Trick> {
    let visible = message::call(1, "hits", &json!({})).body;
    let length = visible.len();
    let chunk = [format!("{length:x}\r\n").as_bytes(), &visible, b"\r\n"].concat();
    let chunked = [&chunk[..], b"0\r\n\r\n"].concat();
    let mut tricks = Vec::new();
    let mut trick = |about, headers: String, body: Vec<u8>| {
        let body = [body, hidden()].concat();
        tricks.push(Trick { about, headers, body, refused: false });
    };
    let whole = chunked.len() + hidden().len();
    // Two ways to say where the body ends.
    trick(
        "a length, then chunks",
        format!("content-length: {whole}\r\ntransfer-encoding: chunked\r\n"),
        chunked.clone(),
    );
    trick(
        "chunks, then a length",
        format!("transfer-encoding: chunked\r\ncontent-length: {whole}\r\n"),
        chunked.clone(),
    );
    trick(
        "no chunk at all, and a length",
        format!("content-length: {}\r\ntransfer-encoding: chunked\r\n", 5 + hidden().len()),
        b"0\r\n\r\n".to_vec(),
    );
    for (about, first, second) in [
        ("two lengths", length.to_string(), (length + hidden().len()).to_string()),
        (
            "two lengths, the longer first",
            (length + hidden().len()).to_string(),
            length.to_string(),
        ),
    ] {
        let headers = format!("content-length: {first}\r\ncontent-length: {second}\r\n");
        trick(about, headers, visible.clone());
    }
    for (about, value) in [
        ("a length with a sign", format!("+{length}")),
        ("a length below zero", "-1".to_owned()),
        ("a length in a list", format!("{length}, {length}")),
        ("a length in hexadecimal", format!("0x{length:x}")),
        ("a length that is too large for anybody", "99999999999999999999999".to_owned()),
        ("a length of ten terabytes", "10000000000000".to_owned()),
        ("an empty length", String::new()),
    ] {
        trick(about, format!("content-length: {value}\r\n"), visible.clone());
    }
    for (about, header) in [
        ("an unknown encoding", "transfer-encoding: xchunked\r\n"),
        ("chunked twice", "transfer-encoding: chunked\r\ntransfer-encoding: chunked, identity\r\n"),
        ("chunked and then another", "transfer-encoding: chunked, gzip\r\n"),
        ("chunked in quotes", "transfer-encoding: \"chunked\"\r\n"),
        ("chunked after a vertical tab", "transfer-encoding: \x0bchunked\r\n"),
        ("a space before the colon", "transfer-encoding : chunked\r\n"),
        ("a folded header", "transfer-encoding:\r\n chunked\r\n"),
        ("a bare line feed", "x: y\ntransfer-encoding: chunked\r\n"),
        ("a bare carriage return", "x: y\rtransfer-encoding: chunked\r\n"),
    ] {
        trick(about, header.to_owned(), chunked.clone());
    }
    for (about, body) in [
        ("a chunk in decimal with a sign", b"+5\r\nhello\r\n0\r\n\r\n".to_vec()),
        ("a chunk below zero", b"-5\r\nhello\r\n0\r\n\r\n".to_vec()),
        ("a chunk as long as there can be", b"ffffffffffffffff\r\n".to_vec()),
        ("a chunk longer than there can be", b"1ffffffffffffffff\r\n".to_vec()),
        ("a chunk with 0x", b"0x5\r\nhello\r\n0\r\n\r\n".to_vec()),
        ("a chunk that is longer than it says", b"2\r\nhello\r\n0\r\n\r\n".to_vec()),
        ("a chunk with a long extension", [b"5;", &b"x".repeat(40_000)[..], b"\r\n"].concat()),
        ("a chunk with a line feed only", b"5\nhello\n0\n\n".to_vec()),
        (
            "trailers that name a length",
            [&chunk[..], b"0\r\ncontent-length: 5\r\nhost: evil.example\r\n\r\n"].concat(),
        ),
    ] {
        trick(about, "transfer-encoding: chunked\r\n".to_owned(), body);
    }
    // These end where they say: nothing is hidden behind them.
    let usual = format!("content-length: {length}\r\n");
    for (about, headers) in [
        ("two hosts", "host: localhost\r\nhost: evil.example\r\n".to_owned()),
        ("a header of a megabyte", format!("x: {}\r\n", "y".repeat(1 << 20))),
        ("ten thousand headers", "x: y\r\n".repeat(10_000)),
        ("a compressed body", "content-encoding: gzip\r\n".to_owned()),
    ] {
        let headers = headers + &usual;
        tricks.push(Trick { about, headers, body: visible.clone(), refused: true });
    }
    tricks
}
