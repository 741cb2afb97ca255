//! The page of `docent inspect`, asked as a browser asks it, and as it should not be asked.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use docent_mcp::server::{Context, Elicited, Server, ServerPrompt, ServerResource, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_mcp::types::{CreateMessageRequestParams, LoggingLevel, Revision, SamplingMessage};
use docent_testkit::folder::Folder;
use serde_json::{Value, json};

/// Nothing here takes that long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    size: u32,
    secret: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

async fn serve() -> String {
    let server = Server::new("pizza", "1.0")
        .revisions([Revision::NEWEST_LEGACY])
        .tool("order", "Takes an order <b>now</b>", |_: Context, order: Order| async move {
            Ok::<_, ToolError>(format!("size {}, {}", order.size, order.secret.len()))
        })
        .tool("name", "Asks for a name", |context: Context, (): ()| async move {
            context.log(LoggingLevel::Error, None, json!("hunter2")).await?;
            Ok::<_, ToolError>(match context.elicit::<Name>("Who are you?").await? {
                Elicited::Accepted(Name { name }) => format!("Hello, {name}!"),
                _ => "nobody".to_owned(),
            })
        })
        .tool("think", "Asks a model", |context: Context, (): ()| async move {
            let messages = vec![SamplingMessage::user("Is it hot?")];
            let asked =
                CreateMessageRequestParams { messages, max_tokens: 9, ..Default::default() };
            Ok::<_, ToolError>(context.sample(asked).await?.content.joined_text())
        })
        .with_resource(ServerResource::new("memo://note", "note", |_, _| async { Ok("A note") }))
        .with_prompt(
            ServerPrompt::new("greet", "Greets", |_, args| async move {
                Ok::<_, docent_mcp::server::PromptError>(format!("Greet {}", args["name"]))
            })
            .required("name", "Whom"),
        );
    let service = server.http_service(HttpOptions::new()).expect("a service");
    let listening = HttpServer::bind(service, "127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listening.local_addr());
    tokio::spawn(listening.serve());
    url
}

/// A page that is open.
struct Page {
    process: Child,
    host: String,
    path: String,
    _home: Folder,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn open(url: &str) -> Page {
    let home = Folder::new();
    let mut process = Command::new(env!("CARGO_BIN_EXE_docent"))
        .env_clear()
        .env("HOME", home.path())
        .current_dir(home.path())
        .args(["inspect", "--url", url, "--sampling", "/bin/echo quite"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut line = String::new();
    let output = process.stdout.take().expect("output");
    BufReader::new(output).read_line(&mut line).expect("it prints its address");
    let rest = line.trim().strip_prefix("http://").expect("an address");
    let (host, path) = rest.split_once('/').expect("a token");
    Page { process, host: host.to_owned(), path: format!("/{path}"), _home: home }
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Page {
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            text += &format!("host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("content-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(text.as_bytes()).expect("it reads");
        stream
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut answer = String::new();
        self.send(method, path, headers, body).read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Reply { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn get(&self, what: &str) -> Reply {
        self.ask("GET", &format!("{}{what}", self.path), &[], "")
    }

    fn post(&self, what: &str, body: &Value) -> Value {
        let json = [("content-type", "application/json")];
        let path = format!("{}{what}", self.path);
        let reply = self.ask("POST", &path, &json, &body.to_string());
        assert_eq!(reply.status, 200, "{}", reply.body);
        serde_json::from_str(&reply.body).expect("JSON")
    }

    fn json(&self, what: &str) -> Value {
        let reply = self.get(what);
        assert_eq!(reply.status, 200, "{}", reply.body);
        serde_json::from_str(&reply.body).expect("JSON")
    }
}

/// Events as they come, until one fits.
struct Events(BufReader<TcpStream>);

impl Events {
    fn of(page: &Page) -> Self {
        Events(BufReader::new(page.send("GET", &format!("{}api/events", page.path), &[], "")))
    }

    fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let since = std::time::Instant::now();
        loop {
            // A stream that is silent shows that it is there.
            assert!(since.elapsed() < PATIENCE, "this does not come");
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).expect("more events"), 0, "the stream ended");
            assert!(!line.contains("hunter2"), "{line}");
            let Some(event) = line.strip_prefix("data: ") else { continue };
            let event: Value = serde_json::from_str(event).expect("JSON");
            if fits(&event) {
                return event;
            }
        }
    }
}

/// A tool by its server's own name for it.
fn tool<'a>(offers: &'a Value, own: &str) -> &'a Value {
    let all = offers["tools"].as_array().expect("tools");
    all.iter().find(|tool| tool["own"] == own).expect("the tool")
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_refused() {
    let page = open(&serve().await);
    let mut wrong = page.path.clone();
    wrong.replace_range(1..2, if &wrong[1..2] == "0" { "1" } else { "0" });
    for (path, headers, status) in [
        (&*page.path, &[][..], 200),
        (&*page.path, &[("host", "evil.example")], 403),
        (&*page.path, &[("host", "127.0.0.1")], 403),
        (&*page.path, &[("origin", "http://evil.example")], 403),
        (&*page.path, &[("origin", "null")], 403),
        (&*page.path, &[("sec-fetch-site", "cross-site")], 403),
        (&*wrong, &[], 403),
        ("/", &[], 403),
        ("/api/servers", &[], 403),
        (page.path.trim_end_matches('/'), &[], 403),
    ] {
        assert_eq!(page.ask("GET", path, headers, "").status, status, "{path} {headers:?}");
    }
    // What changes something has to be what no form of another page can send.
    let call = format!("{}api/call", page.path);
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        let refused = page.ask("POST", &call, &[("content-type", kind)], r#"{"name":"name"}"#);
        assert_eq!(refused.status, 415, "{kind}");
    }
    assert_eq!(page.ask("DELETE", &call, &[("content-type", "application/json")], "").status, 405);
    assert_eq!(page.get("nothing").status, 404);
    for file in ["", "page.css", "form.js", "page.js", "api/servers"] {
        let reply = page.get(file);
        assert!(
            reply.head.contains("content-security-policy: default-src 'none'; script-src 'self'")
        );
        assert!(reply.head.contains("cache-control: no-store"), "{}", reply.head);
        assert!(reply.head.contains("x-content-type-options: nosniff"), "{}", reply.head);
        assert!(!reply.head.contains("access-control"), "{}", reply.head);
    }
    assert!(!page.get("").body.contains("://"), "it needs nothing from elsewhere");
    for script in ["form.js", "page.js"].map(|file| page.get(file).body) {
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!script.contains(way), "{way}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_listed_used_and_watched() {
    let page = open(&serve().await);
    let mut events = Events::of(&page);
    let offers = page.json("api/offers");
    let order = tool(&offers, "order");
    assert_eq!(order["signature"], "order(size: integer, secret: string)");
    assert!(order["definition"]["inputSchema"].is_object());
    assert_eq!(offers["prompts"][0]["own"], "greet");
    assert_eq!(offers["resources"][0]["name"], "memo://note");
    let servers = page.json("api/servers");
    assert_eq!((&servers[0]["state"], &servers[0]["tools"]), (&json!("ready"), &json!(3)));
    assert_eq!(servers[0]["revision"], "2025-11-25");

    let order = json!({ "name": order["name"], "arguments": { "size": 3, "secret": "hunter2" } });
    let called = page.post("api/call", &order);
    assert_eq!(called["result"]["content"][0]["text"], "size 3, 7");
    let request = events.until(|event| event["kind"] == "request" && event["name"] == "order");
    assert_eq!(request["arguments"], json!({ "size": "number", "secret": "string of 7" }));
    let answer = events.until(|event| event["kind"] == "answer" && event["of"] == request["id"]);
    assert!(answer["outcome"]["bytes"].is_u64() && answer["took_us"].is_u64(), "{answer}");

    let read = page.post("api/read", &json!({ "name": "memo://note" }));
    assert_eq!(read["result"]["contents"][0]["text"], "A note");
    let greet = json!({ "name": offers["prompts"][0]["name"], "arguments": { "name": "Ada" } });
    let got = page.post("api/prompt", &greet);
    assert_eq!(got["result"]["messages"][0]["content"]["text"], "Greet Ada");
    let unknown = page.post("api/call", &json!({ "name": "no such tool" }));
    assert!(unknown["error"].as_str().is_some_and(|error| error.contains("unknown tool")));

    // Whoever comes later sees what was before.
    Events::of(&page).until(|event| event["id"] == request["id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_on_the_page() {
    let page = std::sync::Arc::new(open(&serve().await));
    let mut events = Events::of(&page);
    let offers = page.json("api/offers");
    let name = tool(&offers, "name")["name"].clone();
    let calling = {
        let page = page.clone();
        std::thread::spawn(move || page.post("api/call", &json!({ "name": name })))
    };
    let asked = events.until(|event| event["kind"] == "question");
    let open = page.json("api/questions");
    assert_eq!(open[0]["message"], "Who are you?");
    assert!(open[0]["schema"]["properties"]["name"].is_object(), "{open}");
    let question = &asked["question"];
    let reply = json!({ "question": question, "action": "accept", "content": { "name": "Ada" } });
    assert_eq!(page.post("api/answer", &reply)["result"]["taken"], true);
    assert_eq!(page.post("api/answer", &reply)["result"]["taken"], false, "it is answered");
    let called = calling.join().expect("it ends");
    assert_eq!(called["result"]["content"][0]["text"], "Hello, Ada!");
    assert_eq!(page.json("api/questions"), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_is_told_and_says_is_seen_on_the_page() {
    let page = std::sync::Arc::new(open(&serve().await));
    let mut events = Events::of(&page);
    let name = tool(&page.json("api/offers"), "think")["name"].clone();
    for (answers, expected) in [(&["accept", "accept"][..], "quite"), (&["decline"], "not want")] {
        let calling = {
            let (page, name) = (page.clone(), name.clone());
            std::thread::spawn(move || page.post("api/call", &json!({ "name": name })))
        };
        let seen = [
            "may `echo` be told this?\n  user: Is it hot?\n  length: at most 9 tokens",
            "may this answer be sent?\n  echo: quite",
        ];
        for (action, seen) in answers.iter().zip(seen) {
            let asked = events.until(|event| event["kind"] == "question");
            assert_eq!(asked["method"], "sampling/createMessage");
            assert_eq!(page.json("api/questions")[0]["message"], seen);
            let reply = json!({ "question": asked["question"], "action": action });
            assert_eq!(page.post("api/answer", &reply)["result"]["taken"], true);
        }
        let called = calling.join().expect("it ends");
        assert!(called.to_string().contains(expected), "{called}");
    }
}
