//! Environments of a project that its tool keeps in a folder of its own: Poetry, Pipenv, Hatch, PDM.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;

use crate::Environment;
use crate::ecosystem::python::files::{Files, file_name};
use crate::ecosystem::python::name::normalized;

/// The prefixes of the environments that were made for a project's folder.
pub(crate) fn prefixes(
    folder: &Path,
    environment: &Environment,
    files: &Files<'_>,
) -> Vec<PathBuf> {
    let mut all = Vec::new();
    if let Some(name) = project_name(folder, files) {
        all.extend(poetry(folder, &name, environment, files));
        all.extend(hatch(folder, &name, environment, files));
    }
    if folder.join("Pipfile").is_file() {
        all.extend(pipenv(folder, environment, files));
    }
    let chosen = files.text(&folder.join(".pdm-python"));
    all.extend(chosen.and_then(|text| prefix_of(Path::new(text.trim()))));
    all
}

/// The prefix of an interpreter's file: `<prefix>/bin/python`.
fn prefix_of(interpreter: &Path) -> Option<PathBuf> {
    let absolute = interpreter.is_absolute().then_some(interpreter)?;
    Some(absolute.parent()?.parent()?.to_owned())
}

fn project_name(folder: &Path, files: &Files<'_>) -> Option<String> {
    let manifest = files.toml(&folder.join("pyproject.toml"))?;
    let poetry = manifest.get("tool").and_then(|tool| tool.get("poetry"));
    let tables = [poetry, manifest.get("project")];
    let name = tables.into_iter().flatten().find_map(|table| table.get("name")?.as_str());
    name.map(str::to_owned)
}

/// What Poetry and Hatch put into the names of folders to tell projects apart.
fn fingerprint(folder: &Path) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, folder.as_os_str().as_encoded_bytes());
    URL_SAFE.encode(digest).chars().take(8).collect()
}

/// `<folder>/<name>-<fingerprint>-py3.11`
fn poetry(folder: &Path, name: &str, environment: &Environment, files: &Files<'_>) -> Vec<PathBuf> {
    const NAME_CHARS_MAX: usize = 42;
    let below = |cache: PathBuf| cache.join("pypoetry/virtualenvs");
    let home = environment.home();
    let roots = [
        environment.variable("POETRY_VIRTUALENVS_PATH").map(PathBuf::from),
        environment.variable("POETRY_CACHE_DIR").map(|cache| Path::new(cache).join("virtualenvs")),
        environment.variable("XDG_CACHE_HOME").map(|cache| below(cache.into())),
        home.map(|home| below(home.join(".cache"))),
        home.map(|home| below(home.join("Library/Caches"))),
    ];
    let odd = [' ', '$', '`', '!', '*', '@', '"', '\\', '\r', '\n', '\t'];
    let name = name.to_lowercase().replace(odd, "_");
    let name: String = name.chars().take(NAME_CHARS_MAX).collect();
    let start = format!("{name}-{}-py", fingerprint(folder));
    let mut found = Vec::new();
    for root in roots.into_iter().flatten() {
        let entries = files.entries(&root).into_iter();
        found.extend(entries.filter(|path| file_name(path).starts_with(&start)));
    }
    // The newest Python first: the activated one would be in `VIRTUAL_ENV`.
    found.reverse();
    found
}

/// `<folder>/virtual/<name>/<fingerprint>/<environment>`
fn hatch(folder: &Path, name: &str, environment: &Environment, files: &Files<'_>) -> Vec<PathBuf> {
    let home = environment.home();
    let roots = [
        environment.variable("HATCH_DATA_DIR").map(PathBuf::from),
        home.map(|home| home.join(".local/share/hatch")),
        home.map(|home| home.join("Library/Application Support/hatch")),
    ];
    let below = format!("env/virtual/{}/{}", normalized(name), fingerprint(folder));
    roots.into_iter().flatten().flat_map(|root| files.entries(&root.join(&below))).collect()
}

/// Pipenv writes the project's folder into each environment's `.project`.
fn pipenv(folder: &Path, environment: &Environment, files: &Files<'_>) -> Vec<PathBuf> {
    let home = environment.home();
    let data = environment.variable("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| home.map(|home| home.join(".local/share")));
    let root = environment.variable("WORKON_HOME").map(PathBuf::from);
    let root = root.or_else(|| data.map(|data| data.join("virtualenvs")));
    let entries = root.map(|root| files.entries(&root)).unwrap_or_default();
    let belongs = |prefix: &PathBuf| {
        let project = files.text(&prefix.join(".project"));
        project.is_some_and(|project| Path::new(project.trim()) == folder)
    };
    entries.into_iter().filter(belongs).collect()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[test]
    fn each_tool_has_its_place() {
        let folder = Folder::new();
        let limits = Limits::default();
        let files = Files::new(&limits);
        let home = Environment::isolated(&folder.path().join("home"));
        let project = folder.path().join("project");
        folder.write("project/pyproject.toml", "[project]\nname = \"De.mo\"\n");
        folder.write("project/Pipfile", "");
        folder.write("project/.pdm-python", "/opt/env/bin/python\n");
        let print = fingerprint(&project);
        let envs = "home/.cache/pypoetry/virtualenvs";
        folder.write(&format!("{envs}/de.mo-{print}-py3.11/x"), "");
        folder.write(&format!("{envs}/de.mo-{print}-py3.12/x"), "");
        folder.write(&format!("{envs}/de.mo-AAAAAAAA-py3.12/x"), "");
        folder.write(&format!("home/.local/share/hatch/env/virtual/de-mo/{print}/test/x"), "");
        let mine = project.display().to_string();
        folder.write("home/.local/share/virtualenvs/project-1/.project", &mine);
        folder.write("home/.local/share/virtualenvs/other-1/.project", "/other");
        let found = prefixes(&project, &home, &files);
        let at = |path: &str| folder.path().join(path);
        assert_eq!(
            found,
            [
                at(&format!("{envs}/de.mo-{print}-py3.12")),
                at(&format!("{envs}/de.mo-{print}-py3.11")),
                at(&format!("home/.local/share/hatch/env/virtual/de-mo/{print}/test")),
                at("home/.local/share/virtualenvs/project-1"),
                PathBuf::from("/opt/env"),
            ]
        );
    }

    #[test]
    fn the_fingerprint_is_the_one_the_tools_make() {
        // python3 -c 'print(urlsafe_b64encode(sha256(b"/project").digest())[:8])'
        assert_eq!(fingerprint(Path::new("/project")), "6gE1vKXj");
    }
}
