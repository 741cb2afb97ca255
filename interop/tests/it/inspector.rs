//! The official Inspector's command line drives the documentation server, as its users would.

use std::path::Path;
use std::process::Stdio;

use docent_testkit::folder::Folder;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::peers::{Peer, docent};

/// What a user types after the server, and what must be in what is printed.
const SESSION: &[(&[&str], &str)] = &[
    (&["tools/list", "--strict"], "\"name\": \"search_package_docs\""),
    (
        &["tools/call", "--tool-name", "search_package_docs", "--tool-arg", "package=kit"],
        "missing required property",
    ),
    (&["tools/call", "--tool-name", "list_project_packages"], "\"name\": \"kit\""),
    (&["resources/list"], "docs://npm/kit@1.0.0/overview"),
    (&["resources/templates/list"], "docs://{ecosystem}/{+package}@{version}/readme"),
    (&["resources/read", "--uri", "docs://npm/kit@1.0.0/overview"], "Cuts wood"),
    (&["resources/read", "--uri", "docs://npm/kit@1.0.0/symbol/saw"], "saw(length: number)"),
    (&["prompts/list"], "use_package"),
    (
        &[
            "prompts/get",
            "--prompt-name",
            "use_package",
            "--prompt-args",
            "package=kit",
            "task=saw",
        ],
        "get_symbol",
    ),
];

/// Arguments that fit every tool that asks for a package.
const ARGUMENTS: &[&str] = &[
    "package=kit",
    "language=npm",
    "query=wood",
    "symbols=[\"saw\"]",
    "from=1.0.0",
    "to=1.0.0",
    "code=import { saw } from 'kit'; saw(1);",
];

fn project() -> Folder {
    let folder = Folder::new();
    folder.write("project/package.json", r#"{"name": "shop", "dependencies": {"kit": "1.0.0"}}"#);
    let lock = json!({ "lockfileVersion": 3, "packages": {
        "": { "dependencies": { "kit": "1.0.0" } },
        "node_modules/kit": { "version": "1.0.0" },
    }});
    folder.write("project/package-lock.json", lock.to_string());
    let manifest = r#"{"name": "kit", "version": "1.0.0", "types": "index.d.ts"}"#;
    folder.write("project/node_modules/kit/package.json", manifest);
    folder.write("project/node_modules/kit/README.md", "# kit\n\nTools for wood.\n");
    folder.write(
        "project/node_modules/kit/index.d.ts",
        "/** Cuts wood. */\nexport declare function saw(length: number): void;\n",
    );
    folder
}

fn inspector() -> Peer {
    Peer::node("the Inspector", "../inspector/package.json", &[])
}

/// Runs the Inspector on a server, and returns all that it printed.
async fn inspect(folder: &Path, server: &[String], what: &[&str]) -> String {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("inspector/node_modules/.bin/mcp-inspector");
    let mut command = Command::new("node");
    command.arg(script).arg("--cli").args(server).arg("--method").args(what);
    command.env("HOME", folder).env("XDG_CACHE_HOME", folder.join("cache"));
    command.current_dir(folder.join("project")).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.expect("node runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

async fn session(folder: &Folder, server: &[String]) {
    for (what, expected) in SESSION {
        let printed = inspect(folder.path(), server, what).await;
        assert!(printed.contains(expected), "{what:?}: {printed}");
    }
    let listed = inspect(folder.path(), server, &["tools/list"]).await;
    let start = listed.find('{').expect("JSON");
    let mut values = serde_json::Deserializer::from_str(&listed[start..]).into_iter::<Value>();
    let listed = values.next().expect("a value").expect("JSON");
    for tool in listed["tools"].as_array().expect("a list") {
        let name = tool["name"].as_str().expect("a name");
        let known = tool["inputSchema"]["properties"].as_object().expect("properties");
        let fits = |pair: &&&str| {
            let name = pair.split('=').next().unwrap_or_default();
            known.contains_key(name)
        };
        let arguments: Vec<&str> = ARGUMENTS.iter().filter(fits).copied().collect();
        let mut what = vec!["tools/call", "--tool-name", name];
        if !arguments.is_empty() {
            what.push("--tool-arg");
            what.extend(&arguments);
        }
        let printed = inspect(folder.path(), server, &what).await;
        // Packages of other languages are not in this project, and no registry can be asked.
        let expected = match name {
            "list_project_packages" => "\"packages\"",
            "describe_python_package"
            | "describe_rust_package"
            | "describe_go_package"
            | "describe_swift_package" => "\"isError\": true",
            _ => "npm:kit@1.0.0",
        };
        assert!(printed.contains(expected), "{name}: {printed}");
    }
}

/// Every tool, resource and prompt over standard input and output.
#[tokio::test]
async fn inspector_over_stdio() {
    let (Some(docent), true) = (docent(), inspector().is_there()) else { return };
    let folder = project();
    let server = [docent.display().to_string(), "--offline".to_owned(), "serve".to_owned()];
    session(&folder, &server).await;
}

/// The same over HTTP.
#[tokio::test]
async fn inspector_over_http() {
    let (Some(docent), true) = (docent(), inspector().is_there()) else { return };
    let folder = project();
    let mut command = Command::new(docent);
    command.args(["--offline", "serve", "--http", "127.0.0.1:0"]).kill_on_drop(true);
    command.env("HOME", folder.path()).env("XDG_CACHE_HOME", folder.path().join("cache"));
    command.current_dir(folder.path().join("project")).stderr(Stdio::piped());
    let mut process: Child = command.spawn().expect("docent runs");
    let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
    let line = lines.next_line().await.expect("a line").expect("it says where it listens");
    let address = line.strip_prefix("listening at ").expect("an address").to_owned();
    session(&folder, &[address]).await;
}
