//! One installed distribution: its `*.dist-info` or `*.egg-info`, and the files it says it has.

use std::path::{Path, PathBuf};

use super::editable;
use crate::ecosystem::python::files::{Files, file_name};
use crate::ecosystem::python::name::normalized;

/// A distribution, as the name of its folder tells it.
#[derive(Debug, Clone)]
pub(crate) struct Distribution {
    /// In normal form.
    pub(crate) name: String,
    version: Option<String>,
    /// Its `*.dist-info` or `*.egg-info`, a folder or, from old tools, a file.
    pub(crate) info: PathBuf,
    /// The folder that `info` is in.
    pub(crate) site: PathBuf,
}

impl Distribution {
    /// The distribution that this entry of a folder describes, if it describes one.
    pub(crate) fn at(info: &Path) -> Option<Self> {
        let entry = file_name(info);
        let (name, version) = match entry.strip_suffix(".dist-info") {
            Some(stem) => stem.rsplit_once('-').map(|(name, version)| (name, Some(version)))?,
            None => {
                // `name-version-py3.11`, or only the name in a source folder.
                let stem = entry.strip_suffix(".egg-info")?;
                let mut parts = stem.split('-');
                (parts.next()?, parts.next())
            }
        };
        // pip renames what it is removing to `~name`.
        if name.is_empty() || name.starts_with('~') {
            return None;
        }
        Some(Self {
            name: normalized(name),
            version: version.map(str::to_owned),
            info: info.to_owned(),
            site: info.parent()?.to_owned(),
        })
    }

