//! From a name to an answer: which version is chosen, where it comes from, who is asked for what.

use std::path::Path;

use docent_packages::{
    Engine, Environment, ErrorKind, PackageRef, Progress, Reason, Style, Target,
};
use docent_testkit::folder::Folder;
use docent_testkit::registry::{Answer, Package, Registry};

fn npm(name: &str, version: &str, declarations: &str) -> Package {
    let manifest =
        format!(r#"{{"name": "{name}", "version": "{version}", "types": "index.d.ts"}}"#);
    Package::new(name, version).file("package.json", &manifest).file("index.d.ts", declarations)
}

async fn registry() -> Registry {
    Registry::builder()
        .npm(npm("kit", "1.0.0", "export declare function first(): void;"))
        .npm(npm("kit", "1.2.0", "export declare function first(a: string): void;"))
        .npm(npm("kit", "2.0.0", "export declare function second(): void;"))
        .npm(
            Package::new("plain", "3.1.0")
                .file(
                    "package.json",
                    r#"{"name": "plain", "version": "3.1.0", "main": "index.js"}"#,
                )
                .file("index.js", "exports.run = function run(task) {};"),
        )
        .npm(npm("@types/plain", "3.1.4", "export declare function run(task: string): number;"))
        .python(Package::new("right-side", "2.0").file(
            "right_side/__init__.py",
            "def turn(angle: float = 90.0) -> None:\n    \"Turns.\"\n",
        ))
        .start()
        .await
}

/// An engine on a made-up machine whose only registry is `registry`.
fn engine(folder: &Folder, registry: &Registry, offline: bool) -> Engine {
    let environment = Environment::isolated(folder.path())
        .with("NPM_CONFIG_REGISTRY", &registry.url("/"))
        .with("PIP_INDEX_URL", &registry.url("/simple"))
        .in_directory(&folder.path().join("project"));
    let builder = Engine::builder().environment(environment).offline(offline);
    builder.cache(folder.path().join("cache")).build().expect("an engine")
}

fn target(package: &str) -> Target {
    Target::new(package.parse::<PackageRef>().expect("a package"))
}

/// The version that is chosen for a package, and why.
async fn chosen(engine: &Engine, package: &str) -> (String, Reason) {
    let loaded = engine.load(&target(package), &Progress::default()).await.expect(package);
    (loaded.receipt().version.clone(), loaded.receipt().reason.clone())
}

fn install(folder: &Folder, name: &str, version: &str, declarations: &str) {
    let manifest =
        format!(r#"{{"name": "{name}", "version": "{version}", "types": "index.d.ts"}}"#);
    folder.write(&format!("project/node_modules/{name}/package.json"), manifest);
    folder.write(&format!("project/node_modules/{name}/index.d.ts"), declarations);
}

#[tokio::test]
async fn the_version_is_explicit_then_installed_then_locked_then_declared_then_newest() {
    let (folder, registry) = (Folder::new(), registry().await);
    folder.write("project/package.json", "{}");
    let ask = |package: &'static str| {
        // A new engine each time, so that nothing is remembered of the project before.
        let engine = engine(&folder, &registry, false);
        async move { chosen(&engine, package).await }
    };
    assert_eq!(ask("npm:kit").await, ("2.0.0".to_owned(), Reason::Newest));

    let manifest = folder.write("project/package.json", r#"{"dependencies": {"kit": "^1.0.0"}}"#);
    let declared = Reason::Declared { file: manifest, requirement: "^1.0.0".to_owned() };
    assert_eq!(ask("npm:kit").await, ("1.2.0".to_owned(), declared));

    let lock = r#"{"lockfileVersion": 3, "packages": {"node_modules/kit": {"version": "1.0.0"}}}"#;
    let file = folder.write("project/package-lock.json", lock);
    assert_eq!(ask("npm:kit").await, ("1.0.0".to_owned(), Reason::Locked { file }));

    install(&folder, "kit", "1.1.0", "export declare function installed(): void;");
    assert_eq!(ask("npm:kit").await, ("1.1.0".to_owned(), Reason::Installed));

    let explicit = |requirement: &str| Reason::Explicit { requirement: requirement.to_owned() };
    assert_eq!(ask("npm:kit@1.0.0").await, ("1.0.0".to_owned(), explicit("1.0.0")));
    assert_eq!(ask("npm:kit@^1").await, ("1.1.0".to_owned(), explicit("^1")));
    assert_eq!(ask("npm:kit@^2").await, ("2.0.0".to_owned(), explicit("^2")));
}

#[tokio::test]
async fn what_is_installed_is_asked_of_nobody() {
    let (folder, registry) = (Folder::new(), registry().await);
    install(&folder, "kit", "1.1.0", "export declare function installed(): void;");
    let engine = engine(&folder, &registry, false);
    let answer = engine.describe(&target("npm:kit"), Some("installed"), &Style::default()).await;
    assert!(answer.expect("an answer").text.contains("function installed(): void"));
    assert!(registry.requests().is_empty(), "{:?}", registry.requests());
}

/// Installs `kit`, whose class is derived from one of `base`, which is derived from one of `root`.
fn install_chain(folder: &Folder, root: &str) {
    let depends = |name: &str, on: &str| {
        let manifest = format!(
            r#"{{"name": "{name}", "version": "1.0.0", "types": "index.d.ts", "dependencies": {{"{on}": "1"}}}}"#
        );
        folder.write(&format!("project/node_modules/{name}/package.json"), manifest);
    };
    let kit = "import { Base } from 'base';\nexport declare class Kit extends Base {}\n";
    let base = "import { Root } from 'root';\nexport declare class Base extends Root {}\n";
    install(folder, "kit", "1.0.0", kit);
    install(folder, "base", "1.0.0", base);
    install(folder, "root", "1.0.0", root);
    depends("kit", "base");
    depends("base", "root");
}

/// How many extractions the cache holds.
fn extractions(folder: &Folder) -> usize {
    let mut open = vec![folder.path().join("cache")];
    let mut found = 0;
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_extraction = path.iter().any(|part| part == "extractions-v2");
            found += usize::from(path.is_file() && is_extraction);
            open.extend(path.is_dir().then_some(path));
        }
    }
    found
}

