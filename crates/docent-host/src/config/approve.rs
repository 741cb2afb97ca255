//! The user's word that what a project brings along may be started.
//!
//! A cloned project may configure any command. So each needs an approval, kept in the user's own
//! folder under a fingerprint of the file, the name and everything that decides what is started or
//! called and with which secrets, as it is written. Change a letter, and the approval is gone.
//! What a command does is not covered: a script of the project may change and stay approved.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use ring::digest;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::draft::{Draft, DraftCommand, DraftTransport};
use super::entry::{Approval, Origin, Scope, ServerEntry};
use super::machine::Machine;
use super::write::write_whole;

/// What was approved, by fingerprint.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    path: Option<PathBuf>,
    approved: BTreeMap<String, Note>,
}

/// What a fingerprint stands for, for people who open the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note {
    server: String,
    file: String,
    what: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    approved: BTreeMap<String, Note>,
}

const VERSION: u32 = 1;

impl Approvals {
    /// The approvals of this machine's user.
    ///
    /// # Errors
    /// If the file is there and cannot be read. Nothing counts as approved then.
    pub fn load(machine: &Machine) -> io::Result<Self> {
        let path = machine.own_folder().map(|folder| folder.join("approvals.json"));
        let text = match path.as_deref().map(super::file::read_text) {
            None => return Ok(Approvals::default()),
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Approvals { path, approved: BTreeMap::new() });
            }
            Some(text) => text?,
        };
        let stored: Stored = serde_json::from_str(&text)?;
        if stored.version != VERSION {
            let what = format!("approvals of version {}, which is not known", stored.version);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(Approvals { path, approved: stored.approved })
    }

    /// Approvals that are kept nowhere.
    #[must_use]
    pub fn in_memory() -> Self {
        Approvals::default()
    }

    /// Approves a server that awaits it, and keeps that. Read the configuration again afterwards:
    /// the entry does not hold its secrets while it is not approved.
    ///
    /// # Errors
    /// If it cannot be written. The approval counts all the same, until this value is gone.
    pub fn approve(&mut self, entry: &ServerEntry) -> io::Result<()> {
        let Approval::Needed { fingerprint, what } = &entry.approval else { return Ok(()) };
        let note = Note {
            server: entry.name.clone(),
            file: entry.origin.file.display().to_string(),
            what: what.clone(),
        };
        self.approved.insert(fingerprint.clone(), note);
        self.save()
    }

    /// Takes back every approval of servers of that name, and says how many there were.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn revoke(&mut self, server: &str) -> io::Result<usize> {
        let before = self.approved.len();
        self.approved.retain(|_, note| note.server != server);
        self.save()?;
        Ok(before - self.approved.len())
    }

    fn save(&self) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let stored = Stored { version: VERSION, approved: self.approved.clone() };
        write_whole(path, &(serde_json::to_string_pretty(&stored)? + "\n"))
    }

    /// Whether a server may be started.
    pub(crate) fn of(&self, name: &str, origin: &Origin, draft: &Draft) -> Approval {
        if origin.scope != Scope::Project {
            return Approval::Approved;
        }
        let fingerprint = fingerprint(name, &origin.file, draft);
        match self.approved.contains_key(&fingerprint) {
            true => Approval::Approved,
            false => Approval::Needed { fingerprint, what: super::draft::asked(draft) },
        }
    }
}

/// What an approval is for. References count as they are written: their values are the user's own.
fn fingerprint(name: &str, file: &Path, draft: &Draft) -> String {
    let transport = match &draft.transport {
        DraftTransport::Stdio(command) => started("stdio", command),
        DraftTransport::Http { url, headers, helper, .. } => {
            let headers: Vec<_> = headers.iter().map(|(name, value)| (name, &value.raw)).collect();
            match helper {
                Some(command) => json!(["http", url.raw, headers, started("helper", command)]),
                None => json!(["http", url.raw, headers]),
            }
        }
    };
    let oauth = &draft.oauth;
    let id = oauth.client_id.as_ref().map(|id| &id.raw);
    let secret = oauth.client_secret.as_ref().map(|secret| &secret.raw);
    let oauth = json!([id, secret, oauth.scopes, oauth.metadata_url, oauth.resource]);
    let all = json!([VERSION, file.display().to_string(), name, transport, oauth]);
    hex(digest::digest(&digest::SHA256, all.to_string().as_bytes()).as_ref())
}

/// Everything that decides what a command does when it is started.
fn started(what: &str, command: &DraftCommand) -> serde_json::Value {
    let line: Vec<_> = command.line.iter().map(|word| &word.raw).collect();
    let env: Vec<_> = command.env.iter().map(|(name, value)| (name, &value.raw)).collect();
    let cwd = command.cwd.as_ref().map(|cwd| &cwd.raw);
    let file = command.env_file.as_ref().map(|file| &file.raw);
    json!([what, line, env, cwd, file, command.pass, command.inherit])
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
