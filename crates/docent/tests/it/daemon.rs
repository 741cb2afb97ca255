//! Servers that a process in the background keeps between commands.

use std::process::{Command, Output, Stdio};

use docent_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::processes::{gone, pids, runs, stubborn};

const DOCENT: &str = env!("CARGO_BIN_EXE_docent");

/// A home with a daemon, which ends with the test.
struct Home(Folder);

impl Drop for Home {
    fn drop(&mut self) {
        docent(&self.0, &["daemon", "stop"]);
    }
}

fn docent(home: &Folder, words: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(DOCENT);
    command.env_clear().env("HOME", home.path()).current_dir(home.path().join("project"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let Output { status, stdout, stderr } =
        command.args(words).stdin(Stdio::null()).output().expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

fn project() -> Folder {
    let folder = Folder::new();
    folder.write("project/package.json", r#"{"name": "shop", "dependencies": {"kit": "1.0.0"}}"#);
    folder
}

const SERVER: [&str; 4] = ["--", DOCENT, "--offline", "serve"];

#[test]
fn commands_answer_the_same_with_servers_that_stay() {
    let commands: [&[&str]; 6] = [
        &["tools", "--json"],
        &["tools"],
        &["call", "list_project_packages", "--json"],
        &["prompt", "use_package", "package=kit", "task=cut", "--json"],
        &["read", "docs://project/packages", "--json"],
        &["complete", "use_package", "language=p", "--json"],
    ];
    let home = project();
    let all = |home: &Folder| -> Vec<_> {
        let words = commands.iter().map(|words| [*words, &SERVER].concat());
        words.map(|words| docent(home, &words)).collect()
    };
    let alone = all(&home);
    let home = Home(home);
    assert_eq!(docent(&home.0, &["daemon", "status"]).0, Some(3), "it runs without being started");
    let (code, out, err) = docent(&home.0, &["daemon", "start"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for (first, second) in [(&alone, all(&home.0)), (&alone, all(&home.0))] {
        for ((before, after), words) in first.iter().zip(&second).zip(commands) {
            assert_eq!(before, after, "{words:?}");
        }
    }
    // All of that was one process, which nobody uses now.
    let (code, out, _) = docent(&home.0, &["daemon", "status", "--json"]);
    let servers: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, servers.as_array().map(Vec::len)), (Some(0), Some(1)), "{servers}");
    assert_eq!(servers[0]["clients"], 0);
    // Arguments may hold secrets.
    assert_eq!(servers[0]["command"], format!("{DOCENT} (2 arguments)"));
    assert_eq!(docent(&home.0, &["daemon", "start"]).1, "the daemon is running already\n");
}

#[test]
fn servers_end_with_a_daemon_that_is_killed() {
    let home = Home(project());
    let script = stubborn(&format!("{DOCENT} --offline serve"));
    let words = ["tools", "--", "/bin/sh", "-c", &script];
    let (code, out, err) = docent(&home.0, &["daemon", "start", "--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON"), json!({ "started": true }));
    assert_eq!(docent(&home.0, &words).0, Some(0));
    let processes = pids(&home.0.path().join("project/pids"));
    assert!(processes.iter().all(|process| runs(process)), "it does not keep them");
    let killed = Command::new("kill").args(["-9", &daemon_of(&home.0)]).status().expect("kill");
    assert!(killed.success());
    gone(&processes);
    // What it left behind is in nobody's way.
    assert_eq!(docent(&home.0, &["daemon", "start"]).1, "the daemon keeps servers from now on\n");
    let (_, out, _) = docent(&home.0, &["daemon", "stop", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON"), json!({ "stopped": true }));
}

/// The process that keeps servers for this home.
fn daemon_of(home: &Folder) -> String {
    let own = format!("HOME={}", home.path().display());
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let mut daemons = processes.filter_map(|entry| {
        let line = std::fs::read_to_string(entry.path().join("cmdline")).ok()?;
        let environment = std::fs::read_to_string(entry.path().join("environ")).ok()?;
        let is_it =
            line.contains("\0daemon\0run\0") && environment.split('\0').any(|one| one == own);
        is_it.then(|| entry.file_name().into_string().ok()).flatten()
    });
    daemons.next().expect("a daemon")
}

/// Nobody waits for servers that were only listed, and yet they end.
#[test]
fn servers_that_were_left_running_end_by_themselves() {
    let home = project();
    let script = stubborn(&format!("{DOCENT} --offline serve"));
    let (code, out, err) = docent(&home, &["tools", "--", "/bin/sh", "-c", &script]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    gone(&pids(&home.path().join("project/pids")));
}

#[test]
fn a_server_that_cannot_be_started_says_why_through_the_daemon() {
    let home = Home(project());
    assert_eq!(docent(&home.0, &["daemon", "start"]).0, Some(0));
    let (code, _, err) = docent(&home.0, &["tools", "--", "no-such-program-anywhere"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("no-such-program-anywhere"), "{err}");
    let (_, out, _) = docent(&home.0, &["daemon", "status", "--json"]);
    assert_eq!(out, "[]\n", "it is kept although it does not run");
    assert_eq!(docent(&home.0, &["daemon", "stop"]).1, "the daemon ends\n");
}

#[test]
fn only_its_owner_can_use_it_and_it_ends_when_nobody_does() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home(project());
    assert_eq!(docent(&home.0, &["daemon", "start", "--idle", "1"]).0, Some(0));
    let folder = home.0.path().join(".config/docent/run");
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!((mode(&folder), mode(&folder.join("daemon.socket"))), (0o700, 0o600));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while folder.join("daemon.socket").exists() {
        assert!(std::time::Instant::now() < until, "it stays although nobody uses it");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
