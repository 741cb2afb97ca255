//! Clients written with other SDKs drive our server.
//!
//! Each client runs the checklist of `README.md` and prints one JSON line per check.

use std::process::Stdio;

use serde_json::Value;
use tokio::process::Command;

use crate::peers::Peer;

/// Checks that a peer cannot do, each for a reason that is the peer's.
type Excused = &'static [&'static str];

async fn check(peer: Peer, era: &str, excused: Excused) {
    if !peer.is_there() {
        return;
    }
    let output = Command::new(&peer.program)
        .args(&peer.arguments)
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_interop-server"))
        .env("INTEROP_ERA", era)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let checks: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let passed = checks.iter().filter(|check| check["ok"] == true).count();
    let failed: Vec<_> = checks
        .iter()
        .filter(|check| {
            let name = check["check"].as_str().unwrap_or_default();
            check["ok"] != true && !excused.contains(&name)
        })
        .collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(failed.is_empty(), "{} {era}: {failed:?}\n{errors}", peer.name);
    assert!(passed >= 20, "{} {era}: only {passed} checks ran\n{text}\n{errors}", peer.name);
    assert!(output.status.success(), "{} {era}: {}\n{errors}", peer.name, output.status);
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
