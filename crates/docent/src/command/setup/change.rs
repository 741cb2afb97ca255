//! What is to become of one client's file: planned first, made only when somebody agrees.
//!
//! Before the first change the file is copied beside itself. Undoing gives back what was there; if
//! the file has changed meanwhile, it takes out only what Docent put in.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::clients::{Client, Format, Machine};
use super::{diff, json, toml};
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
    pub(crate) fn plan(client: Client, machine: &Machine, undo: bool) -> Result<Self, Failure> {
        let file = machine.file(client).ok_or_else(|| {
            Failure::new(format!("{} has no configuration in projects", client.name()))
                .hint("leave out `--project`")
        })?;
        let old = replace::read(&file)?;
        let text = old.as_deref().unwrap_or_default();
        let broken = |what: String| {
            Failure::new(format!("`{}` {what}", file.display()))
                .hint("put the file right, or add the entry by hand: docs/setup.md has it")
        };
        let new = if undo {
            let backup = replace::read(&backup(&file))?;
            undone(client, text, old.is_some(), backup.as_deref()).map_err(broken)?
        } else {
            Some(entered(client, text, &machine.program).map_err(broken)?)
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
    let wrong = |what: String| Failure::new(format!("`{}` {what}", file.display()));
    let value = match client.format() {
        Format::Json => json::value(&text).map_err(wrong)?,
        Format::Toml => {
            let table: ::toml::Table = text.parse().map_err(|error: ::toml::de::Error| {
                wrong(format!("is not TOML: {}", error.message()))
            })?;
            serde_json::to_value(table).unwrap_or_default()
        }
    };
    let pointer = format!("/{}", client.path(&value).join("/"));
    let Some(entry) = value.pointer(&pointer) else { return Ok(None) };
    let command = entry.get("command");
    let command = command.and_then(|command| command.as_str().or_else(|| command.get(0)?.as_str()));
    Ok(Some(command.unwrap_or_default().to_owned()))
}

fn entered(client: Client, text: &str, program: &str) -> json::Result<String> {
    let entry = client.entry(program);
    match client.format() {
        Format::Toml => {
            let path = client.path(&Value::Null);
            if toml::has(text, &path, &entry)? {
                return Ok(text.to_owned());
            }
            toml::set(text, &path, &entry)
        }
        Format::Json => {
            let value = json::value(text)?;
            let path = client.path(&value);
            if value.pointer(&format!("/{}", path.join("/"))) == Some(&entry) {
                return Ok(text.to_owned());
            }
            json::set(text, &path, &entry)
        }
    }
}

/// The text without the entry, or with the one that was there before; `None` if nothing is left of a
/// file that Docent made.
fn undone(
    client: Client,
    text: &str,
    is_there: bool,
    backup: Option<&str>,
) -> json::Result<Option<String>> {
    if !is_there {
        return Ok(None);
    }
    if client.format() == Format::Toml {
        let path = client.path(&Value::Null);
        let removed = toml::remove(text, &path)?;
        return Ok(match backup {
            Some(backup) if toml::remove(backup, &path)? == removed => Some(backup.to_owned()),
            None if removed.trim().is_empty() && removed != text => None,
            _ => Some(removed),
        });
    }
    let path = client.path(&json::value(text)?);
    let removed = json::remove(text, &path)?;
    let left = json::value(&removed)?;
    match backup {
        Some(backup) => {
            let before = json::value(backup)?;
            let entry = before.pointer(&format!("/{}", path.join("/")));
            let mut without = json::value(&json::remove(backup, &path)?)?;
            // The object that was made on the way is there now.
            if let (Some(object), false) = (without.as_object_mut(), path.len() < 2) {
                object.entry(path[0]).or_insert_with(|| Value::Object(serde_json::Map::new()));
            }
            if without == left {
                return Ok(Some(backup.to_owned()));
            }
            match entry {
                Some(entry) => json::set(&removed, &path, entry).map(Some),
                None => Ok(Some(removed)),
            }
        }
        None => {
            let servers = left.as_object().is_some_and(|object| {
                object
                    .values()
                    .all(|value| value.as_object().is_some_and(serde_json::Map::is_empty))
            });
            let made_by_us = servers && removed != text;
            Ok(if made_by_us { None } else { Some(removed) })
        }
    }
}

fn backup(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{name}.before-docent"))
}
