//! Logins: clients of other SDKs to our protected server, and our client to servers that other SDKs
//! protect. The authorization server is a real one, `oidc-provider`, or the test kit's.
//!
//! Our client opens a browser as it does for users: a script that follows redirects, with its
//! cookies, back to the port that waits.

use std::path::Path;
use std::process::Stdio;

use docent_mcp::Client;
use docent_mcp::auth::{Browser, FileStore, OAuth};
use docent_mcp::transport::http::HttpEndpoint;
use docent_testkit::folder::Folder;
use serde_json::json;
use tokio::process::Command;

use crate::driver::text;
use crate::peers::Peer;
use crate::served::Served;

const PROGRAM: &str = env!("CARGO_BIN_EXE_interop-server");
const ADA: &str = "ada: mcp";

fn authority() -> Peer {
    Peer::node("oidc-provider", "authority.mjs", &[])
}

fn typescript(release: &str) -> Peer {
    Peer::node("TypeScript SDK client with its OAuth provider", "login.mjs", &[release])
}

async fn start(peer: &Peer) -> Served {
    Served::start(&peer.program, &peer.arguments, None).await
}

/// Logs in with a client of another SDK; it prints what the tool said.
async fn log_in(peer: &Peer, url: &str) -> String {
    let output = Command::new(&peer.program)
        .args(&peer.arguments)
        .args(["--", url])
        .env("NO_PROXY", "127.0.0.1")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", peer.name);
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Our client logs in, and a second one finds the login of the first.
async fn our_client_logs_in(url: &str) {
    let folder = Folder::new();
    let browser = Path::new(env!("CARGO_MANIFEST_DIR")).join("node/browser.mjs");
    for browser in [browser, "/nowhere/no-browser".into()] {
        let store = FileStore::open(folder.path()).unwrap();
        let login = OAuth::user("interop").visit(Browser::program(browser)).store(store);
        let endpoint = HttpEndpoint::new(url).unwrap().authorize(login);
        let client = Client::start(endpoint).await.unwrap_or_else(|error| panic!("{error:#}"));
        let said = client.call("who", json!({})).await.unwrap();
        assert_eq!(text(&said), ADA);
        client.close().await;
    }
}

#[tokio::test]
async fn typescript_clients_log_in_to_our_server() {
    for release in ["1", "2"] {
        let peer = typescript(release);
        if !peer.is_there() {
            return;
        }
        let served = Served::start(PROGRAM, ["protected"], None).await;
        assert_eq!(log_in(&peer, &served.url).await, ADA, "{release}");
    }
}

#[tokio::test]
async fn typescript_clients_log_in_to_our_server_with_a_real_authorization_server() {
    for release in ["1", "2"] {
        let peer = typescript(release);
        if !peer.is_there() {
            return;
        }
        let authority = start(&authority()).await;
        let served = Served::start(PROGRAM, ["protected", &authority.url], None).await;
        assert_eq!(log_in(&peer, &served.url).await, ADA, "{release}");
    }
}

#[tokio::test]
async fn our_client_logs_in_to_our_server() {
    let authority = authority();
    if !authority.is_there() {
        return;
    }
    let authority = start(&authority).await;
    let served = Served::start(PROGRAM, ["protected", &authority.url], None).await;
    our_client_logs_in(&served.url).await;
}

#[tokio::test]
async fn our_client_logs_in_to_typescript() {
    let authority = authority();
    if !authority.is_there() {
        return;
    }
    let authority = start(&authority).await;
    let peer = Peer::node("protected TypeScript SDK server", "protected1.mjs", &[&authority.url]);
    our_client_logs_in(&start(&peer).await.url).await;
}

#[tokio::test]
async fn our_client_logs_in_to_fastmcp() {
    let authority = authority();
    let peer = Peer::python("FastMCP server", "py-fastmcp", "protected.py");
    if !authority.is_there() || !peer.is_there() {
        return;
    }
    let authority = start(&authority).await;
    our_client_logs_in(&start(&peer.with(&authority.url)).await.url).await;
}
