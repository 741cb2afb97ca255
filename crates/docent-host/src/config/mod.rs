//! The configuration that people already have, read as its owners read it.

mod entry;
mod problem;

pub use entry::{
    Approval, Client, Filter, HttpKind, Masked, OAuthSettings, Origin, Scope, ServerEntry,
    Transport,
};
pub use problem::{Problem, Severity};

/// Every server that is configured, and everything that is wrong with the files.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The servers that can be used, by precedence of their files and order in them; no name occurs
    /// twice. Those that are disabled or await approval are among them.
    pub servers: Vec<ServerEntry>,
    /// What is wrong. A server with an error is not in [`servers`](Self::servers): whoever lists
    /// servers shows it as failed, with the problem's text.
    pub problems: Vec<Problem>,
}

impl Config {
    /// The server of that name.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&ServerEntry> {
        self.servers.iter().find(|server| server.name == name)
    }

    /// The errors that keep servers from being used, with the servers' names.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &Problem)> {
        self.problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
            .filter_map(|problem| Some((problem.server.as_deref()?, problem)))
    }
}
