//! The Python environments that a project may run in, and the folders they import from.
//!
//! Found by the files and variables that the tools leave behind; an interpreter is never run. Fed by
//! the project's folders, feeds [`super::installed`] and [`super::stdlib`].

mod elsewhere;
mod global;
mod layout;

use std::path::{Path, PathBuf};

use super::files::Files;
use crate::Environment;

/// One Python: where it imports packages from, and its standard library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interpreter {
    /// The folder it lives in.
    pub(crate) prefix: PathBuf,
    /// The folders it imports packages from, in order.
    pub(crate) sites: Vec<PathBuf>,
    /// The folder of the standard library.
    pub(crate) standard: Option<PathBuf>,
    /// As exact as the files tell: `3.11.7` or `3.11`; empty if they tell nothing.
    pub(crate) version: String,
    /// Whether it belongs to the machine rather than to this project.
    pub(crate) shared: bool,
}

const IN_PROJECT: &[&str] = &[".venv", "venv", "env"];

/// All environments, the one that the project would run in first; the machine's own comes last.
pub(crate) fn interpreters(
    folders: &[PathBuf],
    environment: &Environment,
    files: &Files<'_>,
) -> Vec<Interpreter> {
    let mut found: Vec<Interpreter> = Vec::new();
    let mut add = |interpreter: Option<Interpreter>| {
        if let Some(new) = interpreter
            && !found.iter().any(|known| known.prefix == new.prefix)
        {
            found.push(new);
        }
    };
    let at = |prefix: &Path| layout::of_prefix(prefix, environment, files);

    add(environment.variable("VIRTUAL_ENV").and_then(|prefix| at(Path::new(prefix))));
    // Conda activates its base environment in every shell: that one says nothing of the project.
    let base = matches!(environment.variable("CONDA_DEFAULT_ENV"), Some("base" | "root"));
    let conda = environment.variable("CONDA_PREFIX").map(Path::new);
    add(conda.filter(|_| !base).and_then(at));
    for folder in folders {
        for name in IN_PROJECT {
            let prefix = folder.join(name);
            add(prefix.join("pyvenv.cfg").is_file().then(|| at(&prefix)).flatten());
        }
        let named = environment.variable("UV_PROJECT_ENVIRONMENT");
        add(named.and_then(|name| at(&folder.join(name))));
        for prefix in elsewhere::prefixes(folder, environment, files) {
            add(at(&prefix));
        }
        for interpreter in layout::of_packages_folder(&folder.join("__pypackages__"), files) {
            add(Some(interpreter));
        }
    }
    let global = global::find(folders, environment, files).or_else(|| conda.and_then(at));
    add(global.map(|global| Interpreter { shared: true, ..global }));
    let first = path_variable(environment);
    for interpreter in &mut found {
        let own = std::mem::take(&mut interpreter.sites);
        let own = own.into_iter().filter(|site| !first.contains(site));
        interpreter.sites = first.iter().cloned().chain(own).collect();
    }
    found
}

