//! The machine's own Python: the one that pyenv chooses, or `python3` on the path.

use std::path::{Path, PathBuf};

use super::{Interpreter, layout};
use crate::Environment;
use crate::ecosystem::python::files::{Files, file_name};

/// The Python that runs when no environment is active.
pub(crate) fn find(
    folders: &[PathBuf],
    environment: &Environment,
    files: &Files<'_>,
) -> Option<Interpreter> {
    pyenv(folders, environment, files).or_else(|| on_path(environment, files))
}

/// The version that pyenv's files name, if pyenv has it.
fn pyenv(folders: &[PathBuf], environment: &Environment, files: &Files<'_>) -> Option<Interpreter> {
    let root = environment.variable("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| Some(environment.home()?.join(".pyenv")))?;
    let installed: Vec<PathBuf> = files.entries(&root.join("versions"));
    if installed.is_empty() {
        return None;
    }
    let pinned = folders.iter().map(|folder| folder.join(".python-version"));
    let chosen = environment.variable("PYENV_VERSION").map(str::to_owned);
    let chosen = chosen
        .or_else(|| pinned.chain([root.join("version")]).find_map(|file| files.text(&file)))?;
    let wanted = chosen.split(['\n', ':']).map(str::trim).filter(|line| !line.starts_with('#'));
    wanted.filter(|version| !version.is_empty()).find_map(|version| {
        let exact = installed.iter().find(|path| file_name(path) == version);
        // `3.11` stands for the newest `3.11.x`.
        let series = format!("{version}.");
        let in_series = installed.iter().filter(|path| file_name(path).starts_with(&series));
        let newest = in_series.max_by_key(|path| {
            let patch =
                file_name(path).strip_prefix(&series).and_then(|rest| rest.parse::<u64>().ok());
            patch.unwrap_or(0)
        });
        layout::of_prefix(exact.or(newest)?, environment, files)
    })
}

/// The first `python3` on the path that is an interpreter and not a script that chooses one.
fn on_path(environment: &Environment, files: &Files<'_>) -> Option<Interpreter> {
    let path = environment.variable("PATH")?;
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.filter(|folder| file_name(folder) != "shims").find_map(|folder| {
        let names = ["python3", "python", "python3.exe", "python.exe"];
        let file = names.iter().map(|name| folder.join(name)).find(|file| file.is_file())?;
        at(&file, environment, files)
    })
}

fn at(file: &Path, environment: &Environment, files: &Files<'_>) -> Option<Interpreter> {
    // In a virtual environment the file is a link to the base, so it is looked at before following.
    let beside = file.parent()?.parent()?;
    if beside.join("pyvenv.cfg").is_file() {
        return layout::of_prefix(beside, environment, files);
    }
    let real = file.canonicalize().ok()?;
    let folder = real.parent()?;
    let prefix = folder.parent().filter(|_| file_name(folder) == "bin").unwrap_or(folder);
    let minor = file_name(&real).strip_prefix("python").filter(|minor| minor.starts_with("3."));
    layout::of_minor(prefix, minor, environment, files)
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[test]
    fn pyenv_chooses_by_its_files() {
        let folder = Folder::new();
        for version in ["3.11.7", "3.11.12", "3.12.1", "named"] {
            let minor = if version.starts_with("3.11") { "3.11" } else { "3.12" };
            folder.write(&format!("home/.pyenv/versions/{version}/lib/python{minor}/os.py"), "");
        }
        folder.write("home/.pyenv/version", "3.12.1\n");
        let home = Environment::isolated(&folder.path().join("home"));
        let limits = Limits::default();
        let chosen = |text: &str, environment: &Environment| {
            folder.write("p/.python-version", text);
            let folders = [folder.path().join("p")];
            let found = find(&folders, environment, &Files::new(&limits));
            found.map(|found| file_name(&found.prefix).to_owned())
        };
        for (text, expected) in [
            ("3.11.7\n", Some("3.11.7")),
            ("3.11\n", Some("3.11.12")),
            ("# why\n2.7\nnamed\n", Some("named")),
            ("../../escape\n", None),
            ("9.9\n", None),
        ] {
            assert_eq!(chosen(text, &home).as_deref(), expected, "{text}");
        }
        std::fs::remove_file(folder.path().join("p/.python-version")).unwrap();
        let found = find(&[folder.path().join("p")], &home, &Files::new(&limits)).unwrap();
        assert_eq!(found.version, "3.12.1");
        let set = home.with("PYENV_VERSION", "3.11.7");
        assert_eq!(chosen("3.12.1", &set).as_deref(), Some("3.11.7"));
    }

    #[test]
    fn a_script_that_chooses_an_interpreter_is_passed_over() {
        let folder = Folder::new();
        folder.write("shims/python3", "#!/bin/sh\n");
        folder.write("wrappers/python3", "#!/bin/sh\n");
        folder.write("usr/bin/python3.11", "");
        folder.write("usr/lib/python3.11/os.py", "");
        folder.write("usr/lib/python3.12/os.py", "");
        std::os::unix::fs::symlink("python3.11", folder.path().join("usr/bin/python3")).unwrap();
        let path = ["shims", "wrappers", "usr/bin"].map(|name| folder.path().join(name));
        let path = std::env::join_paths(path).unwrap().into_string().unwrap();
        let home = Environment::isolated(&folder.path().join("home")).with("PATH", &path);
        let found = find(&[], &home, &Files::new(&Limits::default())).unwrap();
        assert_eq!(found.standard, Some(folder.path().join("usr/lib/python3.11")));
    }
}
