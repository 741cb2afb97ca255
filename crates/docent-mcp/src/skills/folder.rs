//! Skills from the disk: every folder with a `SKILL.md`, and all that is in it.

use std::path::Path;

use super::{SKILL_MD, ServerSkill};
use crate::error::{Error, Result};
use crate::limits::Limits;

/// Every skill in `root` and below, in the order of their paths; `root` itself may be one.
pub(super) fn find(root: &Path, limits: &Limits) -> Result<Vec<ServerSkill>> {
    let mut found = Vec::new();
    look(root, &mut Vec::new(), limits, &mut found)?;
    Ok(found)
}

/// Looks into a folder, which is `path` away from where the search began.
fn look(
    folder: &Path,
    path: &mut Vec<String>,
    limits: &Limits,
    found: &mut Vec<ServerSkill>,
) -> Result<()> {
    if folder.join(SKILL_MD).is_file() {
        let skill = read(folder, limits)?;
        let own = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        if own.as_deref() != Some(skill.name()) && !path.is_empty() {
            return Err(bad(folder, &format!("the skill is called {:?}", skill.name())));
        }
        found.push(match path.split_last() {
            Some((_, prefix)) if !prefix.is_empty() => skill.prefix(prefix.join("/"))?,
            _ => skill,
        });
    }
    for (name, is_folder) in entries(folder, path.len(), limits)? {
        if is_folder {
            let below = folder.join(&name);
            path.push(name);
            look(&below, path, limits, found)?;
            path.pop();
        }
    }
    Ok(())
}

/// The skill in a folder.
fn read(folder: &Path, limits: &Limits) -> Result<ServerSkill> {
    let text = std::fs::read(folder.join(SKILL_MD)).map_err(|error| failed(folder, error))?;
    let text = String::from_utf8(text)
        .map_err(|_| bad(folder, &format!("the {SKILL_MD} is not text in UTF-8")))?;
    let mut left = limits.skill_bytes_max.saturating_sub(text.len());
    let skill = ServerSkill::new(text).map_err(|error| bad(folder, &error.to_string()))?;
    collect(folder, &mut Vec::new(), skill, &mut left, limits)
}

/// Adds every file in a folder and below.
fn collect(
    folder: &Path,
    path: &mut Vec<String>,
    mut skill: ServerSkill,
    left: &mut usize,
    limits: &Limits,
) -> Result<ServerSkill> {
    for (name, is_folder) in entries(folder, path.len(), limits)? {
        let below = folder.join(&name);
        if path.is_empty() && name == SKILL_MD {
            continue;
        }
        path.push(name);
        if is_folder {
            skill = collect(&below, path, skill, left, limits)?;
        } else {
            let length = below.metadata().map_err(|error| failed(&below, error))?.len();
            let fits = usize::try_from(length).is_ok_and(|length| length <= *left);
            if !fits || skill.files.len() >= limits.skill_files_max {
                let (files, bytes) = (limits.skill_files_max, limits.skill_bytes_max);
                let message = format!("a skill has at most {files} files and {bytes} bytes");
                return Err(bad(&below, &message));
            }
            let content = std::fs::read(&below).map_err(|error| failed(&below, error))?;
            *left = left.saturating_sub(content.len());
            skill = skill.file(path.join("/"), content)?;
        }
        path.pop();
    }
    Ok(skill)
}

/// What is in a folder, by name, and whether each is a folder. Hidden files are left out; links,
/// which may lead anywhere, are refused.
fn entries(folder: &Path, depth: usize, limits: &Limits) -> Result<Vec<(String, bool)>> {
    let depth_max = limits.skill_depth_max;
    if depth > depth_max {
        return Err(bad(folder, &format!("folders are nested more than {depth_max} deep")));
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let entry = entry.map_err(|error| failed(folder, error))?;
        let kind = entry.file_type().map_err(|error| failed(&entry.path(), error))?;
        let Ok(name) = entry.file_name().into_string() else {
            return Err(bad(&entry.path(), "its name is not Unicode"));
        };
        match (kind.is_dir(), kind.is_file()) {
            _ if name.starts_with('.') => {}
            (false, false) => return Err(bad(&entry.path(), "it is neither a file nor a folder")),
            (is_folder, _) => entries.push((name, is_folder)),
        }
    }
    entries.sort();
    Ok(entries)
}

fn bad(path: &Path, what: &str) -> Error {
    Error::invalid_input(format!("no skill can be made of {}: {what}", path.display()))
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    bad(path, "it cannot be read").with_source(error)
}
