//! What is to become of one client's file: planned first, made only when somebody agrees.
//!
//! Before the first change the file is copied beside itself. Undoing gives back what was there; if
//! the file has changed meanwhile, it takes out only what Docent put in.

use std::path::{Path, PathBuf};

use docent_host::config::{Client, EditError};
use serde_json::{Map, Value};

use super::clients::{Clients, SERVER};
use super::diff;
use crate::failure::Failure;
use crate::replace;
use crate::terminal::Terminal;

/// One file before and after.
pub(crate) struct Change {
    pub(crate) file: PathBuf,
    /// `None` if there is no file.
    old: Option<String>,
    /// `None` if there is to be none.
    new: Option<String>,
    undo: bool,
}

impl Change {
    pub(crate) fn plan(client: Client, clients: &Clients, undo: bool) -> Result<Self, Failure> {
        let file = clients.file(client).ok_or_else(|| {
            Failure::new(format!("{} has no configuration in projects", client.name()))
                .hint("leave out `--project`")
        })?;
        let old = replace::read(&file)?;
        let conversion = clients.entry(client);
        let broken = |error: EditError| {
            let failure = Failure::new(format!("`{}` {error}", file.display()));
            match error {
                EditError::ByHand => failure.hint(format!("add this:\n{}", conversion.to_file())),
                _ => failure.hint("put the file right, or add the entry by hand"),
            }
        };
        let new = if undo {
            let backup = replace::read(&backup(&file))?;
            undone(client, old.as_deref(), backup.as_deref()).map_err(broken)?
        } else {
            Some(
                entered(client, old.as_deref().unwrap_or_default(), &conversion.entry)
                    .map_err(broken)?,
            )
        };
        Ok(Self { file, old, new, undo })
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.old == self.new
    }

    /// The difference for a terminal.
    pub(crate) fn shown(&self, terminal: &Terminal) -> String {
        let (old, new) = self.texts();
        diff::shown(old, new, terminal)
    }

    pub(crate) fn plain(&self) -> String {
        let (old, new) = self.texts();
        diff::plain(old, new)
    }

    fn texts(&self) -> (&str, &str) {
        (self.old.as_deref().unwrap_or_default(), self.new.as_deref().unwrap_or_default())
    }

    /// Writes it, unless somebody else has written meanwhile.
    pub(crate) fn make(&self) -> Result<(), Failure> {
        if replace::read(&self.file)? != self.old {
            let message =
                format!("`{}` has just been changed by somebody else", self.file.display());
            return Err(Failure::new(message).hint("run it again"));
        }
        let backup = backup(&self.file);
        if !self.undo
            && let Some(old) = &self.old
            && !backup.exists()
        {
            // A copy of what only the user may read is for the user alone, too.
            replace::write_like(&backup, old, &self.file)?;
        }
        match &self.new {
            Some(new) => replace::write(&self.file, new)?,
            None => std::fs::remove_file(&self.file)
                .map_err(|error| Failure::file("removed", &self.file, &error))?,
        }
        if self.undo {
            let _ = std::fs::remove_file(backup);
        }
        Ok(())
    }
}

/// Whether the file of a client has an entry for Docent, and the program that it starts.
pub(crate) fn present(client: Client, file: &Path) -> Result<Option<String>, Failure> {
    let Some(text) = replace::read(file)? else { return Ok(None) };
    let entry = match client.entry_in(&text, SERVER) {
        Ok(Some(entry)) => entry,
        // What has to be edited by hand is not looked into either.
        Ok(None) | Err(EditError::ByHand) => return Ok(None),
        Err(error) => return Err(Failure::new(format!("`{}` {error}", file.display()))),
    };
    let command = entry.get("command");
    let command = command.and_then(|command| command.as_str().or_else(|| command.get(0)?.as_str()));
    Ok(Some(command.unwrap_or_default().to_owned()))
}

fn entered(client: Client, text: &str, entry: &Value) -> Result<String, EditError> {
    if client.entry_in(text, SERVER)?.as_ref() == Some(entry) {
        return Ok(text.to_owned());
    }
    client.with_entry(text, SERVER, entry)
}

/// The text without the entry, or with the one that was there before; `None` if nothing is left of a
/// file that Docent made.
fn undone(
    client: Client,
    text: Option<&str>,
    backup: Option<&str>,
) -> Result<Option<String>, EditError> {
    let Some(text) = text else { return Ok(None) };
    if client.entry_in(text, SERVER)?.is_none() {
        return Ok(Some(text.to_owned()));
    }
    let Some(backup) = backup else {
        let removed = client.without_entry(text, SERVER)?;
        // As good as empty: the table that held the entry, made with it.
        let alone = client.with_entry("", SERVER, &Value::Object(Map::new()))?;
        let empty = client.without_entry(&alone, SERVER)?;
        return Ok(if removed.trim() == empty.trim() { None } else { Some(removed) });
    };
    let before = client.entry_in(backup, SERVER)?;
    let entry = client.entry_in(text, SERVER)?;
    // If the file has not changed since, setting it up again from the backup gives what is there.
    if let Some(entry) = entry
        && client.with_entry(backup, SERVER, &entry)? == text
    {
        return Ok(Some(backup.to_owned()));
    }
    match before {
        Some(before) => client.with_entry(text, SERVER, &before).map(Some),
        None => client.without_entry(text, SERVER).map(Some),
    }
}

fn backup(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{name}.before-docent"))
}
