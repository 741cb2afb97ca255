//! The examples do what they say: each is started as a program and talked to.
//!
//! `cargo test` builds them. After `cargo test --test it` alone they may be missing or old.

use std::path::{Path, PathBuf};

use docent_mcp::transport::child::ChildProcess;
use docent_mcp::transport::http::{HttpEndpoint, HttpOptions, HttpServer};
use docent_mcp::types::Revision;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::fixture::{Behind, ERAS, client, server, soon, text};

fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this program");
    let profile = test.parent().and_then(Path::parent).expect("it lies in `deps`");
    let program =
        profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(program.exists(), "example `{name}` is not built: run `cargo build --examples`");
    program
}

/// A server of one revision on loopback.
async fn on_loopback(revision: Revision) -> String {
    let service = server(revision, &Behind::default()).http_service(HttpOptions::new()).unwrap();
    let listening = HttpServer::bind(service, "127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listening.local_addr());
    tokio::spawn(listening.serve());
    url
}

#[tokio::test]
async fn the_gateway_over_standard_input_and_output() {
    for server_era in ERAS {
        let url = on_loopback(server_era).await;
        for client_era in ERAS {
            let gateway = ChildProcess::new(example("gateway")).arg(&url);
            let client = soon(client(client_era).0.connect(gateway)).await.unwrap();
            let asked = soon(client.call("server__ask_name", json!({}))).await.unwrap();
            assert_eq!(text(&asked), "Hello, Ada!", "{client_era} {server_era}");
            client.close().await;
        }
    }
}

#[tokio::test]
async fn the_gateway_over_http_before_a_program() {
    let url = on_loopback(Revision::NEWEST_MODERN).await;
    // A gateway is a server as well, so there can be one behind another.
    let mut gateway = tokio::process::Command::new(example("gateway"))
        .args(["--bare", "--http"])
        .arg(example("gateway"))
        .args(["--bare", &url])
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let output = gateway.stdout.take().unwrap();
    let address = soon(BufReader::new(output).lines().next_line()).await.unwrap().unwrap();
    let endpoint = HttpEndpoint::new(format!("http://{address}/mcp")).unwrap();
    let client = soon(client(Revision::NEWEST_LEGACY).0.connect(endpoint)).await.unwrap();
    let asked = soon(client.call("ask_twice", json!({}))).await.unwrap();
    assert_eq!(text(&asked), "Ada Grace");
    client.close().await;
    gateway.kill().await.unwrap();
}

#[tokio::test]
async fn several_servers_from_a_command_line() {
    let url = on_loopback(Revision::NEWEST_LEGACY).await;
    let run = |arguments: &[&str]| {
        let mut command = tokio::process::Command::new(example("use_servers"));
        command.arg(format!("web={url}")).arg("gone=/no/such/program").args(arguments);
        command.output()
    };
    let listed = soon(run(&[])).await.unwrap();
    let (out, err) = (String::from_utf8(listed.stdout), String::from_utf8(listed.stderr));
    assert!(out.unwrap().lines().any(|line| line.starts_with("web__echo  Gives back")));
    assert!(err.unwrap().contains("gone: "), "the one that failed says so");
    let called = soon(run(&["call", "web.echo", r#"{"message":"hello"}"#])).await.unwrap();
    assert_eq!(String::from_utf8(called.stdout).unwrap().trim(), "hello");
}
