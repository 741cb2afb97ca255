//! A running child with its pipes, for whoever moves the bytes: a transport, or a caller who wants
//! them as they are.

use std::io;
use std::process::{Command, Stdio};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;

use super::ChildProcess;
use super::group::Group;
use super::input::Input;
use super::output::Output;
use super::process::{Pipes, Process};
use super::stderr::{Tail, drain};
use super::watchdog::Watched;
use crate::limits::Limits;

/// A command that runs, its standard input and output in the caller's hands.
///
/// Dropping [`process`](Self::process) ends it, whatever becomes of the pipes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Piped {
    /// What it reads. Shutting this down is the end of its input.
    pub input: Input,
    /// What it prints, until it closes its output or crashes. If this is dropped, the rest is read
    /// and thrown away.
    pub output: Output,
    /// The process itself.
    pub process: Process,
}

/// Our ends of the pipes of a child, as far as they are pipes.
pub(super) struct Ends {
    pub(super) stdin: Option<std::process::ChildStdin>,
    pub(super) stdout: Option<std::process::ChildStdout>,
    pub(super) stderr: Option<std::process::ChildStderr>,
}

impl ChildProcess {
    /// Starts the command in a group that is watched. Dropping the group ends it.
    pub(super) fn launch(&self, change: impl FnOnce(&mut Command)) -> io::Result<(Group, Ends)> {
        // Asked first, so that no child is started that could not be driven.
        Handle::try_current().map_err(io::Error::other)?;
        let mut watched = Watched::reserve();
        let mut command = self.command();
        change(&mut command);
        let mut child = command.spawn().map_err(|error| self.explain(&error))?;
        watched.watch(child.id());
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Ok((Group::new(child, watched), Ends { stdin, stdout, stderr }))
    }

    /// Starts the command for a caller who moves its bytes, unchanged, instead of messages; what it
    /// writes to stderr goes where ours does. It is guarded and ends as [the module](super) says.
    ///
    /// ```no_run
    /// use docent_mcp::Limits;
    /// use docent_mcp::transport::child::ChildProcess;
    /// use tokio::io::{AsyncReadExt, AsyncWriteExt};
    ///
    /// # async fn sort() -> std::io::Result<()> {
    /// let mut sort = ChildProcess::new("sort").piped(&Limits::default())?;
    /// sort.input.write_all(b"b\na\n").await?;
    /// sort.input.shutdown().await?;
    /// let mut sorted = String::new();
    /// sort.output.read_to_string(&mut sorted).await?;
    /// sort.process.end().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`spawn`](Self::spawn).
    pub fn piped(&self, limits: &Limits) -> io::Result<Piped> {
        self.run(limits, |command| {
            command.stderr(Stdio::inherit());
        })
    }

    /// Starts the command; a stderr that `change` leaves to us is kept.
    pub(super) fn run(
        &self,
        limits: &Limits,
        change: impl FnOnce(&mut Command),
    ) -> io::Result<Piped> {
        let (group, Ends { stdin, stdout, stderr }) = self.launch(change)?;
        let missing = || io::Error::other("a pipe to the child is missing");
        let input = Input::new(ChildStdin::from_std(stdin.ok_or_else(missing)?)?);
        let output = ChildStdout::from_std(stdout.ok_or_else(missing)?)?;
        let (output, rest) = Output::new(output, group.crash());
        let complaints = stderr.map(ChildStderr::from_std).transpose()?;
        let stderr = Tail::new(limits.stderr_bytes_max);
        let draining = complaints.map(|complaints| {
            let draining = drain(complaints, stderr.clone(), self.stderr_to.clone());
            tokio::spawn(draining).abort_handle()
        });
        let pipes = Pipes { input: input.clone(), rest, stderr, draining };
        let process = Process::new(self.name(), pipes, group, limits.child_exit_timeout);
        Ok(Piped { input, output, process })
    }
}
