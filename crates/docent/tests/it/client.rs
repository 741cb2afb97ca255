//! The commands for other MCP servers, tried on our own.

use std::process::{Command, Output, Stdio};

use docent_mcp::Client;
use docent_mcp::transport::child::ChildProcess;
use docent_testkit::folder::Folder;
use serde_json::{Value, json};

const DOCENT: &str = env!("CARGO_BIN_EXE_docent");

/// A project with one package, and a home without any configuration.
fn project() -> Folder {
    let folder = Folder::new();
    folder.write("project/package.json", r#"{"name": "shop", "dependencies": {"kit": "1.0.0"}}"#);
    let manifest = r#"{"name": "kit", "version": "1.0.0", "types": "index.d.ts"}"#;
    folder.write("project/node_modules/kit/package.json", manifest);
    folder.write(
        "project/node_modules/kit/index.d.ts",
        "/** Cuts wood. */\nexport declare function saw(length: number): void;\n",
    );
    folder
}

fn run_with(folder: &Folder, arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(DOCENT);
    command.env_clear().env("HOME", folder.path()).current_dir(folder.path().join("project"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("the program");
    std::io::Write::write_all(&mut process.stdin.take().expect("input"), input.as_bytes())
        .expect("it reads");
    let Output { status, stdout, stderr } = process.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    run_with(folder, arguments, "")
}

/// Our own server, to be started by the commands.
const SERVER: [&str; 4] = ["--", DOCENT, "--offline", "serve"];

fn on_server<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    arguments.iter().copied().chain(SERVER).collect()
}

#[test]
fn tools_are_signatures() {
    let folder = project();
    let (code, out, err) = run(&folder, &on_server(&["tools"]));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let expected = "  get_symbol(package: string, language: \"go\" | \"python\" | \"npm\" | \"swift\" \
                    | \"rust\", symbols: string[], version?: string,";
    assert!(out.contains(expected), "{out}");
    let (_, json, _) = run(&folder, &on_server(&["tools", "get_symbol", "--json"]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json[0]["inputSchema"]["required"], json!(["package", "language", "symbols"]));
    let names = ["name", "server", "tool"].map(|key| json[0][key].clone());
    assert_eq!(names, ["server__get_symbol", "server", "get_symbol"].map(Value::from));
}

#[test]
fn calls_are_what_the_server_answers() {
    let folder = project();
    let arguments = ["call", "server.get_symbol", "package=kit", "language=npm", "symbols=saw"];
    let (code, out, err) = run(&folder, &on_server(&arguments));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("saw(length: number): void"), "{out}");
    // The exact result, from an object on standard input and by the tool's bare name.
    let input = r#"{"package": "kit", "language": "npm", "symbols": ["saw"]}"#;
    let (_, json, _) = run_with(&folder, &on_server(&["call", "get_symbol", "-", "--json"]), input);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["structuredContent"]["package"], "npm:kit@1.0.0");
}

#[test]
fn what_goes_wrong_is_told_by_the_exit_code() {
    let folder = project();
    for (arguments, expected, message) in [
        (on_server(&["call", "nothing"]), 2, "unknown tool: nothing"),
        (on_server(&["call", "get_symbol", "x"]), 64, "`x` is no argument"),
        (on_server(&["read", "docs://npm/none@1/readme"]), 1, "no registry is configured"),
        (vec!["tools", "--", "no-such-program-anywhere"], 3, "no-such-program-anywhere"),
        // What nobody has cannot be told from what is at a server that is not there.
        (vec!["call", "a.b", "--", DOCENT, "describe"], 1, "has ended, exit status: 64"),
        (vec!["tools", "a", "--", DOCENT, "describe"], 1, "error: server: "),
        (vec!["read", "a://b", "--", DOCENT, "describe"], 1, "error: server: "),
        (vec!["prompt", "a", "--", DOCENT, "describe"], 1, "error: server: "),
        (vec!["complete", "a", "b=", "--", DOCENT, "describe"], 1, "error: server: "),
        (vec!["call", "x"], 2, "hint: no servers are configured; `docent config explain`"),
        (vec!["tools", "--config", "typo.json"], 1, "typo.json:1: cannot be read"),
        (vec!["gateway", "--config", "typo.json"], 1, "typo.json:1: cannot be read"),
        (vec!["config", "import", "--config", "typo.json"], 1, "typo.json:1: cannot be read"),
        (vec!["config", "explain", "--config", "typo.json"], 3, ""),
    ] {
        let (code, _, err) = run(&folder, &arguments);
        assert_eq!(code, Some(expected), "{arguments:?}: {err}");
        assert!(err.contains(message), "{arguments:?}: {err}");
    }
    // A tool that ran and failed is not a failure of the command.
    let missing = ["call", "get_symbol", "package=kit", "language=npm", "symbols=axe"];
    let (code, out, _) = run(&folder, &on_server(&missing));
    assert_eq!(code, Some(3));
    assert!(out.contains("`axe` does not exist"), "{out}");
}

#[test]
fn prompts_resources_and_suggestions() {
    let folder = project();
    let (_, out, _) = run(&folder, &on_server(&["prompt"]));
    assert!(out.contains("server.use_package(package, task, language?)"), "{out}");
    let filled = ["prompt", "use_package", "package=kit", "task=cut a board"];
    let (_, out, _) = run(&folder, &on_server(&filled));
    assert!(out.contains("cut a board"), "{out}");
    let (_, out, _) = run(&folder, &on_server(&["read"]));
    assert!(out.contains("docs://project/packages"), "{out}");
    let (_, out, _) = run(&folder, &on_server(&["complete", "use_package", "language=p"]));
    assert_eq!(out, "python\nnpm\n");
}

#[test]
fn a_tap_changes_nothing_and_a_replay_compares() {
    let folder = project();
    let arguments = ["call", "list_project_packages", "--", DOCENT, "tap", "-o", "../tap.jsonl"];
    let arguments: Vec<&str> = arguments.into_iter().chain(SERVER).collect();
    let (code, out, err) = run(&folder, &arguments);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!(out, "- npm kit not locked\n");
    let record = std::fs::read_to_string(folder.path().join("tap.jsonl")).expect("a record");
    assert!(record.lines().any(|line| line.contains("\"from\":\"server\"")), "{record}");

    let replay: Vec<&str> = ["replay", "../tap.jsonl"].into_iter().chain(SERVER).collect();
    let (code, out, _) = run(&folder, &replay);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains(" 0 answered differently"), "{out}");
    // Another project, another answer.
    folder.write("project/package.json", r#"{"name": "shop", "dependencies": {"glue": "1"}}"#);
    let (code, out, _) = run(&folder, &replay);
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("different  tools/call"), "{out}");
}

