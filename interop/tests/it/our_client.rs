//! Our client drives servers written with other SDKs, over stdio.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::client::{RequestOptions, ServerEvent};
use docent_mcp::transport::child::ChildProcess;
use docent_mcp::types::{CompletionReference, LoggingLevel, Revision};
use serde_json::json;

use crate::driver::{self, Driver, LEGACY, text};
use crate::peers::Peer;

async fn connect(peer: &Peer, revisions: &[Revision]) -> Driver {
    let process = ChildProcess::new(&peer.program).args(&peer.arguments);
    driver::connect(peer.name, process, revisions).await
}

/// Everything, against a server that keeps the contract of `README.md`.
async fn drive(peer: Peer, revisions: &[Revision], expected: Revision) {
    if peer.is_there() {
        let driver = connect(&peer, revisions).await;
        assert_eq!(driver.client.server().revision, expected, "{}", peer.name);
        driver.everything().await;
        driver.client.close().await;
    }
}

#[tokio::test]
async fn python_1() {
    let peer = Peer::python("Python SDK 1 server", "py1", "server1.py");
    drive(peer, &Revision::ALL, Revision::V2025_11_25).await;
}

#[tokio::test]
async fn python_2_modern() {
    let peer = Peer::python("Python SDK 2 server", "py2", "server2.py");
    drive(peer, &Revision::ALL, Revision::V2026_07_28).await;
}

#[tokio::test]
async fn python_2_legacy() {
    let peer = Peer::python("Python SDK 2 server", "py2", "server2.py");
    drive(peer, LEGACY, Revision::V2025_11_25).await;
}

#[tokio::test]
async fn go_modern() {
    let peer = Peer::go("Go SDK server", "go-server");
    drive(peer, &Revision::ALL, Revision::V2026_07_28).await;
}

#[tokio::test]
async fn go_legacy() {
    let peer = Peer::go("Go SDK server", "go-server");
    drive(peer, LEGACY, Revision::V2025_11_25).await;
}

#[tokio::test]
async fn typescript_2_modern() {
    let peer = Peer::node("TypeScript SDK 2 server", "server2.mjs", &[]);
    drive(peer, &Revision::ALL, Revision::V2026_07_28).await;
}

#[tokio::test]
async fn typescript_2_legacy() {
    let peer = Peer::node("TypeScript SDK 2 server", "server2.mjs", &[]);
    drive(peer, LEGACY, Revision::V2025_11_25).await;
}

/// The reference server that others test against, as published: list, call, read, prompt,
/// complete, log, progress, cancel, elicit, sample.
#[tokio::test]
async fn server_everything() {
    let script = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    let peer = Peer::node("server-everything", script, &["stdio"]);
    if !peer.is_there() {
        return;
    }
    let driver = connect(&peer, &Revision::ALL).await;
    let client = &driver.client;
    assert!(!client.server().revision.is_modern());
    client.ping().await.unwrap();
    // It registers the tools that ask the client only after the handshake.
    while client.tool("trigger-sampling-request").await.unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(text(&driver.call("echo", json!({ "message": "hi" })).await), "Echo: hi");
    let weather = driver.call("get-structured-content", json!({ "location": "New York" })).await;
    assert!(weather.structured_content.unwrap()["temperature"].is_number());

    let reports = Arc::new(Mutex::new(0));
    let seen = reports.clone();
    let options = RequestOptions::new().on_progress(move |_| *seen.lock().unwrap() += 1);
    let long = json!({ "duration": 1, "steps": 4 });
    client.call_with("trigger-long-running-operation", long, options).await.unwrap();
    assert_eq!(*reports.lock().unwrap(), 4);
    let long = json!({ "duration": 600, "steps": 2 });
    let dropped = client.call("trigger-long-running-operation", long);
    assert!(tokio::time::timeout(Duration::from_millis(200), dropped).await.is_err());

    let sampled =
        driver.call("trigger-sampling-request", json!({ "prompt": "p", "maxTokens": 9 })).await;
    assert!(text(&sampled).contains("short"), "{sampled:?}");
    let elicited = driver.call("trigger-elicitation-request", json!({})).await;
    assert!(format!("{elicited:?}").contains("Ada"), "{elicited:?}");
    assert!(
        format!("{:?}", driver.call("get-roots-list", json!({})).await).contains("file:///project")
    );

    let resources = client.resources().await.unwrap();
    assert!(!client.read(&resources[0].uri).await.unwrap().contents.is_empty());
    assert!(!client.templates().await.unwrap().is_empty());
    let blob = client.read("demo://resource/dynamic/blob/1").await.unwrap();
    assert!(!blob.contents[0].bytes().unwrap().is_empty());
    client.subscribe(&resources[0].uri).await.unwrap();
    client.unsubscribe(&resources[0].uri).await.unwrap();

    assert!(client.prompts().await.unwrap().len() > 1);
    let prompt = client.prompt("args-prompt", [("city", "Oslo")]).await.unwrap();
    assert!(prompt.messages[0].content.as_text().unwrap().contains("Oslo"));
    let reference = CompletionReference::prompt("completable-prompt");
    let found = client.complete(reference, "department", "E", BTreeMap::new()).await.unwrap();
    assert_eq!(found.values, ["Engineering"]);

    client.set_log_level(LoggingLevel::Debug).await.unwrap();
    driver.call("toggle-simulated-logging", json!({})).await;
    driver.told(|event| matches!(event, ServerEvent::Log(_))).await;
    driver.client.close().await;
}
