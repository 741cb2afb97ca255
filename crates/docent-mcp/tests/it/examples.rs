//! The examples do what they say: each is started as a program and talked to.
//!
//! `cargo test` builds them. After `cargo test --test it` alone they may be missing or old.

use std::path::{Path, PathBuf};
use std::time::Duration;

use docent_mcp::client::{Client, ClientBuilder, RequestOptions, ServerEvent};
use docent_mcp::transport::child::ChildProcess;
use docent_mcp::transport::http::HttpEndpoint;
use docent_mcp::types::{
    CallToolResult, CompletionReference, CreateMessageResult, ElicitAction, ElicitResult,
    JsonObject, LoggingLevel, Revision,
};
use docent_mcp::{Cancel, Limits};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// One of each era.
const ERAS: [Revision; 2] = [Revision::NEWEST_LEGACY, Revision::NEWEST_MODERN];

/// Long enough for a busy machine; only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this program");
    let profile = test.parent().and_then(Path::parent).expect("it lies in `deps`");
    let program =
        profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(program.exists(), "example `{name}` is not built: run `cargo build --examples`");
    program
}

fn client(revision: Revision) -> ClientBuilder {
    Client::builder("test", "1.0").revisions([revision])
}

async fn connect(client: ClientBuilder, name: &str) -> Client {
    client.connect(ChildProcess::new(example(name))).await.expect("the example serves")
}

/// A client, and what the server tells it.
async fn listening(revision: Revision, name: &str) -> (Client, UnboundedReceiver<ServerEvent>) {
    let (tell, told) = unbounded_channel();
    let builder = client(revision).on_event(move |event| drop(tell.send(event)));
    (connect(builder, name).await, told)
}

/// Whatever comes next, if something does.
async fn next<T>(told: &mut UnboundedReceiver<T>) -> T {
    let told = tokio::time::timeout(PATIENCE, told.recv()).await;
    told.expect("something is told in time").expect("the sender is still there")
}

fn text(result: &CallToolResult) -> &str {
    result.content.first().and_then(|content| content.as_text()).unwrap_or_default()
}

async fn call(client: &Client, tool: &str, arguments: Value) -> String {
    text(&client.call(tool, arguments).await.expect("an answer")).to_owned()
}

fn object(value: Value) -> JsonObject {
    serde_json::from_value(value).expect("an object")
}

/// Runs an example to its end and returns what it printed.
async fn run(name: &str, arguments: &[PathBuf]) -> String {
    let running = tokio::process::Command::new(example(name)).args(arguments).output();
    let output = tokio::time::timeout(PATIENCE, running).await.expect("it ends").expect("it runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} failed: {complaints}");
    String::from_utf8(output.stdout).expect("it prints text")
}

#[tokio::test]
async fn hello_server() {
    for revision in Revision::ALL {
        let client = connect(client(revision), "hello_server").await;
        assert_eq!(client.server().revision, revision);
        let greet = client.tool("greet").await.unwrap().unwrap();
        let languages = &greet.input_schema["properties"]["language"]["enum"];
        assert_eq!(*languages, json!(["english", "french", "swahili"]));
        assert_eq!(call(&client, "greet", json!({ "name": "Ada" })).await, "Hello, Ada!");
        let french = json!({ "name": "Ada", "language": "french" });
        assert_eq!(call(&client, "greet", french).await, "Bonjour, Ada!");
        assert!(client.call("greet", json!({ "name": " " })).await.unwrap().failed());
        client.close().await;
    }
}