#[test]
fn nothing_of_a_project_is_started_before_the_user_agrees() {
    let folder = project();
    let servers = json!({ "mcpServers": { "docs": { "command": DOCENT, "args": ["serve"] } } });
    folder.write("project/.mcp.json", servers.to_string());
    let (_, out, err) = run(&folder, &["servers"]);
    assert!(out.contains("docs  ") && out.contains("off"), "{out}");
    assert!(err.contains("docent approve"), "{err}");
    let (_, out, _) = run(&folder, &["approve", "--yes"]);
    assert!(out.contains("docs may be started"), "{out}");
    let (code, out, err) = run(&folder, &["servers"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("ready"), "{out}");

    // Tools are pinned as they are; what is not pinned is not used.
    let (_, out, _) = run(&folder, &["approve", "--tools", "--yes"]);
    assert!(out.contains("docs: + check_code"), "{out}");
    let call = ["call", "docs.list_project_packages", "--locked"];
    assert_eq!(run(&folder, &call).0, Some(0));
    let lock = std::fs::read_to_string(folder.path().join("project/mcp.lock")).expect("a lock");
    folder.write("project/mcp.lock", lock.replace("list_project_packages", "list_nothing"));
    let (code, _, err) = run(&folder, &call);
    assert_eq!(code, Some(1));
    assert!(err.contains("it is new: `mcp.lock` does not have it"), "{err}");
}

#[tokio::test]
async fn the_gateway_is_one_server() {
    let folder = project();
    let config = json!({ "mcpServers": {
        "docs": { "command": DOCENT, "args": ["serve"] },
        "broken": { "command": "no-such-program-anywhere" },
    }});
    let config = folder.write("servers.json", config.to_string());
    let gateway = ChildProcess::new(DOCENT)
        .args(["gateway", "--config"])
        .arg(config)
        .env("HOME", folder.path())
        .current_dir(folder.path().join("project"));
    let client = Client::builder("test", "1").connect(gateway).await.expect("a connection");
    let tools = client.tools().await.expect("tools");
    let name = tools.iter().find(|tool| tool.name.ends_with("list_project_packages"));
    let name = &name.expect("the tool").name;
    let result = client.call(name, json!({})).await.expect("an answer");
    let packages = result.structured_content.expect("structured");
    assert_eq!(packages["packages"][0]["name"], "kit", "{packages}");
    client.close().await;
}

/// A gateway that stands in the file of the client that it is for does not start itself, neither
/// directly nor through another program.
#[tokio::test]
async fn a_gateway_does_not_start_itself() {
    let folder = project();
    let hidden = format!("exec {DOCENT} gateway");
    let config = json!({ "mcpServers": {
        "docs": { "command": DOCENT, "args": ["serve"] },
        "all": { "command": DOCENT, "args": ["gateway"] },
        "hidden": { "command": "/bin/sh", "args": ["-c", hidden] },
    }});
    folder.write(".claude.json", config.to_string());
    let gateway = ChildProcess::new(DOCENT)
        .arg("gateway")
        .env("HOME", folder.path())
        .current_dir(folder.path().join("project"));
    let client = Client::builder("test", "1").connect(gateway).await.expect("a connection");
    let tools = client.tools().await.expect("tools");
    let mut servers: Vec<_> =
        tools.iter().filter_map(|tool| tool.name.split("__").next()).collect();
    servers.dedup();
    assert_eq!(servers, ["docs"]);
    client.close().await;
}

/// Nor does anything else start a gateway beside the servers that are behind it.
#[test]
fn a_gateway_is_not_one_server_more() {
    let folder = project();
    let config = json!({ "mcpServers": {
        "docs": { "command": DOCENT, "args": ["--offline", "serve"] },
        "all": { "command": DOCENT, "args": ["gateway"] },
    }});
    let file = folder.write(".claude.json", config.to_string());
    let (code, out, err) = run(&folder, &["servers", "--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let servers: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(servers.as_array().map(Vec::len), Some(1), "{servers}");
    assert_eq!(servers[0]["name"], "docs");
    let (_, out, _) = run(&folder, &["config", "explain", "all"]);
    assert!(out.starts_with("all: set-aside\n"), "{out}");
    assert!(out.contains("set aside: it is a gateway, which would start everything"), "{out}");
    // In a file that was named it may be what was meant.
    let file = file.to_str().expect("a path");
    let (code, _, err) = run(&folder, &["servers", "--config", file]);
    assert!(code == Some(0) && err.starts_with("warning: all: it is a gateway"), "{err}");
    let (code, out, _) = run(&folder, &["config", "import"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("all: left out\n") && out.contains("docs: written\n"), "{out}");
    // Who names it, wants it.
    let named = ["config", "import", "all", "--to", "cursor"];
    let (code, out, _) = run(&folder, &named);
    assert!(code == Some(0) && out.starts_with("all: written\n"), "{out}");
}

/// Only the server that is asked about has to be there.
#[test]
fn one_server_is_no_other_ones_trouble() {
    let folder = project();
    let (good, hung) = (json!([DOCENT, "--offline", "serve"]), json!(["/bin/sleep", "60"]));
    let entry =
        |line: &Value| json!({ "command": line[0], "args": &line.as_array().unwrap()[1..] });
    let file = json!({ "mcpServers": { "docs": entry(&good), "hung": entry(&hung),
        "gone": { "command": "/no/such/program" } } });
    folder.write("servers.json", file.to_string());
    let file = folder.path().join("servers.json");
    let file = file.to_str().expect("a path");
    for name in ["docs.get_symbol", "docs"] {
        let (code, out, err) = run(&folder, &["tools", name, "--config", file]);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{name}");
        assert!(out.contains("get_symbol("), "{out}");
    }
    let (code, out, err) = run(&folder, &["tools", "--config", file]);
    assert_eq!(code, Some(3));
    assert!(out.contains("get_symbol(") && err.contains("hung:") && err.contains("gone:"), "{err}");
    for command in ["tools", "call"] {
        let (code, _, err) = run(&folder, &[command, "gone.tool", "--config", file]);
        assert!(code == Some(1) && !err.contains("hung"), "{err}");
        assert_eq!(err.matches("/no/such/program").count(), 1, "told twice: {err}");
    }
    // What no server has that is there may be at one of the others.
    for words in [["call", "no_such_tool"], ["read", "no://such"]] {
        let (code, _, err) = run(&folder, &[&words[..], &["--config", file]].concat());
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains("warning: hung:") && err.contains("warning: gone:"), "{err}");
    }
    let (_, out, _) = run(&folder, &["servers", "--json", "--config", file]);
    let servers: Value = serde_json::from_str(&out).expect("JSON");
    let codes = servers.as_array().expect("a list").iter().map(|server| server["code"].clone());
    assert_eq!(codes.collect::<Value>(), json!([null, null, "not_started"]));
}
