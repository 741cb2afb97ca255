//! Lockfiles as uv, Poetry, Pipenv and pip write them (shortened, in `tests/`), and broken ones.

use docent_testkit::folder::Folder;

use super::*;
use crate::Limits;

/// What is pinned, as `file: name version …`, and the problems.
fn read(folder: &Folder) -> (Vec<String>, Vec<String>) {
    let limits = Limits::default();
    let files = Files::new(&limits);
    let found = all(&[folder.path().to_owned()], &files);
    let shown = |one: &Locked| format!("{}: {} {}", file_name(&one.file), one.name, one.version);
    (found.iter().map(shown).collect(), files.into_problems())
}

#[track_caller]
fn check(name: &str, text: &str, expected: &[&str]) {
    let folder = Folder::new();
    folder.write(name, text);
    let expected: Vec<String> = expected.iter().map(|row| format!("{name}: {row}")).collect();
    assert_eq!(read(&folder), (expected, Vec::new()));
}

#[test]
fn real_ones() {
    let all = [
        "attrs 25.3.0",
        "click 8.5.1",
        "python-dateutil 2.9.0.post0",
        "pyyaml 6.0.3",
        "six 1.17.0",
    ];
    check("uv.lock", include_str!("tests/uv.lock"), &all);
    check("pylock.toml", include_str!("tests/pylock.toml"), &all);
    check("pylock.dev.toml", include_str!("tests/pylock.toml"), &all);
    check("requirements.txt", include_str!("tests/requirements.txt"), &all[1..]);
    check("poetry.lock", include_str!("tests/poetry.lock"), &["click 8.5.1", "pyyaml 6.0.3"]);
    check("Pipfile.lock", include_str!("tests/Pipfile.lock"), &["click 8.5.1", "pyyaml 6.0.3"]);
}

#[test]
fn folders_of_the_project_are_not_locked() {
    let uv = "[[package]]\nname = 'a'\nversion = '1'\nsource = {editable = 'a'}\n\
              [[package]]\nname = 'b'\nversion = '1'\n[[package]]\nname = 'b'\nversion = '2'\n";
    check("uv.lock", uv, &["b 1", "b 2"]);
    let poetry = "[[package]]\nname = 'a'\nversion = '1'\n[package.source]\ntype = 'directory'\n";
    check("poetry.lock", poetry, &[]);
    let pdm = "[[package]]\nname = 'a'\nversion = '1'\npath = './a'\n[[package]]\nname = 'B'\nversion = '2'\n";
    check("pdm.lock", pdm, &["b 2"]);
}

#[test]
fn requirements_and_what_they_include() {
    let folder = Folder::new();
    folder.write(
        "requirements.txt",
        "-r requirements/base.txt\n-c constraints.txt\n--requirement=../outside.txt\n-r missing.txt\n\
         a==1.0 ; python_version > '3' # why\nb>=2\nc @ https://files.example/c.whl\n-e .\n\
         git+https://git.example/d.git\nhttps://files.example/e.whl\nf == 1.* \n--index-url https://x.example\n",
    );
    folder.write("requirements/base.txt", "-r ../requirements.txt\ng==3\n");
    folder.write("constraints.txt", "h==4\n");
    let outside = folder.path().parent().unwrap().join("outside.txt");
    let (found, problems) = read(&folder);
    assert_eq!(found, ["requirements.txt: a 1.0", "constraints.txt: h 4", "base.txt: g 3"]);
    assert!(!outside.exists() && problems.is_empty(), "{problems:?}");
    let inner = Folder::new();
    inner.write("requirements.txt", format!("-r {}/requirements.txt\n", folder.path().display()));
    let (found, problems) = read(&inner);
    assert_eq!(found, [""; 0]);
    assert!(problems[0].contains("outside of the project"), "{problems:?}");
}

#[test]
fn broken_ones_are_noted() {
    let folder = Folder::new();
    folder.write("uv.lock", "[[package]\n");
    folder.write("Pipfile.lock", "[".repeat(100_000));
    folder.write("poetry.lock", format!("x = {}", "[".repeat(100_000)));
    folder.write("pdm.lock", "package = 3\n");
    folder.write(
        "pylock.toml",
        "packages = [{name = '../x', version = '1'}, {name = 'x', version = 'y'}, 1]",
    );
    folder.write("requirements.txt", b"\xFF\xFE\0\\\n\\");
    let (found, problems) = read(&folder);
    assert_eq!(found, [""; 0]);
    assert_eq!(problems.len(), 3, "{problems:?}");
}
