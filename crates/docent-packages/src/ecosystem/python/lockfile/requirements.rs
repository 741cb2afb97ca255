//! Requirements files: `==` pins are locks, anything else is a range that is asked for.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::locked;
use crate::ecosystem::Locked;
use crate::ecosystem::python::dependency::{self, Entry};
use crate::ecosystem::python::files::{Files, file_name};
use crate::ecosystem::python::version;

const INCLUDES_MAX: usize = 64;

/// What one requirements file holds.
#[derive(Debug, Default)]
pub(crate) struct Requirements {
    pub(crate) file: PathBuf,
    pub(crate) entries: Vec<Entry>,
    /// Options about indexes, as name and value: `--index-url`.
    pub(crate) options: Vec<(String, String)>,
    /// Whether it only constrains what others ask for.
    pub(crate) constraints: bool,
}

impl Requirements {
    /// The entries that pin a version.
    pub(crate) fn pinned(&self) -> Vec<Locked> {
        let pins = self.entries.iter().filter_map(|entry| {
            let version = entry.range.starts_with("==").then(|| version::exact(&entry.range))??;
            locked(&entry.name, &version, &self.file)
        });
        pins.collect()
    }
}

/// Whether a file of this name holds requirements: `requirements-dev.txt`, `constraints.txt`.
pub(crate) fn is_named(name: &str) -> bool {
    (name.contains("requirements") || name == "constraints.txt") && has_ending(name)
}

fn has_ending(name: &str) -> bool {
    name.ends_with(".txt") || name.ends_with(".in")
}

/// The requirements files of a folder and those they include from it, compiled ones first.
pub(crate) fn in_folder(folder: &Path, files: &Files<'_>) -> Vec<Requirements> {
    let mut waiting: Vec<(PathBuf, bool)> = Vec::new();
    let below = files.entries(&folder.join("requirements"));
    for file in files.entries(folder).into_iter().chain(below) {
        let name = file_name(&file);
        let in_subfolder = file.parent() != Some(folder);
        if is_named(name) || (in_subfolder && has_ending(name)) {
            waiting.push((file.clone(), name.starts_with("constraints")));
        }
    }
    // `requirements.txt` before its variants, and what was compiled before what it was compiled from.
    let order = |file: &Path| {
        let name = file_name(file);
        (name.ends_with(".in"), name != "requirements.txt")
    };
    waiting.sort_by(|a, b| order(&a.0).cmp(&order(&b.0)).then_with(|| a.0.cmp(&b.0)));
    waiting.reverse();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some((file, constraints)) = waiting.pop() {
        if found.len() >= INCLUDES_MAX || !seen.insert(file.clone()) {
            continue;
        }
        let Some(text) = files.text(&file) else { continue };
        let (read, includes) = parse(&text);
        let beside = file.parent().unwrap_or(folder);
        for (include, only_constrains) in includes {
            let target = beside.join(&include).canonicalize();
            match target {
                Ok(target) if target.starts_with(folder) => {
                    waiting.push((target, constraints || only_constrains));
                }
                Ok(_) => files.problem(&file, "includes a file outside of the project, not read"),
                Err(_) => {}
            }
        }
        found.push(Requirements { file, constraints, ..read });
    }
    found
}

/// Reads the text of one file: its entries, and the files it includes.
fn parse(text: &str) -> (Requirements, Vec<(String, bool)>) {
    let mut read = Requirements::default();
    let mut includes = Vec::new();
    for line in joined_lines(text) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('-') {
            let split = line.find([' ', '=', '\t']).unwrap_or(line.len());
            let (option, value) = line.split_at(split);
            let value = value.trim_start_matches(['=', ' ', '\t']);
            let value = value.split(" #").next().unwrap_or(value).trim().to_owned();
            match option {
                "-r" | "--requirement" => includes.push((value, false)),
                "-c" | "--constraint" => includes.push((value, true)),
                "-i" | "--index-url" => read.options.push(("--index-url".to_owned(), value)),
                "--extra-index-url" | "--trusted-host" => {
                    read.options.push((option.to_owned(), value))
                }
                "--no-index" => read.options.push((option.to_owned(), String::new())),
                _ => {}
            }
            continue;
        }
        // Options of one requirement, such as hashes, follow it.
        let requirement = line.split(" --").next().unwrap_or(line);
        let is_address =
            requirement.split(['@', ';']).next().is_some_and(|start| start.contains("://"));
        read.entries.extend(dependency::parse(requirement).filter(|_| !is_address));
    }
    (read, includes)
}

/// Lines, with those that end in a backslash joined to the next.
fn joined_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        if let Some(start) = line.strip_suffix('\\') {
            open.push_str(start);
            open.push(' ');
            continue;
        }
        open.push_str(line);
        lines.push(std::mem::take(&mut open));
    }
    lines.push(open);
    lines
}
