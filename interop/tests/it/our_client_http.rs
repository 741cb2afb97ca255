//! Our client drives servers written with other SDKs, over Streamable HTTP and HTTP+SSE.
//!
//! What it does with HTTP itself is read off the wire, as it is of other clients.

use docent_mcp::transport::http::HttpEndpoint;
use docent_mcp::types::Revision;

use crate::driver::{self, Driver, LEGACY};
use crate::peers::Peer;
use crate::served::Served;
use crate::tap::{Head, Tap};

const SESSION: &str = "mcp-session-id";

/// Starts a server, and connects to it through a tap.
async fn connect(peer: &Peer, revisions: &[Revision], cut: &[&'static str]) -> Connected {
    let served = Served::start(&peer.program, &peer.arguments, None).await;
    let tap = Tap::before(&served.url).await.cut_at(cut);
    let endpoint = HttpEndpoint::new(&tap.url).unwrap();
    let driver = driver::connect(peer.name, endpoint, revisions).await;
    Connected { driver, tap, _served: served }
}

struct Connected {
    driver: Driver,
    tap: Tap,
    _served: Served,
}

impl Connected {
    /// Closes, and gives back what went over the wire.
    async fn close(self) -> Vec<Head> {
        self.driver.client.close().await;
        self.tap.heads()
    }
}

/// A server with sessions, which keeps what it has sent: an answer that is cut off is fetched again.
///
/// The same goes for the stream of the session, where the server says that tools have changed.
async fn sessions(peer: Peer, offered: &[Revision], expected: Revision) {
    sessions_cut(peer, offered, expected, &["step 2", "tools/list_changed"]).await;
}

async fn sessions_cut(peer: Peer, offered: &[Revision], expected: Revision, cut: &[&'static str]) {
    if !peer.is_there() {
        return;
    }
    let connected = connect(&peer, offered, cut).await;
    assert_eq!(connected.driver.client.server().revision, expected, "{}", peer.name);
    if expected >= Revision::V2025_06_18 {
        connected.driver.everything().await;
    } else {
        connected.driver.everything_old().await;
        connected.driver.cancel().await;
    }
    assert_eq!(connected.tap.uncut(), [""; 0], "{}", peer.name);
    let heads = connected.close().await;
    let seen = format!("{}: {heads:#?}", peer.name);
    let opened = heads.iter().position(|head| head.header(SESSION).is_some()).expect(&seen);
    let (before, within) = heads.split_at(opened);
    // At most the question for the era, and the one that opens the session.
    assert!(before.len() <= 2, "{seen}");
    let id = within[0].header(SESSION);
    assert!(within.iter().all(|head| head.header(SESSION) == id), "{seen}");
    let resumes = |head: &Head| head.method == "GET" && head.header("last-event-id").is_some();
    assert!(within.iter().any(resumes), "{seen}");
    assert_eq!(within.last().map(|head| head.method.as_str()), Some("DELETE"), "{seen}");
}

/// A server that answers each request for itself, and remembers nothing.
async fn stateless(peer: Peer) {
    if !peer.is_there() {
        return;
    }
    let connected = connect(&peer, LEGACY, &[]).await;
    assert_eq!(connected.driver.client.server().revision, Revision::V2025_11_25, "{}", peer.name);
    connected.driver.everything_answered().await;
    let heads = connected.close().await;
    assert!(heads.iter().all(|head| head.header(SESSION).is_none()), "{}: {heads:#?}", peer.name);
}

async fn modern(peer: Peer) {
    if !peer.is_there() {
        return;
    }
    let connected = connect(&peer, &Revision::ALL, &[]).await;
    assert_eq!(connected.driver.client.server().revision, Revision::V2026_07_28, "{}", peer.name);
    connected.driver.everything().await;
    let heads = connected.close().await;
    for head in &heads {
        let method = head.header("mcp-method");
        assert_eq!(head.method, "POST", "{}: {heads:#?}", peer.name);
        assert_eq!(head.header(SESSION), None, "{}: {heads:#?}", peer.name);
        assert!(method.is_some(), "{}: {heads:#?}", peer.name);
        // They were taken over from 2025-11-25 for old servers only.
        assert_ne!(method, Some("initialize"), "{}: {heads:#?}", peer.name);
    }
}

/// HTTP+SSE, which newer servers offer beside Streamable HTTP.
async fn old_sse(peer: Peer, expected: Revision) {
    if !peer.is_there() {
        return;
    }
    let connected = connect(&peer, &Revision::ALL, &[]).await;
    assert_eq!(connected.driver.client.server().revision, expected, "{}", peer.name);
    if expected >= Revision::V2025_06_18 {
        connected.driver.everything().await;
    } else {
        connected.driver.everything_old().await;
        connected.driver.cancel().await;
    }
    connected.close().await;
}

fn typescript_1(way: &str) -> Peer {
    Peer::node("TypeScript SDK 1 server", "server1.mjs", &[way])
}

fn typescript_2(way: &str) -> Peer {
    Peer::node("TypeScript SDK 2 server", "server2.mjs", &[way])
}

fn python_1(way: &str) -> Peer {
    Peer::python("Python SDK 1 server", "py1", "server1.py").with(way)
}

fn python_2(way: &str) -> Peer {
    Peer::python("Python SDK 2 server", "py2", "server2.py").with(way)
}

fn go(way: &str) -> Peer {
    Peer::go("Go SDK server", "go-server").with(way)
}

#[tokio::test]
async fn typescript_1_sessions() {
    sessions(typescript_1("http"), &Revision::ALL, Revision::V2025_11_25).await;
}

#[tokio::test]
async fn typescript_1_stateless() {
    stateless(typescript_1("stateless")).await;
}

#[tokio::test]
async fn typescript_1_sse() {
    old_sse(typescript_1("sse"), Revision::V2025_11_25).await;
}

/// It never notices that the stream of a session broke, and refuses another one.
#[tokio::test]
async fn typescript_2_sessions() {
    sessions_cut(typescript_2("http"), LEGACY, Revision::V2025_11_25, &["step 2"]).await;
}

#[tokio::test]
async fn typescript_2_stateless() {
    stateless(typescript_2("stateless")).await;
}

#[tokio::test]
async fn typescript_2_modern() {
    modern(typescript_2("http")).await;
}

#[tokio::test]
async fn python_1_sessions() {
    sessions(python_1("http"), &Revision::ALL, Revision::V2025_11_25).await;
}

#[tokio::test]
async fn python_1_stateless() {
    stateless(python_1("stateless")).await;
}

#[tokio::test]
async fn python_1_sse() {
    old_sse(python_1("sse"), Revision::V2025_11_25).await;
}

/// It tells no legacy client that the tools have changed.
#[tokio::test]
async fn python_2_sessions() {
    sessions_cut(python_2("http"), LEGACY, Revision::V2025_11_25, &["step 2"]).await;
}

#[tokio::test]
async fn python_2_stateless() {
    stateless(python_2("stateless")).await;
}

#[tokio::test]
async fn python_2_modern() {
    modern(python_2("http")).await;
}

/// With sessions it answers the discovery, and says that it speaks no modern revision.
#[tokio::test]
async fn go_sessions() {
    sessions(go("http"), &Revision::ALL, Revision::V2025_11_25).await;
}

#[tokio::test]
async fn go_stateless() {
    stateless(go("json")).await;
}

#[tokio::test]
async fn go_modern() {
    modern(go("stateless")).await;
}

#[tokio::test]
async fn go_sse() {
    old_sse(go("sse"), Revision::V2025_11_25).await;
}

/// The last release of 2025-06-18, and that of 2025-03-26.
#[tokio::test]
async fn old_typescript_sessions() {
    for (release, revision) in
        [("sdk-1.20", Revision::V2025_06_18), ("sdk-1.12", Revision::V2025_03_26)]
    {
        let peer = Peer::node_old("old TypeScript SDK server", "server.mjs", &[release, "http"]);
        sessions(peer, &Revision::ALL, revision).await;
    }
}

/// The first releases, and the last one before Streamable HTTP.
#[tokio::test]
async fn old_typescript_sse() {
    for release in ["sdk-1.0", "sdk-1.9"] {
        let peer = Peer::node_old("old TypeScript SDK server", "server.mjs", &[release, "sse"]);
        old_sse(peer, Revision::V2024_11_05).await;
    }
}

/// Nothing is canceled: this release ends the session at that, whoever the client is.
#[tokio::test]
async fn old_python_sse() {
    let peer = Peer::python("Python SDK 1.6 server", "py0", "server0.py");
    if !peer.is_there() {
        return;
    }
    let connected = connect(&peer, &Revision::ALL, &[]).await;
    assert_eq!(connected.driver.client.server().revision, Revision::V2024_11_05);
    connected.driver.everything_old().await;
    connected.close().await;
}
