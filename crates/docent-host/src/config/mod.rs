//! The configuration that people already have, read as its owners read it.
//!
//! ```no_run
//! use docent_host::config::{Approvals, Config, Machine, NobodyToAsk};
//!
//! # fn main() -> std::io::Result<()> {
//! let machine = Machine::of_process();
//! let config = Config::load(&machine, &Approvals::load(&machine)?, &mut NobodyToAsk);
//! for server in &config.servers {
//!     eprintln!("{} from {}", server.name, server.origin.file.display());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! In the order of the data: `dialect` is the table of clients, `find` the files they have on a
//! [`Machine`], `read` the trees in those files, `survey` the servers in the trees and who wins,
//! `draft` one server by its owner's rules, `expand` the references in it, `examine` the finished
//! [`ServerEntry`]. `approve` guards what projects bring along. `explain` tells all of this to the
//! user; `convert` puts entries into other clients' words, `edit` changes the text of their files, and
//! `import` does both.

mod approve;
mod claude;
mod convert;
mod dialect;
mod draft;
mod edit;
mod entry;
mod examine;
mod expand;
mod explain;
mod file;
mod find;
mod import;
mod input;
mod machine;
mod mask;
mod printable;
mod problem;
mod read;
mod survey;
mod write;

pub use approve::Approvals;
pub use convert::Conversion;
pub use edit::EditError;
pub use entry::{
    Approval, Client, Command, Filter, HttpKind, Masked, OAuthSettings, Origin, Scope, ServerEntry,
    Transport,
};
pub use expand::{Resolution, Source};
pub use explain::{Explanation, FileReport, Place, ServerReport, Standing, Verdict};
pub use import::ImportError;
pub use input::{Ask, Input, NobodyToAsk};
pub use machine::{Machine, Platform};
pub use printable::Printable;
pub use problem::{Problem, Severity};
pub use survey::Survey;
pub use write::{write_whole, write_whole_like};

pub(crate) use approve::hex;
pub(crate) use file::read_text;

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
    /// Reads the files of all clients. `ask` is asked for what servers that will be started want to
    /// know.
    pub fn load(machine: &Machine, approvals: &Approvals, ask: &mut dyn Ask) -> Self {
        Survey::of(machine).config(approvals, ask)
    }

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

impl Client {
    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        dialect::Dialect::of(self).name
    }

    /// What a command line calls it.
    #[must_use]
    pub fn id(self) -> &'static str {
        dialect::Dialect::of(self).id
    }

    /// The client that a command line calls so.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Client> {
        dialect::Dialect::named(id).map(|dialect| dialect.client)
    }

    /// All of them, in order of precedence.
    pub fn all() -> impl Iterator<Item = Client> {
        dialect::ROWS.iter().map(|row| row.client)
    }
}
