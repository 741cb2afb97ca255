//! `docent index`: from lockfiles to packages that are ready, with a registry of the settings.

use docent_testkit::registry::{Package, Registry};
use serde_json::json;

use crate::stage::{Ran, Stage};

async fn registry() -> Registry {
    let types = "/** Pulls nails. */\nexport declare function pull(): void;\n";
    let tongs = Package::new("tongs", "2.0.0").files([
        ("package.json", r#"{ "name": "tongs", "version": "2.0.0", "types": "index.d.ts" }"#),
        ("index.d.ts", types),
    ]);
    let glue = Package::new("glue", "0.3")
        .files([("glue/__init__.py", "def stick(a, b):\n    \"\"\"Sticks.\"\"\"\n")]);
    Registry::builder().npm(tongs).python(glue).start().await
}

/// Two projects in one folder, and one file that names the registries of both.
fn projects(registry: &Registry) -> Stage {
    let stage = Stage::new();
    let (npm, python) = (registry.url("/"), registry.url("/simple"));
    let settings = format!("[registries]\nnpm = \"{npm}\"\npython = \"{python}\"\n");
    stage.folder.write("project/docent.toml", settings);
    let lock = r#"{ "lockfileVersion": 3, "packages": {
        "": { "dependencies": { "tongs": "2.0.0" } }, "node_modules/tongs": { "version": "2.0.0" } } }"#;
    stage.folder.write("project/web/package-lock.json", lock);
    stage.folder.write("project/web/package.json", r#"{ "dependencies": { "tongs": "2.0.0" } }"#);
    stage.folder.write("project/tool/requirements.txt", "glue==0.3\n");
    stage
}

async fn run(stage: Stage, arguments: &'static [&'static str]) -> (Stage, Ran) {
    let work = move || {
        let ran = stage.run(arguments);
        (stage, ran)
    };
    tokio::task::spawn_blocking(work).await.expect("it runs")
}

#[tokio::test]
async fn every_lockfile_below_a_folder() {
    let registry = registry().await;
    let (stage, first) = run(projects(&registry), &["index", "--json"]).await;
    let summary = first.fine().json();
    let names: Vec<&str> = { &summary["packages"] }
        .as_array()
        .expect("packages")
        .iter()
        .map(|one| one["package"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["npm:kit@1.0.0", "npm:tongs@2.0.0", "pypi:glue@0.3"]);
    assert_eq!(summary["failed"], json!([]));
    assert!(summary["items"].as_u64() > Some(5) && summary["cacheBytes"].as_u64() > Some(500));

    // All of it is here now.
    drop(registry);
    let offline = &["describe", "npm:tongs@2.0.0", "pull", "--offline", "--project", "web"];
    let (stage, again) = run(stage, offline).await;
    assert!(again.fine().out.contains("Pulls nails."));
    let (_, again) = run(stage, &["index", "--offline"]).await;
    assert!(again.fine().out.contains("\n3 packages ready, "));
}

#[test]
fn what_was_indexed_is_searched_at_once() {
    let stage = Stage::new();
    let ran = stage.run(&["search", "--all", "cuts", "wood"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.contains("Searched 0 of 1 packages"), "{}", ran.out);
    stage.run(&["index"]).fine();
    let ran = stage.run(&["search", "--all", "cuts", "wood"]).fine();
    assert!(ran.out.contains("Searched the one package"), "{}", ran.out);
    assert!(ran.out.contains("function `saw`") && ran.out.contains("npm:kit@1.0.0"), "{}", ran.out);
    assert_eq!(stage.run(&["search", "kit"]).code, Some(64), "without words");
}

#[tokio::test]
async fn what_cannot_be_had_is_told_and_the_rest_is_ready() {
    let registry = registry().await;
    let stage = projects(&registry);
    stage.folder.write("project/tool/requirements.txt", "glue==0.3\nmissing==1.0\n");
    let (_, ran) = run(stage, &["index"]).await;
    assert_eq!(ran.code, Some(3));
    assert!(ran.out.contains("3 packages ready"), "{}", ran.out);
    assert!(ran.out.contains("pypi:missing@1.0"), "{}", ran.out);
    let (_, ran) = run(Stage::empty(), &["index"]).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("no lockfile"), "{}", ran.err);
}

#[test]
fn a_list_for_agents_is_refreshed_in_its_place() {
    let stage = Stage::new();
    stage.folder.write("project/AGENTS.md", "# Mine\n\nKeep this.\n");
    stage.run(&["index", "--agents", "AGENTS.md"]).fine();
    let first = stage.read("project/AGENTS.md");
    assert!(first.starts_with("# Mine\n\nKeep this.\n\n<!-- docent:index"), "{first}");
    assert!(first.contains("\n- `npm:kit@1.0.0`: saw, Bench"), "{first}");
    assert!(!first.contains("Cuts wood"), "what a package says is no instruction: {first}");
    let again = stage.run(&["index", "--agents", "AGENTS.md"]).fine();
    assert!(again.out.contains("nothing has changed in"), "{}", again.out);
    assert_eq!(stage.read("project/AGENTS.md"), first);
    let printed = stage.run(&["index", "--agents", "-"]).fine().out;
    assert!(first.ends_with(&printed), "{printed}");
}
