//! The parent's side of one attempt: starts the worker, listens, and sees it dead at the end.
//!
//! Whatever happens, no process is left: it is killed when its time is up or nobody waits any more,
//! and waited for in all cases.

use std::ffi::OsString;
use std::process::Stdio;
use std::sync::OnceLock;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::Instant;

use super::death::{Attempt, Death};
use super::frame::{self, Fault, Kind, Request};
use super::{Confinement, Finder, QUESTIONS_MAX, ROLE_VARIABLE};
use crate::{Error, ErrorKind, Extraction, Wanted};

/// How much of what the runtime says at its end is looked at.
const WORDS_BYTES_MAX: u64 = 4096;

pub(super) async fn attempt(
    command: &[OsString],
    request: &Request,
    deadline: Instant,
    find: &Finder,
    confinement: &OnceLock<Confinement>,
) -> Result<Attempt, Error> {
    let bytes = frame::encode(request).and_then(|mut bytes| {
        let header = frame::header(Kind::Request, bytes.len())?;
        bytes.splice(..0, header);
        Ok(bytes)
    });
    let bytes = bytes.map_err(|_| Error::new(ErrorKind::Worker, "the job is too large to send"))?;
    let mut child = start(command)?;
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(Error::new(ErrorKind::Worker, "the worker process has no pipes"));
    };
    let mut listener = Listener {
        stdout: BufReader::new(stdout),
        extraction_bytes_max: request.job.limits.extraction_bytes_max,
        culprit: None,
        questions: 0,
        find,
        confinement,
    };
    let talk = talk(&mut child, &mut stdin, &bytes, &mut listener, stderr);
    let answer = tokio::time::timeout_at(deadline, talk).await;
    // Kills what is still there, and waits for it.
    let _ = child.kill().await;
    Ok(match answer {
        Ok(Answer::Done(bytes)) => decoded(bytes, listener.culprit).await,
        Ok(Answer::Failed(bytes)) => match frame::decode(&bytes) {
            Ok(error) => Attempt::Failed(error),
            Err(_) => Attempt::Died(Death::Stranger, None),
        },
        Ok(Answer::Died(death)) => Attempt::Died(death, listener.culprit),
        Err(_) => Attempt::Died(Death::Timeout, listener.culprit),
    })
}

pub(super) fn start(command: &[OsString]) -> Result<Child, Error> {
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| Error::new(ErrorKind::Worker, "no command is set for the worker"))?;
    let mut start = Command::new(program);
    start.args(arguments).env_clear().env(ROLE_VARIABLE, "1");
    // A second arena would take up much of the address space that the worker may have.
    start.env("MALLOC_ARENA_MAX", "1");
    // A worker lives for one package: what it gives back to the system it only has to ask for again.
    start.env("MALLOC_TRIM_THRESHOLD_", "134217728").env("MALLOC_TOP_PAD_", "4194304");
    start.env("MALLOC_MMAP_THRESHOLD_", "33554432");
    start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // An interrupt at the terminal is for the parent, which may want to finish.
    #[cfg(unix)]
    start.process_group(0);
    start.spawn().map_err(|error| {
        let message = format!("the worker {} could not be started: {error}", program.display());
        Error::new(ErrorKind::Worker, message)
    })
}

/// How the conversation ended.
enum Answer {
    Done(Vec<u8>),
    Failed(Vec<u8>),
    Died(Death),
}

/// Hands over the job and listens to the end. The worker's input stays open meanwhile: its end
/// would tell the worker that its parent is gone.
async fn talk(
    child: &mut Child,
    stdin: &mut ChildStdin,
    request: &[u8],
    listener: &mut Listener<'_>,
    stderr: ChildStderr,
) -> Answer {
    // Read beside the rest, or a full pipe would hold the worker up; it ends with the worker.
    let words = tokio::spawn(last_words(stderr));
    // A worker that is gone already does not take it all; listening tells why.
    let _ = stdin.write_all(request).await;
    let _ = stdin.flush().await;
    match listener.listen(stdin).await {
        Ok(answer) => answer,
        Err(Fault::TooLong) => Answer::Died(Death::Talkative),
        Err(Fault::Nonsense) => Answer::Died(Death::Stranger),
        Err(Fault::End) => match child.wait().await {
            Ok(status) => Answer::Died(Death::of(status, &words.await.unwrap_or_default())),
            Err(_) => Answer::Died(Death::Crash),
        },
    }
}

async fn last_words(mut stderr: ChildStderr) -> Vec<u8> {
    let mut words = Vec::new();
    let _ = (&mut stderr).take(WORDS_BYTES_MAX).read_to_end(&mut words).await;
    // The rest is not wanted.
    let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
    words
}

struct Listener<'a> {
    stdout: BufReader<ChildStdout>,
    extraction_bytes_max: u64,
    /// The file that the worker is at.
    culprit: Option<String>,
    /// How often it has asked.
    questions: usize,
    find: &'a Finder,
    confinement: &'a OnceLock<Confinement>,
}

impl Listener<'_> {
    async fn listen(&mut self, stdin: &mut ChildStdin) -> Result<Answer, Fault> {
        let mut ready = false;
        loop {
            let (kind, bytes) = frame::receive(&mut self.stdout, self.extraction_bytes_max).await?;
            match kind {
                Kind::Ready if !ready => {
                    ready = true;
                    let _ = self.confinement.set(frame::decode(&bytes)?);
                }
                Kind::Opening if ready => self.culprit = None,
                Kind::Reading if ready => {
                    self.culprit = Some(String::from_utf8_lossy(&bytes).into_owned());
                }
                Kind::Asking if ready => {
                    let wanted: Wanted = frame::decode(&bytes)?;
                    self.questions += 1;
                    let may_ask = self.questions <= QUESTIONS_MAX;
                    let found = may_ask.then(|| (self.find)(&wanted)).flatten();
                    let bytes = frame::encode(&found)?;
                    let header = frame::header(Kind::Answer, bytes.len())?;
                    // A worker that does not take it is gone, and the next frame is its end.
                    let _ = stdin.write_all(&[&header[..], &bytes].concat()).await;
                    let _ = stdin.flush().await;
                }
                Kind::Done if ready => return Ok(Answer::Done(bytes)),
                Kind::Failed if ready => return Ok(Answer::Failed(bytes)),
                _ => return Err(Fault::Nonsense),
            }
        }
    }
}

/// Decodes an extraction off the runtime's threads: it may be large.
async fn decoded(bytes: Vec<u8>, culprit: Option<String>) -> Attempt {
    let decode = tokio::task::spawn_blocking(move || frame::decode::<Extraction>(&bytes));
    match decode.await {
        Ok(Ok(extraction)) => Attempt::Done(Box::new(extraction)),
        Ok(Err(_)) | Err(_) => Attempt::Died(Death::Stranger, culprit),
    }
}
