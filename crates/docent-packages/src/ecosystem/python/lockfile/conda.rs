//! What conda, conda-lock and pixi say: `conda-lock.yml`, `pixi.lock`, `environment.yml`.
//!
//! Their files hold packages of two kinds. What pip installs has the name that it has on an index. What
//! conda installs has a name of conda's own: the lockfile of pixi says which package of the index it
//! is, as a purl; elsewhere one of the same name is taken for it, and the answer says so. Of these, a
//! lockfile tells by the build which are for Python at all.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::locked;
use crate::ecosystem::Locked;
use crate::ecosystem::python::dependency;
use crate::ecosystem::python::files::Files;
use crate::ecosystem::python::version;

/// All that the files of a folder pin.
pub(super) fn in_folder(folder: &Path, files: &Files<'_>) -> Vec<Locked> {
    let mut all = Vec::new();
    let read = |name: &str| Some((folder.join(name), files.yaml::<Value>(&folder.join(name))?));
    for (file, lock) in ["conda-lock.yml", "conda-lock.yaml"].into_iter().filter_map(read) {
        all.extend(rows(&lock, "package").filter_map(|row| of_conda_lock(row, &file)));
    }
    for (file, lock) in ["pixi.lock"].into_iter().filter_map(read) {
        all.extend(rows(&lock, "packages").filter_map(|row| of_pixi(row, &file)));
    }
    for (file, environment) in ["environment.yml", "environment.yaml"].into_iter().filter_map(read)
    {
        all.extend(rows(&environment, "dependencies").flat_map(|row| of_environment(row, &file)));
    }
    // There is a row for each platform.
    let mut seen = std::collections::HashSet::new();
    all.retain(|one| seen.insert((one.name.clone(), one.version.clone(), one.file.clone())));
    all
}

fn rows<'a>(document: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    document.get(key).and_then(Value::as_array).into_iter().flatten()
}

#[derive(Deserialize)]
struct CondaLocked {
    name: String,
    version: String,
    manager: String,
    #[serde(default)]
    build: Option<String>,
    url: String,
}

fn of_conda_lock(row: &Value, file: &Path) -> Option<Locked> {
    let row = CondaLocked::deserialize(row).ok()?;
    if row.manager == "pip" {
        return locked(&row.name, &row.version, file);
    }
    let build = row.build.or_else(|| Some(Artifact::of(&row.url)?.build.to_owned()))?;
    is_for_python(&build).then(|| by_conda(&row.name, &row.version, file))?
}

fn of_pixi(row: &Value, file: &Path) -> Option<Locked> {
    let text = |key: &str| row.get(key).and_then(Value::as_str);
    // Older lockfiles name the kind in a field, newer ones by the key of the address.
    if text("kind") == Some("pypi") || text("pypi").is_some() {
        return locked(text("name")?, text("version")?, file);
    }
    let address = text("conda").or_else(|| text("url"))?;
    let Artifact { name, version, build } = Artifact::of(address)?;
    let version = text("version").unwrap_or(version);
    let purls = rows(row, "purls").filter_map(Value::as_str);
    let known = { purls }.find_map(|purl| {
        let rest = purl.strip_prefix("pkg:pypi/")?;
        rest.split(['@', '?', '#']).next()
    });
    match known {
        Some(name) => locked(name, version, file),
        // An empty list says that it is nothing of Python's.
        None if row.get("purls").is_some() => None,
        None => is_for_python(build).then(|| by_conda(name, version, file))?,
    }
}

/// `numpy==1.26.4`, `numpy=1.26.4`, `numpy=1.26.4=py311h64a7726_0`; or what pip is to install.
fn of_environment(row: &Value, file: &Path) -> Vec<Locked> {
    if let Some(written) = row.as_str() {
        return pin(written, file).into_iter().collect();
    }
    let requirements = rows(row, "pip").filter_map(Value::as_str);
    let pins = requirements.filter_map(|requirement| {
        let entry = dependency::parse(requirement)?;
        let version = entry.range.starts_with("==").then(|| version::exact(&entry.range))??;
        locked(&entry.name, &version, file)
    });
    pins.collect()
}

fn pin(written: &str, file: &Path) -> Option<Locked> {
    // The channel may come first.
    let written = written.rsplit("::").next().unwrap_or(written).trim();
    let (name, rest) = written.split_once('=')?;
    let (version, is_exact) = match rest.strip_prefix('=') {
        Some(version) => (version, true),
        None => match rest.split_once('=') {
            Some((version, _)) => (version, true),
            None => (rest, false),
        },
    };
    // `=1.26` means any 1.26.x; with three numbers there is hardly a choice left.
    let names_one = is_exact || version.split('.').count() >= 3;
    let is_plain =
        !version.contains(['*', ',', '|', '<', '>', ' ']) && !name.contains(['<', '>', '!', '~']);
    (names_one && is_plain).then(|| by_conda(name.trim(), version, file))?
}

