//! The documentation server as its clients see it.

use std::collections::BTreeMap;
use std::time::Duration;

use docent_mcp::Client;
use docent_mcp::client::{RequestOptions, ServerEvent};
use docent_mcp::transport::child::ChildProcess;
use docent_mcp::types::{CallToolResult, CompletionReference, Revision};
use docent_packages::tokens;
use docent_testkit::folder::Folder;
use docent_testkit::registry::{Package, Registry};
use serde_json::{Value, json};
use tokio::sync::mpsc;

const DECLARATIONS: &str = "/** Cuts wood.\n * @example\n * saw(3)\n */\n\
    export declare function saw(length: number): void;\n\
    /** A bench to work at. */\n\
    export declare class Bench {\n  /** How high it is. */\n  height: number;\n  \
    /** Lifts it. */\n  lift(by: number): this;\n}\n";

/// A project with one locked and installed package.
pub(crate) fn project() -> Folder {
    let folder = Folder::new();
    folder.write("project/package.json", r#"{"name": "shop", "dependencies": {"kit": "^1.0.0"}}"#);
    lock(&folder, "1.0.0");
    folder
}

/// Locks and installs a version of the package.
fn lock(folder: &Folder, version: &str) {
    let manifest = json!({ "name": "kit", "version": version, "types": "index.d.ts" });
    folder.write("project/node_modules/kit/package.json", manifest.to_string());
    folder.write("project/node_modules/kit/index.d.ts", DECLARATIONS);
    let readme = "# kit\n\nTools for wood.\n\n## Usage\n\nSaw first.\n\n```js\nsaw(3)\n```\n\n\
                  ## Options\n\nThere is `height`.\n";
    folder.write("project/node_modules/kit/README.md", readme);
    folder.write("project/node_modules/kit/docs/oiling.md", "# Oiling\n\nOil the bench.\n");
    let lock = json!({ "name": "shop", "lockfileVersion": 3, "packages": {
        "": { "name": "shop", "dependencies": { "kit": "^1.0.0" } },
        "node_modules/kit": { "version": version },
    }});
    folder.write("project/package-lock.json", lock.to_string());
}

pub(crate) fn command(folder: &Folder, arguments: &[&str]) -> ChildProcess {
    ChildProcess::new(env!("CARGO_BIN_EXE_docent"))
        .arg("serve")
        .args(arguments.iter().copied())
        .env("HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .env("XDG_CONFIG_HOME", folder.path().join("config"))
        .current_dir(folder.path().join("project"))
}

async fn client(folder: &Folder) -> Client {
    let builder = Client::builder("test", "1");
    builder.connect(command(folder, &[])).await.expect("a connection")
}

pub(crate) fn text(result: &CallToolResult) -> String {
    let blocks = result.content.iter().filter_map(|block| block.as_text());
    blocks.collect::<Vec<_>>().join("\n")
}

/// The text without the number that is new in every answer.
fn steady(text: &str) -> String {
    let words = text.split("quoted ");
    words.map(|part| part.get(8..).unwrap_or(part)).collect::<Vec<_>>().join("quoted ")
}

pub(crate) async fn call(client: &Client, tool: &str, arguments: Value) -> CallToolResult {
    client.call(tool, arguments).await.expect("an answer")
}

#[tokio::test]
async fn every_revision_gets_the_same_answers() {
    let folder = project();
    let mut answers = Vec::new();
    for revision in Revision::ALL {
        let builder = Client::builder("test", "1").revisions([revision]);
        let client = builder.connect(command(&folder, &[])).await.expect("a connection");
        let names: Vec<String> =
            client.tools().await.expect("tools").into_iter().map(|tool| tool.name).collect();
        let symbol = json!({ "package": "kit", "language": "npm", "symbols": ["Bench", "saw"] });
        let symbols = call(&client, "get_symbol", symbol).await;
        let read = client.read("docs://npm/kit@1.0.0/overview").await.expect("a document");
        let read = serde_json::to_string(&read.contents).expect("JSON");
        answers.push((names, steady(&text(&symbols)), steady(&read)));
        client.close().await;
    }
    let first = &answers[0];
    assert!(first.1.contains("lift(by: number): this"), "{}", first.1);
    assert!(answers.iter().all(|answer| answer == first), "{answers:#?}");
}

#[tokio::test]
async fn the_list_of_tools_is_short_and_can_be_narrowed() {
    let folder = project();
    let client = client(&folder).await;
    let tools = client.tools().await.expect("tools");
    let listed = serde_json::to_string(&tools).expect("JSON");
    assert!(tokens(&listed) < 2000, "{} tokens", tokens(&listed));
    for tool in &tools {
        assert!(tool.output_schema.is_some(), "{}", tool.name);
        assert_eq!(tool.annotations.as_ref().and_then(|hints| hints.read_only_hint), Some(true));
    }
    assert!(tools.iter().all(|tool| !tool.name.starts_with("lookup_")));
    client.close().await;

    let builder = Client::builder("test", "1");
    let narrow = command(&folder, &["--tools", "get_symbol,search_package_docs"]);
    let client = builder.connect(narrow).await.expect("a connection");
    let names: Vec<String> =
        client.tools().await.expect("tools").into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["search_package_docs", "get_symbol"]);
}

#[tokio::test]
async fn no_answer_exceeds_its_budget_as_text_or_as_structure() {
    let folder = project();
    let client = client(&folder).await;
    for budget in [100, 160, 400, 2000] {
        for (tool, arguments) in [
            ("describe_npm_package", json!({ "package": "kit", "maxTokens": budget })),
            ("get_npm_package_doc", json!({ "package": "kit", "maxLength": budget * 4 })),
            (
                "get_symbol",
                json!({ "package": "kit", "language": "npm", "symbols": ["saw", "Bench"], "maxTokens": budget }),
            ),
            (
                "search_package_docs",
                json!({ "package": "kit", "language": "npm", "query": "cut", "maxTokens": budget, "color": 1 }),
            ),
        ] {
            let result = call(&client, tool, arguments).await;
            let structured = result.structured_content.as_ref().expect("structured").to_string();
            let (plain, structured) = (tokens(&text(&result)), tokens(&structured));
            assert!(plain <= budget, "{tool}: {plain} of {budget} as text");
            assert!(structured <= budget, "{tool}: {structured} of {budget} as structure");
        }
    }
}

#[tokio::test]
async fn names_that_models_invent_are_understood() {
    let folder = project();
    let client = client(&folder).await;
    let invented = json!({ "libraryName": "kit", "lang": "typescript", "symbol": "saw", "max_tokens": "500", "mood": 1 });
    let result = call(&client, "get_symbol", invented).await;
    assert!(text(&result).contains("saw(length: number): void"), "{}", text(&result));
    assert!(text(&result).contains("Ignored: `mood`. get_symbol takes package,"));
    assert_eq!(result.is_error, None);

    // A name of the past still works, and so does a version inside the name.
    let result = call(&client, "lookup_npm_doc", json!({ "name": "kit@1.0.0" })).await;
    assert!(text(&result).starts_with("npm:kit@1.0.0 · as asked"), "{}", text(&result));

    // The protocol wants a model to read what is unfit, so that it can mend its call.
    let unfit = call(&client, "get_symbol", json!({ "package": "kit" })).await;
    assert_eq!(unfit.is_error, Some(true));
    assert!(text(&unfit).contains("\"language\", \"symbols\""), "{}", text(&unfit));
    let error = client.call("get_symbols", json!({})).await.expect_err("no such tool");
    assert_eq!(error.code(), Some(-32602));
}

#[tokio::test]
async fn what_is_not_there_says_so_and_what_to_try() {
    let folder = project();
    let builder = Client::builder("test", "1");
    // Without a registry, as on a machine that has none configured.
    let client =
        builder.connect(command(&folder, &[]).env("PATH", "")).await.expect("a connection");
    for (tool, arguments, expected) in [
        (
            "describe_npm_package",
            json!({ "package": "kit", "symbol": "Bnch" }),
            "Nearest names: `Bench`",
        ),
        ("describe_npm_package", json!({ "package": "../kit" }), "is not"),
        ("describe_npm_package", json!({ "package": "nothing" }), "registry"),
        ("get_npm_package_doc", json!({ "package": "kit", "section": "zoo" }), "- Usage"),
        ("list_project_packages", json!({ "language": "swift" }), "`projectPath`"),
        (
            "describe_npm_package",
            json!({ "package": "kit", "projectPath": "/none" }),
            "projectPath",
        ),
    ] {
        let result = call(&client, tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{expected}");
        assert!(text(&result).contains(expected), "{}", text(&result));
        let structured = result.structured_content.expect("structured");
        assert!(structured["error"].is_string(), "{structured}");
    }
}

#[tokio::test]
async fn all_packages_of_the_project_can_be_asked() {
    let folder = project();
    folder.write(
        "project/package.json",
        r#"{"name": "shop", "dependencies": {"kit": "^1.0.0", "paint": "^3.0.0"}}"#,
    );
    let manifest = r#"{"name": "paint", "version": "3.1.0", "types": "index.d.ts"}"#;
    folder.write("project/node_modules/paint/package.json", manifest);
    folder.write(
        "project/node_modules/paint/index.d.ts",
        "/** Coats wood with varnish. */\nexport declare function coat(layers: number): void;\n",
    );
    let lock = json!({ "name": "shop", "lockfileVersion": 3, "packages": {
        "": { "name": "shop", "dependencies": { "kit": "^1.0.0", "paint": "^3.0.0" } },
        "node_modules/kit": { "version": "1.0.0" },
        "node_modules/paint": { "version": "3.1.0" },
        "node_modules/missing": { "version": "9.9.9" },
    }});
    folder.write("project/package-lock.json", lock.to_string());
    let client = client(&folder).await;
    let search = |arguments: Value| call(&client, "search_package_docs", arguments);
    let found = search(json!({ "query": "varnish wood" })).await;
    let said = text(&found);
    assert!(said.contains("function coat(layers: number): void"), "{said}");
    assert!(said.contains("in npm:paint@3.1.0"), "{said}");
    assert!(said.contains("Searched 2 of 3 packages of this project"), "{said}");
    let structured = found.structured_content.expect("structured");
    assert_eq!(structured["searchResults"]["results"][0]["symbol"], "coat", "{structured}");
    let both = text(&search(json!({ "query": "wood" })).await);
    assert!(both.contains("in npm:kit@1.0.0") && both.contains("in npm:paint@3.1.0"), "{both}");
    // A package of the project needs no language; another one does.
    let one = text(&search(json!({ "query": "varnish", "package": "paint" })).await);
    assert!(one.starts_with("npm:paint@3.1.0 · installed"), "{one}");
    let unknown = search(json!({ "query": "x", "package": "stone" })).await;
    assert_eq!(unknown.is_error, Some(true));
    assert!(text(&unknown).contains("Say its `language`"), "{}", text(&unknown));
}

#[tokio::test]
async fn parts_can_be_asked_for() {
    let folder = project();
    let client = client(&folder).await;
    let readme = |arguments: Value| call(&client, "get_npm_package_doc", arguments);
    let section = readme(json!({ "package": "kit", "section": "options api" })).await;
    assert!(text(&section).contains("There is `height`"), "{}", text(&section));
    assert!(!text(&section).contains("Saw first"));
    let plain = readme(json!({ "package": "kit", "includeExamples": false })).await;
    assert!(text(&plain).contains("Saw first") && !text(&plain).contains("saw(3)"));
    let described = json!({ "package": "kit", "includeTypes": false });
    let described = call(&client, "describe_npm_package", described).await;
    assert!(!text(&described).contains("class Bench"), "{}", text(&described));
    let packages = call(&client, "list_project_packages", json!({})).await;
    assert_eq!(
        packages.structured_content.expect("structured")["packages"],
        json!([{ "language": "npm", "name": "kit", "version": "1.0.0", "direct": true }])
    );
}

#[tokio::test]
async fn differences_come_from_the_registry() {
    let folder = project();
    let release = |version: &str, declarations: &str| {
        let manifest = json!({ "name": "kit", "version": version, "types": "index.d.ts" });
        Package::new("kit", version)
            .file("package.json", &manifest.to_string())
            .file("index.d.ts", declarations)
    };
    let registry = Registry::builder()
        .npm(release("1.0.0", DECLARATIONS))
        .npm(release("1.9.0", "export declare function file(): void;"))
        .npm(release("2.0.0", "export declare function saw(length: string): void;"))
        .start()
        .await;
    let command = command(&folder, &[]).env("NPM_CONFIG_REGISTRY", registry.url("/"));
    let client = Client::builder("test", "1").connect(command).await.expect("a connection");
    let all = json!({ "package": "kit", "language": "npm" });
    let all = text(&call(&client, "diff_package_versions", all).await);
    assert!(all.contains("npm:kit@1.0.0 · installed") && all.contains("npm:kit@2.0.0"), "{all}");
    assert!(all.contains("## Removed\n- `kit · Bench`"), "{all}");
    let some = json!({ "package": "kit", "language": "npm", "symbols": ["saw"], "to": "2.0.0" });
    let some = text(&call(&client, "diff_package_versions", some).await);
    assert!(some.contains("after: `function saw(length: string): void`"), "{some}");
    assert!(!some.contains("Bench"), "{some}");

    // A download tells how far it has come.
    let (told, mut heard) = mpsc::unbounded_channel();
    let options = RequestOptions::default().on_progress(move |progress| {
        let _ = told.send(progress.message.unwrap_or_default());
    });
    let arguments = json!({ "package": "kit", "version": "1.9.0" });
    client.call_with("describe_npm_package", arguments, options).await.expect("an answer");
    heard.close();
    let mut messages = Vec::new();
    while let Some(message) = heard.recv().await {
        messages.push(message);
    }
    assert!(messages.iter().any(|message| message == "reading kit@1.9.0"), "{messages:?}");
}

#[tokio::test]
async fn documents_are_listed_completed_and_read() {
    let folder = project();
    let client = client(&folder).await;
    let listed = client.resources().await.expect("resources");
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(uris, ["docs://project/packages", "docs://npm/kit@1.0.0/overview"]);
    assert!(listed[1].annotations.as_ref().is_some_and(|hints| hints.last_modified.is_some()));

    let read = |uri: String| {
        let client = client.clone();
        async move {
            let read = client.read(&uri).await.unwrap_or_else(|error| panic!("{uri}: {error}"));
            serde_json::to_string(&read.contents).expect("JSON")
        }
    };
    let base = "docs://npm/kit@1.0.0";
    let overview = read(format!("{base}/overview")).await;
    assert!(overview.contains("docs://npm/kit@1.0.0/guide/docs/oiling.md"), "{overview}");
    assert!(read(format!("{base}/guide/docs/oiling.md")).await.contains("Oil the bench."));
    assert!(read(format!("{base}/readme")).await.contains("Saw first."));
    assert!(read(format!("{base}/symbol/Bench.lift")).await.contains("lift(by: number): this"));
    assert!(read("docs://project/packages".to_owned()).await.contains("npm:kit@1.0.0"));
    for missing in ["changelog", "symbol/Axe", "guide/none.md"] {
        let error = client.read(&format!("{base}/{missing}")).await.expect_err(missing);
        assert_eq!(error.code(), Some(-32602), "{missing}: {error}");
    }

    let template = "docs://{ecosystem}/{+package}@{version}/symbol/{+symbol}";
    for (argument, typed, expected) in [
        ("ecosystem", "n", "npm"),
        ("package", "k", "kit"),
        ("version", "1", "1.0.0"),
        ("symbol", "bench.l", "Bench.lift"),
    ] {
        let known = [("ecosystem", "npm"), ("package", "kit"), ("version", "1.0.0")];
        let known: BTreeMap<String, String> = known
            .into_iter()
            .filter(|(name, _)| *name != argument)
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let reference = CompletionReference::resource(template);
        let found = client.complete(reference, argument, typed, known).await.expect("suggestions");
        assert!(found.values.iter().any(|value| value == expected), "{argument}: {found:?}");
    }
}

#[tokio::test]
async fn prompts_can_be_filled_in() {
    let folder = project();
    let client = client(&folder).await;
    let names: Vec<String> =
        client.prompts().await.expect("prompts").into_iter().map(|prompt| prompt.name).collect();
    assert_eq!(names, ["use_package", "migrate_package", "review_against_installed"]);
    let prompt = client.prompt("use_package", [("package", "kit"), ("task", "cut a board")]);
    let prompt = serde_json::to_string(&prompt.await.expect("messages")).expect("JSON");
    assert!(prompt.contains("cut a board") && prompt.contains("get_symbol"), "{prompt}");
    let reference = CompletionReference::prompt("use_package");
    let found = client.complete(reference, "package", "", BTreeMap::new()).await.expect("values");
    assert_eq!(found.values, ["kit"]);
}

/// Both eras: a legacy session hears it on its connection, a modern client on its subscription.
#[tokio::test]
async fn a_changed_lockfile_is_told_to_listeners() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let folder = project();
        let (told, mut heard) = mpsc::unbounded_channel();
        let builder = Client::builder("test", "1").revisions([revision]).on_event(move |event| {
            let _ = told.send(event);
        });
        let client = builder.connect(command(&folder, &[])).await.expect("a connection");
        let document = "docs://npm/kit@1.0.0/overview";
        client.subscribe(document).await.expect("a subscription");
        lock(&folder, "1.1.0");
        let mut updated = false;
        let patience = Duration::from_secs(20);
        while !updated {
            let event = tokio::time::timeout(patience, heard.recv()).await.expect("news");
            updated = matches!(event, Some(ServerEvent::ResourceUpdated(uri)) if uri == document);
        }
        let listed = client.resources().await.expect("resources");
        assert!(listed.iter().any(|one| one.uri == "docs://npm/kit@1.1.0/overview"), "{listed:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn a_broken_lockfile_is_a_remark_and_not_an_end() {
    let folder = project();
    folder.write("project/package-lock.json", "{ \"packages\": <<<<");
    let client = client(&folder).await;
    let result = call(&client, "describe_npm_package", json!({ "package": "kit" })).await;
    assert_eq!(result.is_error, None, "{}", text(&result));
    assert!(text(&result).contains("npm:kit@1.0.0 · installed"), "{}", text(&result));
}

#[tokio::test]
async fn a_package_without_documentation_is_an_answer() {
    let folder = project();
    let manifest = r#"{"name": "bare", "version": "0.1.0"}"#;
    folder.write("project/node_modules/bare/package.json", manifest);
    let client = client(&folder).await;
    let result = call(&client, "describe_npm_package", json!({ "package": "bare" })).await;
    assert!(text(&result).contains("Nothing in it could be read."), "{}", text(&result));
    assert!(text(&result).starts_with("npm:bare@0.1.0 · installed"), "{}", text(&result));
}

#[tokio::test]
async fn code_is_checked_against_what_is_installed() {
    let folder = project();
    let client = client(&folder).await;
    let code = "import { saw, drill } from 'kit';\nsaw(3);\ndrill();\n";
    let given = call(&client, "check_code", json!({ "code": code, "language": "ts" })).await;
    assert!(text(&given).contains("code:1:15"), "{}", text(&given));
    folder.write("project/src/shop.ts", code);
    let read = call(&client, "check_code", json!({ "file": "src/shop.ts" })).await;
    let structured = read.structured_content.expect("structured");
    assert_eq!(structured["findings"][0]["name"], "drill", "{structured}");
    assert_eq!(structured["packages"], json!(["npm:kit@1.0.0"]));
    // Files outside the project are not read, however they are reached.
    folder.write("secret.ts", code);
    for outside in ["../secret.ts", "/etc/passwd"] {
        let refused = call(&client, "check_code", json!({ "file": outside })).await;
        assert_eq!(refused.is_error, Some(true), "{}", text(&refused));
    }
}
