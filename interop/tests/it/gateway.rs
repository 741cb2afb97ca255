//! Clients and servers written with other SDKs, of both eras, with `docent gateway` between them.
//!
//! The clients run the checklist of `README.md`, so every question, progress report, log message,
//! cancellation and subscription of a server reaches a client of another era through the gateway.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

use docent_testkit::folder::Folder;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::checklist::check_behind;
use crate::peers::{Peer, docent};
use crate::served::Served;

/// What the gateway calls the one server that its command line names.
const NAME: &str = "server";

/// How a client reaches the gateway.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Stdio,
    Http,
}

/// A server that is started by the gateway, or one that listens already.
struct Behind {
    peer: Peer,
    http: bool,
    /// What it cannot do, whoever asks.
    lacks: &'static [&'static str],
}

fn behind() -> Vec<Behind> {
    let stdio = |peer| Behind { peer, http: false, lacks: &[] };
    let http = |peer| Behind { peer, http: true, lacks: &[] };
    vec![
        // Legacy only.
        http(Peer::node("TypeScript SDK 1 server", "server1.mjs", &["http"])),
        Behind {
            // It does not declare that resources can be watched.
            lacks: &["subscribe"],
            ..stdio(Peer::python("Python SDK 1 server", "py1", "server1.py"))
        },
        // Both eras, of which the gateway takes the modern one.
        stdio(Peer::node("TypeScript SDK 2 server", "server2.mjs", &[])),
        http(Peer::node("TypeScript SDK 2 server", "server2.mjs", &["http"])),
        stdio(Peer::python("Python SDK 2 server", "py2", "server2.py")),
        stdio(Peer::go("Go SDK server", "go-server")),
    ]
}

/// Runs the checklist of a client on every server.
async fn check(client: Peer, era: &str, way: Way) {
    let Some(docent) = docent().filter(|_| client.is_there()) else { return };
    let mut failures = Vec::new();
    for Behind { peer, http, lacks } in behind() {
        if !peer.is_there() {
            continue;
        }
        eprintln!("{} {era} {way:?} before {}", client.name, peer.name);
        let home = Folder::new();
        let listening = match http {
            true => Some(Served::start(&peer.program, &peer.arguments, None).await),
            false => None,
        };
        let mut which: Vec<OsString> = vec!["gateway".into()];
        match &listening {
            Some(served) => which.extend(["--url".into(), served.url.clone().into()]),
            None => {
                which.extend(["--".into(), peer.program.clone().into_os_string()]);
                which.extend(peer.arguments.iter().map(|argument| argument.clone().into()));
            }
        }
        let mut excused: Vec<&str> = lacks.to_vec();
        if era == "modern" {
            excused.push("ping");
        }
        let checked = match way {
            Way::Stdio => {
                let mut command: Vec<OsString> = vec![docent.clone().into()];
                command.extend(which);
                check_behind(&client, &command, Some(NAME), era, &excused).await
            }
            Way::Http => {
                which.splice(1..1, ["--http".into(), "127.0.0.1:0".into()]);
                let (_gateway, url) = listen(&docent, &which, home.path()).await;
                check_behind(&client, &[url], Some(NAME), era, &excused).await
            }
        };
        failures.extend(checked.err().map(|why| format!("before {}: {why}", peer.name)));
    }
    assert!(failures.is_empty(), "{way:?}: {}", failures.join("\n"));
}

/// Starts the gateway on a free port.
async fn listen(docent: &Path, arguments: &[OsString], home: &Path) -> (Child, String) {
    let mut command = Command::new(docent);
    command.args(arguments).env("HOME", home).kill_on_drop(true);
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("docent runs");
    let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
    let line = lines.next_line().await.expect("a line").expect("it says where it listens");
    let address = line.strip_prefix("listening at ").expect("an address").to_owned();
    // It may go on to say things, and must not wait until somebody reads them.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (process, address)
}

fn typescript(release: u8) -> Peer {
    match release {
        1 => Peer::node("TypeScript SDK 1 client", "client1.mjs", &[]),
        _ => Peer::node("TypeScript SDK 2 client", "client2.mjs", &[]),
    }
}

fn python(release: u8) -> Peer {
    match release {
        1 => Peer::python("Python SDK 1 client", "py1", "client1.py"),
        _ => Peer::python("Python SDK 2 client", "py2", "client2.py"),
    }
}

#[tokio::test]
async fn typescript_1_stdio() {
    check(typescript(1), "legacy", Way::Stdio).await;
}

#[tokio::test]
async fn typescript_1_http() {
    check(typescript(1), "legacy", Way::Http).await;
}

#[tokio::test]
async fn typescript_2_legacy_stdio() {
    check(typescript(2), "legacy", Way::Stdio).await;
}

#[tokio::test]
async fn typescript_2_modern_stdio() {
    check(typescript(2), "modern", Way::Stdio).await;
}

#[tokio::test]
async fn typescript_2_modern_http() {
    check(typescript(2), "modern", Way::Http).await;
}

#[tokio::test]
async fn python_1_http() {
    check(python(1), "legacy", Way::Http).await;
}

#[tokio::test]
async fn python_2_modern_stdio() {
    check(python(2), "modern", Way::Stdio).await;
}

#[tokio::test]
async fn python_2_modern_http() {
    check(python(2), "modern", Way::Http).await;
}
