//! An entry in another client's words.
//!
//! `words` translates texts with their references, `shape` puts the fields under the other's names,
//! `render` writes the whole in the format of its files. Secrets stay what they are: a reference
//! becomes a reference, never its value. What the other client cannot express is said, and where
//! that would make the entry wrong, there is no conversion.

mod render;
mod shape;
mod words;

use super::approve::Approvals;
use super::dialect::Dialect;
use super::draft::Draft;
use super::entry::Client;
use super::examine::{Given, examine};
use super::input::{Input, NobodyToAsk};
use super::machine::Machine;
use super::survey::Survey;

/// An entry for another client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conversion {
    /// For whom.
    pub client: Client,
    /// The server's name.
    pub server: String,
    /// The entry, as its files hold it.
    pub entry: serde_json::Value,
    /// The questions that the entry refers to, for files that hold questions.
    pub inputs: Vec<Input>,
    /// What is lost or different.
    pub losses: Vec<String>,
}

impl Conversion {
    /// An entry that starts a program, for a client that has none yet.
    #[must_use]
    pub fn starting(machine: &Machine, client: Client, server: &str, line: &[&str]) -> Self {
        let draft = Draft::starting(line);
        let folder = machine.directory();
        let mut words = words::Words::new(Dialect::of(client), machine, server, folder);
        let entry = shape::shape(&draft, &mut words);
        let (server, inputs) = (server.to_owned(), Vec::new());
        Conversion { client, server, entry, inputs, losses: words.losses }
    }
}

impl Survey {
    /// Writes a server in another client's dialect.
    ///
    /// # Errors
    /// What stands in the way, if the entry would not work there.
    pub fn convert(&self, server: &str, client: Client) -> Result<Conversion, Vec<String>> {
        let found = self.occurrences.iter().filter(|found| found.set_aside.is_none());
        let Some(winner) = found.into_iter().find(|found| found.name == server) else {
            return Err(vec![format!("there is no server `{server}`")]);
        };
        let mut given = Given::new();
        // Nothing is expanded for what it says, only to see what it refers to.
        let none = Approvals::in_memory();
        let examined = examine(winner, &self.machine, &none, &mut NobodyToAsk, &mut given);
        let Some(draft) = examined.draft else {
            return Err(examined.entry.err().map(|fault| fault.message).into_iter().collect());
        };
        let dialect = Dialect::of(client);
        let mut words = words::Words::new(dialect, &self.machine, server, &winner.folder);
        let draft = words.without_questions(&draft);
        let entry = shape::shape(&draft, &mut words);
        let known = winner.inputs.values().filter_map(|input| input.as_ref().ok());
        let inputs = known.filter(|input| words.asked.contains(&input.id)).cloned().collect();
        match words.impossible.is_empty() {
            true => Ok(Conversion {
                client,
                server: server.to_owned(),
                entry,
                inputs,
                losses: words.losses,
            }),
            false => Err(words.impossible),
        }
    }
}
