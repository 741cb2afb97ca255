//! A server that runs as a process of its own, listens on a free port, and prints its address.

use std::ffi::OsStr;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Ends when it is dropped.
pub(crate) struct Served {
    pub(crate) url: String,
    _process: Child,
    // Servers end with their input, and may write on.
    _pipes: (Option<ChildStdin>, Lines<BufReader<ChildStdout>>),
}

impl Served {
    pub(crate) async fn start(
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        revision: Option<&str>,
    ) -> Served {
        let mut command = Command::new(program);
        command.args(arguments).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(revision) = revision {
            command.env("INTEROP_REVISION", revision);
        }
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap();
        let url = line.filter(|line| line.starts_with("http://")).expect("it prints its address");
        Served { url, _process: process, _pipes: (input, lines) }
    }
}