#[tokio::test]
async fn installed_companions_are_found_on_the_way() {
    let (folder, registry) = (Folder::new(), registry().await);
    install_chain(&folder, "export declare class Root { start(now: boolean): void; }\n");
    let ask = |symbol: &'static str| {
        // A new engine each time, so that only the disk remembers.
        let engine = engine(&folder, &registry, false);
        async move {
            let (target, style) = (target("npm:kit"), Style::default());
            let answer = engine.describe(&target, Some(symbol), &style).await;
            engine.settle().await;
            answer.expect("an answer").text
        }
    };
    for _ in 0..2 {
        let text = ask("Kit.start").await;
        assert!(text.contains("start(now: boolean): void"), "{text}");
        assert_eq!(extractions(&folder), 1, "read once, and then remembered");
    }
    assert!(registry.requests().is_empty(), "{:?}", registry.requests());

    install_chain(&folder, "export declare class Root { begin(soon: boolean): void; }\n");
    let text = ask("Kit.begin").await;
    assert!(text.contains("begin(soon: boolean): void"), "{text}");
}

#[tokio::test]
async fn distributions_that_bases_come_from_are_found_on_the_way() {
    let (folder, registry) = (Folder::new(), registry().await);
    let site = "project/.venv/lib/python3.12/site-packages";
    folder.write("project/.venv/pyvenv.cfg", "version = 3.12.0\n");
    let install = |name: &str, requires: &str, source: &str| {
        let info = format!("{site}/{name}-1.0.dist-info");
        let metadata = format!("Name: {name}\nVersion: 1.0\n{requires}\n");
        folder.write(&format!("{info}/METADATA"), metadata);
        let record = format!("{name}/__init__.py,,\n{name}-1.0.dist-info/METADATA,,\n");
        folder.write(&format!("{info}/RECORD"), record);
        folder.write(&format!("{site}/{name}/__init__.py"), source);
    };
    install("kit", "Requires-Dist: base\n", "from base import Base\nclass Kit(Base): ...\n");
    install("base", "Requires-Dist: root\n", "from root import Root\nclass Base(Root): ...\n");
    install("root", "", "class Root:\n    def start(self, now: bool) -> None: ...\n");
    let engine = engine(&folder, &registry, false);
    let answer = engine.describe(&target("pypi:kit"), Some("Kit.start"), &Style::default()).await;
    let text = answer.expect("an answer").text;
    assert!(text.contains("start(self, now: bool) -> None"), "{text}");
    engine.settle().await;
    assert_eq!(extractions(&folder), 1, "read once");
    assert!(registry.requests().is_empty(), "{:?}", registry.requests());
}

