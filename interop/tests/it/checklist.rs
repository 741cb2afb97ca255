//! Runs a client of another SDK against a server, and reads what its checklist printed.

use std::ffi::OsStr;
use std::process::Stdio;

use serde_json::Value;
use tokio::process::Command;

use crate::peers::Peer;

/// Checks that a peer cannot do, each for a reason that is the peer's.
pub(crate) type Excused = &'static [&'static str];

/// Every check must pass. The server is a command, or an address.
pub(crate) async fn check(peer: &Peer, server: impl AsRef<OsStr>, era: &str, excused: Excused) {
    check_behind(peer, &[server], None, era, excused).await.unwrap();
}

/// The same with a command of several words, or with a gateway that calls the server by a name.
pub(crate) async fn check_behind(
    peer: &Peer,
    server: &[impl AsRef<OsStr>],
    name: Option<&str>,
    era: &str,
    excused: &[&str],
) -> Result<(), String> {
    let output = Command::new(&peer.program)
        .args(&peer.arguments)
        .arg("--")
        .args(server)
        .env("INTEROP_ERA", era)
        .env("INTEROP_SERVER", name.unwrap_or_default())
        .env("NO_PROXY", "127.0.0.1")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let checks: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let passed = checks.iter().filter(|check| check["ok"] == true).count();
    let (forgiven, failed): (Vec<_>, Vec<_>) = checks
        .iter()
        .filter(|check| check["ok"] != true)
        .partition(|check| check["check"].as_str().is_some_and(|name| excused.contains(&name)));
    let errors = String::from_utf8_lossy(&output.stderr);
    let told = |what: String| Err(format!("{} {era}: {what}\n{errors}", peer.name));
    if !failed.is_empty() {
        return told(format!("{failed:?}"));
    }
    if passed < 20 {
        return told(format!("only {passed} checks ran\n{text}"));
    }
    match output.status.success() || forgiven.iter().any(|check| check["ok"] == false) {
        true => Ok(()),
        false => told(output.status.to_string()),
    }
}
