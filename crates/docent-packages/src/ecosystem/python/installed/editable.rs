//! Editable installs: where the source is of which only a pointer is installed.
//!
//! Pointers are read as text, never run: `direct_url.json`, path lines of `*.pth`, the mapping in
//! setuptools' finder modules, `*.egg-link`.

use std::path::{Path, PathBuf};

use url::Url;

use super::distribution::Distribution;
use crate::ecosystem::python::files::{Files, file_name};

const PATH_FILES_MAX: usize = 200;
const MANIFESTS: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg"];

/// The folder of a distribution's source, if it is installed as a pointer to one.
pub(crate) fn source(one: &Distribution, site: &Path, files: &Files<'_>) -> Option<PathBuf> {
    if let Some(text) = files.text(&one.info.join("direct_url.json")) {
        let direct: serde_json::Value = serde_json::from_str(&text).ok()?;
        let editable = direct.pointer("/dir_info/editable").and_then(serde_json::Value::as_bool);
        let url = Url::parse(direct.get("url")?.as_str()?).ok()?;
        let folder = url.to_file_path().ok().filter(|_| editable == Some(true))?;
        // A package could name any folder; only a project is looked into.
        if !has_manifest(&folder) {
            let why = "is not a project, or gone";
            files.problem(&one.info, format_args!("its source {} {why}", folder.display()));
            return None;
        }
        return folder.canonicalize().ok();
    }
    if file_name(&one.info).ends_with(".egg-info") {
        // In a folder that a path file names, it lies beside the source itself.
        let unlisted = !one.info.join("installed-files.txt").is_file();
        let in_source = unlisted && one.site != site && one.info.is_dir();
        return in_source.then(|| project_of(&one.site)).flatten();
    }
    let pointed = import_folders_listed(one, files).into_iter().next()?;
    project_of(&pointed)
}

/// The project that a folder of modules belongs to: itself, or the one above a `src`.
fn project_of(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().take(3).find(|folder| has_manifest(folder)).map(Path::to_owned)
}

fn has_manifest(folder: &Path) -> bool {
    MANIFESTS.iter().any(|name| folder.join(name).is_file())
}

/// The folders whose modules an editable install makes importable.
pub(crate) fn import_folders(one: &Distribution, root: &Path, files: &Files<'_>) -> Vec<PathBuf> {
    let listed = import_folders_listed(one, files);
    if listed.is_empty() { vec![root.join("src"), root.to_owned()] } else { listed }
}

/// The same, from the pointers among the distribution's own files.
fn import_folders_listed(one: &Distribution, files: &Files<'_>) -> Vec<PathBuf> {
    let Some(record) = files.text(&one.info.join("RECORD")) else { return Vec::new() };
    let mut folders = Vec::new();
    for line in record.lines() {
        let path = line.split(',').next().unwrap_or(line);
        if path.contains(['/', '\\']) {
            continue;
        }
        let file = one.site.join(path);
        if path.ends_with(".pth") {
            folders.extend(path_lines(&file, files));
        } else if path.starts_with("__editable__") && path.ends_with("_finder.py") {
            let text = files.text(&file).unwrap_or_default();
            let targets = mapping(&text).into_iter().map(|(_, target)| PathBuf::from(target));
            let parents = targets.filter(|target| target.is_absolute());
            folders.extend(parents.filter_map(|target| Some(target.parent()?.to_owned())));
        }
    }
    folders.retain(|folder| folder.is_dir());
    folders.dedup();
    folders
}

/// The folders that the path files of a site add to it.
pub(crate) fn path_folders(site: &Path, files: &Files<'_>) -> Vec<PathBuf> {
    let entries = files.entries(site);
    let pointers = entries.iter().filter(|path| file_name(path).ends_with(".pth"));
    let mut folders: Vec<PathBuf> =
        pointers.take(PATH_FILES_MAX).flat_map(|file| path_lines(file, files)).collect();
    let links = entries.iter().filter(|path| file_name(path).ends_with(".egg-link"));
    for link in links.take(PATH_FILES_MAX) {
        let text = files.text(link).unwrap_or_default();
        folders.extend(text.lines().next().map(|line| PathBuf::from(line.trim())));
    }
    folders.retain(|folder| folder.is_absolute() && folder.is_dir() && folder != site);
    folders.sort();
    folders.dedup();
    folders
}

/// The lines of a path file that are paths; those that are code are not looked at.
fn path_lines(file: &Path, files: &Files<'_>) -> Vec<PathBuf> {
    let text = files.text(file).unwrap_or_default();
    let lines = text.lines().map(str::trim);
    let is_path = |line: &&str| {
        !line.is_empty()
            && !line.starts_with('#')
            && !line.starts_with("import ")
            && !line.starts_with("import\t")
    };
    let folder = file.parent().unwrap_or(file);
    lines.filter(is_path).map(|line| folder.join(line)).filter(|path| path.is_dir()).collect()
}

/// The dictionary of strings that a finder module assigns to `MAPPING`.
fn mapping(text: &str) -> Vec<(String, String)> {
    let line = text.lines().find_map(|line| {
        let rest = line.strip_prefix("MAPPING")?;
        let (_, value) = rest.split_once('=')?;
        value.trim().strip_prefix('{')
    });
    let mut strings = Vec::new();
    let mut rest = line.unwrap_or_default();
    while let Some(at) = rest.find(['\'', '"', '}']) {
        let quote = rest[at..].chars().next().unwrap_or('}');
        if quote == '}' {
            break;
        }
        let Some((string, after)) = string_literal(&rest[at + 1..], quote) else { break };
        strings.push(string);
        rest = after;
    }
    strings.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

/// A string up to its closing quote, as `repr` writes it, and what follows.
fn string_literal(text: &str, quote: char) -> Option<(String, &str)> {
    let mut string = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => match chars.next()?.1 {
                escaped @ ('\\' | '\'' | '"') => string.push(escaped),
                // Any other escape does not occur in a path that is of use.
                _ => return None,
            },
            char if char == quote => return Some((string, &text[at + char.len_utf8()..])),
            char => string.push(char),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_is_read_as_text() {
        for (text, expected) in [
            ("MAPPING: dict[str, str] = {'a': '/p/a', 'b': '/p/src/b'}\n", "a=/p/a b=/p/src/b"),
            ("x = 1\nMAPPING = {\"it's\": 'C:\\\\p\\\\it\\'s'}", "it's=C:\\p\\it's"),
            ("MAPPING = {}", ""),
            ("MAPPING = {'a': ", ""),
            ("MAPPING = {'a", ""),
            ("MAPPING = {'a': '\\x00'}", ""),
            ("MAPPING = open('x')", ""),
            ("MAPPINGS", ""),
            ("", ""),
        ] {
            let pairs: Vec<String> =
                mapping(text).iter().map(|(name, path)| format!("{name}={path}")).collect();
            assert_eq!(pairs.join(" "), expected, "{text}");
        }
    }
}
