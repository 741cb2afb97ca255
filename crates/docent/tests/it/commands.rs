use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Output, Stdio};

use docent_testkit::folder::Folder;
use serde_json::{Value, json};

/// A project with one package, and a home without any configuration.
pub(crate) fn project() -> Folder {
    let folder = Folder::new();
    let manifest = r#"{"name": "kit", "version": "1.0.0", "types": "index.d.ts"}"#;
    folder.write("project/node_modules/kit/package.json", manifest);
    folder.write(
        "project/node_modules/kit/index.d.ts",
        "/** Cuts wood. */\nexport declare function saw(length: number): void;\n",
    );
    folder
}

fn docent(folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_docent"));
    command.env_clear().env("HOME", folder.path()).current_dir(folder.path().join("project"));
    command
}

pub(crate) fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        docent(folder).args(arguments).output().expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn describe_answers_from_the_project() {
    let folder = project();
    let (code, out, err) = run(&folder, &["describe", "npm:kit", "saw"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("npm:kit@1.0.0 · installed in this project"), "{out}");
    assert!(out.contains("function saw(length: number): void"), "{out}");
}

#[test]
fn what_is_not_there_is_told_by_the_exit_code() {
    let folder = project();
    let (code, out, _) = run(&folder, &["describe", "npm:kit", "hammer"]);
    assert_eq!(code, Some(2));
    assert!(out.contains("`hammer` does not exist in npm:kit@1.0.0"), "{out}");

    let (code, out, err) = run(&folder, &["describe", "npm:nothing", "--offline"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("error: ") && err.contains("\nhint: "), "{err}");
}

#[test]
fn json_carries_the_answer_and_the_receipt() {
    let folder = project();
    let (code, out, _) = run(&folder, &["search", "npm:kit", "cut", "wood", "--json"]);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(code, Some(0));
    assert_eq!(answer["results"][0]["name"], "saw");
    assert_eq!(answer["receipts"][0]["package"], "npm:kit@1.0.0");
    assert_eq!(answer["receipts"][0]["reason"]["why"], "installed");
}

#[test]
fn serve_answers_agents_and_writes_nothing_but_protocol() {
    let folder = project();
    let mut server = docent(&folder)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut input = server.stdin.take().expect("input");
    let mut lines = BufReader::new(server.stdout.take().expect("output")).lines();
    let mut ask = |message: Value| -> Value {
        writeln!(input, "{message}").expect("it reads");
        let line = lines.next().expect("an answer").expect("a line");
        serde_json::from_str(&line).expect("only JSON on standard output")
    };
    let hello = ask(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }}));
    assert_eq!(hello["result"]["serverInfo"]["name"], "docent");
    let call = |id: u32, tool: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}})
    };
    let found = ask(call(
        2,
        "search_package_docs",
        json!({
            "package": "kit", "query": "cut wood", "language": "npm", "maxTokens": 300,
        }),
    ));
    let text = found["result"]["content"][0]["text"].as_str().expect("text");
    assert!(text.contains("saw(length: number): void"), "{text}");
    let missing = ask(call(3, "describe_npm_package", json!({"package": "kit", "symbol": "axe"})));
    assert_eq!(missing["result"]["isError"], true);
    let refused = ask(call(4, "describe_npm_package", json!({"package": "../kit"})));
    assert_eq!(refused["result"]["isError"], true);
    drop(input);
    assert!(server.wait().expect("it ends").success());
}

/// One request over HTTP, as a script would make it.
fn post(address: &str, body: &Value) -> Value {
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    let body = body.to_string();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: describe_npm_package\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[test]
fn serve_over_http_for_a_team() {
    let folder = project();
    let mut server = docent(&folder)
        .args(["serve", "--http", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut lines = BufReader::new(server.stderr.take().expect("errors")).lines();
    let line = lines.next().expect("it says where it listens").expect("a line");
    let address =
        line.strip_prefix("listening at http://").and_then(|rest| rest.strip_suffix("/mcp"));
    let answer = post(
        address.expect("an address"),
        &json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "describe_npm_package", "arguments": { "package": "kit", "symbol": "saw" },
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        }),
    );
    let text = answer["result"]["content"][0]["text"].as_str().expect("text");
    assert!(text.contains("saw(length: number): void"), "{text}");
    server.kill().expect("it runs");
    server.wait().expect("it ends");
}

/// A gateway that trusts an authorization server lets in nobody without a token, and says where one
/// can be had.
#[test]
fn a_gateway_can_ask_for_tokens() {
    let folder = project();
    let resource = "https://mcp.example/mcp";
    let mut gateway = docent(&folder)
        .args(["gateway", "--http", "0", "--issuer", "https://auth.example"])
        .args(["--resource", resource, "--scope", "tools"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut lines = BufReader::new(gateway.stderr.take().expect("errors")).lines();
    let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let rest = line.strip_prefix("listening at http://")?.strip_suffix("/mcp")?;
        Some(rest.to_owned())
    });
    let address = address.expect("it says where it listens");
    let ask = |method: &str, path: &str| {
        let mut stream = std::net::TcpStream::connect(&*address).expect("it listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: 2\r\n\r\n{{}}"
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    };
    let refused = ask("POST", "/mcp");
    assert!(refused.starts_with("HTTP/1.1 401 ") && refused.contains("Bearer "), "{refused}");
    let told = ask("GET", "/.well-known/oauth-protected-resource/mcp");
    for word in [resource, "https://auth.example", "tools"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    gateway.kill().expect("it runs");
    gateway.wait().expect("it ends");
}
