//! Where the files of the user and the machine are, which npm lets its settings say: `userconfig`,
//! `globalconfig` and `prefix`.

use std::path::PathBuf;

use super::layer::{Layer, Setting};
use super::sources::{Read, npmrc};
use super::{bunfig, is_set, yarnrc};
use crate::Environment;

/// The file in npm's own folder: the program is a link to a script in there.
pub(super) fn beside_npm(environment: &Environment) -> Option<PathBuf> {
    let script = environment.program("npm")?.canonicalize().ok()?;
    Some(script.parent()?.parent()?.join("npmrc"))
}

/// The user's `.npmrc`.
pub(super) fn of_user(known: &[&Layer], environment: &Environment) -> Option<PathBuf> {
    let chosen = setting(known, "userconfig", environment);
    chosen.or_else(|| Some(environment.home()?.join(".npmrc")))
}

/// The file of all users, below the folder that programs are installed in.
pub(super) fn of_machine(known: &[&Layer], environment: &Environment) -> Option<PathBuf> {
    let chosen = setting(known, "globalconfig", environment);
    chosen.or_else(|| {
        let prefix = setting(known, "prefix", environment).or_else(|| prefix(environment))?;
        Some(prefix.join("etc").join("npmrc"))
    })
}

/// What the package managers besides npm read of the user's.
pub(super) fn of_relatives(environment: &Environment) -> Vec<(PathBuf, Read)> {
    let mut files: Vec<(PathBuf, Read)> = Vec::new();
    if let Some(folder) = environment.config_folder() {
        files.push((folder.join("pnpm").join("rc"), npmrc));
    }
    if let Some(home) = environment.home() {
        files.push((home.join(".yarnrc.yml"), yarnrc::read));
        files.push((home.join(".bunfig.toml"), bunfig::read));
    }
    files
}

fn setting(known: &[&Layer], key: &str, environment: &Environment) -> Option<PathBuf> {
    let (layer, setting) = known.iter().find_map(|layer| Some((layer, layer.get(key)?)))?;
    match setting {
        Setting::Value(value) if is_set(value) => Some(layer.path(value, environment.home())),
        _ => None,
    }
}

/// Where npm installs programs unless it is told otherwise: where Node is.
fn prefix(environment: &Environment) -> Option<PathBuf> {
    if let Some(set) = environment.variable("PREFIX") {
        return Some(PathBuf::from(set));
    }
    let node = environment.program("node")?.canonicalize().ok()?;
    let prefix = node.parent()?.parent()?.to_owned();
    let Some(staging) = environment.variable("DESTDIR") else { return Some(prefix) };
    Some(PathBuf::from(staging).join(prefix.strip_prefix("/").unwrap_or(&prefix)))
}
