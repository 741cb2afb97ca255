//! What the engine knows of the machine: variables, folders, and where to begin looking.
//!
//! Read once at the start and passed along, so that no later stage depends on the process it runs
//! in, and tests can make up a machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Ecosystem;

/// The variables and folders that configuration is looked up in.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    home: Option<PathBuf>,
    directory: PathBuf,
    registries: BTreeMap<Ecosystem, String>,
}

impl Environment {
    /// The environment of this process.
    // Inlined, and without `collect`, which sorts: every command comes here, and each function of
    // the engine that it calls would keep 64 KiB of this crate in the memory of a gateway.
    #[inline]
    #[must_use]
    pub fn of_process() -> Self {
        let mut variables = BTreeMap::new();
        for (name, value) in std::env::vars_os() {
            if let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) {
                variables.insert(name, value);
            }
        }
        let home = std::env::home_dir();
        let directory = std::env::current_dir().unwrap_or_default();
        Self { variables, home, directory, ..Self::default() }
    }

    /// A made-up environment: no variables, and `home` as home and working folder.
    #[must_use]
    pub fn isolated(home: &Path) -> Self {
        let home = home.to_owned();
        Self { directory: home.clone(), home: Some(home), ..Self::default() }
    }

    /// The same environment with one more variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The same environment in another working folder.
    #[must_use]
    pub fn in_directory(mut self, directory: &Path) -> Self {
        directory.clone_into(&mut self.directory);
        self
    }

    /// The same environment with a registry for an ecosystem whose own configuration names none: it
    /// stands where that ecosystem's tool would otherwise be asked for its default.
    #[must_use]
    pub fn with_registry(mut self, ecosystem: Ecosystem, address: &str) -> Self {
        self.registries.insert(ecosystem, address.trim().to_owned());
        self
    }

    /// What [`Environment::with_registry`] has set; it may hold credentials.
    #[must_use]
    pub fn registry(&self, ecosystem: Ecosystem) -> Option<&str> {
        self.registries.get(&ecosystem).map(String::as_str)
    }

    /// The value of a variable; an empty one counts as unset.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All variables.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The user's home folder.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The working folder.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The folder of the user's configuration: `$XDG_CONFIG_HOME`, else `~/.config`.
    #[must_use]
    pub fn config_folder(&self) -> Option<PathBuf> {
        let set = self.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        set.or_else(|| self.home().map(|home| home.join(".config")))
    }

    /// The program of that name on `PATH`, never one of the working folder.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let folders = self.variable("PATH")?;
        let absolute = std::env::split_paths(folders).filter(|folder| folder.is_absolute());
        absolute.map(|folder| folder.join(name)).find(|file| file.is_file())
    }
}
