//! One run of `git`: what it may see, and how long it may take.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStdout, Command};

use crate::{Environment, Error, ErrorKind, Limits};

/// Transports that git may use. A test has no server to ask.
#[cfg(not(test))]
const TRANSPORTS: &str = "https:http:ssh";
#[cfg(test)]
const TRANSPORTS: &str = "https:http:ssh:file";

/// Variables that git needs to reach a repository as its user would.
const PASSED_ON: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "USERPROFILE",
    "SYSTEMROOT",
    "DEVELOPER_DIR",
    "SSH_AUTH_SOCK",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_SSL_CAINFO",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];

/// Bytes of complaints that are read.
const COMPLAINT_BYTES_MAX: u64 = 16 << 10;

/// What a run may reach.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The repository, with the user's configuration and logins.
    Network,
    /// Our own folder; no configuration of anybody's.
    Nothing,
}

/// The program, and whom it is about to ask.
pub(super) struct Git<'a> {
    program: PathBuf,
    environment: &'a Environment,
    limits: &'a Limits,
    url: &'a str,
}

impl<'a> Git<'a> {
    pub(super) fn find(
        environment: &'a Environment,
        limits: &'a Limits,
        offline: bool,
        url: &'a str,
    ) -> Result<Self, Error> {
        if offline {
            let message = format!("{url} is not in the cache, and going online is not allowed");
            return Err(Error::new(ErrorKind::Offline, message)
                .hint("resolve the project's packages, or ask once with the network allowed"));
        }
        let program = environment.program("git").ok_or_else(|| {
            Error::new(ErrorKind::NoRegistry, format!("git is needed to ask {url}"))
                .hint("install git, or resolve the project's packages")
        })?;
        Ok(Self { program, environment, limits, url })
    }

    /// Runs it to its end; what it printed, up to that many bytes.
    pub(super) async fn ask(
        &self,
        arguments: &[&str],
        reach: Reach,
        folder: &Path,
        bytes_max: u64,
    ) -> Result<Vec<u8>, Error> {
        let work = async {
            let mut running = self.start(arguments, reach, folder)?;
            let mut output = running.output()?.take(bytes_max);
            let mut printed = Vec::new();
            let complaints = running.complaints();
            let (read, complaints) = tokio::join!(output.read_to_end(&mut printed), complaints);
            read.map_err(|error| Error::io("what git prints cannot be read", &error))?;
            running.finish(&complaints).await?;
            Ok(printed)
        };
        let done = tokio::time::timeout(self.limits.download_timeout, work).await;
        done.unwrap_or_else(|_| {
            let seconds = self.limits.download_timeout.as_secs_f64();
            let message = format!("git took longer than {seconds} s for {}", self.url);
            Err(Error::new(ErrorKind::Network, message))
        })
    }

    /// Starts it.
    pub(super) fn start(
        &self,
        arguments: &[&str],
        reach: Reach,
        folder: &Path,
    ) -> Result<Running<'a>, Error> {
        let mut command = Command::new(&self.program);
        // Neither the repository nor the folder has a say in what is run.
        command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]);
        command.args(["-c", "protocol.version=2", "-c", "gc.auto=0"]);
        command.args(arguments).env_clear();
        match reach {
            Reach::Network => {
                let passed = PASSED_ON.iter();
                let passed =
                    passed.filter_map(|&name| Some((name, self.environment.variable(name)?)));
                command.envs(passed);
                if let Some(home) = self.environment.home() {
                    command.env("HOME", home);
                }
            }
            Reach::Nothing => {
                command.envs(self.environment.variable("PATH").map(|path| ("PATH", path)));
                command.env("HOME", folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
                command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_ATTR_NOSYSTEM", "1");
            }
        }
        // Nobody is there to be asked for a password.
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_ASKPASS", "/bin/false");
        command.env("SSH_ASKPASS", "/bin/false").env("SSH_ASKPASS_REQUIRE", "force");
        command.env("GIT_ALLOW_PROTOCOL", TRANSPORTS).env("LC_ALL", "C");
        command.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder));
        command.current_dir(folder).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let child = command.spawn();
        let child = child.map_err(|error| Error::io("git cannot be started", &error))?;
        Ok(Running { child, url: self.url })
    }
}

/// A run that is under way.
pub(super) struct Running<'a> {
    child: Child,
    url: &'a str,
}

impl Running<'_> {
    /// What it prints.
    pub(super) fn output(&mut self) -> Result<ChildStdout, Error> {
        self.child.stdout.take().ok_or_else(|| Error::new(ErrorKind::Io, "git has no output"))
    }

    /// What it complains about, read to its end so that it never waits for a reader.
    fn complaints(&mut self) -> impl Future<Output = String> + use<> {
        let stderr = self.child.stderr.take();
        async move {
            match stderr {
                Some(stderr) => bounded(stderr).await,
                None => String::new(),
            }
        }
    }

    /// Waits for its end.
    pub(super) async fn end(mut self) -> Result<(), Error> {
        let complaints = self.complaints().await;
        self.finish(&complaints).await
    }

    async fn finish(&mut self, complaints: &str) -> Result<(), Error> {
        let status = self.child.wait().await;
        let status = status.map_err(|error| Error::io("git cannot be waited for", &error))?;
        if status.success() { Ok(()) } else { Err(explained(self.url, complaints)) }
    }
}

async fn bounded(mut from: impl AsyncRead + Unpin) -> String {
    let mut kept = Vec::new();
    let mut first = (&mut from).take(COMPLAINT_BYTES_MAX);
    // What cannot be read is not needed.
    let _ = first.read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}

/// The error that a complaint means. The complaint itself is not told: a server may have written it.
fn explained(url: &str, complaints: &str) -> Error {
    let says = |words: &[&str]| words.iter().any(|word| complaints.contains(word));
    if says(&["Authentication failed", "could not read Username", "Permission denied", "403"]) {
        return Error::new(ErrorKind::Unauthorized, format!("{url} wants a login that git does not have"))
            .hint("if `git ls-remote` with that address works at a terminal, a credential helper is missing");
    }
    if says(&["not found", "does not exist", "does not appear to be a git repository"]) {
        return Error::new(ErrorKind::PackageNotFound, format!("there is no repository at {url}"));
    }
    if says(&["not allowed"]) {
        return Error::new(
            ErrorKind::Refused,
            format!("{url} leads to a transport that is not allowed"),
        );
    }
    Error::new(ErrorKind::Network, format!("git could not reach {url}"))
        .hint("`git ls-remote` with that address says more")
}
