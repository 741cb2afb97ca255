//! The gateway as it is started: what it says beside the protocol, and whom it lets in.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_testkit::authorization::{AuthorizationServer, Options};
use docent_testkit::folder::Folder;
use docent_testkit::plain_http::{self, Reply};
use serde_json::{Value, json};

use crate::stage::{Ran, ran};

const DOCENT: &str = env!("CARGO_BIN_EXE_docent");

/// A home, a project inside, and a file of servers that is not the project's.
fn home(servers: &Value) -> Folder {
    let folder = Folder::new();
    folder.write("project/package.json", "{}");
    folder.write("servers.json", json!({ "mcpServers": servers }).to_string());
    folder
}

fn docent(home: &Folder, words: &[&str]) -> Command {
    let mut command = Command::new(DOCENT);
    command.env_clear().env("HOME", home.path()).current_dir(home.path().join("project"));
    command.args(words).stdin(Stdio::null());
    command
}

/// The same for the servers of that file.
fn on_servers(home: &Folder, words: &[&str]) -> Command {
    let mut command = docent(home, words);
    command.arg("--config").arg(home.path().join("servers.json"));
    command
}

/// Our own server, which has tools and resources.
fn docs() -> Value {
    json!({ "command": DOCENT, "args": ["--offline", "serve"] })
}

