//! Which servers a command is about.

use std::path::PathBuf;

use clap::Args;
use docent_host::config::{
    Approval, Approvals, Config, Machine, Masked, ServerEntry, Severity, Survey, Transport,
};
use serde::{Deserialize, Serialize};

use super::{behind, questions};
use crate::failure::Failure;
use crate::print::Console;

/// The servers that are configured, or one that is not.
#[derive(Args, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Which {
    /// Only the servers of this file, in the form of whichever client it belongs to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command"])]
    pub(crate) config: Option<PathBuf>,
    /// A server at this address, configured or not
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// A header for that address
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    pub(crate) headers: Vec<String>,
    /// Use only tools as `mcp.lock` has them
    #[arg(long)]
    pub(crate) locked: bool,
    /// A server to start: its command line
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// What a server that no file names is called.
const UNNAMED: &str = "server";

impl Which {
    /// The servers, and what is wrong with those that cannot be used. Says which of them wait for
    /// the user's word.
    pub(crate) fn config(&self, console: &Console) -> Result<Config, Failure> {
        let config = self.found(console)?;
        let waiting = config.servers.iter().filter(|server| !server.disabled);
        let waiting = waiting.filter(|server| matches!(server.approval, Approval::Needed { .. }));
        let waiting: Vec<&str> = waiting.map(|server| server.name.as_str()).collect();
        if !waiting.is_empty() {
            let are = if waiting.len() == 1 { "is" } else { "are" };
            console.warn(&format!(
                "{} came with this project and {are} not started before you agree: `docent approve`",
                waiting.join(", ")
            ));
        }
        Ok(config)
    }

    /// The servers, and what is wrong with those that cannot be used.
    pub(crate) fn found(&self, console: &Console) -> Result<Config, Failure> {
        if let Some(entry) = self.given()? {
            let mut config = Config::default();
            config.servers.push(entry);
            return Ok(config);
        }
        let machine = Machine::of_process();
        let approvals = Approvals::load(&machine)
            .map_err(|error| Failure::io("the approvals cannot be read", &error))?;
        let mut survey = match &self.config {
            Some(file) => Survey::of_file(&machine, file, None),
            None => Survey::of(&machine),
        };
        let left_out = behind::leave_out(&mut survey);
        if self.config.is_some() {
            // In a file that was named, it may be what was meant.
            for server in left_out {
                console.warn(&format!(
                    "{server}: {}; `docent tools -- docent gateway` asks it",
                    behind::LEFT_OUT
                ));
            }
        }
        let config = survey.config(&approvals, &mut questions::input);
        for problem in config.problems.iter().filter(|problem| problem.server.is_none()) {
            // Whoever names a file means that one, and nothing else would do.
            if self.config.is_some() && problem.severity == Severity::Error {
                return Err(Failure::new(problem.to_string()));
            }
            console.warn(&problem.to_string());
        }
        Ok(config)
    }

    /// Whether the command line says which servers, so that none are looked for.
    pub(super) fn names_servers(&self) -> bool {
        self.config.is_some() || self.url.is_some() || !self.command.is_empty()
    }

    /// The server that the command line describes itself.
    fn given(&self) -> Result<Option<ServerEntry>, Failure> {
        if let Some((program, arguments)) = self.command.split_first() {
            let mut entry = ServerEntry::stdio(UNNAMED, program, arguments);
            if let Transport::Stdio { inherit, .. } = &mut entry.transport {
                // Who types a command expects it to run as it would by itself.
                *inherit = true;
            }
            return Ok(Some(entry));
        }
        let Some(url) = &self.url else { return Ok(None) };
        let mut entry = ServerEntry::http(UNNAMED, url);
        if let Transport::Http { headers, .. } = &mut entry.transport {
            for header in &self.headers {
                let (name, value) = header.split_once(':').ok_or_else(|| {
                    Failure::usage(format!("`{}` is not `NAME: VALUE`", name_of(header)))
                })?;
                headers.push((name.trim().to_owned(), Masked::hidden(value.trim())));
            }
        }
        Ok(Some(entry))
    }
}

/// What may be shown of a header that is written wrong: it may hold a secret.
fn name_of(header: &str) -> &str {
    header.split(['=', ' ']).next().unwrap_or_default()
}
