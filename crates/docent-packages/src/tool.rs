//! Asks an ecosystem's own tool one question: `npm config get registry`.
//!
//! The only place, beside [`crate::git`], where the engine starts a program that is not its own
//! worker. The program comes from `PATH`, the arguments are constants of this crate, nothing that a
//! user or a package wrote is ever among them, there is no shell, and the answer is bounded in size
//! and time. Each question is asked once and its answer remembered: by this process, and for a day in
//! the cache, since some of these tools take longer to start than everything else together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::io::AsyncReadExt as _;
use tokio::sync::{Mutex, OnceCell};

use crate::Environment;
use crate::cache::{Bucket, Cache};

const ANSWER_BYTES_MAX: u64 = 1 << 20;

/// One question: a program and its constant arguments.
type Question = (&'static str, &'static [&'static str]);

/// How long an answer in the cache counts. What a user configures is read from files every time; only
/// the default that a tool has built in is asked for.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// The tools of the ecosystems, and what they have answered.
#[derive(Default)]
pub(crate) struct Tools {
    answers: Mutex<HashMap<Question, Arc<OnceCell<Option<String>>>>>,
    cache: Option<Arc<Cache>>,
    offline: bool,
}

impl Tools {
    /// Tools whose answers are kept in a cache. Offline nobody is asked: there is nothing to reach with
    /// the answer.
    pub(crate) fn new(cache: Arc<Cache>, offline: bool) -> Self {
        Self { answers: Mutex::default(), cache: Some(cache), offline }
    }

    /// Whether nobody may be asked.
    pub(crate) fn is_offline(&self) -> bool {
        self.offline
    }

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
            let key = key(&file, arguments);
            if let Some(answer) = self.remembered(&key) {
                return Some(answer);
            }
            if self.offline {
                return None;
            }
            let answer = tokio::time::timeout(timeout, run(file, arguments, environment));
            let answer = answer.await.ok().flatten()?;
            self.remember(&key, &answer);
            Some(answer)
        });
        answer.await.clone()
    }
}

impl Tools {
    fn remembered(&self, key: &str) -> Option<String> {
        let bytes = self.cache.as_ref()?.read(Bucket::Tools, key)?;
        let (since, answer): (u64, String) = postcard::from_bytes(&bytes).ok()?;
        let age = now().checked_sub(since)?;
        (age < REMEMBERED.as_secs() || self.offline).then_some(answer)
    }

    /// Without a cache the next process only has to ask again.
    fn remember(&self, key: &str, answer: &str) {
        if let (Some(cache), Ok(bytes)) = (&self.cache, postcard::to_stdvec(&(now(), answer))) {
            let _ = cache.write(Bucket::Tools, key, &bytes);
        }
    }
}

/// The question, and which program it is put to: another one may answer otherwise.
fn key(file: &Path, arguments: &[&str]) -> String {
    let modified = std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
    format!("{} {modified:?} {arguments:?}", file.display())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[tokio::test]
    async fn an_answer_is_kept_and_offline_nobody_is_asked() {
        let folder = Folder::new();
        let program = folder.write("bin/tool", "#!/bin/sh\necho asked >> \"$RECORD\"\necho yes\n");
        let executable = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(&program, executable).expect("a program");
        let record = folder.path().join("record");
        let environment = Environment::isolated(folder.path())
            .with("PATH", &folder.path().join("bin").to_string_lossy())
            .with("RECORD", &record.to_string_lossy());
        let limits = Limits::default();
        let open =
            || Arc::new(Cache::open(&folder.path().join("cache"), &limits).expect("a cache"));
        let limits = &limits;
        let ask = |offline| {
            let (tools, environment) = (Tools::new(open(), offline), &environment);
            async move { tools.ask("tool", &["config"], environment, limits.tool_timeout).await }
        };
        assert_eq!(ask(true).await, None);
        assert!(!record.exists());
        assert_eq!(ask(false).await.as_deref(), Some("yes"));
        assert_eq!(ask(false).await.as_deref(), Some("yes"));
        assert_eq!(ask(true).await.as_deref(), Some("yes"));
        assert_eq!(std::fs::read_to_string(&record).expect("asked"), "asked\n");
    }
}
