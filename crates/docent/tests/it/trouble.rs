//! What the documentation server does when registries do not: every trouble is an answer that says
//! what was tried and what to do, and nobody works for a client that is gone.

use std::time::Duration;

use docent_mcp::Client;
use docent_mcp::client::ServerEvent;
use docent_mcp::types::{LoggingLevel, Revision};
use docent_testkit::folder::Folder;
use docent_testkit::registry::{Answer, Package, Registry};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::server::{call, command, project, text};

/// Long enough for a busy machine; nothing waits for all of it.
const PATIENCE: Duration = Duration::from_secs(30);

fn asked(package: &str) -> Value {
    json!({ "package": package })
}

async fn connected(folder: &Folder, registry: &str, arguments: &[&str]) -> Client {
    let command = command(folder, arguments).env("NPM_CONFIG_REGISTRY", registry);
    Client::builder("test", "1").connect(command).await.expect("a connection")
}

#[tokio::test]
async fn a_question_that_was_called_off_is_no_longer_worked_on() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let registry = Registry::builder().at("/slow", Answer::hang()).start().await;
        let folder = project();
        let command = command(&folder, &[]).env("NPM_CONFIG_REGISTRY", registry.url("/"));
        let client = Client::builder("test", "1").revisions([revision]);
        let client = client.connect(command).await.expect("a connection");
        let question = client.call("describe_npm_package", asked("slow"));
        let seen = async {
            while registry.hits("/slow") == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            answer = question => panic!("{answer:?}"),
            seen = tokio::time::timeout(PATIENCE, seen) => seen.expect("the registry is asked"),
        }
        let given_up = tokio::time::timeout(PATIENCE, registry.abandoned("/slow")).await;
        assert!(given_up.is_ok(), "{revision}: the download goes on");
        // The server is there for the next one.
        let answer = call(&client, "describe_npm_package", asked("kit")).await;
        assert_ne!(answer.is_error, Some(true), "{}", text(&answer));
    }
}

#[tokio::test]
async fn logs_come_at_the_level_that_was_asked_for() {
    let registry = Registry::builder().npm(release("extra")).npm(release("other")).start().await;
    let folder = project();
    let (told, mut heard) = mpsc::unbounded_channel();
    let command = command(&folder, &[]).env("NPM_CONFIG_REGISTRY", registry.url("/"));
    let builder = Client::builder("test", "1").on_event(move |event| {
        if let ServerEvent::Log(message) = event {
            let _ = told.send(message.level);
        }
    });
    let client = builder.connect(command).await.expect("a connection");
    client.set_log_level(LoggingLevel::Warning).await.expect("a level");
    call(&client, "describe_npm_package", asked("extra")).await;
    assert!(heard.try_recv().is_err(), "nothing is worth a warning");
    client.set_log_level(LoggingLevel::Debug).await.expect("a level");
    call(&client, "describe_npm_package", asked("other")).await;
    assert_eq!(heard.recv().await, Some(LoggingLevel::Debug));
}

fn release(name: &str) -> Package {
    let manifest = json!({ "name": name, "version": "1.0.0", "types": "index.d.ts" });
    Package::new(name, "1.0.0")
        .file("package.json", &manifest.to_string())
        .file("index.d.ts", "export declare function make(): void;")
}

/// The answer to a question about a package of that registry is an error that has all of these.
async fn check(registry: &str, arguments: &[&str], package: &str, expected: &[&str]) {
    let folder = project();
    let client = connected(&folder, registry, arguments).await;
    let answer = call(&client, "describe_npm_package", asked(package)).await;
    let said = text(&answer);
    assert_eq!(answer.is_error, Some(true), "{said}");
    for words in expected {
        assert!(said.contains(words), "{words}: {said}");
    }
    // What is installed needs no registry.
    let answer = call(&client, "describe_npm_package", asked("kit")).await;
    assert_ne!(answer.is_error, Some(true), "{}", text(&answer));
}

#[tokio::test]
async fn a_package_that_nobody_has() {
    let registry = Registry::builder().start().await;
    check(
        &registry.url("/"),
        &[],
        "nothing",
        &["npm:nothing: ", "answered 404", "if it is private"],
    )
    .await;
}

#[tokio::test]
async fn a_private_package_without_credentials() {
    let registry =
        Registry::builder().npm(release("secret")).require("/", "Bearer t").start().await;
    check(&registry.url("/"), &[], "secret", &["npm:secret: ", "answered 401", "`.npmrc`"]).await;
}

#[tokio::test]
async fn a_registry_that_is_down() {
    // Nobody listens there: the port was taken and given back.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let address = format!("http://{address}/");
    check(
        &address,
        &[],
        "extra",
        &["npm:extra: ", &address, "cannot be reached", "check the network"],
    )
    .await;
}

#[tokio::test]
async fn offline() {
    let registry = Registry::builder().npm(release("extra")).start().await;
    check(
        &registry.url("/"),
        &["--offline"],
        "extra",
        &["npm:extra: ", "not in the cache", "install the package"],
    )
    .await;
    assert!(registry.requests().is_empty(), "{:?}", registry.requests());
}
