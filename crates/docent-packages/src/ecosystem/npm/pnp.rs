//! Yarn's Plug'n'Play: packages that stay in zip archives, and a script that knows where they are.
//!
//! The script is never run: the data in it is a JSON text, either a string literal, or the argument
//! of a call, or a file beside it. Feeds [`super::installed`].

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::manifest::Manifest;
use super::project::Project;
use super::read::{self, Notes};
use super::version;
use crate::Limits;
use crate::ecosystem::Installed;
use crate::tree::{ArchiveFormat, Place};

/// The data alone comes first: there, the script has none.
const FILES: &[&str] = &[".pnp.data.json", ".pnp.cjs", ".pnp.js"];
const LITERAL: &str = "RAW_RUNTIME_STATE";
const CALL: &str = "hydrateRuntimeState(";

/// What the data says; the rest of it does not matter here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    #[serde(default)]
    package_registry_data: Vec<(Option<String>, References)>,
}

/// The packages of one name, each under the reference that tells it from the others.
type References = Vec<(Option<String>, Package)>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Package {
    package_location: String,
    /// Pairs of a name and a reference, or of a name and the real name with a reference.
    #[serde(default)]
    package_dependencies: Vec<(String, Value)>,
}

/// The copies of a package, the one that the project imports first.
pub(super) fn find(
    project: &Project,
    package: &str,
    limits: &Limits,
    notes: &mut Notes,
) -> Vec<Installed> {
    let mut files = project
        .folders
        .iter()
        .flat_map(|folder| FILES.iter().map(move |name| (folder, folder.join(name))));
    let found = files.find_map(|(folder, file)| {
        let text = read::text(&file, limits, notes)?;
        let state = match data(&text).ok_or("holds no data of Plug'n'Play".to_owned()) {
            Ok(json) => read::json::<State>(&json, limits),
            Err(why) => Err(why),
        };
        state.map_err(|why| notes.push(format!("{} {why}", file.display()))).ok().zip(Some(folder))
    });
    let Some((state, folder)) = found else { return Vec::new() };
    let importer = project.importer(folder);
    let mut copies: Vec<Installed> = Vec::new();
    for (name, reference) in state.wanted(&importer, package) {
        let Some(location) = state.location(&name, &reference) else { continue };
        let copy = installed(&name, &reference, &folder.join(location), limits, notes);
        let copy = copy.filter(|copy| !copies.iter().any(|earlier| earlier.place == copy.place));
        copies.extend(copy);
    }
    copies
}

impl State {
    /// The name and reference of each copy: the importer's own, then all others of that name.
    fn wanted(&self, importer: &str, package: &str) -> Vec<(String, String)> {
        let at = if importer.is_empty() { "./".to_owned() } else { format!("./{importer}/") };
        let packages = || self.package_registry_data.iter().flat_map(|(_, packages)| packages);
        let importers = packages().filter(|(_, package)| package.package_location == at);
        let chosen = importers
            .flat_map(|(_, importer)| &importer.package_dependencies)
            .filter(|(name, _)| name == package)
            .filter_map(|(name, target)| match target {
                Value::String(reference) => Some((name.clone(), reference.clone())),
                Value::Array(target) => {
                    let [name, reference] = target.as_slice() else { return None };
                    Some((name.as_str()?.to_owned(), reference.as_str()?.to_owned()))
                }
                _ => None,
            });
        let named = self.package_registry_data.iter();
        let named = named.filter(|(name, _)| name.as_deref() == Some(package));
        let others = named.flat_map(|(_, packages)| packages);
        let others =
            others.filter_map(|(reference, _)| Some((package.to_owned(), reference.clone()?)));
        let mut wanted: Vec<(String, String)> = Vec::new();
        for copy in chosen.chain(others) {
            if !wanted.contains(&copy) {
                wanted.push(copy);
            }
        }
        wanted
    }

    fn location(&self, name: &str, reference: &str) -> Option<&str> {
        let mut named = self.package_registry_data.iter();
        let (_, packages) = named.find(|(found, _)| found.as_deref() == Some(name))?;
        let mut packages = packages.iter();
        let found = packages.find(|(found, _)| found.as_deref() == Some(reference))?;
        Some(&found.1.package_location)
    }
}

