//! Cargo's configuration: where packages come from, and who one is there.
//!
//! `.cargo/config.toml` from the project's folder upward, then that of cargo's home; variables over
//! files. Credentials are read from cargo's own file and from variables; programs that would provide
//! them are never run. A token goes only to the registry it was made for.

use std::path::{Path, PathBuf};

use toml::{Table, Value};
use url::Url;

use super::read::{self, Notes};
use crate::ecosystem::Context;
use crate::fetch::{Access, Credential, Login, Secret};
use crate::{Ecosystem, Environment, Error, ErrorKind};

/// Cargo's name for the default registry.
const DEFAULT: &str = "crates-io";

/// Replacements that lead to replacements.
const REPLACEMENTS_MAX: usize = 8;

/// Everything that cargo was told.
#[derive(Debug)]
pub(super) struct Config {
    /// Each file's content and the folder that its paths are relative to, strongest first.
    files: Vec<(PathBuf, Table)>,
    credentials: Vec<(String, Secret)>,
    indexes: Vec<(String, String)>,
    /// The index of the default registry.
    default: String,
    ca_file: Option<PathBuf>,
    /// Whether a file of the project decides whom to trust: with a proxy of its own, it could read
    /// what is sent to any registry.
    ca_of_project: bool,
    proxy: Option<Url>,
    pub(super) notes: Notes,
    /// Registries whose tokens only a program could provide.
    providers: bool,
}

/// Where the packages of one source are.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A registry with an index that is read file by file.
    Sparse { index: Url, access: Box<Access> },
    /// A folder with sources, as `cargo vendor` makes it.
    Folder(PathBuf),
    /// A folder with archives.
    LocalRegistry(PathBuf),
}

/// Cargo's own folder.
pub(super) fn home(environment: &Environment) -> Option<PathBuf> {
    let set = environment.variable("CARGO_HOME").map(PathBuf::from);
    let set = set.map(|set| environment.directory().join(set));
    set.or_else(|| environment.home().map(|home| home.join(".cargo")))
}

impl Config {
    pub(super) fn read(context: &Context<'_>) -> Self {
        let (limits, environment) = (context.limits, context.environment);
        let mut notes = Notes::new();
        let mut files = Vec::new();
        let home = home(environment);
        let upward = context.project.ancestors().map(|folder| folder.join(".cargo"));
        let mut folders: Vec<PathBuf> = upward.collect();
        folders.extend(home.clone().filter(|home| !folders.contains(home)));
        for folder in folders {
            let named = ["config", "config.toml"].map(|name| folder.join(name));
            let table = named.iter().find_map(|file| read::toml(file, limits, &mut notes));
            if let Some(table) = table {
                // Paths are relative to the folder that `.cargo` is in.
                let base = folder.parent().map(Path::to_owned).unwrap_or_default();
                files.push((base, table));
            }
        }
        let stored = ["credentials.toml", "credentials"]
            .into_iter()
            .find_map(|name| read::toml(&home.as_ref()?.join(name), limits, &mut notes));
        let mut config = Self {
            credentials: credentials(environment, stored.as_ref()),
            indexes: indexes(environment),
            default: default_index(environment),
            ca_file: None,
            ca_of_project: false,
            proxy: None,
            notes,
            providers: false,
            files,
        };
        let set = environment.variable("CARGO_HTTP_CAINFO");
        let set = set.map(|file| (environment.directory().join(file), false));
        let own = home.as_deref().and_then(Path::parent);
        let written = || {
            let (base, file) = config.text(&["http", "cainfo"])?;
            Some((base.join(file), Some(base) != own))
        };
        (config.ca_file, config.ca_of_project) =
            set.or_else(written).map(|(file, theirs)| (Some(file), theirs)).unwrap_or_default();
        let proxy = environment.variable("CARGO_HTTP_PROXY").map(str::to_owned);
        let proxy = proxy.or_else(|| config.text(&["http", "proxy"]).map(|(_, proxy)| proxy));
        config.proxy = proxy.and_then(|proxy| {
            let whole = if proxy.contains("://") { proxy } else { format!("http://{proxy}") };
            Url::parse(&whole).ok()
        });
        config.providers = config.files.iter().any(|(_, table)| {
            let global = table.get("registry").and_then(|it| it.get("global-credential-providers"));
            let own = table.get("registries").and_then(Value::as_table);
            let own = own.is_some_and(|all| {
                all.values().any(|registry| registry.get("credential-provider").is_some())
            });
            global.is_some() || own
        });
        config
    }

