//! A server that its client starts: a child process, driven over its standard input and output.
//!
//! [`ChildProcess`] describes the command; [`ChildProcess::spawn`] starts it, as often as needed.
//! The program is run as it is named, with the arguments as they are given: no shell takes part.
//!
//! # How a child ends
//!
//! The child leads a process group of its own, so that whatever it starts in turn can be ended
//! with it. Closing the connection goes up a ladder and stops at the first step that suffices:
//!
//! 1. its input is closed, the group gets SIGCONT, for those that were stopped, and it has
//!    [`Limits::child_exit_timeout`] to exit;
//! 2. the whole group gets SIGTERM and as much time again;
//! 3. the whole group gets SIGKILL.
//!
//! Processes that the child leaves behind when it exits go through steps 2 and 3 as well, after a
//! moment to exit by themselves. Dropping the connection does the same in the background.
//!
//! If *this* program is killed, the child sees the end of its input, and a watchdog ends the groups
//! of children that do not mind: one `/bin/sh`, started with the first child and gone with the
//! last, that waits for a pipe from us to close. Where there is no `/bin/sh`, only the end of
//! input remains.
//!
//! A process that leaves the group on purpose, by `setsid` or `setpgid`, as daemons do, is reached
//! by none of this; ending such processes takes a cgroup or a container. Systems other than unix
//! have no groups: there the child itself is ended, by closing its input and then by force.
//!
//! # In this module
//!
//! `environment` says what a child inherits; `input` is its standard input, which can be closed
//! from outside, and `output` its standard output, which is read to the end; `crash` notices an end
//! that the output does not show; `stderr` drains and keeps what the child complains about;
//! `answer` runs a command for what it prints, with or without input; `piped` starts one and hands
//! out its pipes; `process` is the running child that stands behind the transport; `group` climbs the ladder with
//! the system calls of `members`; `watchdog` is for the day on which we cannot.

mod answer;
mod crash;
mod environment;
mod group;
mod input;
mod members;
mod output;
mod piped;
mod process;
mod stderr;
#[cfg(all(test, unix))]
mod tests;
mod watchdog;

pub use environment::passed_on;
pub use input::Input;
pub use output::Output;
pub use piped::Piped;
pub use process::Process;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::{fmt, io};

use self::stderr::LineSink;
use super::{Transport, stream_with};
use crate::limits::Limits;

/// A command that starts a server, and everything needed to start it again.
///
/// The child gets a small, safe part of our environment: what programs need to find their way
/// (`HOME`, `PATH`, `LANG`, …), proxies, and certificate authorities, but none of the secrets that
/// environments tend to hold. Add what the server needs with [`env`](Self::env), or pass everything
/// on with [`inherit_env`](Self::inherit_env).
///
/// ```no_run
/// use docent_mcp::Limits;
/// use docent_mcp::transport::child::ChildProcess;
///
/// # async fn start() -> std::io::Result<()> {
/// let server = ChildProcess::new("uvx").arg("mcp-server-time").env("TZ", "Europe/Berlin");
/// let transport = server.spawn(&Limits::default())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ChildProcess {
    program: OsString,
    args: Vec<OsString>,
    env: BTreeMap<OsString, OsString>,
    inherit_env: bool,
    current_dir: Option<PathBuf>,
    stderr_to: Option<LineSink>,
}

impl ChildProcess {
    /// A command without arguments. A name without a slash is looked up in `PATH`.
    pub fn new(program: impl Into<OsString>) -> Self {
        ChildProcess {
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            inherit_env: false,
            current_dir: None,
            stderr_to: None,
        }
    }

    /// Adds one argument, passed on exactly as it is.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments, passed on exactly as they are.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets one variable of the child's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets variables of the child's environment.
    #[must_use]
    pub fn envs(
        mut self,
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        self.env.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Lets the child inherit our whole environment, secrets included.
    #[must_use]
    pub fn inherit_env(mut self) -> Self {
        self.inherit_env = true;
        self
    }

    /// Sets the directory that the child starts in; otherwise it is ours.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(directory.into());
        self
    }

    /// Sees every line that the child writes to its stderr, without the line end.
    ///
    /// What is not UTF-8 arrives as replacement characters, very long lines in pieces, and the text
    /// is otherwise as the child wrote it, control characters included. The function is called on
    /// the runtime and should be quick: while it runs, nothing more is read from stderr. If it
    /// panics, it is not called again.
    #[must_use]
    pub fn stderr_to(mut self, line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.stderr_to = Some(Arc::new(line));
        self
    }

    /// Starts the command. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// If the program cannot be started; the error names it and, where that can be told, the
    /// reason.
    pub fn spawn(&self, limits: &Limits) -> io::Result<Transport> {
        let Piped { input, output, process } = self.run(limits, |_| {})?;
        Ok(stream_with(output, input, limits).guarded(process))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        if !self.inherit_env {
            command.env_clear().envs(environment::passed_on());
        }
        command.envs(&self.env);
        if let Some(directory) = &self.current_dir {
            command.current_dir(directory);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        members::separate(&mut command);
        command
    }

    fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// The error of a command that did not start, with what there is to say about it.
    fn explain(&self, error: &io::Error) -> io::Error {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => self.not_found(),
            io::ErrorKind::PermissionDenied => " (is it an executable file?)".to_owned(),
            _ => String::new(),
        };
        io::Error::new(error.kind(), format!("cannot start `{}`: {error}{hint}", self.name()))
    }

    /// The system says no more than "no such file", and there are several that it can mean.
    fn not_found(&self) -> String {
        match &self.current_dir {
            Some(directory) if !directory.is_dir() => {
                return format!(" (its directory `{}` does not exist)", directory.display());
            }
            _ => {}
        }
        let path = Path::new(&self.program);
        if path.components().count() > 1 {
            let start = self.current_dir.as_deref().unwrap_or(Path::new(""));
            return match start.join(path).is_file() {
                true => {
                    " (the file exists: is the interpreter that its first line names installed?)"
                }
                false => " (there is no such file)",
            }
            .to_owned();
        }
        let scripts = match cfg!(windows) {
            true => "; scripts need their ending, such as `npx.cmd`",
            false => "",
        };
        match self.search_path() {
            Some(path) => format!(" (not found in PATH, which is `{}`{scripts})", path.display()),
            None => " (PATH is not set)".to_owned(),
        }
    }

    /// The `PATH` that the program is looked up in: the child's own.
    fn search_path(&self) -> Option<OsString> {
        self.env.get(OsStr::new("PATH")).cloned().or_else(|| std::env::var_os("PATH"))
    }
}

/// Names the variables that are set and leaves out their values, which may be secrets.
impl fmt::Debug for ChildProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildProcess")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("inherit_env", &self.inherit_env)
            .field("current_dir", &self.current_dir)
            .finish_non_exhaustive()
    }
}
