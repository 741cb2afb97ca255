//! The adapter as a whole, over small projects on disk.

use std::path::Path;
use std::sync::Arc;

use docent_testkit::folder::Folder;
use proptest::prelude::*;

use super::*;
use crate::cache::Cache;
use crate::fetch::Fetcher;
use crate::tool::Tools;
use crate::{Environment, Limits};

/// Runs something on a made-up machine whose home is `home`.
pub(super) fn with_context<T>(
    environment: &Environment,
    project: &Path,
    run: impl FnOnce(&Context<'_>) -> T,
) -> T {
    let limits = Limits::default();
    let folder = Folder::new();
    let cache = Arc::new(Cache::open(folder.path(), &limits).expect("a cache"));
    let fetcher = Fetcher::new(&limits, cache, true);
    let tools = Tools::default();
    let (fetcher, tools, limits) = (&fetcher, &tools, &limits);
    run(&Context { environment, limits, fetcher, tools, project })
}

fn survey(folder: &Folder, project: &str, name: &str) -> Survey {
    let environment = Environment::isolated(folder.path());
    let name = Npm.name(name).expect("a name");
    with_context(&environment, &folder.path().join(project), |it| Npm.survey(&name, it))
}

#[test]
fn a_project_with_everything() {
    let folder = Folder::new();
    folder.write("app/package.json", r#"{"dependencies": {"zod": "^4.1.0", "b": "npm:c@1"}}"#);
    folder.write("app/node_modules/zod/package.json", r#"{"name": "zod", "version": "4.1.12"}"#);
    folder.write(
        "app/package-lock.json",
        r#"{"packages": {"node_modules/zod": {"version": "4.1.11"}}}"#,
    );
    let survey = survey(&folder, "app/src/deep", "zod/v4");
    assert_eq!(survey.problems, Vec::<String>::new());
    let [installed] = survey.installed.as_slice() else { panic!("{:?}", survey.installed) };
    assert_eq!((installed.name.as_str(), installed.version.as_str()), ("zod", "4.1.12"));
    assert_eq!(installed.shown, folder.path().join("app/node_modules/zod"));
    assert_eq!(survey.locked[0].version, "4.1.11");
    assert_eq!(survey.requirement.map(|it| it.range).as_deref(), Some("^4.1.0"));
}

#[test]
fn hostile_files_become_problems() {
    let folder = Folder::new();
    folder.write("package.json", "{".repeat(100_000));
    folder.write("package-lock.json", "[\"zod\"]");
    folder.write("pnpm-lock.yaml", b"zod \xFF");
    folder.write("yarn.lock", "zod: nonsense");
    folder.write("bun.lock", "{\"packages\": {\"zod\"}}");
    folder.write(".pnp.cjs", "RAW_RUNTIME_STATE = 'zod");
    let survey = survey(&folder, ".", "zod");
    assert_eq!(survey.problems.len(), 6, "{:#?}", survey.problems);
    assert!(survey.installed.is_empty() && survey.locked.is_empty());
}

#[test]
fn binary_lockfiles_are_named() {
    let folder = Folder::new();
    folder.write("bun.lockb", b"#!/usr/bin/env bun\n\0\0");
    let survey = survey(&folder, ".", "zod");
    assert!(survey.problems[0].contains("bun install --save-text-lockfile"));
}

#[test]
fn dependencies_direct_ones_first() {
    let folder = Folder::new();
    folder.write(
        "package.json",
        r#"{"dependencies": {"zod": "^4", "../x": "1"}, "devDependencies": {"a": "1", "zod": "3"}}"#,
    );
    folder.write(
        "package-lock.json",
        r#"{"packages": {
            "": {"version": "1.0.0"},
            "node_modules/zod": {"version": "4.1.12"},
            "node_modules/b": {"version": "2.0.0"},
            "node_modules/b/node_modules/zod": {"version": "3.0.0"},
            "node_modules/..": {"version": "2.0.0"}
        }}"#,
    );
    let environment = Environment::isolated(folder.path());
    let found = with_context(&environment, folder.path(), |context| Npm.dependencies(context));
    let found: Vec<_> =
        found.iter().map(|it| (it.name.as_str(), it.version.as_deref(), it.direct)).collect();
    let expected = [
        ("zod", Some("4.1.12"), true),
        ("a", None, true),
        ("b", Some("2.0.0"), false),
        ("zod", Some("3.0.0"), false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_version_makes_a_name_of_nodes_one_of_a_package() {
    let check = |written: &str, package: &str, module: Option<&str>| {
        let asked: PackageRef = written.parse().expect("a reference");
        let name = Npm.asked(&asked).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!((name.package.as_str(), name.module.as_deref()), (package, module), "{written}");
    };
    check("npm:punycode", "@types/node", Some("punycode"));
    check("npm:punycode@2.3.1", "punycode", None);
    check("npm:node:punycode@24", "@types/node", Some("punycode"));
    check("npm:fs/promises@24", "@types/node", Some("fs/promises"));
    check("npm:zod/v4@4.1.12", "zod", Some("zod/v4"));
}

#[test]
fn the_types_of_a_private_package_are_asked_of_nobody() {
    let folder = Folder::new();
    folder.write("package.json", "{}");
    folder.write(".npmrc", "@acme:registry=http://registry.example/");
    let environment = Environment::isolated(folder.path());
    let check = |package: &str, wanted: &str, expected: bool| {
        let wanted = Npm.name(wanted).expect("a name");
        let may = with_context(&environment, folder.path(), |it| Npm.may_ask(package, &wanted, it));
        assert_eq!(may, expected, "{package} {wanted:?}");
    };
    check("@acme/secret", "@types/acme__secret", false);
    check("@acme/secret", "left-pad", false);
    check("@acme/secret", "@acme/other", true);
    check("@open/known", "@types/open__known", true);
    check("express", "@types/express", true);
}

proptest! {
    #[test]
    fn any_name_and_version_is_answered(text in "([@/:_.(){}~^<>=|* 0-9a-zé\0-]|\\PC|npm:|node:|workspace:){0,40}") {
        if let Ok(name) = name::parse(&text) {
            // What passes is safe as a part of a path and of an address.
            let safe = |part: &str| !matches!(part, "" | "." | "..");
            prop_assert!(name.package.split('/').all(safe) && name.package.is_ascii());
            prop_assert!(name.package.split('/').count() <= 2);
        }
        if let Some(exact) = version::exact(&text) {
            prop_assert_eq!(version::exact(&exact), Some(exact.clone()));
            prop_assert_eq!(version::satisfies(&exact, &exact).ok(), Some(true));
        }
        let _ = version::satisfies(&text, "1.0.0");
        let _ = version::choose(Some(&text), &Releases::default());
        let _ = version::without_credentials(&text);
    }
}

#[test]
fn a_question_without_a_registry_says_so() {
    let folder = Folder::new();
    let environment = Environment::isolated(folder.path());
    let name = Npm.name("@scope/name").expect("a name");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let error = with_context(&environment, folder.path(), |context| {
        runtime.block_on(Npm.releases(&name, None, context)).expect_err("no registry")
    });
    assert_eq!(error.kind(), ErrorKind::NoRegistry);
    assert!(error.hints().iter().any(|hint| hint.contains(".npmrc")));
}