#[tokio::test]
async fn types_come_from_the_community_when_a_package_has_none() {
    let (folder, registry) = (Folder::new(), registry().await);
    let engine = engine(&folder, &registry, false);
    let answer = engine.describe(&target("npm:plain"), Some("run"), &Style::default()).await;
    let text = answer.expect("an answer").text;
    assert!(text.contains("function run(task: string): number"), "{text}");
    assert!(text.contains("@types/plain@3.1.4:index.d.ts:1"), "{text}");
}

/// A package of scripts that hands out others, with types of the community for all of them.
#[tokio::test]
async fn scripts_are_not_fetched_where_there_are_types() {
    let script = |name: &str, code: &str| {
        let manifest = format!(
            r#"{{"name": "{name}", "version": "1.0.0", "type": "module", "main": "index.js"}}"#
        );
        Package::new(name, "1.0.0").file("package.json", &manifest).file("index.js", code)
    };
    let parts = ["plot-axis", "plot-scale"];
    let all = parts.map(|part| format!("export * from '{part}';\n")).concat();
    let types = r#"{"name": "@types/plot", "version": "1.0.0", "types": "index.d.ts",
        "dependencies": {"@types/plot-axis": "*", "@types/plot-scale": "*"}}"#;
    let types = Package::new("@types/plot", "1.0.0").file("package.json", types);
    let mut builder =
        Registry::builder().npm(script("plot", &all)).npm(types.file("index.d.ts", &all));
    for part in parts {
        let name = part.trim_start_matches("plot-");
        let types = format!("export declare function {name}(domain: number): void;");
        builder = builder.npm(script(part, &format!("export function {name}() {{}}")));
        builder = builder.npm(npm(&format!("@types/{part}"), "1.0.0", &types));
    }
    let (folder, registry) = (Folder::new(), builder.start().await);
    let engine = engine(&folder, &registry, false);
    for name in ["axis", "scale"] {
        let answer = engine.describe(&target("npm:plot"), Some(name), &Style::default()).await;
        let text = answer.expect("an answer").text;
        assert!(text.contains(&format!("function {name}(domain: number): void")), "{text}");
    }
    let asked = registry.requests();
    let fetched =
        |part: &&str| asked.iter().any(|one| one.path.starts_with(&format!("/{part}/-/")));
    assert!(!parts.iter().any(fetched), "scripts were fetched");
}

#[tokio::test]
async fn the_name_of_a_private_package_stays_where_it_belongs() {
    let (folder, public) = (Folder::new(), registry().await);
    let manifest = r#"{"name": "@acme/secret", "version": "1.0.0", "main": "index.js"}"#;
    let secret = Package::new("@acme/secret", "1.0.0").file("package.json", manifest);
    let secret = secret.file("index.js", "exports.hide = function hide(what) {};");
    let private = Registry::builder().npm(secret).start().await;
    folder.write("project/package.json", "{}");
    folder.write("project/.npmrc", format!("@acme:registry={}", private.url("/")));
    let engine = engine(&folder, &public, false);
    let answer =
        engine.describe(&target("npm:@acme/secret"), Some("hide"), &Style::default()).await;
    assert!(answer.expect("an answer").text.contains("hide(what)"));
    assert!(public.requests().is_empty(), "{:?}", public.requests());
    assert!(!private.requests().is_empty());
}

#[tokio::test]
async fn offline_answers_from_what_is_on_this_machine() {
    let (folder, registry) = (Folder::new(), registry().await);
    let style = Style::default();
    let offline = engine(&folder, &registry, true);
    let error =
        offline.describe(&target("npm:kit@1.0.0"), None, &style).await.expect_err("offline");
    assert_eq!(error.kind(), ErrorKind::Offline);

    let online = engine(&folder, &registry, false);
    online.describe(&target("npm:kit@1.0.0"), None, &style).await.expect("an answer");
    let asked = registry.requests().len();
    let answer = offline.describe(&target("npm:kit@1.0.0"), Some("first"), &style).await;
    assert!(answer.expect("an answer").found);
    assert_eq!(registry.requests().len(), asked);
}

