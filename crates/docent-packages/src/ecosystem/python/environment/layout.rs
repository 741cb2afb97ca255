//! What lies where below the prefix of a Python: Unix, Debian, Windows, virtual environments, Conda.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Interpreter;
use crate::Environment;
use crate::ecosystem::python::files::{Files, file_name};

/// The Python of a prefix; `None` if there is none.
pub(crate) fn of_prefix(
    prefix: &Path,
    environment: &Environment,
    files: &Files<'_>,
) -> Option<Interpreter> {
    of_minor(prefix, None, environment, files)
}

/// The same, when it is known which of several versions below one prefix is meant.
pub(crate) fn of_minor(
    prefix: &Path,
    minor: Option<&str>,
    environment: &Environment,
    files: &Files<'_>,
) -> Option<Interpreter> {
    let prefix = prefix.canonicalize().ok()?;
    let settings = settings(&prefix.join("pyvenv.cfg"), files);
    let Some(settings) = settings else {
        return base(&prefix, minor, environment, files);
    };
    let (library, minor) = library(&prefix, minor, files)?;
    let mut sites = vec![library.join("site-packages")];
    let home = settings.get("home").map(PathBuf::from);
    // `home` is the folder of the interpreter: `bin` on Unix, the prefix itself on Windows.
    let base = home.and_then(|home| {
        let above = home.parent().filter(|_| file_name(&home) == "bin");
        let minor = Some(minor.as_str()).filter(|minor| !minor.is_empty());
        base(above.unwrap_or(&home), minor, environment, files)
    });
    let version = settings.get("version_info").or_else(|| settings.get("version"));
    let version = version
        .map(|version| three_numbers(version))
        .or_else(|| Some(base.as_ref()?.version.clone()));
    let shares = settings.get("include-system-site-packages").map(String::as_str);
    let (standard, more) = base.map(|base| (base.standard, base.sites)).unwrap_or_default();
    if shares.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        sites.extend(more);
    }
    sites.retain(|site| site.is_dir());
    let version = version.unwrap_or_else(|| plain(&minor).to_owned());
    Some(Interpreter { prefix, sites, standard, version, shared: false })
}

/// A Python that is not a virtual environment.
fn base(
    prefix: &Path,
    minor: Option<&str>,
    environment: &Environment,
    files: &Files<'_>,
) -> Option<Interpreter> {
    let prefix = prefix.canonicalize().ok()?;
    let (library, minor) = library(&prefix, minor, files)?;
    let user = environment.variable("PYTHONUSERBASE").map(PathBuf::from);
    let user = user.or_else(|| Some(environment.home()?.join(".local")));
    let sites = [
        user.map(|user| user.join(format!("lib/python{minor}/site-packages"))),
        Some(library.join("site-packages")),
        Some(prefix.join(format!("lib64/python{minor}/site-packages"))),
        Some(prefix.join(format!("local/lib/python{minor}/dist-packages"))),
        Some(library.join("dist-packages")),
        Some(prefix.join("lib/python3/dist-packages")),
    ];
    let mut sites: Vec<PathBuf> =
        sites.into_iter().flatten().filter(|site| site.is_dir()).collect();
    let mut seen = std::collections::HashSet::new();
    sites.retain(|site| seen.insert(site.canonicalize().unwrap_or_else(|_| site.clone())));
    let standard = library.join("os.py").is_file().then_some(library);
    let version = exact_version(&prefix, &minor, files);
    let version = version.unwrap_or_else(|| plain(&minor).to_owned());
    Some(Interpreter { prefix, sites, standard, version, shared: false })
}

/// The folder of modules, and the version in its name: `lib/python3.11`, or `Lib` on Windows.
fn library(prefix: &Path, minor: Option<&str>, files: &Files<'_>) -> Option<(PathBuf, String)> {
    let mut found: Vec<(Vec<u64>, PathBuf, String)> = Vec::new();
    for folder in ["lib", "lib64"] {
        for path in files.entries(&prefix.join(folder)) {
            let name = file_name(&path);
            let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
            let Some(version) = version.filter(|version| version.starts_with("3.")) else {
                continue;
            };
            let number = plain(version);
            let numbers: Option<Vec<u64>> =
                number.split('.').map(|part| part.parse().ok()).collect();
            let fits = minor.is_none_or(|minor| plain(minor) == number);
            if let Some(numbers) = numbers.filter(|_| fits && path.is_dir()) {
                found.push((numbers, path.clone(), version.to_owned()));
            }
        }
    }
    // Stable, so that `lib` comes before its 64-bit twin.
    found.sort_by(|a, b| b.0.cmp(&a.0));
    let unix = found.into_iter().next().map(|(_, path, version)| (path, version));
    unix.or_else(|| {
        let windows = prefix.join("Lib");
        let usable = windows.join("os.py").is_file() || windows.join("site-packages").is_dir();
        usable.then(|| (windows, minor.unwrap_or_default().to_owned()))
    })
}