/// A request of the newest revision, which needs no session.
fn request(id: usize, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Runs a gateway for a client that calls these tools, and goes when it has all answers: whether each
/// went well. What comes out is one message a line.
fn called(command: &mut Command, tools: &[&str]) -> (Vec<bool>, Ran) {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("the program");
    let mut input = process.stdin.take().expect("input");
    for (at, name) in tools.iter().enumerate() {
        let params = json!({ "name": name, "arguments": {} });
        writeln!(input, "{}", request(at, "tools/call", params)).expect("it reads");
    }
    let mut answers = vec![None; tools.len()];
    let mut output = BufReader::new(process.stdout.take().expect("output"));
    let mut out = String::new();
    while answers.contains(&None) {
        let mut line = String::new();
        assert_ne!(output.read_line(&mut line).expect("text"), 0, "it ended: {out}");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if let Some(id) = message["id"].as_u64().and_then(|id| usize::try_from(id).ok()) {
            answers[id] = Some(message["error"].is_null());
        }
        out.push_str(&line);
    }
    drop(input);
    output.read_to_string(&mut out).expect("text");
    let ended = process.wait_with_output().expect("it ends");
    let err = String::from_utf8(ended.stderr).expect("text");
    let answers = answers.into_iter().flatten().collect();
    (answers, Ran { code: ended.status.code(), out, err })
}

#[test]
fn servers_that_fail_are_told_once_and_cost_the_others_nothing() {
    let home = home(&json!({
        "docs": docs(),
        "broken": { "command": "no-such-program-anywhere" },
        "unset": { "command": "x", "env": { "TOKEN": "${NOT_SET}" } },
    }));
    let tools = ["docs.list_project_packages", "broken.x", "broken.x"];
    let (answers, ran) = called(&mut on_servers(&home, &["gateway"]), &tools);
    assert_eq!(answers, [true, false, false], "{}", ran.out);
    let mut said: Vec<&str> = ran.err.lines().collect();
    said.sort_unstable();
    let [broken, unset] = said[..] else { panic!("{said:?}") };
    assert!(broken.starts_with("warning: broken: "), "{broken}");
    assert!(broken.contains("no-such-program-anywhere"), "{broken}");
    assert!(unset.starts_with("warning: unset: ") && unset.contains("`NOT_SET`"), "{unset}");
}

#[test]
fn warnings_of_the_libraries_are_shown() {
    let home = home(&json!({}));
    let mut command = on_servers(&home, &["gateway"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    let (_, ran) = called(command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), &["x"]);
    assert!(ran.err.starts_with("warning: OTLP is sent over HTTP only"), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

/// Whoever starts a gateway may never read what it says.
#[test]
fn nobody_has_to_read_what_it_says() {
    let long = "x".repeat(3000);
    let servers = (0..50).map(|n| (format!("s{n}"), json!({ "command": format!("/no/{long}") })));
    let home = home(&Value::Object(servers.collect()));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = on_servers(&home, &["gateway"]);
    let list = request(2, "tools/list", json!({}));
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(writer)
        .spawn()
        .expect("the program");
    drop(command);
    writeln!(process.stdin.take().expect("input"), "{list}").expect("it reads");
    let output = process.wait_with_output().expect("it ends");
    assert!(String::from_utf8_lossy(&output.stdout).contains(r#""id":2"#));
    // What was said first is there; the pipe was full long before the end.
    let mut said = Vec::new();
    { reader }.read_to_end(&mut said).expect("it was closed");
    let lines = said.split(|byte| *byte == b'\n').count();
    assert!((2..50).contains(&lines), "{lines}");
}

#[test]
fn names_that_several_want_are_told() {
    let home = home(&json!({ "one": docs(), "two": docs() }));
    let expected = "two: its resource `docs://project/packages` is `two+docs://project/packages` \
                    here, because one has that one\n";
    let tools = ["one.list_project_packages", "two.list_project_packages"];
    let (answers, gateway) = called(&mut on_servers(&home, &["gateway"]), &tools);
    assert_eq!(answers, [true, true], "{}", gateway.out);
    assert!(gateway.err.contains(&format!("warning: {expected}")), "{}", gateway.err);
    let told = ran(&mut on_servers(&home, &["servers"]));
    assert!(told.code == Some(0) && told.out.contains(&format!("\n{expected}")), "{}", told.out);
    let ran = ran(&mut on_servers(&home, &["servers", "--json"]));
    let [one, two] = [0, 1].map(|at| ran.json()[at]["collisions"].clone());
    assert_eq!(one, json!([]));
    let packages = json!({ "kind": "resource", "name": "docs://project/packages", "kept": "one",
        "to": "two+docs://project/packages" });
    assert!(two.as_array().expect("a list").contains(&packages), "{two}");
}

#[test]
fn where_it_cannot_listen_is_told() {
    let home = home(&json!({}));
    for command in ["gateway", "serve"] {
        let ran = ran(&mut docent(&home, &[command, "--http", "99999"]));
        assert_eq!(ran.code, Some(1));
        let expected = "error: 127.0.0.1:99999: the address cannot be listened at: invalid port";
        assert!(ran.err.starts_with(expected), "{}", ran.err);
    }
}

struct Echo;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Said {
    text: String,
}

impl Echo {
    /// The address of a server with a tool that says what it is told.
    async fn serve() -> String {
        let server = Server::new("echo", "1.0").tool(
            "echo",
            "Says the same",
            |_: Context, said: Said| async move { Ok::<_, ToolError>(said.text) },
        );
        let service = server.http_service(HttpOptions::new()).expect("a service");
        let listening = HttpServer::bind(service, "127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/mcp", listening.local_addr());
        tokio::spawn(listening.serve());
        url
    }
}

/// A gateway that listens, until the test is over.
struct Listening {
    process: Child,
    url: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Listening {
    fn start(command: &mut Command) -> Self {
        let mut process = command.stderr(Stdio::piped()).spawn().expect("the program");
        let mut said = BufReader::new(process.stderr.take().expect("standard error")).lines();
        let line = said.next().expect("a line").expect("text");
        let url = line.strip_prefix("listening at ").unwrap_or_else(|| panic!("{line}")).to_owned();
        // Nobody needs the rest, and nothing waits for it.
        Self { process, url }
    }

    /// Calls the echo, as a client of the newest revision does.
    async fn call(&self, token: Option<&str>, text: &str) -> Reply {
        let params = json!({ "name": "echo__echo", "arguments": { "text": text } });
        let body = request(1, "tools/call", params);
        let bearer = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "echo__echo"),
        ];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        plain_http::send("POST", &self.url, &headers, &body.to_string()).await.expect("a reply")
    }
}

/// All that keeps users of one gateway apart: who they are, how often they may come, what is written
/// down of them.
#[tokio::test]
async fn two_users_share_a_gateway() {
    const RESOURCE: &str = "https://gate.example/mcp";
    let authority = AuthorizationServer::start(Options::default()).await;
    let echo = Echo::serve().await;
    let home = home(&json!({ "echo": { "type": "http", "url": echo } }));
    let words = [
        &["gateway", "--http", "0", "--rate", "2"][..],
        &["--record", "../calls.jsonl", "--issuer", authority.issuer(), "--resource", RESOURCE],
        &["--scope", "tools"],
    ];
    let gateway = Listening::start(&mut on_servers(&home, &words.concat()));
    let [ada, ben] = ["ada", "ben"].map(|who| authority.token(RESOURCE, who, "tools"));

    let refused = gateway.call(None, "let me in").await;
    assert_eq!(refused.status, 401);
    let challenge = refused.header("www-authenticate").expect("a challenge");
    let metadata = "https://gate.example/.well-known/oauth-protected-resource/mcp";
    assert!(challenge.contains(&format!("resource_metadata=\"{metadata}\"")), "{challenge}");
    let told = gateway.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
    let told = plain_http::send("GET", &told, &[], "").await.expect("metadata");
    let told: Value = serde_json::from_slice(&told.body).expect("JSON");
    assert_eq!(told["authorization_servers"], json!([authority.issuer()]));
    let narrow = authority.token(RESOURCE, "eve", "other");
    assert_eq!(gateway.call(Some(&narrow), "with too little").await.status, 403);

    for text in ["the first secret", "the second secret"] {
        let reply = gateway.call(Some(&ada), text).await;
        let reply: Value = serde_json::from_slice(&reply.body).expect("JSON");
        assert_eq!(reply["result"]["content"][0]["text"], text, "{reply}");
    }
    let third = gateway.call(Some(&ada), "the third secret").await;
    assert_eq!(third.status, 429, "{}", String::from_utf8_lossy(&third.body));
    let wait: u64 = third.header("retry-after").expect("a time").parse().expect("seconds");
    assert!((1..=30).contains(&wait), "{wait}");
    assert_eq!(gateway.call(Some(&ben), "another secret").await.status, 200);

    let record = home.path().join("calls.jsonl");
    let mode = std::fs::metadata(&record).expect("a record").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A thread of its own writes it.
    let mut lines: Vec<Value> = Vec::new();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while lines.len() < 4 && std::time::Instant::now() < until {
        let text = std::fs::read_to_string(&record).expect("a record");
        assert!(!text.contains("secret"), "{text}");
        lines = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    }
    let seen = |line: &Value| {
        let ended = line["outcome"]["error"].is_null();
        (line["principal"].as_str().unwrap_or_default().to_owned(), ended)
    };
    let expected = [("ada", true), ("ada", true), ("ada", false), ("ben", true)];
    let expected = expected.map(|(who, ended)| (who.to_owned(), ended));
    assert_eq!(lines.iter().map(seen).collect::<Vec<_>>(), expected, "{lines:?}");
    assert_eq!(lines[0]["arguments"], json!({ "text": "string of 16" }));
}
