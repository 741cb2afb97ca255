//! Which files configure npm and its relatives, and in which order they are believed.

use std::path::{Path, PathBuf};

use super::layer::{Layer, Owner};
use super::{bunfig, files, rc, yarnrc};
use crate::ecosystem::npm::project::{PNPM_WORKSPACE, Project};
use crate::ecosystem::npm::read::{self, Notes};
use crate::ecosystem::npm::workspace::has_member;
use crate::{Environment, Limits};

const PREFIX: &str = "npm_config_";

pub(super) type Read = fn(&str, &mut Layer, &Environment, &Limits) -> Result<(), String>;

/// The file of each package manager in the folder of a project.
const PROJECT_FILES: &[(&str, Read)] =
    &[(".npmrc", npmrc), (".yarnrc.yml", yarnrc::read), ("bunfig.toml", bunfig::read)];

/// What the root of a workspace has if another package manager than npm made it.
const OTHER_MANAGERS: &[&str] =
    &[PNPM_WORKSPACE, "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"];

/// Keys that may have several values, which a variable holds with empty lines between.
const LISTS: &[&str] = &["ca", "noproxy"];

/// All layers, the one that wins first: environment, project, workspace, user, machine, npm itself.
pub(super) fn layers(
    project: &Project,
    environment: &Environment,
    limits: &Limits,
    notes: &mut Notes,
) -> Vec<Layer> {
    let mut read = |file: &Path, parse: Read, owner: Owner| {
        let text = read::text(file, limits, notes)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut layer = Layer::new(file.display().to_string(), folder, owner);
        match parse(&text, &mut layer, environment, limits) {
            Ok(()) => Some(layer),
            Err(why) => {
                notes.push(format!("{} {why}", file.display()));
                None
            }
        }
    };
    // Each file may say where the next is, except those of a project: what is the user's and the
    // machine's is not for it to choose.
    let variables = from_environment(environment);
    let own = files::beside_npm(environment).and_then(|file| read(&file, npmrc, Owner::User));
    let known: Vec<&Layer> = [&variables].into_iter().chain(&own).collect();
    let user_file = files::of_user(&known, environment);
    let user = user_file.as_ref().and_then(|file| read(file, npmrc, Owner::User));
    let known: Vec<&Layer> = [&variables].into_iter().chain(&user).chain(&own).collect();
    let global = files::of_machine(&known, environment);
    let global = global.and_then(|file| read(&file, npmrc, Owner::User));
    let relatives = files::of_relatives(environment);
    let in_project = project_files(project);
    // In the home folder, the file of the project is that of the user.
    let users = user_file.iter().chain(relatives.iter().map(|(file, _)| file)).collect::<Vec<_>>();
    let in_project =
        in_project.into_iter().filter(|(file, _)| !users.iter().any(|own| same(own, file)));
    let mut layers: Vec<Layer> =
        in_project.filter_map(|(file, parse)| read(&file, parse, Owner::Project)).collect();
    layers.insert(0, variables);
    layers.extend(user);
    layers.extend(relatives.iter().filter_map(|(file, parse)| read(file, *parse, Owner::User)));
    layers.extend(global);
    layers.extend(own);
    layers
}

/// The files of the nearest package and of its workspace.
fn project_files(project: &Project) -> Vec<(PathBuf, Read)> {
    let (package, root) = (project.package(), &project.root);
    let folders = [Some(package), Some(root.as_path()).filter(|root| *root != package)];
    let files = folders
        .into_iter()
        .flatten()
        .flat_map(|folder| PROJECT_FILES.iter().map(|(name, read)| (folder.join(name), *read)));
    // npm, unlike the others, reads none but that of the root.
    let has = |name: &&str| root.join(name).is_file();
    let by_npm = package != root && !OTHER_MANAGERS.iter().any(has) && has_member(project);
    let ignored = by_npm.then(|| package.join(PROJECT_FILES[0].0));
    files.filter(|(file, _)| Some(file) != ignored.as_ref()).collect()
}

pub(super) fn npmrc(
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
        if !LISTS.contains(&key.as_str()) {
            layer.add(&key, value, environment);
            continue;
        }
        for value in value.split("\n\n") {
            layer.add(&key, value, environment);
        }
    }
    layer
}

/// A value of Yarn's or Bun's has been expanded by whoever set it; npm does that itself.
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