#[tokio::test]
async fn one_package_is_fetched_once_for_all_who_wait() {
    let (folder, registry) = (Folder::new(), registry().await);
    let engine = engine(&folder, &registry, false);
    let style = Style::default();
    let asked: Vec<_> = (0..20)
        .map(|_| {
            let (engine, style) = (engine.clone(), style.clone());
            tokio::spawn(async move {
                engine.describe(&target("npm:kit@2.0.0"), Some("second"), &style).await
            })
        })
        .collect();
    for answer in asked {
        assert!(answer.await.expect("no panic").expect("an answer").found);
    }
    let tarballs = registry.requests().iter().filter(|it| it.path.ends_with(".tgz")).count();
    assert_eq!(tarballs, 1, "{:?}", registry.requests());
}

#[tokio::test]
async fn what_is_missing_names_the_version_that_has_it() {
    let (folder, registry) = (Folder::new(), registry().await);
    let engine = engine(&folder, &registry, false);
    let style = Style::default();
    engine.describe(&target("npm:kit@1.0.0"), None, &style).await.expect("an answer");
    let answer = engine.describe(&target("npm:kit@2.0.0"), Some("first"), &style).await;
    let answer = answer.expect("an answer");
    assert!(!answer.found);
    assert!(answer.text.contains("not found in this version"), "{}", answer.text);
    assert!(answer.text.contains("It exists in 1.0.0"), "{}", answer.text);
}

#[tokio::test]
async fn errors_say_what_to_do() {
    let (folder, registry) = (Folder::new(), registry().await);
    let engine = engine(&folder, &registry, false);
    let check = |package: &'static str, kind: ErrorKind| {
        let engine = engine.clone();
        async move {
            let error = engine.describe(&target(package), None, &Style::default()).await;
            assert_eq!(error.expect_err(package).kind(), kind, "{package}");
        }
    };
    check("npm:nothing-here", ErrorKind::PackageNotFound).await;
    check("npm:kit@7.0.0", ErrorKind::VersionNotFound).await;
    check("npm:kit@not a range", ErrorKind::InvalidVersion).await;
    check("npm:../kit", ErrorKind::InvalidName).await;
    check("pypi:--help", ErrorKind::InvalidName).await;
}

#[tokio::test]
async fn a_damaged_artifact_is_never_read() {
    let (folder, registry) = (Folder::new(), registry().await);
    let engine = engine(&folder, &registry, false);
    let tarball = registry_path(&registry, &engine).await;
    let fresh = Folder::new();
    let engine = self::engine(&fresh, &registry, false);
    for _ in 0..8 {
        registry.next(&tarball, Answer::body("application/octet-stream", "not what was published"));
    }
    let error = engine.describe(&target("npm:kit@2.0.0"), None, &Style::default()).await;
    assert_eq!(error.expect_err("damaged").kind(), ErrorKind::Integrity);
}

/// The path of the tarball of kit 2.0.0, as an engine asks for it.
async fn registry_path(registry: &Registry, engine: &Engine) -> String {
    engine.describe(&target("npm:kit@2.0.0"), None, &Style::default()).await.expect("an answer");
    let requests = registry.requests();
    requests.iter().find(|it| it.path.ends_with(".tgz")).expect("a download").path.clone()
}

#[tokio::test]
async fn versions_are_compared() {
    let (folder, registry) = (Folder::new(), registry().await);
    let engine = engine(&folder, &registry, false);
    let (old, new) = (target("npm:kit@1.0.0"), target("npm:kit@1.2.0"));
    let diff = engine.diff(&old, &new, &Progress::default()).await.expect("a difference");
    assert_eq!(diff.changes.changed.len(), 1);
    let text = diff.answer(500).text;
    assert!(text.contains("before: `function first(): void`"), "{text}");
    assert!(diff.changes.added.is_empty() && diff.changes.removed.is_empty());
}

#[tokio::test]
async fn python_packages_come_from_the_index() {
    let (folder, registry) = (Folder::new(), registry().await);
    let engine = engine(&folder, &registry, false);
    let answer = engine.describe(&target("pypi:Right_Side"), Some("turn"), &Style::default()).await;
    let text = answer.expect("an answer").text;
    assert!(text.contains("def turn(angle: float = 90.0) -> None"), "{text}");
    assert!(text.starts_with("pypi:right-side@2.0 "), "{text}");
}

#[tokio::test]
async fn projects_outside_are_not_found() {
    let (folder, registry) = (Folder::new(), registry().await);
    let engine = engine(&folder, &registry, false);
    let nowhere = target("npm:kit").in_project(Path::new("no/such/folder"));
    let error = engine.describe(&nowhere, None, &Style::default()).await.expect_err("no folder");
    assert_eq!(error.kind(), ErrorKind::Io);
}
