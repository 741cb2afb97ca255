//! A command that is run once, for what it prints: guarded as servers are, and bounded.

use std::io;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStdout;
use tokio::runtime::Handle;

use super::ChildProcess;
use super::group::{Exit, Group};
use super::watchdog::Watched;

/// How long a command may take to end when it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

impl ChildProcess {
    /// Runs the command to its end and returns what it printed. It gets no input, and what it
    /// writes to stderr is not kept. If it takes longer than `time`, prints more than `bytes_max`
    /// or is given up, it is ended with all that it started.
    ///
    /// # Errors
    ///
    /// If it cannot be started, is not done in time, prints too much, or says that it failed.
    pub async fn output(&self, time: Duration, bytes_max: usize) -> io::Result<Vec<u8>> {
        Handle::try_current().map_err(io::Error::other)?;
        let mut watched = Watched::reserve();
        let mut command = self.command();
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| self.explain(&error))?;
        watched.watch(child.id());
        let stdout = child.stdout.take();
        let running = Running(Some(Group::new(child, watched)));
        let name = self.name();
        let reading = async {
            let missing = || io::Error::other("a pipe to the child is missing");
            let stdout = ChildStdout::from_std(stdout.ok_or_else(missing)?)?;
            let mut printed = Vec::new();
            stdout.take(bytes_max as u64 + 1).read_to_end(&mut printed).await?;
            match printed.len() > bytes_max {
                true => {
                    let message = format!("`{name}` printed more than {bytes_max} bytes");
                    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
                }
                false => Ok(printed),
            }
        };
        let printed = tokio::time::timeout(time, reading).await.unwrap_or_else(|_| {
            let message = format!("`{name}` took longer than {} s", time.as_secs_f32());
            Err(io::Error::new(io::ErrorKind::TimedOut, message))
        })?;
        match running.end().await?.status {
            Some(status) if status.success() => Ok(printed),
            Some(status) => Err(io::Error::other(format!("`{name}` failed, {status}"))),
            // Somebody else reaped it; what it printed is all there is to go by.
            None => Ok(printed),
        }
    }
}

/// A command that is ended at the latest when nobody waits for it any more.
struct Running(Option<Group>);

impl Running {
    /// Waits for the end on a thread, as the ladder wants it.
    async fn end(mut self) -> io::Result<Exit> {
        let Some(mut group) = self.0.take() else { return Ok(Exit::default()) };
        let ending = tokio::task::spawn_blocking(move || {
            let exit = group.end(EXIT_TIMEOUT);
            group.reap();
            exit
        });
        ending.await.map_err(io::Error::other)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.0.take() {
            // Dropping the group kills it and waits a moment, which is not for the runtime to do.
            // Without a thread, the closure is dropped here, and the group with it.
            let _ = thread::Builder::new()
                .name("docent-child-end".to_owned())
                .spawn(move || drop(group));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    async fn output(script: &str) -> io::Result<Vec<u8>> {
        let command = ChildProcess::new("/bin/sh").args(["-c", script]);
        command.output(Duration::from_secs(10), 100).await
    }

    #[tokio::test]
    async fn what_a_command_prints() {
        assert_eq!(output("echo hi; echo secret >&2").await.unwrap(), b"hi\n");
        assert_eq!(output("cat").await.unwrap(), b"", "there is no input to wait for");
        let failed = output("echo partly; exit 3").await.unwrap_err();
        assert!(failed.to_string().contains("exit status: 3"), "{failed}");
        let long = output("while :; do echo 0123456789; done").await.unwrap_err();
        assert_eq!(long.kind(), io::ErrorKind::FileTooLarge);
    }

    #[tokio::test]
    async fn one_that_takes_too_long_is_ended_with_what_it_started() {
        let folder = docent_testkit::folder::Folder::new();
        let file = folder.path().join("alive");
        let script = format!("(sleep 0.6; echo still > '{}') & wait", file.display());
        let command = ChildProcess::new("/bin/sh").args(["-c", &script]);
        let late = command.output(Duration::from_millis(50), 100).await.unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        tokio::time::sleep(Duration::from_millis(900)).await;
        assert!(!file.exists(), "what it started went on");
    }
}
