//! One source of configuration: a file or the environment, as keys and values that mean what they
//! mean in `.npmrc`, whatever the file was written for.

use std::path::{Path, PathBuf};

use url::Url;

use super::expand::expand;
use crate::Environment;

/// Where a setting comes from, which decides how far it is believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// Files that come with the project, which may be anybody's.
    Project,
    /// The user's own files, those of the machine, and the environment.
    User,
}

/// A value, or the variable that it needs and that is not set.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Setting {
    Value(String),
    Unset(String),
}

/// One source of configuration.
#[derive(Clone)]
pub(super) struct Layer {
    /// What to call it in a message.
    pub(super) source: String,
    /// What relative paths in it are relative to.
    pub(super) folder: PathBuf,
    pub(super) owner: Owner,
    entries: Vec<(String, Setting)>,
}

impl Layer {
    /// A layer without settings.
    pub(super) fn new(source: impl Into<String>, folder: &Path, owner: Owner) -> Self {
        Self { source: source.into(), folder: folder.to_owned(), owner, entries: Vec::new() }
    }

    /// Adds a setting, with the variables in its key and its value put in.
    pub(super) fn add(&mut self, key: &str, value: &str, environment: &Environment) {
        let value = match expand(value, environment) {
            Ok(value) => Setting::Value(value),
            Err(variable) => Setting::Unset(variable),
        };
        if let Ok(key) = expand(key, environment) {
            self.entries.push((key, value));
        }
    }

    /// The settings of a key; a list has several.
    pub(super) fn all(&self, key: &str) -> impl Iterator<Item = &Setting> {
        self.entries.iter().filter(move |(found, _)| found == key).map(|(_, value)| value)
    }

    /// The setting of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Setting> {
        self.all(key).last()
    }

    /// A path as written: below the home folder, or relative to where the file is. npm would take it
    /// relative to the working folder, which may be somebody else's.
    pub(super) fn path(&self, written: &str, home: Option<&Path>) -> PathBuf {
        match written.strip_prefix("~/").zip(home) {
            Some((inside, home)) => home.join(inside),
            None => self.folder.join(written),
        }
    }

    /// All keys.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| key.as_str())
    }
}

/// What credentials for an address are filed under: its host, port and path without the scheme.
pub(super) fn filed_under(address: &str) -> Option<String> {
    let address =
        address.strip_prefix("//").map_or(address.to_owned(), |it| format!("https://{it}"));
    let url = Url::parse(&address).ok().filter(|url| url.has_host())?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = url.path().trim_end_matches('/');
    Some(format!("//{}{port}{path}/", url.host_str()?))
}