fn by_conda(name: &str, version: &str, file: &Path) -> Option<Locked> {
    Some(Locked { by_conda: true, ..locked(name, version, file)? })
}

/// The parts of the name of a package's file: `numpy-1.26.4-py311h64a7726_0.conda`.
struct Artifact<'a> {
    name: &'a str,
    version: &'a str,
    build: &'a str,
}

impl<'a> Artifact<'a> {
    fn of(address: &'a str) -> Option<Self> {
        let file = address.split(['#', '?']).next()?.rsplit('/').next()?;
        let stem = file.strip_suffix(".conda").or_else(|| file.strip_suffix(".tar.bz2"))?;
        let (rest, build) = stem.rsplit_once('-')?;
        let (name, version) = rest.rsplit_once('-')?;
        Some(Self { name, version, build })
    }
}

/// Whether a build is one for an interpreter, or for any of them: `py311h64a7726_0`, `pyhd8ed1ab_0`.
fn is_for_python(build: &str) -> bool {
    build.starts_with("py") || build.contains("_py3")
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[&str]) {
        let folder = Folder::new();
        folder.write(name, text);
        let limits = Limits::default();
        let files = Files::new(&limits);
        let found = in_folder(folder.path(), &files);
        let shown = |one: &Locked| {
            let by_conda = if one.by_conda { " by conda" } else { "" };
            format!("{} {}{by_conda}", one.name, one.version)
        };
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected, "{name}");
        assert_eq!(files.into_problems(), [""; 0], "{name}");
    }

    #[test]
    fn lockfiles() {
        let row = |name: &str, version: &str, manager: &str, file: &str| {
            format!(
                "- name: {name}\n  version: {version}\n  manager: {manager}\n  platform: linux-64\n  \
                 dependencies: {{}}\n  url: https://channel.example/noarch/{file}\n  hash:\n    md5: x\n"
            )
        };
        let rows = [
            row("numpy", "1.26.4", "conda", "numpy-1.26.4-py311h64a7726_0.conda"),
            row("numpy", "1.26.4", "conda", "numpy-1.26.4-py311h7125741_0.conda"),
            row("openssl", "3.4.1", "conda", "openssl-3.4.1-h7b32b05_0.conda"),
            row("attrs", "25.3.0", "conda", "attrs-25.3.0-pyh71513ae_0.tar.bz2"),
            row("tzdata", "2024a", "conda", "tzdata-2024a-h0c530f3_0.conda"),
            row("Requests", "2.32.3", "pip", "requests-2.32.3-py3-none-any.whl"),
        ];
        let expected = ["numpy 1.26.4 by conda", "attrs 25.3.0 by conda", "requests 2.32.3"];
        check("conda-lock.yml", &format!("version: 1\npackage:\n{}", rows.concat()), &expected);
        let pixi = "version: 6\npackages:\n\
            - conda: https://channel.example/linux-64/pytorch-2.5.1-cpu_mkl_py312_0.conda\n  purls:\n  \
            - pkg:pypi/torch?source=hash-mapping\n\
            - conda: https://channel.example/linux-64/openssl-3.4.1-h7b32b05_0.conda\n  purls: []\n\
            - conda: https://channel.example/noarch/attrs-25.3.0-pyh71513ae_0.conda\n\
            - pypi: https://files.example/requests-2.32.3-py3-none-any.whl\n  name: requests\n  version: 2.32.3\n\
            - kind: pypi\n  name: idna\n  version: '3.10'\n  url: https://files.example/idna.whl\n";
        let expected = ["torch 2.5.1", "attrs 25.3.0 by conda", "requests 2.32.3", "idna 3.10"];
        check("pixi.lock", pixi, &expected);
    }

    #[test]
    fn environments() {
        let text = "name: x\nchannels: [conda-forge]\ndependencies:\n- python=3.11\n- numpy=1.26.4\n\
            - conda-forge::scipy==1.14.0\n- pandas=2.2=py311h0\n- attrs>=25\n- click=8.*\n- pip\n\
            - pip:\n  - requests==2.32.3\n  - idna>=3\n  - -r other.txt\n";
        let expected = [
            "numpy 1.26.4 by conda",
            "scipy 1.14.0 by conda",
            "pandas 2.2 by conda",
            "requests 2.32.3",
        ];
        check("environment.yml", text, &expected);
        check("environment.yaml", "dependencies: 3\n", &[]);
        check("conda-lock.yml", "package:\n- 1\n- name: x\n- {}\n", &[]);
        check("pixi.lock", "packages:\n- conda: x\n- conda: -.conda\n- conda: ''\n", &[]);
    }
}
