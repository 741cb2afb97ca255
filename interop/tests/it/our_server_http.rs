//! Clients written with other SDKs drive our server over Streamable HTTP.
//!
//! What they do with HTTP itself is read off the wire: sessions, the stream of a session, its end,
//! and that an answer which was cut off is fetched again.

use docent_mcp::types::Revision;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::checklist::{self, Excused};
use crate::peers::Peer;
use crate::served::Served;
use crate::tap::{Head, Tap};

const PROGRAM: &str = env!("CARGO_BIN_EXE_interop-server");
const SESSION: &str = "mcp-session-id";

/// Where connections are cut: in the stream of an answer, and in that of the session, where the
/// server says that tools have changed. A client that asks for the rest passes all the same.
type Cuts = &'static [&'static str];
const BOTH: Cuts = &["step 2", SESSION_STREAM];
const SESSION_STREAM: &str = "tools/list_changed";

/// What 2025-03-26 has not.
const STRUCTURED: Excused = &["structured"];
/// What releases of that time have not.
const OLD: Excused = &["structured", "elicit", "elicit_decline"];

fn typescript(era: u8) -> Peer {
    match era {
        1 => Peer::node("TypeScript SDK 1 client", "client1.mjs", &[]),
        _ => Peer::node("TypeScript SDK 2 client", "client2.mjs", &[]),
    }
}

fn python(era: u8) -> Peer {
    match era {
        1 => Peer::python("Python SDK 1 client", "py1", "client1.py"),
        _ => Peer::python("Python SDK 2 client", "py2", "client2.py"),
    }
}

fn go() -> Peer {
    Peer::go("Go SDK client", "go-client")
}

async fn legacy(peer: Peer, revision: Revision, cuts: Cuts, excused: Excused) {
    if !peer.is_there() {
        return;
    }
    let served = Served::start(PROGRAM, ["http"], Some(revision.as_str())).await;
    let tap = Tap::before(&served.url).await.cut_at(cuts);
    checklist::check(&peer, &tap.url, "legacy", excused).await;
    let heads = tap.heads();
    let seen = format!("{} {revision}: {heads:#?}", peer.name);
    let id = heads.iter().find_map(|head| head.header(SESSION)).expect(&seen);
    // A client that asks for the modern era first does so without a session.
    let opened = heads.iter().position(|head| head.header(SESSION).is_some()).expect(&seen);
    let within = &heads[opened..];
    assert!(within.iter().all(|head| head.header(SESSION) == Some(id)), "{seen}");
    assert!(within.iter().any(listens), "{seen}");
    assert!(within.iter().any(|head| head.method == "DELETE"), "{seen}");
    assert!(is_gone(&served.url, id).await, "{seen}");
    if revision >= Revision::V2025_06_18 {
        let version = Some(revision.as_str());
        let states = |head: &Head| head.header("mcp-protocol-version") == version;
        assert!(within.iter().all(states), "{seen}");
    }
    assert_eq!(tap.uncut(), [""; 0], "{seen}");
    let resumed = within.iter().filter(|head| head.header("last-event-id").is_some());
    assert!(resumed.count() >= cuts.len(), "{seen}");
}

fn listens(head: &Head) -> bool {
    let accept = head.header("accept").unwrap_or_default();
    head.method == "GET" && accept.contains("text/event-stream")
}

/// Whether the server knows a session no more.
async fn is_gone(url: &str, session: &str) -> bool {
    let (address, path) = url.trim_start_matches("http://").split_once('/').unwrap();
    let mut server = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET /{path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\
         {SESSION}: {session}\r\nConnection: close\r\n\r\n"
    );
    server.write_all(request.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    server.read_exact(&mut status).await.unwrap();
    &status == b"HTTP/1.1 404"
}

async fn modern(peer: Peer, era: &str) {
    if !peer.is_there() {
        return;
    }
    let served = Served::start(PROGRAM, ["http"], None).await;
    let tap = Tap::before(&served.url).await;
    checklist::check(&peer, &tap.url, era, &["ping"]).await;
    let heads = tap.heads();
    for head in &heads {
        assert_eq!(head.method, "POST", "{}: {heads:#?}", peer.name);
        assert_eq!(head.header(SESSION), None, "{}: {heads:#?}", peer.name);
        let version = head.header("mcp-protocol-version");
        assert_eq!(version, Some(Revision::V2026_07_28.as_str()), "{}: {heads:#?}", peer.name);
    }
}

#[tokio::test]
async fn typescript_1() {
    legacy(typescript(1), Revision::V2025_11_25, BOTH, &[]).await;
}

#[tokio::test]
async fn typescript_1_2025_06_18() {
    legacy(typescript(1), Revision::V2025_06_18, BOTH, &[]).await;
}

#[tokio::test]
async fn typescript_1_2025_03_26() {
    legacy(typescript(1), Revision::V2025_03_26, BOTH, STRUCTURED).await;
}

#[tokio::test]
async fn typescript_2_legacy() {
    legacy(typescript(2), Revision::V2025_11_25, BOTH, &[]).await;
}

#[tokio::test]
async fn typescript_2_modern() {
    modern(typescript(2), "modern").await;
}

#[tokio::test]
async fn typescript_2_auto() {
    modern(typescript(2), "auto").await;
}

#[tokio::test]
async fn python_1() {
    legacy(python(1), Revision::V2025_11_25, BOTH, &[]).await;
}

#[tokio::test]
async fn python_1_2025_06_18() {
    legacy(python(1), Revision::V2025_06_18, BOTH, &[]).await;
}

#[tokio::test]
async fn python_1_2025_03_26() {
    legacy(python(1), Revision::V2025_03_26, BOTH, STRUCTURED).await;
}

#[tokio::test]
async fn python_2_legacy() {
    legacy(python(2), Revision::V2025_11_25, BOTH, &[]).await;
}

#[tokio::test]
async fn python_2_modern() {
    modern(python(2), "modern").await;
}

#[tokio::test]
async fn python_2_auto() {
    modern(python(2), "auto").await;
}

#[tokio::test]
async fn go_legacy() {
    legacy(go(), Revision::V2025_11_25, BOTH, &[]).await;
}

#[tokio::test]
async fn go_modern() {
    modern(go(), "modern").await;
}

#[tokio::test]
async fn go_auto() {
    modern(go(), "auto").await;
}

/// The last release of 2025-06-18. It does not ask for the rest of an answer.
#[tokio::test]
async fn old_typescript_2025_06_18() {
    let peer = Peer::node_old("old TypeScript SDK client", "client.mjs", &["sdk-1.20"]);
    legacy(peer, Revision::V2025_06_18, &[SESSION_STREAM], &[]).await;
}

/// The last release of 2025-03-26.
#[tokio::test]
async fn old_typescript_2025_03_26() {
    let peer = Peer::node_old("old TypeScript SDK client", "client.mjs", &["sdk-1.12"]);
    legacy(peer, Revision::V2025_03_26, BOTH, OLD).await;
}
