//! Each file of `config/CLIENT/` is a machine and the explanation of what is configured on it.
//!
//! Files stand in a made-up file system: `~/` is the home folder and `/` the root of it. Two parts
//! are no files: `variables` has a variable in each line, and `platform` names one. The working
//! folder is `~/project`, which is a repository. `@` in an explanation is the root.

use std::path::PathBuf;

use docent_host::config::{Approvals, Machine, Platform, Survey};
use docent_testkit::fixture::{Fixture, check_all};
use docent_testkit::folder::Folder;

/// Writes a fixture's files, and makes the machine that they are on.
pub(crate) fn machine(fixture: &Fixture, folder: &Folder) -> Machine {
    let root = folder.path();
    std::fs::create_dir_all(root.join("people/me/project/.git")).expect("a project");
    let mut machine =
        Machine::made_up(root, root.join("people/me"), root.join("people/me/project"));
    for (path, text) in &fixture.files {
        // References to the made-up machine's own folders.
        let text = text.replace("@/", &format!("{}/", root.display()));
        match path.as_str() {
            "variables" => {
                for line in text.lines() {
                    let (name, value) = line.split_once('=').expect("NAME=value");
                    machine = machine.with(name, value);
                }
            }
            "platform" => {
                let platform = match text.trim() {
                    "mac" => Platform::Mac,
                    "windows" => Platform::Windows,
                    other => panic!("no platform `{other}`"),
                };
                machine = machine.on(platform);
            }
            "directory" => machine = machine.in_directory(root.join("people/me").join(text.trim())),
            _ => {
                let place = match path.strip_prefix("~/") {
                    Some(path) => format!("people/me/{path}"),
                    None => path.trim_start_matches('/').to_owned(),
                };
                folder.write(&place, text);
            }
        }
    }
    machine
}

/// What is said, with the root of the made-up machine left out.
pub(crate) fn without_root(text: &str, folder: &Folder) -> String {
    let root = folder.path().display().to_string();
    text.replace(&format!("{root}/people/me"), "~").replace(&root, "@")
}

fn check(name: &str) {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/config").join(name);
    check_all(&fixtures, |fixture| {
        let folder = Folder::new();
        let machine = machine(fixture, &folder);
        let explanation = Survey::of(&machine).explain(&Approvals::in_memory());
        let text = explanation.to_string();
        // In no fixture is a secret visible, and in no serialized form either.
        let json = serde_json::to_string(&explanation).expect("it can be serialized");
        for form in [&text, &json] {
            assert!(!form.contains("hunter2"), "{}: {form}", fixture.name());
        }
        without_root(&text, &folder)
    });
}

macro_rules! clients {
    ($($test:ident $folder:literal)*) => {
        $(#[test]
        fn $test() {
            check($folder);
        })*
    };
}

clients! {
    docent "docent"
    claude_code "claude-code"
    claude_desktop "claude-desktop"
    vscode "vscode"
    cursor "cursor"
    codex "codex"
    windsurf "windsurf"
    gemini "gemini"
    opencode "opencode"
    others "others"
    everything "everything"
}
