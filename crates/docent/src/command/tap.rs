//! `docent tap`: sits between a client and a server, and writes down what passes.
//!
//! A client is configured to start `docent tap -- COMMAND` in place of `COMMAND`. Every byte goes
//! through unchanged; the record has a line of JSON for each message, which also says in which
//! session it was: clients restart their servers, and several may run at a time. The server is
//! started as every other one: when this process ends, it does.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use docent_mcp::Limits;
use docent_mcp::transport::child::{ChildProcess, Piped};
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

use crate::append;
use crate::failure::Failure;
use crate::{exit, stop};

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
/// How long a server may take to end. Whoever asks a tap to end may give it no more than the 0.7 s of
/// a gateway before it is killed, and then others would have to end this one's server.
const EXIT_TIMEOUT: Duration = Duration::from_millis(400);
/// How long the last of what a server has said may take to arrive when it is gone.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What passed, as it passes.
#[derive(Clone)]
struct Record {
    file: Arc<Mutex<File>>,
    /// What tells this run from all others that are written to the same file.
    session: String,
    since: Instant,
}

impl Record {
    fn open(path: &Path) -> Result<Self, Failure> {
        let file = Arc::new(Mutex::new(append::open(path)?));
        let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let session = format!("{begun}-{}", std::process::id());
        Ok(Self { file, session, since: Instant::now() })
    }

    fn add(&self, from: &str, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches(['\r', '\n']);
        let mut file = self.file.lock().expect("no panic while locked");
        let ms = self.since.elapsed().as_millis() as u64;
        let mut entry = json!({ "session": self.session, "ms": ms, "from": from });
        match serde_json::from_str::<Value>(text) {
            Ok(message) => entry["message"] = message,
            // What is no message is what one looks for with a tap.
            Err(_) => entry["text"] = json!(text),
        }
        // One write, since others may write to the same file; and a full disk must not end the
        // conversation.
        let _ = file.write_all(format!("{entry}\n").as_bytes());
    }
}

pub(crate) async fn run(tap: &Tap) -> Result<ExitCode, Failure> {
    let record = Record::open(&tap.output)?;
    let Piped { input, output, process, .. } = start(&tap.command)?;
    let there = tokio::spawn(pass(tokio::io::stdin(), input, "client", record.clone()));
    let mut back = tokio::spawn(pass(output, tokio::io::stdout(), "server", record));
    // The server decides when it is over: it may still answer after the client has ended its input.
    // Unless there is nobody to answer any more.
    let status = tokio::select! {
        _ = &mut back => process.end().await,
        () = stop::asked() => process.terminate().await,
        () = deserted() => process.end().await,
    };
    if !back.is_finished() {
        // Its last words, which a process that it left behind may hold up.
        let _ = tokio::time::timeout(LAST_WORDS, back).await;
    }
    there.abort();
    Ok(status.map_or(ExitCode::FAILURE, exit::of))
}

/// Starts a server as it would run by itself, but so that it ends with this process, however that
/// ends.
pub(super) fn start(command: &[String]) -> Result<Piped, Failure> {
    let (program, arguments) = command.split_first().ok_or_else(|| Failure::usage("no command"))?;
    let server = ChildProcess::new(program).args(arguments).inherit_env();
    let limits = Limits { child_exit_timeout: EXIT_TIMEOUT, ..Limits::default() };
    server.piped(&limits).map_err(|error| Failure::new(error.to_string()))
}

/// Resolves when nobody is left who could read what the server says.
async fn deserted() {
    let watching = tokio::task::spawn_blocking(|| {
        let output = std::io::stdout();
        // Nothing is asked for, so that only the end of the other side is told. A file has none.
        let mut watched = [PollFd::new(&output, PollFlags::empty())];
        rustix::io::retry_on_intr(|| poll(&mut watched, None)).is_ok()
    });
    if !watching.await.unwrap_or_default() {
        std::future::pending().await
    }
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
