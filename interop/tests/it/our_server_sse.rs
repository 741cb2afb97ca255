//! Clients written with other SDKs drive our server over HTTP+SSE, the transport of 2024-11-05:
//! releases of that time, and newer ones, which still have it.

use crate::checklist::{self, Excused};
use crate::peers::Peer;
use crate::served::Served;
use crate::tap::Tap;

/// What came after 2024-11-05.
const NEWER: Excused = &["structured", "elicit", "elicit_decline"];

async fn check(peer: Peer, excused: Excused) {
    if !peer.is_there() {
        return;
    }
    let served = Served::start(env!("CARGO_BIN_EXE_interop-server"), ["http"], None).await;
    let url = served.url.replace("/mcp", "/sse");
    let tap = Tap::before(&url).await;
    checklist::check(&peer, &tap.url, "legacy", excused).await;
    let heads = tap.heads();
    // One stream, and everything else is posted.
    let (streams, posts) = heads.iter().partition::<Vec<_>, _>(|head| head.method == "GET");
    assert_eq!(streams.len(), 1, "{}: {heads:#?}", peer.name);
    assert!(posts.iter().all(|head| head.method == "POST"), "{}: {heads:#?}", peer.name);
}

#[tokio::test]
async fn typescript_1_0() {
    check(Peer::node_old("TypeScript SDK 1.0 client", "client.mjs", &["sdk-1.0"]), NEWER).await;
}

#[tokio::test]
async fn typescript_1_9() {
    check(Peer::node_old("TypeScript SDK 1.9 client", "client.mjs", &["sdk-1.9"]), NEWER).await;
}

#[tokio::test]
async fn python_1_6() {
    // A call cannot ask for its progress there.
    let excused = &["structured", "elicit", "elicit_decline", "progress"];
    check(Peer::python("Python SDK 1.6 client", "py0", "client0.py"), excused).await;
}

#[tokio::test]
async fn typescript_1() {
    check(Peer::node("TypeScript SDK 1 client", "client1.mjs", &[]), &[]).await;
}

#[tokio::test]
async fn typescript_2() {
    check(Peer::node("TypeScript SDK 2 client", "client2.mjs", &[]), &[]).await;
}

#[tokio::test]
async fn python_1() {
    check(Peer::python("Python SDK 1 client", "py1", "client1.py"), &[]).await;
}

#[tokio::test]
async fn python_2() {
    check(Peer::python("Python SDK 2 client", "py2", "client2.py"), &[]).await;
}

#[tokio::test]
async fn go() {
    check(Peer::go("Go SDK client", "go-client"), &[]).await;
}
