//! Projects, workspaces and what their manifests ask for.

use docent_testkit::folder::Folder;

use super::*;
use crate::ecosystem::npm::tests::with_context;

fn find<T>(folder: &Folder, project: &str, run: impl FnOnce(Project, &mut Notes) -> T) -> T {
    let environment = Environment::isolated(folder.path());
    with_context(&environment, &folder.path().join(project), |context| {
        let mut notes = Notes::new();
        run(Project::find(context, &mut notes), &mut notes)
    })
}

#[test]
fn the_nearest_manifest_and_the_root() {
    let check = |files: &[(&str, &str)], project: &str, package: &str, root: &str| {
        let folder = Folder::new();
        for (path, text) in files {
            folder.write(path, text);
        }
        find(&folder, project, |found, _| {
            let at = |path: &str| match path {
                "" => folder.path().to_owned(),
                path => folder.path().join(path),
            };
            assert_eq!(found.package(), at(package), "{files:?}");
            assert_eq!(found.root, at(root), "{files:?}");
            assert_eq!(found.folders.last().map(PathBuf::as_path), Some(folder.path()));
        });
    };
    let own = ("a/b/package.json", "{}");
    check(&[own, ("a/b/c/x", "")], "a/b/c", "a/b", "a/b");
    check(&[own], "a/b/package.json", "a/b", "a/b");
    check(&[own, ("package.json", "{}")], "a/b", "a/b", "a/b");
    check(&[own, ("package.json", r#"{"workspaces": ["a/*"]}"#)], "a/b", "a/b", "");
    check(&[own, ("package.json", r#"{"workspaces": {"packages": []}}"#)], "a/b", "a/b", "");
    check(&[own, ("package.json", "{}"), ("pnpm-workspace.yaml", "")], "a/b", "a/b", "");
    check(&[own, ("package.json", "{}"), ("lerna.json", "{}")], "a/b", "a/b", "");
    check(
        &[own, ("package.json", r#"{"workspaces": []}"#), ("a/b/lerna.json", "")],
        "a/b",
        "a/b",
        "a/b",
    );
    check(&[("x", "")], ".", "", "");
}

#[test]
fn ranges() {
    let folder = Folder::new();
    folder.write(
        "package.json",
        r#"{
            "workspaces": {"catalogs": {"bun": {"h": "^8.0.0"}}},
            "devDependencies": {"root-only": "^9.0.0", "a": "^5.0.0"}
        }"#,
    );
    folder.write(
        "pnpm-workspace.yaml",
        "packages: [app]\ncatalog:\n  e: ^2.0.0\n  num: 4.10\ncatalogs:\n  old:\n    f: ^1.0.0\n",
    );
    folder.write(
        "app/package.json",
        r#"{
            "dependencies": {"a": "^1.0.0", "b": "workspace:^", "c": "workspace:~2.0.0",
                "d": "npm:other@^3", "e": "catalog:", "f": "catalog:old", "g": "catalog:none",
                "h": "catalog:bun", "num": "catalog:default", "odd": 5},
            "peerDependencies": {"a": "*", "peer": ">=1"},
            "optionalDependencies": []
        }"#,
    );
    find(&folder, "app", |project, notes| {
        let mut check = |name: &str, expected: Option<&str>| {
            let found = project.requirement(name, &Limits::default(), notes);
            assert_eq!(found.map(|it| it.range).as_deref(), expected, "{name}");
        };
        check("a", Some("^1.0.0"));
        check("b", Some("*"));
        check("c", Some("~2.0.0"));
        check("d", Some("npm:other@^3"));
        check("e", Some("^2.0.0"));
        check("f", Some("^1.0.0"));
        check("g", None);
        check("h", Some("^8.0.0"));
        check("num", Some("4.10"));
        check("odd", None);
        check("peer", Some(">=1"));
        check("root-only", Some("^9.0.0"));
        check("none", None);
        assert_eq!(*notes, ["the catalog `none` of the workspace has no `g`"]);
    });
}