    /// Name and version: what its metadata says, or else its folder's name.
    pub(crate) fn identity(&self, files: &Files<'_>) -> Option<(String, String)> {
        let places = [self.info.join("METADATA"), self.info.join("PKG-INFO"), self.info.clone()];
        let metadata = places.iter().find_map(|file| files.text(file)).unwrap_or_default();
        let header = |name: &str| {
            let lines = metadata.lines().take_while(|line| !line.is_empty());
            let mut pairs = lines.filter_map(|line| line.split_once(':'));
            let value = pairs.find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let version = header("Version").or_else(|| self.version.clone());
        if version.is_none() {
            files.problem(&self.info, "names no version");
        }
        let name = header("Name").filter(|name| super::super::name::is_distribution(name));
        Some((name.unwrap_or_else(|| self.name.clone()), version?))
    }

    /// The files it has, relative to its folder and not yet checked.
    pub(crate) fn listed(&self, files: &Files<'_>) -> Vec<String> {
        if let Some(record) = files.text(&self.info.join("RECORD")) {
            return record.lines().filter_map(first_field).collect();
        }
        let info = file_name(&self.info);
        if let Some(list) = files.text(&self.info.join("installed-files.txt")) {
            let relative = |line: &str| crate::tree::join(info, line.trim());
            return list.lines().filter_map(relative).collect();
        }
        // Linux distributions leave the list out.
        let mut found: Vec<String> = files
            .entries(&self.info)
            .iter()
            .map(|path| format!("{info}/{}", file_name(path)))
            .collect();
        for top in self.top_level(files).unwrap_or_else(|| vec![self.name.replace('-', "_")]) {
            let below = super::contained::source_files(&self.site.join(&top), files);
            found.extend(below.into_iter().map(|path| format!("{top}/{path}")));
            found.extend([format!("{top}.py"), format!("{top}.pyi")]);
        }
        found
    }

    fn top_level(&self, files: &Files<'_>) -> Option<Vec<String>> {
        let text = files.text(&self.info.join("top_level.txt"))?;
        let plain = |line: &&str| {
            let odd = line.starts_with('/') || line.contains(['\\', ':', '\0']);
            !line.is_empty() && !odd && !line.split('/').any(|part| part == "..")
        };
        Some(text.lines().map(str::trim).filter(plain).map(str::to_owned).collect())
    }

    /// How many parts of an import's path it brings; `present` is whether the folder has any file
    /// of that name.
    pub(crate) fn covers(&self, path: &[String], present: bool, files: &Files<'_>) -> usize {
        if present {
            let covered = self.listed(files).iter().map(|file| common(file, path)).max();
            if let Some(covered) = covered.filter(|covered| *covered > 0) {
                return covered;
            }
        }
        // Every tool leaves this file for an install that is only a pointer.
        if !self.info.join("direct_url.json").is_file() {
            return 0;
        }
        let Some(root) = editable::source(self, &self.site, files) else { return 0 };
        let top_level = self.top_level(files).unwrap_or_default();
        if top_level.iter().any(|top| Some(&normalized(top)) == path.first()) {
            return 1;
        }
        let modules = editable::import_folders(self, &root, files);
        let below = modules.iter().flat_map(|folder| files.entries(folder));
        below.map(|entry| module_parts(&entry, path)).max().unwrap_or(0)
    }
}

/// One when an entry of a folder of modules has the name that the path begins with.
fn module_parts(entry: &Path, path: &[String]) -> usize {
    let name = file_name(entry);
    let module = name.strip_suffix(".py").or_else(|| entry.is_dir().then_some(name));
    usize::from(module.is_some_and(|module| Some(&normalized(module)) == path.first()))
}

/// How many leading parts the module of a file has in common with a path.
fn common(file: &str, path: &[String]) -> usize {
    let is_module = [".py", ".pyi", ".so", ".pyd"].iter().any(|end| file.ends_with(end));
    if !is_module {
        return 0;
    }
    let part = |part: &str| normalized(part.split('.').next().unwrap_or(part));
    file.split('/').zip(path).take_while(|(have, want)| part(have) == **want).count()
}

/// The first field of a line of `RECORD`, which is CSV.
fn first_field(line: &str) -> Option<String> {
    let field = match line.strip_prefix('"') {
        None => line.split(',').next()?.to_owned(),
        Some(rest) => {
            let mut field = String::new();
            let mut chars = rest.chars().peekable();
            while let Some(char) = chars.next() {
                match char {
                    '"' if chars.next_if_eq(&'"').is_some() => field.push('"'),
                    '"' => break,
                    char => field.push(char),
                }
            }
            field
        }
    };
    (!field.is_empty()).then_some(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_tell_name_and_version() {
        for (entry, expected) in [
            ("PyYAML-6.0.3.dist-info", Some(("pyyaml", Some("6.0.3")))),
            (
                "python_dateutil-2.9.0.post0.dist-info",
                Some(("python-dateutil", Some("2.9.0.post0"))),
            ),
            ("zope.interface-5.0-py3.8.egg-info", Some(("zope-interface", Some("5.0")))),
            ("tiny.egg-info", Some(("tiny", None))),
            ("~yyaml-6.0.dist-info", None),
            ("-1.0.dist-info", None),
            ("nothing.dist-info", None),
            ("yaml", None),
            (".egg-info", None),
        ] {
            let found = Distribution::at(&Path::new("/site").join(entry));
            let found = found.as_ref().map(|one| (one.name.as_str(), one.version.as_deref()));
            assert_eq!(found, expected, "{entry}");
        }
    }

    #[test]
    fn records_are_csv() {
        for (line, expected) in [
            ("yaml/__init__.py,sha256=x,1", Some("yaml/__init__.py")),
            ("\"a,\"\"b\"\".py\",,", Some("a,\"b\".py")),
            ("\"open", Some("open")),
            ("", None),
            (",,", None),
        ] {
            assert_eq!(first_field(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn files_cover_imports() {
        let path = ["google", "cloud", "storage"].map(str::to_owned);
        for (file, expected) in [
            ("google/cloud/storage/__init__.py", 3),
            ("google/protobuf/message.py", 1),
            ("google/cloud/storage.cpython-311-x86_64-linux-gnu.so", 3),
            ("Google.pyi", 1),
            ("google/data.json", 0),
            ("googles/x.py", 0),
        ] {
            assert_eq!(common(file, &path), expected, "{file}");
        }
    }
}
