//! Yarn's script for a small workspace, as Yarn wrote it, with archives that are not really there.

use docent_testkit::folder::Folder;

use super::*;
use crate::Environment;
use crate::ecosystem::npm::tests::with_context;

const SCRIPT: &str = include_str!("tests/pnp.cjs");

fn workspace() -> Folder {
    let folder = Folder::new();
    folder.write("package.json", r#"{"name": "root", "workspaces": ["packages/*"]}"#);
    folder.write("packages/app/package.json", r#"{"name": "app"}"#);
    folder.write("packages/lib/package.json", r#"{"name": "lib", "version": "1.2.3"}"#);
    folder.write(".pnp.cjs", SCRIPT);
    let state: State = serde_json::from_str(&data(SCRIPT).expect("data")).expect("a state");
    for (_, packages) in &state.package_registry_data {
        for (_, package) in packages {
            let real = real_path(Path::new(&package.package_location)).expect("a path");
            if let Some((file, _)) = archive(&real) {
                folder.write(file.to_str().expect("text"), "zip");
            }
        }
    }
    folder
}

fn copies(folder: &Folder, project: &str, package: &str) -> (Vec<Installed>, Notes) {
    let environment = Environment::isolated(folder.path());
    with_context(&environment, &folder.path().join(project), |context| {
        let mut notes = Notes::new();
        let project = Project::find(context, &mut notes);
        (find(&project, package, context.limits, &mut notes), notes)
    })
}

#[test]
fn each_workspace_gets_its_own() {
    let folder = workspace();
    let check = |project: &str, package: &str, expected: &[&str]| {
        let (found, notes) = copies(&folder, project, package);
        let found: Vec<String> =
            found.iter().map(|it| format!("{}@{}", it.name, it.version)).collect();
        assert_eq!(found, expected, "{project} {package}");
        assert_eq!(notes, Notes::new());
    };
    check(".", "zod", &["zod@4.6.7", "zod@3.25.76"]);
    check("packages/app", "zod", &["zod@3.25.76", "zod@4.6.7"]);
    check("packages/app/src", "short-ms", &["ms@2.0.0"]);
    check("packages/app", "debug", &["debug@4.4.3"]);
    check("packages/app", "lib", &["lib@1.2.3"]);
    check(".", "none", &[]);
}

#[test]
fn places_are_inside_archives() {
    let folder = workspace();
    let (found, _) = copies(&folder, "packages/app", "debug");
    let Place::Archive { file, format, prefix } = &found[0].place else { panic!("{found:?}") };
    assert!(file.starts_with(folder.path().join(".yarn/cache")) && file.is_file(), "{file:?}");
    assert_eq!((*format, prefix.as_deref()), (ArchiveFormat::Zip, Some("node_modules/debug")));
    let (found, _) = copies(&folder, "packages/app", "lib");
    let root = folder.path().join("packages/lib");
    assert_eq!(found[0].place, Place::Folder { root, files: None });
}

#[test]
fn archives_that_are_not_there_are_named() {
    let folder = workspace();
    std::fs::remove_dir_all(folder.path().join(".yarn")).expect("removed");
    let (found, notes) = copies(&folder, ".", "zod");
    assert!(found.is_empty() && notes.len() == 2, "{notes:?}");
    assert!(notes[0].contains("yarn install"));
}

#[test]
fn data_in_other_shapes() {
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(data(text).as_deref(), expected, "{text}");
    };
    check("{\"a\": 1}", Some("{\"a\": 1}"));
    check("const RAW_RUNTIME_STATE =\n'{\\\n\"a\": \"\\'\\\\\\\\\"}';", Some("{\"a\": \"'\\\\\"}"));
    check("const RAW_RUNTIME_STATE = '{\\\r\n}'", Some("{}"));
    check(
        "function s(hydrateRuntimeState, b) { return hydrateRuntimeState({\"a\": [1]}, {b: b}); }",
        Some("{\"a\": [1]}"),
    );
    for text in ["", "RAW_RUNTIME_STATE", "RAW_RUNTIME_STATE = '\\", "hydrateRuntimeState({", "é"]
    {
        check(text, None);
    }
}

#[test]
fn virtual_folders() {
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(real_path(Path::new(text)).as_deref(), expected.map(Path::new), "{text}");
    };
    check("/p/./.yarn/__virtual__/a-virtual-1/0/cache/a.zip/x/", Some("/p/.yarn/cache/a.zip/x"));
    check("/p/.yarn/$$virtual/a-virtual-1/1/packages/lib/", Some("/p/packages/lib"));
    check("/p/../../cache/a.zip", Some("/cache/a.zip"));
    check("/p/__virtual__/x", None);
    check("/p/__virtual__/x/many/y", None);
    check("/p/__virtual__/x/99/y", None);
    check("/p/__virtual__/x/99999999999999999999999/y", None);
}

#[test]
fn references() {
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(reference_version(text).as_deref(), expected, "{text}");
    };
    check("npm:1.2.3", Some("1.2.3"));
    check("virtual:ab12#npm:1.2.3", Some("1.2.3"));
    check("patch:t@npm%3A5.0.0#optional!builtin<compat/t>::version=5.0.0&hash=1", Some("5.0.0"));
    check("workspace:packages/lib", None);
}

#[test]
fn locations_outside_need_the_right_name() {
    let folder = Folder::new();
    folder.write("other/package.json", r#"{"name": "private", "version": "1.0.0"}"#);
    folder.write("other/x.zip", "zip");
    let locations = ["../other/", "../other/x.zip/", "../other/x.zip/node_modules/other/"];
    for location in locations {
        let entry = format!(r#"["npm:1.0.0", {{"packageLocation": "{location}"}}]"#);
        let state = format!(r#"{{"packageRegistryData": [["zod", [{entry}]]]}}"#);
        folder.write("app/.pnp.data.json", state);
        folder.write("app/package.json", "{}");
        let (found, _) = copies(&folder, "app", "zod");
        assert!(found.is_empty(), "{location}: {found:?}");
    }
}
