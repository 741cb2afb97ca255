//! What is wrong with a file or with one server in it: where, what, and what to do.

use std::fmt;
use std::path::PathBuf;

use super::printable::Printable;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The server, or the whole file if no server is named, cannot be used.
    Error,
    /// Something was understood differently than its author may think.
    Warning,
}

/// Something wrong with a configuration file. It never holds the value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The server it concerns; none if it is the whole file.
    pub server: Option<String>,
    /// The file.
    pub file: PathBuf,
    /// The line in the file, from 1.
    pub line: u32,
    /// What is wrong and what to do, in one sentence or two.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", Printable(self.file.display()), self.line)?;
        if let Some(server) = &self.server {
            write!(f, "server `{}`: ", Printable(server))?;
        }
        Printable(&self.message).fmt(f)
    }
}
