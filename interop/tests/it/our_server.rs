//! Clients written with other SDKs drive our server over stdio.

use crate::checklist::{self, Excused};
use crate::peers::Peer;

async fn check(peer: Peer, era: &str, excused: Excused) {
    if peer.is_there() {
        checklist::check(&peer, env!("CARGO_BIN_EXE_interop-server"), era, excused).await;
    }
}

#[tokio::test]
async fn typescript_1() {
    check(Peer::node("TypeScript SDK 1 client", "client1.mjs", &[]), "legacy", &[]).await;
}

#[tokio::test]
async fn typescript_2_legacy() {
    check(Peer::node("TypeScript SDK 2 client", "client2.mjs", &[]), "legacy", &[]).await;
}

#[tokio::test]
async fn typescript_2_modern() {
    check(Peer::node("TypeScript SDK 2 client", "client2.mjs", &[]), "modern", &["ping"]).await;
}

#[tokio::test]
async fn typescript_2_auto() {
    check(Peer::node("TypeScript SDK 2 client", "client2.mjs", &[]), "auto", &["ping"]).await;
}

#[tokio::test]
async fn python_1() {
    check(Peer::python("Python SDK 1 client", "py1", "client1.py"), "legacy", &[]).await;
}

#[tokio::test]
async fn python_2_legacy() {
    check(Peer::python("Python SDK 2 client", "py2", "client2.py"), "legacy", &[]).await;
}

#[tokio::test]
async fn python_2_modern() {
    check(Peer::python("Python SDK 2 client", "py2", "client2.py"), "modern", &["ping"]).await;
}

#[tokio::test]
async fn python_2_auto() {
    check(Peer::python("Python SDK 2 client", "py2", "client2.py"), "auto", &["ping"]).await;
}

#[tokio::test]
async fn go_legacy() {
    check(Peer::go("Go SDK client", "go-client"), "legacy", &[]).await;
}

#[tokio::test]
async fn go_modern() {
    check(Peer::go("Go SDK client", "go-client"), "modern", &["ping"]).await;
}

#[tokio::test]
async fn go_auto() {
    check(Peer::go("Go SDK client", "go-client"), "auto", &["ping"]).await;
}