/// The full version, from the C headers or from the name of the folder.
fn exact_version(prefix: &Path, minor: &str, files: &Files<'_>) -> Option<String> {
    let headers =
        [format!("include/python{minor}/patchlevel.h"), "include/patchlevel.h".to_owned()];
    let declared = headers.iter().find_map(|header| {
        let text = files.text(&prefix.join(header))?;
        let line = text.lines().find_map(|line| line.trim().strip_prefix("#define PY_VERSION "))?;
        Some(line.trim().trim_matches('"').trim_end_matches('+').to_owned())
    });
    let minor = plain(minor);
    let fits = |version: &String| minor.is_empty() || version.starts_with(&format!("{minor}."));
    declared.filter(fits).or_else(|| {
        // pyenv names its folders `3.11.7`, uv `cpython-3.11.7-linux-x86_64-gnu`.
        let mut parts = file_name(prefix).split('-').map(str::to_owned);
        parts.find(|part| fits(part) && part.starts_with("3.") && part.split('.').count() == 3)
    })
}

/// `3.14` of `3.14t`, which is how a build without the global lock calls itself.
fn plain(minor: &str) -> &str {
    minor.trim_end_matches(|last: char| last.is_ascii_alphabetic())
}

/// `3.11.7` of `3.11.7.final.0`.
fn three_numbers(version: &str) -> String {
    let numbers = version.trim().split('.').take(3);
    numbers.collect::<Vec<_>>().join(".")
}

/// The settings of a virtual environment; `None` if this is none.
fn settings(file: &Path, files: &Files<'_>) -> Option<HashMap<String, String>> {
    let text = files.text(file)?;
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    Some(
        pairs
            .map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim().to_owned()))
            .collect(),
    )
}

/// The packages that PDM keeps beside the project: `__pypackages__/3.11/lib`.
pub(crate) fn of_packages_folder(folder: &Path, files: &Files<'_>) -> Vec<Interpreter> {
    let versions = files.entries(folder).into_iter().rev();
    let of_version = |path: PathBuf| {
        let site = path.join("lib");
        let version = file_name(&path).to_owned();
        let usable = site.is_dir() && version.starts_with("3.");
        let sites = vec![site];
        usable.then_some(Interpreter {
            prefix: path,
            sites,
            standard: None,
            version,
            shared: false,
        })
    };
    versions.filter_map(of_version).collect()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    fn at(folder: &Folder, prefix: &str) -> Option<Interpreter> {
        let home = Environment::isolated(&folder.path().join("home"));
        of_prefix(&folder.path().join(prefix), &home, &Files::new(&Limits::default()))
    }

    #[test]
    fn layouts_of_many_makers() {
        let folder = Folder::new();
        folder.write("usr/lib/python3.11/os.py", "");
        folder.write("usr/lib/python3/dist-packages/apt.py", "");
        folder.write("usr/local/lib/python3.11/dist-packages/x.py", "");
        folder.write("usr/lib/python3.11/dist-packages/z.py", "");
        folder.write("usr/lib/python2.7/os.py", "");
        let debian = at(&folder, "usr").unwrap();
        assert_eq!(debian.version, "3.11");
        let names: Vec<_> = debian
            .sites
            .iter()
            .map(|site| site.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(
            names,
            [
                "usr/local/lib/python3.11/dist-packages",
                "usr/lib/python3.11/dist-packages",
                "usr/lib/python3/dist-packages"
            ]
        );

        folder.write("win/Lib/os.py", "");
        folder.write("win/Lib/site-packages/x.py", "");
        let cfg = format!("home = {}\nversion = 3.12.1\n", folder.path().join("win").display());
        folder.write("winenv/pyvenv.cfg", cfg);
        folder.write("winenv/Lib/site-packages/y.py", "");
        let windows = at(&folder, "winenv").unwrap();
        assert_eq!(windows.standard, Some(folder.path().join("win/Lib")));
        assert_eq!(windows.sites, [folder.path().join("winenv/Lib/site-packages")]);
        assert_eq!(windows.version, "3.12.1");

        folder.write("conda/lib/python3.13/os.py", "");
        folder.write("conda/lib/python3.13/site-packages/x.py", "");
        folder.write("conda/include/python3.13/patchlevel.h", "#define PY_VERSION \"3.13.4\"\n");
        assert_eq!(at(&folder, "conda").unwrap().version, "3.13.4");
        folder.write("cpython-3.14.0-linux/lib/python3.14t/os.py", "");
        assert_eq!(at(&folder, "cpython-3.14.0-linux").unwrap().version, "3.14.0");
    }

    #[test]
    fn what_is_no_python_is_none() {
        let folder = Folder::new();
        folder.write("empty/x", "");
        folder.write("broken/pyvenv.cfg", "home\n===\n\0\n");
        folder.write("odd/lib/python3.x/os.py", "");
        for prefix in ["empty", "broken", "odd", "missing"] {
            assert_eq!(at(&folder, prefix), None, "{prefix}");
        }
    }
}
