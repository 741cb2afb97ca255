//! `docent.toml`: where it is looked for, and which of its keys count.

use std::path::{Path, PathBuf};

use docent_packages::Environment;
use toml::{Table, Value as Toml};

use super::keys::KEYS;
use crate::failure::Failure;

/// The name of the file.
const NAME: &str = "docent.toml";
const BYTES_MAX: u64 = 1 << 20;
/// How far up a project's file is looked for.
const FOLDERS_MAX: usize = 64;

/// One file, found or not.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) whose: Whose,
    table: Option<Table>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Whose {
    Project,
    User,
}

impl File {
    pub(crate) fn is_there(&self) -> bool {
        self.table.is_some()
    }

    /// The value of a key, if this file may set it.
    pub(super) fn get(&self, name: &str) -> Option<Toml> {
        let table = self.table.as_ref()?;
        let key = KEYS.iter().find(|key| key.name == name)?;
        if self.whose == Whose::Project && !key.in_project {
            return None;
        }
        let found = match name.split_once('.') {
            Some((table_name, name)) => table.get(table_name)?.as_table()?.get(name),
            None => table.get(name),
        };
        // A project may keep its user offline, and never bring one online who does not want to be.
        let online = self.whose == Whose::Project && name == "offline";
        found.filter(|value| !(online && value.as_bool() == Some(false))).cloned()
    }
}

/// The project's file, nearest first, then the user's.
pub(super) fn find(
    environment: &Environment,
    project: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<File>, Failure> {
    let mut files = Vec::new();
    let user = user_file(environment);
    let own = in_project(environment, project).filter(|own| Some(own) != user.as_ref());
    if let Some(path) = own {
        if is_trusted(&path) {
            files.push(read(path, Whose::Project, warnings)?);
        } else {
            warnings
                .push(format!("`{}` belongs to somebody else and does not count", path.display()));
        }
    }
    if let Some(path) = user {
        files.push(read(path, Whose::User, warnings)?);
    }
    Ok(files)
}

fn user_file(environment: &Environment) -> Option<PathBuf> {
    let set = environment.variable("DOCENT_CONFIG").map(|path| environment.directory().join(path));
    set.or_else(|| environment.config_folder().map(|folder| folder.join("docent").join(NAME)))
}

/// The nearest file upward; not beyond the repository, and not in the home folder itself.
fn in_project(environment: &Environment, project: &Path) -> Option<PathBuf> {
    for folder in project.ancestors().take(FOLDERS_MAX) {
        if Some(folder) == environment.home() {
            return None;
        }
        let file = folder.join(NAME);
        if file.is_file() {
            return Some(file);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// Whether nobody else could have put it there: above a folder that everybody can write to, anybody
/// can leave a file for those who work below.
#[cfg(unix)]
fn is_trusted(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::getuid().as_raw();
    std::fs::metadata(path).is_ok_and(|found| found.uid() == own || found.uid() == 0)
}

#[cfg(not(unix))]
fn is_trusted(_: &Path) -> bool {
    true
}

fn read(path: PathBuf, whose: Whose, warnings: &mut Vec<String>) -> Result<File, Failure> {
    let long = std::fs::metadata(&path).is_ok_and(|found| found.len() > BYTES_MAX);
    if long {
        return Err(Failure::new(format!("`{}` is too long to be read", path.display())));
    }
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(File { path, whose, table: None });
        }
        // A home that cannot be looked into has nothing to say.
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Ok(File { path, whose, table: None });
        }
        Err(error) => return Err(Failure::file("read", &path, &error)),
    };
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
        Failure::new(format!("`{}`, line {line}: {}", path.display(), error.message()))
    })?;
    check(&table, &path, whose, warnings);
    Ok(File { path, whose, table: Some(table) })
}

/// Notes what has no meaning, and what may not be set here.
fn check(table: &Table, path: &Path, whose: Whose, warnings: &mut Vec<String>) {
    let mut names: Vec<String> = Vec::new();
    // What servers there are is read elsewhere.
    let settings = table.iter().filter(|(name, _)| !matches!(name.as_str(), "servers" | "inputs"));
    for (name, value) in settings {
        match value {
            Toml::Table(inner) => names.extend(inner.keys().map(|key| format!("{name}.{key}"))),
            _ => names.push(name.clone()),
        }
    }
    for name in names {
        let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
        match KEYS.iter().find(|key| key.name == name) {
            Some(key) if whose == Whose::Project && !key.in_project => warnings.push(format!(
                "`{shown}` in `{}` does not count: only your own file may set it",
                path.display()
            )),
            Some(_) => {}
            None => {
                let known = KEYS.iter().map(|key| key.name.as_str());
                let near = crate::suggest::nearest(&name, known)
                    .first()
                    .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                warnings.push(format!("`{shown}` in `{}` is not a setting{near}", path.display()));
            }
        }
    }
}