#[tokio::test]
async fn hello_client() {
    let printed = run("hello_client", &[example("hello_server")]).await;
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines.first(), Some(&"connected, speaking 2026-07-28"));
    assert!(printed.contains("greet: Greets somebody\n{"), "{printed}");
    assert!(printed.contains(r#""description": "Whom to greet.""#), "{printed}");
    assert_eq!(lines.last(), Some(&"greet answered: Hello, Ada!"));
}

#[cfg(feature = "http")]
#[tokio::test]
async fn http_client() {
    use docent_mcp::server::{Context, Server, ToolError};
    use docent_mcp::transport::http::{HttpOptions, HttpServer};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Greet {
        name: String,
    }
    async fn greet(_: Context, greet: Greet) -> Result<String, ToolError> {
        Ok(format!("Hello, {}!", greet.name))
    }
    let server = Server::new("hello", "1.0").tool("greet", "Greets somebody", greet);
    let service = server.http_service(HttpOptions::new()).unwrap();
    let listening = HttpServer::bind(service, "127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listening.local_addr());
    let serving = tokio::spawn(listening.serve_until(std::future::pending()));
    let printed = run("http_client", &[url.into()]).await;
    serving.abort();
    assert_eq!(
        printed.lines().collect::<Vec<_>>(),
        ["connected, speaking 2026-07-28", "greet: Greets somebody", "greet answered: Hello, Ada!"]
    );
}

#[tokio::test]
async fn ask_user() {
    for revision in ERAS {
        for (answer, samples, expected) in [
            (json!({ "people": 4 }), false, "4 people, Inside, at Chez Ada."),
            (
                json!({ "people": 2, "place": "terrace" }),
                true,
                "2 people, Terrace, at Chez Ada. Suggestion: soup",
            ),
            (Value::Null, true, "The user does not want a table."),
        ] {
            let answer = match answer {
                Value::Null => ElicitResult::of(ElicitAction::Decline),
                answer => ElicitResult::accept(object(answer)),
            };
            let mut builder =
                client(revision).on_elicit_form(move |_| std::future::ready(Ok(answer.clone())));
            if samples {
                builder = builder.on_sample(|asked| async move {
                    let question = asked.messages[0].content.joined_text();
                    assert_eq!(question, "Suggest one dish at Chez Ada for 2 people.");
                    Ok(CreateMessageResult { content: "soup".into(), ..Default::default() })
                });
            }
            let client = connect(builder, "ask_user").await;
            let booked = call(&client, "book_table", json!({ "restaurant": "Chez Ada" })).await;
            assert_eq!(booked, expected, "{revision}");
            client.close().await;
        }
    }
}

#[tokio::test]
async fn progress_and_log() {
    for revision in ERAS {
        let (client, mut told) = listening(revision, "progress").await;
        client.set_log_level(LoggingLevel::Info).await.unwrap();
        let (report, mut reports) = unbounded_channel();
        let options = RequestOptions::new().on_progress(move |made| drop(report.send(made)));
        let counted = client.call_with("count_primes", json!({ "below": 100_000 }), options).await;
        assert_eq!(counted.unwrap().structured_content, Some(json!({ "count": 9592 })));

        let mut last = 0.0;
        while let Ok(report) = reports.try_recv() {
            assert!(report.progress > last && report.total == Some(100_000.0));
            last = report.progress;
        }
        assert_eq!(last, 100_000.0, "{revision}");
        let logged = next(&mut told).await;
        assert!(
            matches!(&logged, ServerEvent::Log(log) if log.data == "found 9592"),
            "{revision}: {logged:?}"
        );
        client.close().await;
    }
}

#[tokio::test]
async fn cancellation() {
    for revision in ERAS {
        let (complain, mut complaints) = unbounded_channel();
        let command = ChildProcess::new(example("progress"))
            .stderr_to(move |line| drop(complain.send(line.to_owned())));
        let client = client(revision).connect(command).await.unwrap();
        let cancel = Cancel::new();
        let stop = cancel.clone();
        let options = RequestOptions::new()
            .cancel(cancel)
            .on_progress(move |_| stop.cancel(Some("seen enough".to_owned())));
        let arguments = json!({ "below": u32::MAX });
        let error = client.call_with("count_primes", arguments, options).await.unwrap_err();
        assert!(error.is_cancelled(), "{revision}: {error:#}");
        assert!(next(&mut complaints).await.starts_with("stopped at "));
        client.close().await;
    }
}

#[tokio::test]
async fn dynamic_tools() {
    for revision in ERAS {
        let (client, mut told) = listening(revision, "dynamic_tools").await;
        client.watch_lists().await.unwrap();
        let lamp = || json!({ "device": "lamp" });

        assert_eq!(call(&client, "plug_in", lamp()).await, "`switch_lamp` is ready");
        assert!(matches!(next(&mut told).await, ServerEvent::ToolsChanged));
        assert!(client.tool("switch_lamp").await.unwrap().is_some());
        let switched = call(&client, "switch_lamp", json!({ "on": true })).await;
        assert_eq!(switched, "the lamp is on");

        assert_eq!(call(&client, "unplug", lamp()).await, "the lamp is gone");
        assert!(matches!(next(&mut told).await, ServerEvent::ToolsChanged));
        assert!(client.tool("switch_lamp").await.unwrap().is_none());
        let refused = client.call("plug_in", json!({ "device": "no such name!" })).await.unwrap();
        assert!(refused.failed() && text(&refused).contains("1 to 128 characters"));
        client.close().await;
    }
}

#[tokio::test]
async fn custom_transport() {
    let printed = run("custom_transport", &[]).await;
    assert_eq!(printed, "the contract is kept\nSome(\"come in\")\n");
}

#[tokio::test]
async fn test_in_memory() {
    assert_eq!(run("test_in_memory", &[]).await, "");
}

#[tokio::test]
async fn middleware() {
    for revision in ERAS {
        let client = connect(client(revision), "middleware").await;
        assert_eq!(call(&client, "look", json!({})).await, "all is well");
        let denied = client.call("explode", json!({})).await.unwrap_err();
        assert_eq!(denied.code(), Some(403), "{denied:#}");
        let late = client.call("ponder", json!({})).await.unwrap_err();
        assert!(late.to_string().contains("not done within 200 ms"), "{late:#}");
        // With the opening, these were four of the eight that the rate allows.
        for _ in 0..4 {
            call(&client, "look", json!({})).await;
        }
        let refused = client.call("look", json!({})).await.unwrap_err();
        let data = refused.rpc().and_then(|rpc| rpc.data.as_ref());
        assert!(data.is_some_and(|data| data["retryAfterMs"].is_u64()), "{refused:#}");
        client.close().await;
    }
}

#[tokio::test]
async fn resources() {
    for revision in ERAS {
        let (client, mut told) = listening(revision, "resources").await;
        let read = async |uri: &str| {
            let result = client.read(uri).await?;
            Ok::<_, docent_mcp::Error>(result.contents[0].as_text().unwrap_or_default().to_owned())
        };
        assert_eq!(client.resources().await.unwrap()[0].uri, "notes://all");
        let template = client.templates().await.unwrap().remove(0).uri_template;
        assert!(read("notes://note/milk").await.unwrap_err().is_resource_not_found());

        client.subscribe("notes://note/milk").await.unwrap();
        for written in ["two liters", "one liter"] {
            let note = json!({ "name": "milk", "text": written });
            assert_eq!(call(&client, "write", note).await, "notes://note/milk");
            let updated = next(&mut told).await;
            assert!(
                matches!(&updated, ServerEvent::ResourceUpdated(uri) if uri == "notes://note/milk"),
                "{revision}: {updated:?}"
            );
            // Read twice: the second time it may come from the cache, but never an old text.
            assert_eq!(read("notes://note/milk").await.unwrap(), written);
            assert_eq!(read("notes://note/milk").await.unwrap(), written);
        }
        assert_eq!(read("notes://all").await.unwrap(), "milk");

        let template = CompletionReference::resource(template);
        let known = Default::default();
        let completion = client.complete(template, "name", "mi", known).await.unwrap();
        assert_eq!(completion.values, ["milk"]);
        client.close().await;
    }
}

#[tokio::test]
async fn extension() {
    let printed = run("extension", &[]).await;
    let expected = "notifications/com.example/weather/changed: \"Oslo\"\nRome: \"blue\"\n";
    assert_eq!(printed, expected);
}

#[tokio::test]
async fn tasks() {
    let printed = run("tasks", &[]).await;
    let expected = [
        "asked: And on top?",
        "Lemon cake with cherries",
        "status: working",
        "asked: And on top?",
        "Poppy seed cake with cherries",
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}

#[cfg(feature = "skills")]
#[tokio::test]
async fn skills() {
    let printed = run("skills", &[]).await;
    let expected = [
        "skill://release-notes/SKILL.md: \"Write release notes the way this team does\"",
        "126 bytes of instructions",
        "Short sentences.",
        "the skill is not used: it has no such file",
        "release-notes (text/markdown)",
        "references (inode/directory)",
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}

/// A program that serves over HTTP. Dropping it ends it.
struct Serving {
    address: String,
    /// What else it says.
    said: tokio::io::Lines<tokio::io::BufReader<tokio::process::ChildStdout>>,
    _child: tokio::process::Child,
}

async fn serving(name: &str) -> Serving {
    use tokio::io::AsyncBufReadExt as _;
    let mut child = tokio::process::Command::new(example(name))
        .arg("127.0.0.1:0")
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the example starts");
    let stdout = tokio::io::BufReader::new(child.stdout.take().expect("it is piped"));
    let mut said = stdout.lines();
    let line = tokio::time::timeout(PATIENCE, said.next_line()).await;
    let address = line.expect("in time").expect("readable").expect("it says where it listens");
    Serving { address, said, _child: child }
}

#[tokio::test]
async fn http_server() {
    let serving = serving("http_server").await;
    for revision in ERAS {
        let endpoint = HttpEndpoint::new(&serving.address).expect("an address");
        let client = client(revision).connect(endpoint).await.expect("the example serves");
        assert_eq!(call(&client, "count", json!({ "to": 3 })).await, "counted to 3");
        client.close().await;
    }
}

#[tokio::test]
async fn http_axum() {
    let serving = serving("http_axum").await;
    for revision in ERAS {
        let endpoint = HttpEndpoint::new(&serving.address).expect("an address");
        let refused = client(revision).connect(endpoint.clone()).await.expect_err("no user");
        assert_eq!(refused.http_status(), Some(401));
        let endpoint = endpoint.header("x-user", "ada").expect("a header");
        let client = client(revision).connect(endpoint).await.expect("the example serves");
        assert_eq!(call(&client, "whoami", json!({})).await, "You are ada.");
        client.close().await;
    }
}

#[cfg(feature = "auth")]
#[tokio::test]
async fn protected() {
    let mut serving = serving("protected").await;
    let line = serving.said.next_line().await.expect("readable").expect("it says a token");
    let token = line.strip_prefix("token: ").expect("a token");
    for revision in ERAS {
        let endpoint = HttpEndpoint::new(&serving.address).expect("an address");
        let refused = client(revision).connect(endpoint.clone()).await.expect_err("no token");
        assert_eq!(refused.http_status(), Some(401));
        let bearer = format!("Bearer {token}");
        let endpoint = endpoint.header("authorization", &bearer).expect("a header");
        let client = client(revision).connect(endpoint).await.expect("the example serves");
        assert_eq!(call(&client, "read", json!({})).await, "The notes of ada: none yet.");
        let tools = client.tools().await.expect("a list");
        assert_eq!(tools.len(), 1, "the other one needs a scope: {tools:?}");
        let denied = client.call("clear", json!({})).await.expect_err("a scope is missing");
        assert_eq!(denied.http_status(), Some(403), "{denied:#}");
        client.close().await;
    }
}

/// An example is something to read in one go, and one that no test starts may be broken.
#[test]
fn examples_are_short_and_tested() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let lines = std::fs::read_to_string(&path).expect("a readable file").lines().count();
        assert!(lines < 100, "{name} has {lines} lines");
        let tests = [
            include_str!("examples.rs"),
            include_str!("http_client/auth/login.rs"),
            include_str!("auth_server/programs.rs"),
        ];
        let started = tests.iter().any(|tests| tests.contains(&format!("\"{name}\"")));
        assert!(started, "no test starts {name}");
    }
}

/// The guides name every example and every limit. They are not part of the published package.
#[test]
fn guides_are_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let Ok(index) = std::fs::read_to_string(folder.join("README.md")) else { return };
    for entry in std::fs::read_dir(&folder).expect("a readable folder") {
        let entry = entry.expect("a readable folder");
        // What a command measured and wrote is looked up in, not read in one go.
        if entry.file_name() == "tables" {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(
            name == "README.md" || index.contains(&format!("({name})")),
            "{name} is not in the index"
        );
        let lines =
            std::fs::read_to_string(folder.join(&name)).expect("a readable file").lines().count();
        assert!(lines <= 120, "{name} has {lines} lines");
    }
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")).unwrap()
    {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(index.contains(&name), "{name} is not in the index of the guides");
    }
    let limits = std::fs::read_to_string(folder.join("limits.md")).unwrap();
    let mut all = format!("{:#?}", Limits::default());
    #[cfg(feature = "auth")]
    {
        all += &format!("{:#?}", docent_mcp::AuthLimits::default());
        all += &format!("{:#?}", docent_mcp::VerifierLimits::default());
    }
    for line in all.lines() {
        let Some((field, value)) = line.trim().trim_end_matches(',').split_once(": ") else {
            continue;
        };
        let row = match value.contains('{') {
            true => format!("| `{field}` |"),
            false => format!("| `{field}` | {} |", readable(field, value)),
        };
        assert!(limits.contains(&row), "the table of limits has no row that starts with {row}");
    }
}

/// The value of a limit as people write it.
fn readable(field: &str, value: &str) -> String {
    match value.parse::<usize>() {
        Ok(bytes) if field.contains("_bytes_") && bytes >= 1 << 20 => {
            format!("{} MiB", bytes >> 20)
        }
        Ok(bytes) if field.contains("_bytes_") => format!("{} KiB", bytes >> 10),
        Ok(count) => count.to_string(),
        Err(_) if value.ends_with("ms") => value.replace("ms", " ms"),
        Err(_) => value.replace('s', " s"),
    }
}
