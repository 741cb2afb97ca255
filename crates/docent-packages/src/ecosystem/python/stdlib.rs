//! Modules of the standard library, as files of the interpreter that the project runs with.
//!
//! Only the files of the module asked for are listed, with those it takes its names from: the whole
//! library would be read for nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::environment::Interpreter;
use super::files::{Files, file_name};
use super::installed::source_files;
use super::stdlib_names::is_standard;
use crate::ecosystem::{Installed, Name};
use crate::tree::Place;

/// Files that one module may pull in.
const FILES_MAX: usize = 400;

/// The top-level module of a name that belongs to the standard library.
pub(crate) fn module_of(name: &Name) -> Option<&str> {
    let first = name.module.as_deref()?.split('.').next()?;
    is_standard(first).then_some(first)
}

/// The module in each interpreter that has it, nearest first.
pub(crate) fn find(name: &Name, interpreters: &[Interpreter], files: &Files<'_>) -> Vec<Installed> {
    let Some(module) = module_of(name) else { return Vec::new() };
    let mut found: Vec<Installed> = Vec::new();
    let mut libraries: Vec<&PathBuf> = Vec::new();
    for interpreter in interpreters {
        let Some(library) = &interpreter.standard else { continue };
        // An environment and the machine's own Python often share one.
        if libraries.contains(&library) {
            continue;
        }
        libraries.push(library);
        let (root, list) = match module_files(library, module, files) {
            list if !list.is_empty() => (library.clone(), list),
            // A module in C has no file; a type checker among the packages brings a stub of it.
            _ => match stub(interpreter, module, files) {
                Some(stub) => stub,
                None => continue,
            },
        };
        found.push(Installed {
            name: "python".to_owned(),
            version: interpreter.version.clone(),
            shown: root.clone(),
            place: Place::Folder { root, files: Some(list) },
            bundled: true,
        });
    }
    if let (true, Some(library)) = (found.is_empty(), libraries.first()) {
        files
            .problem(library, format_args!("`{module}` is built in or not there: no text to read"));
    }
    found
}

/// The files of a module and of those that it takes names from, relative to the library.
fn module_files(library: &Path, module: &str, files: &Files<'_>) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut wanted = vec![module.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(module) = wanted.pop() {
        if found.len() > FILES_MAX || !seen.insert(module.clone()) {
            continue;
        }
        let folder = library.join(&module);
        let mut own: Vec<String> = if folder.join("__init__.py").is_file() {
            let below = source_files(&folder, files).into_iter();
            let below =
                below.filter(|path| !path.split('/').any(|part| part == "test" || part == "tests"));
            below.map(|path| format!("{module}/{path}")).collect()
        } else {
            Vec::new()
        };
        let endings = ["py", "pyi"].map(|ending| format!("{module}.{ending}"));
        own.extend(endings.into_iter().filter(|file| library.join(file).is_file()));
        for file in &own {
            let text = files.text(&library.join(file)).unwrap_or_default();
            wanted.extend(text.lines().filter_map(origin).map(str::to_owned));
        }
        found.extend(own);
    }
    found.into_iter().take(FILES_MAX).collect()
}

/// The top-level module that a line takes public names from: a private module (`from _x import y`),
/// all of one (`from x import *`), or one under another name (`import posixpath as path`).
fn origin(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("from ") {
        let (module, names) = rest.split_once(" import ")?;
        let private = module.starts_with('_') && module != "__future__";
        return (private || names.trim() == "*").then(|| plain(module)).flatten();
    }
    let (module, alias) = line.strip_prefix("import ")?.split_once(" as ")?;
    let public = !alias.trim().starts_with('_') && !module.starts_with('_');
    public.then(|| plain(module)).flatten()
}

/// A module's name that can only be a file of the library itself.
fn plain(module: &str) -> Option<&str> {
    let module = module.trim();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!module.is_empty() && module.bytes().all(word)).then_some(module)
}

/// The stub of a module from a copy of typeshed that some package carries.
fn stub(
    interpreter: &Interpreter,
    module: &str,
    files: &Files<'_>,
) -> Option<(PathBuf, Vec<String>)> {
    let packages = interpreter.sites.iter().flat_map(|site| files.entries(site));
    packages.filter(|package| !file_name(package).contains('.')).find_map(|package| {
        let root = package.join("typeshed/stdlib");
        let file = format!("{module}.pyi");
        if root.join(&file).is_file() {
            return Some((root, vec![file]));
        }
        let below = source_files(&root.join(module), files);
        let list: Vec<String> = below.into_iter().map(|path| format!("{module}/{path}")).collect();
        (!list.is_empty()).then_some((root, list))
    })
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;
    use crate::ecosystem::python::name;

    fn library() -> (Folder, Interpreter) {
        let folder = Folder::new();
        for (path, text) in [
            (
                "lib/os.py",
                "import posixpath as path\nfrom _collections_abc import Mapping\nimport sys\n",
            ),
            ("lib/posixpath.py", "import os\nfrom genericpath import *\n"),
            ("lib/genericpath.py", "import os\n"),
            ("lib/_collections_abc.py", "from __future__ import annotations\n"),
            ("lib/sys_other.py", ""),
            ("lib/json/__init__.py", "from .decoder import JSONDecoder\n"),
            ("lib/json/decoder.py", "from ../../x import *\nimport a.b as c\n"),
            ("lib/json/tests/x.py", ""),
            ("site/checker/typeshed/stdlib/math.pyi", ""),
        ] {
            folder.write(path, text);
        }
        let interpreter = Interpreter {
            prefix: folder.path().to_owned(),
            sites: vec![folder.path().join("site")],
            standard: Some(folder.path().join("lib")),
            version: "3.11.7".to_owned(),
            shared: true,
        };
        (folder, interpreter)
    }

    #[track_caller]
    fn check(written: &str, expected: &str) -> Vec<String> {
        let (_folder, interpreter) = library();
        let limits = Limits::default();
        let files = Files::new(&limits);
        let found = find(&name::parse(written).unwrap(), &[interpreter], &files);
        let lists = found.iter().map(|copy| match &copy.place {
            Place::Folder { files: Some(list), .. } if copy.bundled => {
                format!("{} {} {}", copy.name, copy.version, list.join(" "))
            }
            _ => "wrong".to_owned(),
        });
        assert_eq!(lists.collect::<Vec<_>>().join("; "), expected, "{written}");
        files.into_problems()
    }

    #[test]
    fn a_module_with_what_it_takes_its_names_from() {
        let os = "python 3.11.7 _collections_abc.py genericpath.py os.py posixpath.py";
        check("os.path", os);
        check("os", os);
        check("json", "python 3.11.7 json/__init__.py json/decoder.py");
        check("math", "python 3.11.7 math.pyi");
        check("yaml", "");
        let problems = check("itertools", "");
        assert!(problems[0].contains("`itertools` is built in"), "{problems:?}");
    }
}
