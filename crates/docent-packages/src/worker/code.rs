//! Code that is checked, parsed where it can do no harm: the same guarded process as for packages.
//!
//! It is the user's own, but a model may have written it, from what somebody else wrote; the check
//! of its nesting is a good guess, not a proof. Both sides are here: `run` starts the worker, `child`
//! is what it does.

use std::ffi::OsString;
use std::io;
use std::panic::catch_unwind;
use std::process::exit;
use std::thread::Builder;

use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt as _;

use super::death::PANIC_CODE;
use super::frame::{self, Kind};
use super::{Isolation, STACK_BYTES, Workers, confine, parent};
use crate::Limits;
use crate::check::Language;
use crate::check::language;
use crate::check::uses::Uses;

/// What is to be parsed.
#[derive(Debug, Serialize, Deserialize)]
struct Code {
    text: String,
    language: Language,
    limits: Limits,
}

impl Workers {
    /// What a text uses of packages. Never fails: a text that its parser does not survive uses
    /// nothing that is known.
    pub(crate) async fn find_uses(&self, text: String, language: Language, limits: Limits) -> Uses {
        let failed = || Uses::none("its parser failed on it");
        // What cannot be parsed needs no process to say so.
        if text.len() > limits.code_bytes_max {
            return language::find(&text, language, &limits);
        }
        let Ok(permit) = self.running.acquire().await else { return failed() };
        let code = Code { text, language, limits };
        let found = match &self.isolation {
            Isolation::InProcess => in_thread(code).await,
            Isolation::Process(command) => in_process(command, &code).await,
        };
        drop(permit);
        found.unwrap_or_else(failed)
    }
}

async fn in_thread(code: Code) -> Option<Uses> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let timeout = code.limits.worker_timeout;
    let work = move || {
        let Code { text, language, limits } = code;
        let _ = sender.send(catch_unwind(|| language::find(&text, language, &limits)));
    };
    let builder = Builder::new().name("docent-code".to_owned()).stack_size(STACK_BYTES);
    builder.spawn(work).ok()?;
    tokio::time::timeout(timeout, receiver).await.ok()?.ok()?.ok()
}

async fn in_process(command: &[OsString], code: &Code) -> Option<Uses> {
    let bytes = frame::encode(code).ok()?;
    let header = frame::header(Kind::Code, bytes.len()).ok()?;
    let mut child = parent::start(command).ok()?;
    let talk = async {
        let mut stdin = child.stdin.take()?;
        let mut stdout = child.stdout.take()?;
        // A worker that is gone already does not take it all; listening tells.
        let _ = stdin.write_all(&[&header[..], &bytes].concat()).await;
        let _ = stdin.flush().await;
        match frame::receive(&mut stdout, code.limits.extraction_bytes_max).await {
            Ok((Kind::Uses, bytes)) => frame::decode(&bytes).ok(),
            _ => None,
        }
    };
    let answer = tokio::time::timeout(code.limits.worker_timeout, talk).await;
    // Kills what is still there, and waits for it.
    let _ = child.kill().await;
    answer.ok().flatten()
}

/// The worker's side: gives up its rights, parses, answers, ends.
pub(super) fn child(bytes: &[u8]) -> ! {
    let Ok(Code { text, language, limits }) = frame::decode(bytes) else { exit(PANIC_CODE) };
    let _ = confine::confine(&limits, &[]);
    let work = move || {
        confine::no_more_threads();
        let found = language::find(&text, language, &limits);
        let said = frame::encode(&found)
            .is_ok_and(|bytes| frame::write(&mut io::stdout().lock(), Kind::Uses, &bytes).is_ok());
        exit(i32::from(!said));
    };
    let work = Builder::new().name("work".to_owned()).stack_size(STACK_BYTES).spawn(work);
    let _ = work.map(std::thread::JoinHandle::join);
    exit(PANIC_CODE)
}
