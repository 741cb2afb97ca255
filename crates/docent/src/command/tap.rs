//! `docent tap`: sits between a client and a server, and writes down what passes.
//!
//! A client is configured to start `docent tap -- COMMAND` in place of `COMMAND`. Every byte goes
//! through unchanged; the record has a line of JSON for each message.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

use crate::append;
use crate::failure::Failure;

#[derive(Args)]
pub(crate) struct Tap {
    /// Where to write; a later run adds to it
    #[arg(long, short, value_name = "FILE", default_value = "mcp-tap.jsonl")]
    pub(crate) output: PathBuf,
    /// The server's command line
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// The longest line that is written down; a longer one passes all the same.
const LINE_BYTES_MAX: usize = 16 << 20;

/// What passed, as it passes.
#[derive(Clone)]
struct Record {
    file: Arc<Mutex<File>>,
    since: Instant,
}

impl Record {
    fn open(path: &Path) -> Result<Self, Failure> {
        let file = Arc::new(Mutex::new(append::open(path)?));
        Ok(Self { file, since: Instant::now() })
    }

    fn add(&self, from: &str, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches(['\r', '\n']);
        let mut entry = json!({ "ms": self.since.elapsed().as_millis() as u64, "from": from });
        match serde_json::from_str::<Value>(text) {
            Ok(message) => entry["message"] = message,
            // What is no message is what one looks for with a tap.
            Err(_) => entry["text"] = json!(text),
        }
        let mut file = self.file.lock().expect("no panic while locked");
        // A full disk must not end the conversation.
        let _ = writeln!(file, "{entry}");
    }
}

pub(crate) async fn run(tap: &Tap) -> Result<ExitCode, Failure> {
    let record = Record::open(&tap.output)?;
    let (program, arguments) =
        tap.command.split_first().ok_or_else(|| Failure::usage("no command"))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut server = command
        .spawn()
        .map_err(|error| Failure::io(format_args!("`{program}` cannot be started"), &error))?;
    let (Some(to_server), Some(from_server)) = (server.stdin.take(), server.stdout.take()) else {
        return Err(Failure::new("the server has no standard input or output"));
    };
    let there = pass(tokio::io::stdin(), to_server, "client", record.clone());
    let there = tokio::spawn(there);
    // The server decides when it is over: it may still answer after the client has ended its input.
    pass(from_server, tokio::io::stdout(), "server", record).await;
    there.abort();
    let status = server.wait().await.map_err(|error| Failure::io("the server is lost", &error))?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Copies lines until the end of one side, and writes them down.
async fn pass(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    who: &'static str,
    record: Record,
) {
    let mut from = BufReader::with_capacity(64 << 10, from);
    let mut line = Vec::new();
    loop {
        // Piece by piece, so that a line without end is passed on, too.
        let piece = match from.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(piece) => piece,
        };
        let end = piece.iter().position(|byte| *byte == b'\n').map_or(piece.len(), |at| at + 1);
        let complete = piece[end - 1] == b'\n';
        if line.len() + end <= LINE_BYTES_MAX {
            line.extend_from_slice(&piece[..end]);
        }
        // Before it is passed on: a client that has its last answer may end this process at once.
        if complete {
            record.add(who, &line);
            line.clear();
        }
        let written = to.write_all(&piece[..end]).await;
        from.consume(end);
        if written.is_err() || (complete && to.flush().await.is_err()) {
            break;
        }
    }
    if !line.is_empty() {
        record.add(who, &line);
    }
    let _ = to.shutdown().await;
}
