//! What can be set, and where each value comes from: flags, then variables, then `docent.toml` of
//! the project, then that of the user, then defaults.
//!
//! `keys` lists the settings, `file` finds and reads `docent.toml`, `sampling` is one table of it. Feeds the engine and the terminal,
//! and `docent config explain`, which shows all of it.

mod file;
mod keys;
mod sampling;

use std::fmt;
use std::path::{Path, PathBuf};

use docent_packages::{Ecosystem, Environment, Limits};
use toml::Value as Toml;

use crate::failure::Failure;
use crate::terminal::Color;
pub(crate) use file::File;
pub(crate) use keys::{KEYS, Shape, registry_name};
pub(crate) use sampling::{Review, Sampling, SamplingFlags};

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Flag(&'static str),
    Variable(String),
    File(PathBuf),
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value, where it comes from, and what it hides.
#[derive(Clone, Debug)]
pub(crate) struct Set<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
    pub(crate) hidden: Vec<(Source, T)>,
}

/// All settings.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) offline: Set<bool>,
    pub(crate) cache: Set<Option<PathBuf>>,
    pub(crate) cache_bytes_max: Set<u64>,
    pub(crate) max_tokens: Set<usize>,
    pub(crate) languages: Set<Vec<String>>,
    pub(crate) color: Set<Color>,
    pub(crate) sampling: Sampling,
    pub(crate) registries: Vec<(Ecosystem, Set<Option<String>>)>,
    /// The files that were looked for, the one that wins first.
    pub(crate) files: Vec<File>,
    /// What was found and does not count.
    pub(crate) warnings: Vec<String>,
}

/// What the command line says.
#[derive(Default)]
pub(crate) struct Flags {
    pub(crate) offline: bool,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) color: Option<Color>,
    pub(crate) sampling: SamplingFlags,
}

/// The sources of one setting, the one that wins first.
type Found = Vec<(Source, Toml)>;

impl Settings {
    /// Reads all of it.
    ///
    /// # Errors
    /// If a value cannot be what it is said to be: going on with another one could do what the user
    /// wanted to prevent.
    pub(crate) fn read(
        flags: &Flags,
        environment: &Environment,
        project: &Path,
    ) -> Result<Self, Failure> {
        let mut warnings = keys::unknown_variables(environment);
        let files = file::find(environment, project, &mut warnings)?;
        let found = |name: &str| -> Result<Found, Failure> {
            let key = keys::named(name);
            let mut found = Vec::new();
            if let Some(text) = environment.variable(&key.variable) {
                let source = Source::Variable(key.variable.clone());
                let value = key.shape.parse(text).map_err(|what| wrong(&source, name, &what))?;
                found.push((source, value));
            }
            let in_files = files.iter().filter_map(|file| Some((file, file.get(name)?)));
            found.extend(in_files.map(|(file, value)| (Source::File(file.path.clone()), value)));
            Ok(found)
        };
        let offline = flags.offline.then_some((Source::Flag("--offline"), true));
        let cache = flags.cache.clone().map(|folder| (Source::Flag("--cache"), Some(folder)));
        let color = flags.color.map(|color| (Source::Flag("--color"), color));
        let directory = environment.directory();
        let registries = Ecosystem::all().map(|ecosystem| {
            let name = format!("registries.{}", keys::registry_name(ecosystem));
            let set = choose(&name, None, found(&name)?, None, |_, value| address(value).map(Some));
            Ok((ecosystem, set?))
        });
        let registries = registries.collect::<Result<_, Failure>>()?;
        let limits = Limits::default();
        Ok(Self {
            offline: choose("offline", offline, found("offline")?, false, |_, value| {
                value.as_bool().ok_or_else(|| "is not `true` or `false`".to_owned())
            })?,
            cache: choose("cache", cache, found("cache")?, None, |source, value| {
                folder(source, value, directory, environment.home()).map(Some)
            })?,
            cache_bytes_max: choose(
                "cache-size",
                None,
                found("cache-size")?,
                limits.cache_bytes_max,
                |_, value| keys::bytes(value),
            )?,
            max_tokens: choose("max-tokens", None, found("max-tokens")?, 2000, |_, value| {
                let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
                number.filter(|number| *number > 0).ok_or_else(|| "is not a number".to_owned())
            })?,
            languages: {
                let mut found = found("languages")?;
                found.extend(keys::spoken(environment));
                choose("languages", None, found, Vec::new(), |_, value| keys::tags(value))?
            },
            color: choose("color", color, found("color")?, Color::Auto, |_, value| {
                let word = value.as_str().unwrap_or_default();
                clap::ValueEnum::from_str(word, true)
                    .map_err(|_| "is not `auto`, `always` or `never`".to_owned())
            })?,
            sampling: Sampling::read(&flags.sampling, found, directory, environment.home())?,
            registries,
            files,
            warnings,
        })
    }

