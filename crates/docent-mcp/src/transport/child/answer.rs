//! A command that is run once, for what it prints or what it makes of its input: guarded as servers
//! are, and bounded.

use std::io;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

use super::ChildProcess;
use super::group::{Exit, Group};
use super::piped::Ends;
use super::stderr::{Tail, drain};

/// How long a command may take to end when it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
/// How long its last words may take to arrive when it is gone. Longer only if a process that left
/// the group still holds the pipe.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);
/// How much is kept of what it complains about.
const STDERR_BYTES_MAX: usize = 4 << 10;

impl ChildProcess {
    /// Runs the command to its end and returns what it printed. It gets no input, and what it
    /// writes to stderr is not kept. If it takes longer than `time`, prints more than `bytes_max`
    /// or is given up, it is ended with all that it started.
    ///
    /// # Errors
    ///
    /// If it cannot be started, is not done in time, prints too much, or says that it failed.
    pub async fn output(&self, time: Duration, bytes_max: usize) -> io::Result<Vec<u8>> {
        let mut running = self.start(|command| {
            command.stdin(Stdio::null()).stderr(Stdio::null());
        })?;
        let printed = running.printed(None, time, bytes_max).await;
        running.end(printed).await
    }

    /// As [`output`](Self::output), for a command that answers something: `input` is what it reads,
    /// and the last lines that it writes to stderr are in the error.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use docent_mcp::transport::child::ChildProcess;
    ///
    /// # async fn count() -> std::io::Result<()> {
    /// let words = ChildProcess::new("wc").arg("-w");
    /// let count = words.output_for(b"two words", Duration::from_secs(5), 100).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`output`](Self::output). A command that does not read its input may answer all the
    /// same.
    pub async fn output_for(
        &self,
        input: &[u8],
        time: Duration,
        bytes_max: usize,
    ) -> io::Result<Vec<u8>> {
        let mut running = self.start(|_| {})?;
        let printed = running.printed(Some(input), time, bytes_max).await;
        running.end(printed).await
    }

    /// Starts the command for what it prints; all pipes that `change` leaves are ours.
    fn start(&self, change: impl FnOnce(&mut std::process::Command)) -> io::Result<Running> {
        let (group, Ends { stdin, stdout, stderr }) = self.launch(change)?;
        let complaints = Tail::new(STDERR_BYTES_MAX);
        let draining = match stderr {
            Some(stderr) => {
                let stderr = ChildStderr::from_std(stderr)?;
                Some(tokio::spawn(drain(stderr, complaints.clone(), self.stderr_to.clone())))
            }
            None => None,
        };
        Ok(Running {
            name: self.name(),
            stdin: stdin.map(ChildStdin::from_std).transpose()?,
            stdout: stdout.map(ChildStdout::from_std).transpose()?,
            complaints,
            draining,
            group: Some(group),
        })
    }
}

/// A command that is ended at the latest when nobody waits for it any more.
struct Running {
    name: String,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    complaints: Tail,
    /// The task that fills `complaints`.
    draining: Option<JoinHandle<()>>,
    group: Option<Group>,
}

impl Running {
    /// Gives the command its input and takes what it prints, until it closes its output.
    async fn printed(
        &mut self,
        input: Option<&[u8]>,
        time: Duration,
        bytes_max: usize,
    ) -> io::Result<Vec<u8>> {
        let (name, stdin, stdout) = (&self.name, self.stdin.take(), self.stdout.take());
        let reading = async {
            let missing = || io::Error::other("a pipe to the child is missing");
            let mut printed = Vec::new();
            stdout
                .ok_or_else(missing)?
                .take(bytes_max as u64 + 1)
                .read_to_end(&mut printed)
                .await?;
            match printed.len() > bytes_max {
                true => {
                    let message = format!("`{name}` printed more than {bytes_max} bytes");
                    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
                }
                false => Ok(printed),
            }
        };
        let feeding = async {
            if let (Some(mut stdin), Some(input)) = (stdin, input) {
                // Who does not want to read all of it closes the pipe.
                let _ = stdin.write_all(input).await;
            }
            std::future::pending().await
        };
        let both = async {
            tokio::select! {
                printed = reading => printed,
                never = feeding => never,
            }
        };
        tokio::time::timeout(time, both).await.unwrap_or_else(|_| {
            let message = format!("`{name}` took longer than {} s", time.as_secs_f32());
            Err(io::Error::new(io::ErrorKind::TimedOut, message))
        })
    }

    /// What it printed, if it also ended well.
    async fn end(mut self, printed: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        let error = match printed {
            Ok(printed) => match self.exit().await?.status {
                Some(status) if !status.success() => {
                    io::Error::other(format!("`{}` failed, {status}", self.name))
                }
                // Or somebody else reaped it, and what it printed is all there is to go by.
                _ => return Ok(printed),
            },
            Err(error) => error,
        };
        let gone = self.group.is_none();
        if let Some(draining) = self.draining.as_mut().filter(|_| gone) {
            let _ = tokio::time::timeout(DRAIN_TIMEOUT, draining).await;
        }
        let complaints = self.complaints.last_lines();
        if complaints.is_empty() {
            return Err(error);
        }
        let message = format!("{error}; its stderr ends with:\n{complaints}");
        Err(io::Error::new(error.kind(), message))
    }

    /// Waits for the end on a thread, as the ladder wants it.
    async fn exit(&mut self) -> io::Result<Exit> {
        let Some(mut group) = self.group.take() else { return Ok(Exit::default()) };
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
        if let Some(draining) = &self.draining {
            draining.abort();
        }
        if let Some(group) = self.group.take() {
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
    async fn what_a_command_makes_of_its_input() {
        let answer = async |script: &str, input: &[u8]| {
            let command = ChildProcess::new("/bin/sh").args(["-c", script]);
            command.output_for(input, Duration::from_secs(10), 1000).await
        };
        assert_eq!(answer("cat", b"in").await.unwrap(), b"in");
        // More than a pipe holds, for one that does not look at it.
        assert_eq!(answer("echo hi", &[b'x'; 1 << 20]).await.unwrap(), b"hi\n");
        assert_eq!(answer("exec <&-; echo hi", &[b'x'; 1 << 20]).await.unwrap(), b"hi\n");
        let failed = answer("echo partly; echo no key >&2; exit 3", b"").await.unwrap_err();
        let expected = "`/bin/sh` failed, exit status: 3; its stderr ends with:\nno key";
        assert_eq!(failed.to_string(), expected);
        let long = answer("cat", &[b'x'; 1001]).await.unwrap_err();
        assert_eq!(long.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(answer("cat", &[b'x'; 1000]).await.unwrap().len(), 1000);
    }

    /// Nobody waits for the answer any more.
    #[tokio::test]
    async fn one_that_is_given_up_is_ended_with_what_it_started() {
        let folder = docent_testkit::folder::Folder::new();
        let file = folder.path().join("pids");
        let script = format!("trap '' TERM; sleep 1000 & echo $$ $! > '{}'; wait", file.display());
        let command = ChildProcess::new("/bin/sh").args(["-c", &script]);
        let begun = async {
            loop {
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                if text.ends_with('\n') {
                    return text;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let pids = tokio::select! {
            answer = command.output_for(b"", Duration::from_secs(1000), 100) => panic!("{answer:?}"),
            pids = begun => pids,
        };
        for pid in pids.split_whitespace() {
            assert!(super::super::tests::gone_within(pid, Duration::from_secs(60)).await, "{pid}");
        }
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
