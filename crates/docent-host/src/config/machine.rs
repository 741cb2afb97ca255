//! What configuration is looked up in: variables, folders, the platform.
//!
//! Read once and passed along, so that no later step depends on the process it runs in, and tests
//! can make up a machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The family of an operating system, as far as the places of files differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux and other unix systems.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

/// The variables and folders of a machine.
#[derive(Clone)]
pub struct Machine {
    variables: BTreeMap<String, String>,
    home: Option<PathBuf>,
    directory: PathBuf,
    platform: Platform,
    root: PathBuf,
}

impl Machine {
    /// The machine and the working folder of this process.
    #[must_use]
    pub fn of_process() -> Self {
        // `collect` would sort them first, with code that nothing else here needs.
        let mut variables = BTreeMap::new();
        for (name, value) in std::env::vars_os() {
            if let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) {
                variables.insert(name, value);
            }
        }
        let platform = match std::env::consts::OS {
            "macos" => Platform::Mac,
            "windows" => Platform::Windows,
            _ => Platform::Linux,
        };
        Machine {
            variables,
            home: std::env::home_dir(),
            directory: std::env::current_dir().unwrap_or_default(),
            platform,
            root: PathBuf::from(if cfg!(windows) { "C:\\" } else { "/" }),
        }
    }

    /// A made-up machine whose file system begins at `root`: no variables, the home folder `home`
    /// and the working folder `directory`.
    pub fn made_up(
        root: impl Into<PathBuf>,
        home: impl Into<PathBuf>,
        directory: impl Into<PathBuf>,
    ) -> Self {
        Machine {
            variables: BTreeMap::new(),
            home: Some(home.into()),
            directory: directory.into(),
            platform: Platform::Linux,
            root: root.into(),
        }
    }

    /// The same machine with one more variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The same machine with another operating system.
    #[must_use]
    pub fn on(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// The same machine in another working folder.
    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        // Without the dots that people write.
        self.directory = directory.into().components().collect();
        self
    }

    /// The value of a variable.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        let found = self.variables.get(name).or_else(|| {
            // Windows does not tell `Path` from `PATH`.
            let same = |known: &&String| known.eq_ignore_ascii_case(name);
            let known = self.variables.keys().find(same);
            known.filter(|_| self.platform == Platform::Windows).map(|known| &self.variables[known])
        });
        found.map(String::as_str)
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

    /// The operating system.
    #[must_use]
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// Where the file system begins.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where programs keep what the user configured, by the custom of the platform.
    pub(crate) fn application_data(&self) -> Option<PathBuf> {
        match self.platform {
            Platform::Linux => self.dot_config(),
            Platform::Mac => Some(self.home()?.join("Library/Application Support")),
            Platform::Windows => self.roaming(),
        }
    }

    /// Where programs look that follow the XDG convention on every unix.
    pub(crate) fn dot_config(&self) -> Option<PathBuf> {
        match self.variable("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()) {
            Some(folder) => Some(PathBuf::from(folder)),
            None => Some(self.home()?.join(".config")),
        }
    }

    fn roaming(&self) -> Option<PathBuf> {
        match self.variable("APPDATA").filter(|folder| !folder.is_empty()) {
            Some(folder) => Some(PathBuf::from(folder)),
            None => Some(self.home()?.join("AppData").join("Roaming")),
        }
    }

    /// Docent's own folder of configuration.
    #[must_use]
    pub fn own_folder(&self) -> Option<PathBuf> {
        Some(self.dot_config()?.join("docent"))
    }

    /// The folders that hold the project, nearest first: the working folder and those above it, up
    /// to the root of the repository. Without a repository, up to but without the home folder.
    pub(crate) fn project_folders(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for folder in self.directory.ancestors() {
            if folder.as_os_str().is_empty() || !folder.starts_with(&self.root) {
                break;
            }
            let is_home = self.home().is_some_and(|home| home == folder);
            if is_home && !folders.is_empty() {
                break;
            }
            folders.push(folder.to_owned());
            if is_home || folder.join(".git").exists() {
                break;
            }
        }
        folders
    }

    /// The root of the project: the nearest repository, else the working folder.
    pub(crate) fn project_root(&self) -> PathBuf {
        let folders = self.project_folders();
        let repository = folders.last().filter(|folder| folder.join(".git").exists());
        repository.cloned().unwrap_or_else(|| self.directory.clone())
    }
}
