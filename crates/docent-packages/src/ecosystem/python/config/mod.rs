//! Which indexes a project's packages come from, and as whom they are asked.
//!
//! pip, uv, Poetry and Pipenv each have files and variables for it; each is read in a file of its
//! own into a [`Layer`], and the layers are put together here. Feeds [`super::registry`].
//!
//! A project may say where packages come from. What is the user's and bound to no host or name, such
//! as a client certificate for all indexes, goes only to indexes that the user has named.
//!
//! Order: uv's variables, the project's files (nearest folder first), pip's variables, uv's and then
//! pip's files of the user and the machine. Indexes are asked one after another and the first that
//! knows a name has it, as uv does: extra ones before the default one, so that somebody who takes a
//! private name on a public index gains nothing.

mod address;
mod fallback;
pub(crate) mod netrc;
mod pip;
mod project;
mod uv;

use std::path::{Path, PathBuf};

use url::Url;

use super::files::Files;
use crate::fetch::Access;
use crate::{Environment, Error, ErrorKind};

pub(crate) use self::fallback::default_index;

/// What one tool's configuration says.
#[derive(Clone, Debug, Default)]
struct Layer {
    default: Option<Declared>,
    extra: Vec<Declared>,
    /// Packages that come from one named index only.
    pins: Vec<(String, String)>,
    no_index: bool,
    certificates: Vec<PathBuf>,
    /// A file with a certificate that says who one is, and its key.
    client_certificate: Option<PathBuf>,
    proxy: Option<String>,
    /// Hosts whose certificates are not checked.
    trusted: Vec<String>,
    /// Whether it comes with the project, which may be anybody's.
    of_project: bool,
}

impl Layer {
    /// The same, as something that comes with a project.
    fn of_project(mut self) -> Self {
        self.of_project = true;
        for declared in self.default.iter_mut().chain(&mut self.extra) {
            declared.of_project = true;
        }
        self
    }
}

/// An index as written, still with the credentials that its address may hold.
#[derive(Clone, Default)]
struct Declared {
    name: Option<String>,
    url: String,
    /// Whether it is asked only for the packages that are pinned to it.
    explicit: bool,
    login: Option<(String, String)>,
    /// Whether nobody is to be known there, whatever other files say.
    anonymous: bool,
    /// Certificates to trust there, and the one to show there.
    certificate: Option<PathBuf>,
    client_certificate: Option<PathBuf>,
    of_project: bool,
}

impl std::fmt::Debug for Declared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Declared").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Declared {
    fn at(url: &str) -> Self {
        Self { url: url.trim().to_owned(), ..Self::default() }
    }
}

/// An index that can be asked.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    name: Option<String>,
    /// Ends with `/`, and holds no credentials.
    pub(crate) url: Url,
    pub(crate) access: Access,
    explicit: bool,
}

/// The indexes of a project.
#[derive(Debug)]
pub(crate) struct Configuration {
    /// In the order in which they are asked.
    indexes: Vec<Index>,
    pins: Vec<(String, String)>,
    /// What certificates, proxies and trusted hosts are taken from.
    layers: Vec<Layer>,
    /// Whether the last of `indexes` is what stands for the default one.
    pub(crate) has_default: bool,
}

/// Puts together what all files and variables say.
pub(crate) fn read(
    folders: &[PathBuf],
    environment: &Environment,
    files: &Files<'_>,
) -> Result<Configuration, Error> {
    read_below(folders, environment, files, Path::new("/"))
}

/// The same, where the files of the machine are below a folder.
fn read_below(
    folders: &[PathBuf],
    environment: &Environment,
    files: &Files<'_>,
    machine: &Path,
) -> Result<Configuration, Error> {
    let mut layers = vec![uv::variables(environment)];
    layers.extend(folders.iter().flat_map(|folder| project::layers(folder, environment, files)));
    layers.push(pip::variables(environment));
    layers.extend(uv::files(environment, files, machine));
    layers.push(pip::files(environment, files, machine));
    combine(layers, environment, files)
}

fn combine(
    layers: Vec<Layer>,
    environment: &Environment,
    files: &Files<'_>,
) -> Result<Configuration, Error> {
    if layers.iter().any(|layer| layer.no_index) {
        let message = "pip's configuration says `no-index`: no package index may be asked";
        return Err(Error::new(ErrorKind::NoRegistry, message));
    }
    let default = layers.iter().find_map(|layer| layer.default.as_ref());
    let extra = layers.iter().flat_map(|layer| &layer.extra);
    let mut indexes: Vec<Index> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for declared in extra.chain(default) {
        // Of several with one name, the strongest stands for all.
        if let Some(name) = declared.name.as_deref() {
            if names.contains(&name) {
                continue;
            }
            names.push(name);
        }
        let index = address::index(declared, &layers, environment, files)?;
        // The same one may be declared again under a name; an explicit one stays apart.
        let known = |one: &Index| one.url == index.url && one.explicit == index.explicit;
        match indexes.iter_mut().find(|one| known(one)) {
            Some(known) => known.name = known.name.take().or(index.name),
            None => indexes.push(index),
        }
    }
    let pins = layers.iter().flat_map(|layer| layer.pins.clone()).collect();
    let has_default = default.is_some();
    Ok(Configuration { indexes, pins, layers, has_default })
}

impl Configuration {
    /// The indexes that may know a package, in order, and whether the default one would come after.
    pub(crate) fn for_package(&self, name: &str) -> Result<Vec<&Index>, Error> {
        let Some((_, pinned)) = self.pins.iter().find(|(package, _)| package == name) else {
            return Ok(self.indexes.iter().filter(|index| !index.explicit).collect());
        };
        let index = self.indexes.iter().find(|index| index.name.as_ref() == Some(pinned));
        index.map(|index| vec![index]).ok_or_else(|| {
            let shown: String = pinned.chars().take(80).collect();
            let message =
                format!("`{name}` comes from the index `{shown}`, which is not configured");
            Error::new(ErrorKind::NoRegistry, message).hint("add an `[[index]]` of that name")
        })
    }

    /// Whether a package can only come from the index that everything comes from.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        !self.is_pinned(name) && self.indexes.iter().filter(|index| !index.explicit).count() <= 1
    }

    /// Whether a package is bound to one index.
    pub(crate) fn is_pinned(&self, name: &str) -> bool {
        self.pins.iter().any(|(package, _)| package == name)
    }
}

/// What is said when nothing names an index.
pub(crate) fn no_index() -> Error {
    let message =
        "no Python package index is configured, and neither pip nor uv is there to name one";
    Error::new(ErrorKind::NoRegistry, message)
        .hint("set `PIP_INDEX_URL`, or `index-url` in `pip.conf`")
        .hint("or set `python = \"…\"` below `[registries]` in `docent.toml`")
}

/// A path as written, which may begin with the home folder or be relative to the working one.
fn path(written: &str, environment: &Environment) -> PathBuf {
    match written.strip_prefix("~/").zip(environment.home()) {
        Some((inside, home)) => home.join(inside),
        None => environment.directory().join(Path::new(written)),
    }
}

/// Whether a setting is switched on, in any of the words that pip accepts.
fn is_on(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on" | "t" | "y")
}

#[cfg(test)]
mod tests;
