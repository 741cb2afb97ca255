//! Which files configure npm and its relatives, and in which order they are believed.

use std::path::{Path, PathBuf};

use super::layer::{Layer, Owner};
use super::{bunfig, rc, yarnrc};
use crate::ecosystem::npm::project::Project;
use crate::ecosystem::npm::read::{self, Notes};
use crate::{Environment, Limits};

const PREFIX: &str = "npm_config_";

type Read = fn(&str, &mut Layer, &Environment, &Limits) -> Result<(), String>;

/// The file of each package manager in the folder of a project.
const PROJECT_FILES: &[(&str, Read)] =
    &[(".npmrc", npmrc), (".yarnrc.yml", yarnrc::read), ("bunfig.toml", bunfig::read)];

/// All layers, the one that wins first: environment, project, workspace, user, machine, npm itself.
pub(super) fn layers(
    project: &Project,
    environment: &Environment,
    limits: &Limits,
    notes: &mut Notes,
) -> Vec<Layer> {
    let user = user_files(environment);
    let machine = machine_files(environment);
    let mut folders = vec![project.package().to_owned()];
    if project.root != folders[0] {
        folders.push(project.root.clone());
    }
    let in_project = folders
        .iter()
        .flat_map(|folder| PROJECT_FILES.iter().map(|(name, read)| (folder.join(name), *read)));
    // In the home folder, the file of the project is that of the user.
    let in_project = in_project.filter(|(file, _)| !user.iter().any(|(own, _)| same(own, file)));
    let in_project: Vec<_> = in_project.map(|(file, read)| (file, read, Owner::Project)).collect();
    let of_user = user.into_iter().chain(machine).map(|(file, read)| (file, read, Owner::User));
    let mut layers = vec![from_environment(environment)];
    for (file, parse, owner) in in_project.into_iter().chain(of_user) {
        let Some(text) = read::text(&file, limits, notes) else { continue };
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut layer = Layer::new(file.display().to_string(), folder, owner);
        match parse(&text, &mut layer, environment, limits) {
            Ok(()) => layers.push(layer),
            Err(why) => notes.push(format!("{} {why}", file.display())),
        }
    }
    layers
}

fn npmrc(
    text: &str,
    layer: &mut Layer,
    environment: &Environment,
    _limits: &Limits,
) -> Result<(), String> {
    for (key, value) in rc::parse(text) {
        layer.add(&key, &value, environment);
    }
    Ok(())
}

fn same(left: &Path, right: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    left == right || real(left) == real(right)
}

/// `npm_config_*` in any case, then what Yarn and Bun read.
fn from_environment(environment: &Environment) -> Layer {
    let mut layer = Layer::new("the environment", environment.directory(), Owner::User);
    // Later ones win, so the other tools' variables come first.
    for (name, key) in [
        ("BUN_CONFIG_REGISTRY", "registry"),
        ("BUN_CONFIG_TOKEN", "_authToken"),
        ("YARN_NPM_REGISTRY_SERVER", "registry"),
        ("YARN_NPM_AUTH_TOKEN", "_authToken"),
    ] {
        if let Some(value) = environment.variable(name) {
            layer.add(key, &literal(value), environment);
        }
    }
    for (name, value) in environment.variables().filter(|(_, value)| !value.is_empty()) {
        let Some(key) = config_key(name) else { continue };
        layer.add(&key, &literal(value), environment);
    }
    layer
}

/// A value from the environment has been expanded by whoever set it.
fn literal(value: &str) -> String {
    value.replace("${", "\\${")
}

/// The key that a variable sets: `strict-ssl` for `NPM_CONFIG_STRICT_SSL`.
fn config_key(variable: &str) -> Option<String> {
    let start = variable.get(..PREFIX.len())?;
    let key = &variable[PREFIX.len()..];
    if !start.eq_ignore_ascii_case(PREFIX) || key.is_empty() {
        return None;
    }
    if key.starts_with("//") {
        return Some(key.to_owned());
    }
    let lower = key.to_ascii_lowercase();
    // Underscores stand for dashes, except where the key itself starts with one.
    let (first, rest) = lower.split_at(usize::from(lower.starts_with('_')));
    Some(match rest {
        "authtoken" => "_authToken".to_owned(),
        rest => format!("{first}{}", rest.replace('_', "-")),
    })
}

fn variable<'a>(environment: &'a Environment, key: &str) -> Option<&'a str> {
    let mut set = environment.variables().filter(|(_, value)| !value.is_empty());
    set.find(|(name, _)| config_key(name).as_deref() == Some(key)).map(|(_, value)| value)
}

fn user_files(environment: &Environment) -> Vec<(PathBuf, Read)> {
    let home = environment.home();
    let mut files: Vec<(PathBuf, Read)> = Vec::new();
    let chosen = variable(environment, "userconfig").map(PathBuf::from);
    let npm = chosen.or_else(|| home.map(|home| home.join(".npmrc")));
    files.extend(npm.map(|file| (file, npmrc as Read)));
    if let Some(folder) = environment.config_folder() {
        files.push((folder.join("pnpm").join("rc"), npmrc));
    }
    if let Some(home) = home {
        files.push((home.join(".yarnrc.yml"), yarnrc::read));
        files.push((home.join(".bunfig.toml"), bunfig::read));
    }
    files
}

/// npm's global file, and the one beside npm itself.
fn machine_files(environment: &Environment) -> Vec<(PathBuf, Read)> {
    let mut files: Vec<(PathBuf, Read)> = Vec::new();
    let real = |program: &str| environment.program(program)?.canonicalize().ok();
    let above = |file: PathBuf| Some(file.parent()?.parent()?.to_owned());
    let chosen = variable(environment, "globalconfig").map(PathBuf::from);
    let prefix = || {
        let chosen = variable(environment, "prefix").or_else(|| environment.variable("PREFIX"));
        chosen.map(PathBuf::from).or_else(|| above(real("node")?))
    };
    let global = chosen.or_else(|| Some(prefix()?.join("etc").join("npmrc")));
    files.extend(global.map(|file| (file, npmrc as Read)));
    // The program is a link to a script in npm's own folder.
    let own = real("npm").and_then(above).map(|folder| folder.join("npmrc"));
    files.extend(own.map(|file| (file, npmrc as Read)));
    files
}
