//! How a user gets to the page where they log in.

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::process::{Command, Stdio};

use reqwest::Url;

use super::fetch::refused;
use crate::error::Result;
use crate::transport::BoxFuture;
use crate::transport::http::HookError;

/// Takes a user to a page, and perhaps learns where they came out.
///
/// A test, or a program without a browser, implements it itself:
///
/// ```
/// use docent_mcp::auth::{OAuth, Visit};
/// use docent_mcp::transport::BoxFuture;
/// use docent_mcp::transport::http::HookError;
///
/// struct Message;
///
/// impl Visit for Message {
///     fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
///         Box::pin(async move {
///             // Send the user a link, wait for what they say.
///             Ok(Some(format!("http://127.0.0.1:1/callback?code=…")))
///         })
///     }
/// }
///
/// let login = OAuth::user("my app").visit(Message);
/// ```
pub trait Visit: Send + Sync + 'static {
    /// Takes the user to `url`, which is http or https. Returns the address that they were sent
    /// back to, or `None` if the browser brings it by itself, to the port that waits for it. While
    /// this waits, the browser may still do that.
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>>;
}

/// Opens the browser of the system.
#[derive(Clone, Debug, Default)]
pub struct Browser {
    program: Option<OsString>,
}

impl Browser {
    /// The browser that the user has chosen for the system.
    pub fn new() -> Self {
        Self::default()
    }

    /// Another program, which gets the address as its only argument.
    pub fn program(program: impl Into<OsString>) -> Self {
        Browser { program: Some(program.into()) }
    }

    /// The program and its arguments. No shell is ever part of it: an address may hold anything.
    fn command(&self, url: &str) -> Result<Command> {
        let url = visitable(url)?;
        let mut command = match &self.program {
            Some(program) => Command::new(program),
            None if cfg!(target_os = "macos") => Command::new("open"),
            None if cfg!(windows) => {
                let mut command = Command::new("rundll32");
                command.arg("url.dll,FileProtocolHandler");
                command
            }
            None => Command::new("xdg-open"),
        };
        command.arg(url.as_str());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command)
    }
}

impl Visit for Browser {
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
        Box::pin(async move {
            let mut child = self.command(url)?.spawn().map_err(|error| {
                refused("no browser can be opened; use `OAuth::visit(Terminal)`").with_source(error)
            })?;
            // Nobody waits for it, but somebody has to take note of its end.
            std::thread::spawn(move || child.wait());
            Ok(None)
        })
    }
}

/// Shows the address on stderr, and takes from stdin the address that the browser ended up at: for
/// machines without a browser.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal;

impl Visit for Terminal {
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
        Box::pin(async move {
            let url = visitable(url)?;
            let (answer, answered) = tokio::sync::oneshot::channel();
            // A thread of its own: a read that nobody waits for any more must not hold the program.
            std::thread::spawn(move || {
                let mut stderr = std::io::stderr().lock();
                let _ = write!(
                    stderr,
                    "To log in, open this address:\n\n{url}\n\nIf the browser is on another \
                     machine, paste here the address that it ends up at: "
                );
                let _ = stderr.flush();
                drop(stderr);
                let mut line = String::new();
                if std::io::stdin().lock().read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                    let _ = answer.send(line.trim().to_owned());
                }
            });
            // Without anybody to ask, the browser may still come by itself.
            Ok(answered.await.ok())
        })
    }
}

/// Addresses that a browser may be sent to. What comes out of the parser has no spaces, quotes or
/// line ends, and begins with its scheme.
fn visitable(url: &str) -> Result<Url> {
    match Url::parse(url) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ => Err(refused("only http and https addresses are opened")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [SEC-04] [A4] only http and https, as one argument, without a shell.
    #[test]
    fn what_browsers_are_given() {
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "--help",
            "$(touch /tmp/x)",
            "ssh://host",
            "vscode://x",
            "",
        ] {
            assert!(Browser::new().command(url).is_err(), "{url}");
        }
        let odd = "https://h/a b?x=$(id)&y=`id`;z=\"'|\r\n&c=%0d";
        let command = Browser::new().command(odd).unwrap();
        let program = command.get_program().to_string_lossy().into_owned();
        assert!(!["sh", "bash", "cmd", "powershell"].contains(&program.as_str()), "{program}");
        let last = command.get_args().last().unwrap().to_str().unwrap();
        assert!(last.starts_with("https://h/a%20b?x=$(id)&y=") && !last.contains(['"', '\r', ' ']));
    }
}