/// The folders of `PYTHONPATH`, which every interpreter imports from before its own.
fn path_variable(environment: &Environment) -> Vec<PathBuf> {
    let listed = environment.variable("PYTHONPATH").unwrap_or_default();
    let named = std::env::split_paths(listed).filter(|folder| !folder.as_os_str().is_empty());
    let full = named.map(|folder| environment.directory().join(folder));
    full.filter(|folder| folder.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    fn prefixes(folder: &Folder, project: &str, environment: &Environment) -> Vec<String> {
        let limits = Limits::default();
        let folders = super::super::project::folders(&folder.path().join(project));
        let found = interpreters(&folders, environment, &Files::new(&limits));
        let shown = |one: &Interpreter| {
            let prefix = one.prefix.strip_prefix(folder.path()).unwrap();
            format!(
                "{} {}{}",
                prefix.display(),
                one.version,
                if one.shared { " shared" } else { "" }
            )
        };
        found.iter().map(shown).collect()
    }

    fn venv(folder: &Folder, prefix: &str, version: &str) {
        folder.write(
            &format!("{prefix}/pyvenv.cfg"),
            format!("home = {}/base/bin\nversion_info = {version}\n", folder.path().display()),
        );
        let minor = version.rsplit_once('.').unwrap().0;
        folder.write(&format!("{prefix}/lib/python{minor}/site-packages/README.txt"), "");
    }

    #[test]
    fn nearest_first_and_the_machines_own_last() {
        let folder = Folder::new();
        folder.write("home/repo/.git/HEAD", "");
        folder.write("home/repo/pyproject.toml", "[project]\nname = 'demo'\n");
        folder.write("home/repo/a/pyproject.toml", "");
        venv(&folder, "home/repo/.venv", "3.11.7");
        venv(&folder, "home/repo/a/venv", "3.12.1");
        venv(&folder, "home/active", "3.13.0");
        folder.write("home/repo/a/.venv/no-cfg", "");
        folder.write("base/lib/python3.11/os.py", "");
        folder.write("base/lib/python3.11/site-packages/x.py", "");
        folder.write("base/bin/python3.11", "");
        std::os::unix::fs::symlink("python3.11", folder.path().join("base/bin/python3")).unwrap();
        let home = Environment::isolated(&folder.path().join("home"))
            .with("PATH", &folder.path().join("base/bin").display().to_string());
        assert_eq!(
            prefixes(&folder, "home/repo/a", &home),
            ["home/repo/a/venv 3.12.1", "home/repo/.venv 3.11.7", "base 3.11 shared"]
        );
        let active = folder.path().join("home/active").display().to_string();
        let activated = home.clone().with("VIRTUAL_ENV", &active);
        assert_eq!(
            prefixes(&folder, "home/repo", &activated),
            ["home/active 3.13.0", "home/repo/.venv 3.11.7", "base 3.11 shared"]
        );
        let conda = home.with("CONDA_PREFIX", &active).with("CONDA_DEFAULT_ENV", "base");
        let expected = ["home/repo/.venv 3.11.7", "base 3.11 shared"];
        assert_eq!(prefixes(&folder, "home/repo", &conda), expected);
    }

    #[test]
    fn the_folders_of_the_variable_come_first() {
        let folder = Folder::new();
        venv(&folder, "p/.venv", "3.11.7");
        folder.write("layer/x.py", "");
        folder.write("p/vendored/y.py", "");
        let layer = folder.path().join("layer");
        let environment = Environment::isolated(&folder.path().join("home"))
            .in_directory(&folder.path().join("p"))
            .with("PYTHONPATH", &format!("{}::vendored:/missing/folder", layer.display()));
        let limits = Limits::default();
        let found = interpreters(&[folder.path().join("p")], &environment, &Files::new(&limits));
        let at = |path: &str| folder.path().join(path);
        assert_eq!(
            found[0].sites,
            [layer, at("p/vendored"), at("p/.venv/lib/python3.11/site-packages")]
        );
    }

    #[test]
    fn the_standard_library_and_system_sites_come_from_the_base() {
        let folder = Folder::new();
        venv(&folder, "p/.venv", "3.11.7");
        let cfg = folder.path().join("p/.venv/pyvenv.cfg");
        let text = std::fs::read_to_string(&cfg).unwrap() + "include-system-site-packages = TRUE\n";
        std::fs::write(cfg, text).unwrap();
        folder.write("base/lib/python3.11/os.py", "");
        folder.write("base/lib/python3.11/site-packages/x.py", "");
        folder.write("base/lib/python3.12/os.py", "");
        folder.write("home/.local/lib/python3.11/site-packages/y.py", "");
        let home = Environment::isolated(&folder.path().join("home"));
        let limits = Limits::default();
        let found = interpreters(&[folder.path().join("p")], &home, &Files::new(&limits));
        let at = |path: &str| folder.path().join(path);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].standard, Some(at("base/lib/python3.11")));
        assert_eq!(
            found[0].sites,
            [
                at("p/.venv/lib/python3.11/site-packages"),
                at("home/.local/lib/python3.11/site-packages"),
                at("base/lib/python3.11/site-packages")
            ]
        );
    }
}
