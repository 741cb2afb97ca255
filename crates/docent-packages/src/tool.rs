//! Asks an ecosystem's own tool one question: `npm config get registry`.
//!
//! The only place where the engine starts a program that is not its own worker. The program comes
//! from `PATH`, the arguments are constants of this crate, nothing that a user or a package wrote is
//! ever among them, there is no shell, and the answer is bounded in size and time. Each question is
//! asked once and its answer remembered.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::sync::{Mutex, OnceCell};

use crate::Environment;

const ANSWER_BYTES_MAX: u64 = 1 << 20;

/// One question: a program and its constant arguments.
type Question = (&'static str, &'static [&'static str]);

/// The tools of the ecosystems, and what they have answered.
#[derive(Default)]
pub(crate) struct Tools {
    answers: Mutex<HashMap<Question, Arc<OnceCell<Option<String>>>>>,
}

impl Tools {
    /// What the program prints, or `None` if it is not there, fails, or does not answer in time.
    pub(crate) async fn ask(
        &self,
        program: &'static str,
        arguments: &'static [&'static str],
        environment: &Environment,
        timeout: Duration,
    ) -> Option<String> {
        let cell = Arc::clone(self.answers.lock().await.entry((program, arguments)).or_default());
        let answer = cell.get_or_init(|| async {
            let file = environment.program(program)?;
            let answer = tokio::time::timeout(timeout, run(file, arguments, environment));
            answer.await.ok().flatten()
        });
        answer.await.clone()
    }
}

async fn run(file: PathBuf, arguments: &[&str], environment: &Environment) -> Option<String> {
    let mut command = tokio::process::Command::new(file);
    command.args(arguments).env_clear().envs(environment.variables());
    // A project's own configuration is read by us, not by the tool, which might run its hooks.
    command.current_dir(environment.home().unwrap_or_else(|| environment.directory()));
    command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().ok()?;
    let mut answer = Vec::new();
    child.stdout.take()?.take(ANSWER_BYTES_MAX).read_to_end(&mut answer).await.ok()?;
    let status = child.wait().await.ok()?;
    let answer = String::from_utf8(answer).ok()?;
    status.success().then(|| answer.trim().to_owned())
}
