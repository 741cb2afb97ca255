//! One server, in the form that no client's dialect shows through any more.
//!
//! Readers of all dialects make these; supervision starts what they describe. Variables are expanded
//! already, so nothing here is looked at for `${}` again.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use docent_mcp::auth::Secret;

use super::printable::Printable;

/// A configured server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerEntry {
    /// What the user calls it.
    pub name: String,
    /// Where it is configured.
    pub origin: Origin,
    /// How to reach it.
    pub transport: Transport,
    /// Switched off by its file; shown, never started.
    pub disabled: bool,
    /// Whether it may be used: what a project brings along needs the user's word first.
    pub approval: Approval,
    /// How long it may take until it answers for the first time.
    pub startup_timeout: Option<Duration>,
    /// How long one call may take.
    pub call_timeout: Option<Duration>,
    /// Which of its tools are offered.
    pub tools: Filter,
    /// How to get a token for it.
    pub oauth: OAuthSettings,
    /// Whether it is started only when it is asked for, by name or with all that there is; none leaves
    /// that to the host.
    pub lazy: Option<bool>,
}

impl ServerEntry {
    /// An entry that no file holds, such as one from a command line. It counts as approved.
    pub fn new(name: impl Into<String>, transport: Transport) -> Self {
        ServerEntry {
            name: name.into(),
            origin: Origin::default(),
            transport,
            disabled: false,
            approval: Approval::Approved,
            startup_timeout: None,
            call_timeout: None,
            tools: Filter::default(),
            oauth: OAuthSettings::default(),
            lazy: None,
        }
    }

    /// A program to start, with its arguments.
    pub fn stdio(
        name: impl Into<String>,
        command: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let transport = Transport::Stdio {
            command: Masked::plain(command),
            args: args.into_iter().map(Masked::plain).collect(),
            env: BTreeMap::new(),
            cwd: None,
            inherit: false,
        };
        ServerEntry::new(name, transport)
    }

    /// A server on the web.
    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Self {
        let transport = Transport::Http {
            url: Masked::plain(url),
            headers: Vec::new(),
            helper: None,
            kind: HttpKind::default(),
        };
        ServerEntry::new(name, transport)
    }

    /// Whether it may be started now.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        !self.disabled && self.approval == Approval::Approved
    }

    /// Whether a header of its own says who is asking.
    pub(crate) fn says_who_asks(&self) -> bool {
        let Transport::Http { headers, .. } = &self.transport else { return false };
        headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
    }
}

/// Where a server is configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file; empty if it came from a command line or from code.
    pub file: PathBuf,
    /// The line of the entry in it, from 1.
    pub line: u32,
    /// Whose file it is, and so whose rules it follows.
    pub client: Client,
    /// For whom the file speaks.
    pub scope: Scope,
}

/// A program that reads such files, or a family of programs that agree on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Client {
    /// This program: `docent.toml`, command lines, code.
    #[default]
    Docent,
    /// Claude Code, which also owns `.mcp.json`.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Visual Studio Code.
    VsCode,
    /// Copilot's command line.
    CopilotCli,
    /// Cursor.
    Cursor,
    /// Codex.
    Codex,
    /// Windsurf.
    Windsurf,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// Zed.
    Zed,
    /// Goose.
    Goose,
    /// Cline.
    Cline,
    /// Roo Code.
    Roo,
}

/// For whom a file speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// The administrator of the machine.
    Managed,
    /// The user, for one project, in a file of the user's own.
    Local,
    /// Whoever wrote the project: its files may come from anywhere.
    Project,
    /// The user, everywhere.
    #[default]
    User,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Transport {
    /// A program to start, spoken to over its standard input and output. No shell takes part.
    Stdio {
        /// The program.
        command: Masked,
        /// Its arguments.
        args: Vec<Masked>,
        /// Variables set for it, on top of the safe part of our environment.
        env: BTreeMap<String, Masked>,
        /// The folder it starts in.
        cwd: Option<PathBuf>,
        /// Whether it gets all of our environment, secrets included.
        inherit: bool,
    },
    /// An address.
    Http {
        /// Where.
        url: Masked,
        /// Headers for every request.
        headers: Vec<(String, Masked)>,
        /// A command that prints more of them, as a JSON object of texts.
        helper: Option<Box<Command>>,
        /// Which of the protocols over HTTP.
        kind: HttpKind,
    },
}

/// A program to start. No shell takes part, unless it is the program itself.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program.
    pub command: Masked,
    /// Its arguments.
    pub args: Vec<Masked>,
    /// Variables set for it, on top of the safe part of our environment.
    pub env: BTreeMap<String, Masked>,
    /// The folder it starts in.
    pub cwd: Option<PathBuf>,
    /// Whether it gets all of our environment, secrets included.
    pub inherit: bool,
}

/// Which protocol over HTTP a file promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpKind {
    /// None: find out.
    #[default]
    Auto,
    /// Streamable HTTP.
    Streamable,
    /// HTTP with server-sent events, of 2024-11-05.
    Sse,
}

/// Whether a server may be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// It may.
    Approved,
    /// A project brought it along, and the user has not yet agreed to exactly this.
    Needed {
        /// What the user agrees to, as a key.
        fingerprint: String,
        /// What the user agrees to, to be read: a command line or an address.
        what: String,
    },
}

/// Which tools of a server are offered: globs, in which `*` stands for any text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// If there are any, only what one of them matches.
    pub allow: Vec<String>,
    /// Nothing that one of these matches.
    pub deny: Vec<String>,
}

/// What a file says about getting a token.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OAuthSettings {
    /// Not to be tried at all.
    pub off: bool,
    /// The client id that the authorization server knows.
    pub client_id: Option<String>,
    /// The secret that belongs to it.
    pub client_secret: Option<Masked>,
    /// The scopes to ask for.
    pub scopes: Vec<String>,
    /// The port of the loopback redirect.
    pub callback_port: Option<u16>,
    /// The address of the authorization server's metadata.
    pub metadata_url: Option<String>,
    /// The resource that the token is for, if not the server's address.
    pub resource: Option<String>,
}

/// A text of which a part may be secret: `Debug` and `Display` show the rest.
#[derive(Clone, PartialEq, Eq)]
pub struct Masked {
    text: Secret,
    shown: String,
}

impl Masked {
    /// What everybody may see.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Masked { shown: text.clone(), text: Secret::new(text) }
    }

    /// What nobody may see.
    pub fn hidden(text: impl Into<String>) -> Self {
        Masked::shown_as(text, "…")
    }

    /// A text, and the form of it that everybody may see.
    pub fn shown_as(text: impl Into<String>, shown: impl Into<String>) -> Self {
        Masked { text: Secret::new(text), shown: shown.into() }
    }

    /// The text itself, for whoever starts or calls the server.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.text.expose()
    }
}

impl fmt::Debug for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.shown, f)
    }
}

impl fmt::Display for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printable(&self.shown).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_in_no_debug_output() {
        let mut entry = ServerEntry::stdio("x", "npx", ["-y", "server"]);
        if let Transport::Stdio { env, .. } = &mut entry.transport {
            env.insert("TOKEN".to_owned(), Masked::hidden("hunter2"));
        }
        let shown = format!("{entry:?}");
        assert!(shown.contains("TOKEN") && !shown.contains("hunter2"), "{shown}");
    }
}