    /// A text, and the folder that it is relative to if it is a path.
    fn text(&self, path: &[&str]) -> Option<(&Path, String)> {
        self.files.iter().find_map(|(base, table)| {
            let (first, rest) = path.split_first()?;
            let mut value = table.get(*first)?;
            for part in rest {
                value = value.get(part)?;
            }
            Some((base.as_path(), value.as_str()?.to_owned()))
        })
    }

    /// The source of packages: by a registry's name, by its index's address, or the default one.
    pub(super) fn source(&self, registry: Option<&str>) -> Result<Source, Error> {
        let (mut name, mut index) = match registry {
            None => (DEFAULT.to_owned(), self.default.clone()),
            Some(known) if is_default(known) => (DEFAULT.to_owned(), self.default.clone()),
            Some(address) if address.contains("://") => {
                let named = self.named(address);
                (named.unwrap_or_default(), address.to_owned())
            }
            Some(name) => (name.to_owned(), self.index(name)?),
        };
        for _ in 0..REPLACEMENTS_MAX {
            let source = self.replaced_by(&name, &index);
            let Some(next) = source else { break };
            if let Some((base, folder)) = self.text(&["source", &next, "directory"]) {
                return Ok(Source::Folder(base.join(folder)));
            }
            if let Some((base, folder)) = self.text(&["source", &next, "local-registry"]) {
                return Ok(Source::LocalRegistry(base.join(folder)));
            }
            match self.text(&["source", &next, "registry"]) {
                Some((_, address)) => index = address,
                None => index = self.index(&next)?,
            }
            name = next;
        }
        self.sparse(&name, &index)
    }

    /// The source that stands in for one.
    fn replaced_by(&self, name: &str, index: &str) -> Option<String> {
        if let Some((_, next)) = self.text(&["source", name, "replace-with"]) {
            return Some(next);
        }
        // Sources are also told apart by their address.
        let all = self.files.iter().filter_map(|(_, table)| table.get("source")?.as_table());
        let mut all = all.flatten();
        all.find_map(|(_, source)| {
            let address = source.get("registry")?.as_str()?;
            let next = source.get("replace-with")?.as_str()?;
            same_index(address, index).then(|| next.to_owned())
        })
    }

    /// The address of a named registry's index.
    fn index(&self, name: &str) -> Result<String, Error> {
        let set = self.indexes.iter().find(|(known, _)| *known == variable_part(name));
        let set = set.map(|(_, index)| index.clone());
        let written = set.or_else(|| Some(self.text(&["registries", name, "index"])?.1));
        written.ok_or_else(|| {
            let message = format!("the registry `{}` is not configured", name.escape_debug());
            Error::new(ErrorKind::NoRegistry, message).hint(format!(
                "set `[registries.{name}] index = \"sparse+https://…\"` in `.cargo/config.toml`"
            ))
        })
    }

    /// The name that a registry's index is configured under.
    fn named(&self, index: &str) -> Option<String> {
        let all = self.files.iter().filter_map(|(_, table)| table.get("registries")?.as_table());
        all.flatten().find_map(|(name, registry)| {
            same_index(registry.get("index")?.as_str()?, index).then(|| name.clone())
        })
    }