    /// What holds where the settings cannot be read: flags and defaults.
    pub(crate) fn fallback(flags: &Flags) -> Self {
        fn set<T>(value: T) -> Set<T> {
            Set { value, source: Source::Default, hidden: Vec::new() }
        }
        Self {
            offline: set(flags.offline),
            cache: set(flags.cache.clone()),
            cache_bytes_max: set(Limits::default().cache_bytes_max),
            max_tokens: set(2000),
            languages: set(Vec::new()),
            color: set(flags.color.unwrap_or_default()),
            sampling: Sampling::nobody(),
            registries: Vec::new(),
            files: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The environment of this process, with the registries that are set.
    pub(crate) fn environment(&self, environment: Environment) -> Environment {
        let set = self
            .registries
            .iter()
            .filter_map(|(ecosystem, set)| Some((*ecosystem, set.value.as_deref()?)));
        set.fold(environment, |environment, (ecosystem, address)| {
            environment.with_registry(ecosystem, address)
        })
    }
}

/// Takes the first source, and remembers the others.
fn choose<T>(
    name: &str,
    flag: Option<(Source, T)>,
    found: Found,
    default: T,
    read: impl Fn(&Source, &Toml) -> Result<T, String>,
) -> Result<Set<T>, Failure> {
    let mut all: Vec<(Source, T)> = flag.into_iter().collect();
    for (source, value) in found {
        let value = read(&source, &value).map_err(|what| wrong(&source, name, &what))?;
        all.push((source, value));
    }
    all.push((Source::Default, default));
    let mut all = all.into_iter();
    // There is always the default.
    let Some((source, value)) = all.next() else { return Err(Failure::new("no value")) };
    Ok(Set { value, source, hidden: all.collect() })
}

fn wrong(source: &Source, name: &str, what: &str) -> Failure {
    Failure::new(format!("`{name}` ({source}) {what}"))
        .hint("`docent config keys` lists the settings and what they may be")
}

fn address(value: &Toml) -> Result<String, String> {
    let text = value.as_str().unwrap_or_default().trim();
    let known = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
    // The value may hold a password, so that the message does not repeat it.
    if known { Ok(text.to_owned()) } else { Err("is not the address of a registry".to_owned()) }
}

/// A folder; relative to the file that names it, or to the working folder.
fn folder(
    source: &Source,
    value: &Toml,
    directory: &Path,
    home: Option<&Path>,
) -> Result<PathBuf, String> {
    let text = value.as_str().filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| "is not the path of a folder".to_owned())?;
    if let (Some(inside), Some(home)) = (text.strip_prefix("~/"), home) {
        return Ok(home.join(inside));
    }
    let base = match source {
        Source::File(file) => file.parent().unwrap_or(directory),
        _ => directory,
    };
    Ok(base.join(text))
}

/// An address, or a list of some, without users and passwords.
pub(crate) fn redacted(addresses: &str) -> String {
    let parts = addresses.split_inclusive([',', '|']);
    parts
        .map(|part| match part.strip_suffix([',', '|']) {
            Some(address) => format!("{}{}", one_redacted(address), &part[address.len()..]),
            None => one_redacted(part),
        })
        .collect()
}

fn one_redacted(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://…@{host}{path}"),
        None => format!("{scheme}://{host}{path}"),
    }
}

#[cfg(test)]
mod tests;
