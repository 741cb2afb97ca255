//! Layouts of `node_modules`.

use docent_testkit::folder::Folder;

use super::*;
use crate::Environment;
use crate::ecosystem::npm::tests::with_context;

fn package(folder: &Folder, path: &str, name: &str, version: &str) {
    let manifest = format!(r#"{{"name": "{name}", "version": "{version}"}}"#);
    folder.write(&format!("{path}/package.json"), manifest);
}

#[cfg(unix)]
fn link(folder: &Folder, from: &str, to: &str) {
    let from = folder.path().join(from);
    std::fs::create_dir_all(from.parent().expect("a parent")).expect("a folder");
    std::os::unix::fs::symlink(folder.path().join(to), from).expect("a link");
}

fn check(folder: &Folder, project: &str, name: &str, expected: &[&str]) {
    let environment = Environment::isolated(folder.path());
    with_context(&environment, &folder.path().join(project), |context| {
        let mut notes = Notes::new();
        let project = Project::find(context, &mut notes);
        let found = find(&project, name, context.limits, &mut notes);
        let found: Vec<String> = found
            .iter()
            .map(|it| {
                let shown = it.shown.strip_prefix(folder.path()).unwrap_or(&it.shown);
                format!("{}@{} {}", it.name, it.version, shown.display())
            })
            .collect();
        assert_eq!(found, expected, "{notes:?}");
    });
}

#[test]
fn hoisted_and_nested() {
    let folder = Folder::new();
    package(&folder, "node_modules/zod", "zod", "4.0.0");
    package(&folder, "app/node_modules/zod", "zod", "3.0.0");
    package(&folder, "node_modules/a/node_modules/zod", "zod", "1.0.0");
    package(&folder, "node_modules/@s/b/node_modules/zod", "zod", "2.0.0");
    package(&folder, "node_modules/@types/node", "@types/node", "22.0.0");
    folder.write("app/package.json", "{}");
    check(
        &folder,
        "app/src",
        "zod",
        &[
            "zod@3.0.0 app/node_modules/zod",
            "zod@4.0.0 node_modules/zod",
            "zod@2.0.0 node_modules/@s/b/node_modules/zod",
            "zod@1.0.0 node_modules/a/node_modules/zod",
        ],
    );
    check(&folder, "app", "@types/node", &["@types/node@22.0.0 node_modules/@types/node"]);
    check(&folder, "app", "none", &[]);
}

#[cfg(unix)]
#[test]
fn stores_and_links() {
    let folder = Folder::new();
    for (version, store) in [("3.0.0", ".pnpm/zod@3.0.0"), ("4.0.0", ".pnpm/zod@4.0.0_peer@1")] {
        package(&folder, &format!("node_modules/{store}/node_modules/zod"), "zod", version);
    }
    package(&folder, "node_modules/.pnpm/@s+n@1.0.0/node_modules/@s/n", "@s/n", "1.0.0");
    package(&folder, "node_modules/.pnpm/ms@2.0.0/node_modules/ms", "ms", "2.0.0");
    package(&folder, "node_modules/.store/yarned-npm-1.0.0-abc/package", "yarned", "1.0.0");
    package(&folder, "node_modules/.bun/bunned@1.0.0/node_modules/bunned", "bunned", "1.0.0");
    package(&folder, "lib", "lib", "1.2.3");
    folder.write("app/package.json", "{}");
    link(&folder, "app/node_modules/zod", "node_modules/.pnpm/zod@3.0.0/node_modules/zod");
    link(&folder, "app/node_modules/short", "node_modules/.pnpm/ms@2.0.0/node_modules/ms");
    link(&folder, "app/node_modules/lib", "lib");
    link(&folder, "app/node_modules/renamed", "lib");
    link(&folder, "app/node_modules/loop", "app/node_modules/loop");
    link(&folder, "app/node_modules/up", "app");
    check(
        &folder,
        "app",
        "zod",
        &[
            "zod@3.0.0 app/node_modules/zod",
            "zod@4.0.0 node_modules/.pnpm/zod@4.0.0_peer@1/node_modules/zod",
        ],
    );
    check(&folder, "app", "short", &["ms@2.0.0 app/node_modules/short"]);
    check(&folder, "app", "lib", &["lib@1.2.3 app/node_modules/lib"]);
    check(&folder, "app", "renamed", &[]);
    check(&folder, "app", "loop", &[]);
    check(&folder, "app", "up", &[]);
    check(&folder, "app", "@s/n", &["@s/n@1.0.0 node_modules/.pnpm/@s+n@1.0.0/node_modules/@s/n"]);
    check(
        &folder,
        "app",
        "yarned",
        &["yarned@1.0.0 node_modules/.store/yarned-npm-1.0.0-abc/package"],
    );
    check(
        &folder,
        "app",
        "bunned",
        &["bunned@1.0.0 node_modules/.bun/bunned@1.0.0/node_modules/bunned"],
    );
}

#[test]
fn the_project_itself() {
    let folder = Folder::new();
    package(&folder, "zod@4.1.12", "zod", "4.1.12");
    folder.write("private/package.json", r#"{"name": "private"}"#);
    check(&folder, "zod@4.1.12/src", "zod", &["zod@4.1.12 zod@4.1.12"]);
    check(&folder, "private", "private", &["private@0.0.0 private"]);
    check(&folder, "private", "zod", &[]);
}

#[test]
fn damaged_copies_are_not_there() {
    let folder = Folder::new();
    folder.write("node_modules/a/package.json", "{");
    folder.write("node_modules/b/index.js", "");
    folder.write("node_modules/c", "a file");
    folder.write("node_modules/d/package.json", r#"{"name": "../../etc", "version": "1.0.0"}"#);
    for name in ["a", "b", "c", "d"] {
        check(&folder, ".", name, &[]);
    }
}