    fn sparse(&self, name: &str, index: &str) -> Result<Source, Error> {
        let Some(address) = index.strip_prefix("sparse+") else {
            let message = format!(
                "the registry `{name}` keeps its index in a git repository, which is not read"
            );
            return Err(Error::new(ErrorKind::Unsupported, message)
                .hint("use its sparse index, `sparse+https://…`, if it has one")
                .hint("or let cargo fetch the crate, so that it is on this machine"));
        };
        let with_slash =
            if address.ends_with('/') { address.to_owned() } else { format!("{address}/") };
        let index = Url::parse(&with_slash).ok().filter(Url::has_host).ok_or_else(|| {
            let message = format!("the index of the registry `{name}` has no usable address");
            Error::new(ErrorKind::NoRegistry, message)
        })?;
        // The token for the default registry is for publishing; reading it takes none.
        let may_login = name != DEFAULT && !self.ca_of_project;
        let token = self.credentials.iter().find(|(known, _)| *known == variable_part(name));
        let token = token.filter(|_| may_login);
        let logins = token.map(|(_, token)| Login {
            scope: index.clone(),
            credential: Credential::Plain(token.clone()),
        });
        let access = Access {
            logins: logins.into_iter().collect(),
            ca_files: self.ca_file.clone().into_iter().collect(),
            proxy: self.proxy.clone(),
            ..Access::default()
        };
        Ok(Source::Sparse { index, access: Box::new(access) })
    }

    /// What may explain that a registry does not answer as it should.
    pub(super) fn hints(&self) -> Vec<String> {
        let mut hints = self.notes.clone();
        if self.ca_of_project {
            hints.push(
                "`http.cainfo` of the project changes which certificates are trusted, so your tokens \
                 are not sent; put it into cargo's own `config.toml`"
                    .to_owned(),
            );
        }
        if self.providers {
            hints.push(
                "programs that provide tokens are not run; set `CARGO_REGISTRIES_<NAME>_TOKEN`"
                    .to_owned(),
            );
        }
        hints
    }
}

/// Where the default registry's index is: as the user set it, else where cargo looks.
fn default_index(environment: &Environment) -> String {
    let set = environment.registry(Ecosystem::Rust).map(|set| match set.starts_with("sparse+") {
        true => set.to_owned(),
        false => format!("sparse+{set}"),
    });
    set.unwrap_or_else(|| tame_index::CRATES_IO_HTTP_INDEX.to_owned())
}

/// Whether an address is that of the default registry, in either of its forms.
pub(super) fn is_default(index: &str) -> bool {
    same_index(index, tame_index::CRATES_IO_INDEX)
        || same_index(index, tame_index::CRATES_IO_HTTP_INDEX)
}

/// Whether two addresses lead to one index.
pub(super) fn same_index(one: &str, other: &str) -> bool {
    let bare = |text: &str| {
        let text = text.strip_prefix("registry+").unwrap_or(text);
        text.strip_prefix("sparse+").unwrap_or(text).trim_end_matches('/').to_owned()
    };
    bare(one) == bare(other)
}

/// A registry's name as a part of a variable.
fn variable_part(name: &str) -> String {
    name.replace('-', "_").to_ascii_uppercase()
}

fn indexes(environment: &Environment) -> Vec<(String, String)> {
    let variables = environment.variables().filter_map(|(name, value)| {
        let name = name.strip_prefix("CARGO_REGISTRIES_")?.strip_suffix("_INDEX")?;
        Some((name.to_owned(), value.to_owned()))
    });
    variables.collect()
}

/// Tokens by the name of their registry, strongest first.
fn credentials(environment: &Environment, stored: Option<&Table>) -> Vec<(String, Secret)> {
    let variables = environment.variables().filter_map(|(name, value)| {
        let name = name.strip_prefix("CARGO_REGISTRIES_")?.strip_suffix("_TOKEN")?;
        (!value.is_empty()).then(|| (name.to_owned(), Secret(value.to_owned())))
    });
    let mut found: Vec<(String, Secret)> = variables.collect();
    let registries = stored.and_then(|table| table.get("registries")?.as_table());
    for (name, registry) in registries.into_iter().flatten() {
        if let Some(token) = registry.get("token").and_then(Value::as_str) {
            found.push((variable_part(name), Secret(token.to_owned())));
        }
    }
    found
}