fn installed(
    name: &str,
    reference: &str,
    location: &Path,
    limits: &Limits,
    notes: &mut Notes,
) -> Option<Installed> {
    let location = real_path(location)?;
    let bundled = false;
    let Some((file, prefix)) = archive(&location) else {
        let manifest = Manifest::read(&location, limits, notes)?;
        let name = manifest.name().filter(|found| *found == name)?.to_owned();
        let version = manifest.version().unwrap_or("0.0.0").to_owned();
        let place = Place::Folder { root: location.clone(), files: None };
        return Some(Installed { name, version, place, shown: location, bundled });
    };
    if !file.is_file() {
        notes.push(format!("{} is not there; `yarn install` would fetch it", file.display()));
        return None;
    }
    if prefix != format!("node_modules/{name}") {
        return None;
    }
    let version = reference_version(reference)?;
    let place =
        Place::Archive { file: file.clone(), format: ArchiveFormat::Zip, prefix: Some(prefix) };
    Some(Installed { name: name.to_owned(), version, place, shown: file, bundled })
}

/// The JSON text in a script or data file.
fn data(text: &str) -> Option<String> {
    if text.trim_start().starts_with('{') {
        return Some(text.to_owned());
    }
    if let Some(at) = text.find(LITERAL) {
        let after = &text[at + LITERAL.len()..];
        let literal = after.trim_start().strip_prefix('=').map(str::trim_start);
        return literal.and_then(|literal| literal.strip_prefix('\'')).and_then(unescape);
    }
    // The first use of the name is where it is declared as a parameter, or where it is called.
    let calls = text.match_indices(CALL).map(|(at, _)| text[at + CALL.len()..].trim_start());
    let argument = { calls }.find(|argument| argument.starts_with('{'))?;
    let mut values =
        serde_json::Deserializer::from_str(argument).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    argument.get(..values.byte_offset()).map(str::to_owned)
}

/// A string literal of JavaScript up to its closing quote, with the escapes that Yarn writes.
fn unescape(literal: &str) -> Option<String> {
    let mut text = String::with_capacity(literal.len());
    let mut characters = literal.chars();
    loop {
        match characters.next()? {
            '\'' => return Some(text),
            '\\' => match characters.next()? {
                '\n' => {}
                '\r' => {
                    let after = characters.as_str();
                    characters = after.strip_prefix('\n').unwrap_or(after).chars();
                }
                'n' => text.push('\n'),
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
}

/// A location with `.`, `..` and the folders that only tell instances of a package apart resolved:
/// `a/__virtual__/some-hash/1/b` is `b` seen from one folder above `a`.
fn real_path(location: &Path) -> Option<PathBuf> {
    let mut real = PathBuf::new();
    let mut parts = location.components();
    while let Some(part) = parts.next() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
            }
            Component::Normal(name) if name == "__virtual__" || name == "$$virtual" => {
                parts.next()?;
                let up: usize = parts.next()?.as_os_str().to_str()?.parse().ok()?;
                for _ in 0..up {
                    if !real.pop() {
                        return None;
                    }
                }
            }
            other => real.push(other),
        }
    }
    Some(real)
}

/// The archive in a path, and the folder inside it.
fn archive(path: &Path) -> Option<(PathBuf, String)> {
    let file = path.ancestors().find(|part| part.extension().is_some_and(|it| it == "zip"))?;
    let inside = path.strip_prefix(file).ok()?;
    let inside: Option<Vec<&str>> = inside.components().map(|it| it.as_os_str().to_str()).collect();
    // A folder may be called so too.
    (!file.is_dir()).then_some((file.to_owned(), inside?.join("/")))
}

/// The version in `npm:1.0.0`, `virtual:hash#npm:1.0.0` or `patch:…::version=1.0.0&hash=…`.
fn reference_version(reference: &str) -> Option<String> {
    let parts = [reference.rsplit_once("npm:"), reference.rsplit_once("version=")];
    let texts = parts.into_iter().flatten().map(|(_, text)| text);
    let mut versions = texts.map(|text| text.split(['&', ':', '#']).next().unwrap_or(text));
    versions.find(|text| version::parse(text).is_some()).map(str::to_owned)
}

#[cfg(test)]
mod tests;
