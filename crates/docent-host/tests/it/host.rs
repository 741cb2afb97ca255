//! The host.

use std::time::Duration;

use docent_host::config::{Config, HttpKind, Masked, Problem, ServerEntry, Severity, Transport};
use docent_host::{ErrorKind, FailureCode, Host, HostEvent, State};
use docent_mcp::auth::OAuth;
use docent_mcp::types::Revision;
use serde_json::json;

use crate::fixture::{Behind, ERAS, host, server, soon, source, text};

#[tokio::test]
async fn tools_resources_and_prompts_of_all_servers() {
    let behind = Behind::default();
    let mut builder = host();
    for (name, era) in ["old", "new"].into_iter().zip(ERAS) {
        builder = builder.connector(name, source(&server(era, &behind), &behind));
    }
    let host = builder.from_entries([]);
    let tools = host.tools().await;
    let echoes: Vec<_> =
        tools.iter().filter(|tool| tool.own == "echo").map(|tool| &*tool.name).collect();
    assert_eq!(echoes, ["old__echo", "new__echo"]);
    for name in ["old__echo", "new__echo", "old.echo", "new.echo"] {
        let result = host.call(name, json!({ "message": name })).await.unwrap();
        assert_eq!(text(&result), name);
    }
    let ambiguous = host.call("echo", json!({ "message": "x" })).await.unwrap_err();
    assert_eq!(ambiguous.kind(), ErrorKind::AmbiguousName);
    let unknown = host.call("old.ecko", json!({})).await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::UnknownName);
    assert_eq!(host.read("memo://item/3").await.unwrap().contents[0].as_text(), Some("item 3"));
    let prompt = host.prompt("new.greet", [("name", "Ada")]).await.unwrap();
    assert_eq!(prompt.messages.len(), 1);
    assert!(
        host.collisions()
            .iter()
            .any(|one| one.name == "memo://note" && one.to == "new+memo://note")
    );
    host.close().await;
}

#[tokio::test]
async fn bare_names_where_they_are_unique() {
    let behind = Behind::default();
    let one = server(Revision::NEWEST_MODERN, &behind);
    let host = host().bare_names().connector("one", source(&one, &behind)).from_entries([]);
    assert!(host.tools().await.iter().any(|tool| tool.name == "echo"));
    host.close().await;
}

/// Whatever listens there answers each request with this.
async fn web(answer: impl Fn(&[u8]) -> &'static str + Copy + Send + 'static) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 4096];
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    let _ = stream.write_all(answer(&request).as_bytes()).await;
                }
            });
        }
    });
    url
}

const PAGE: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 12\r\n\r\n<p>Hello</p>";
const NOTHING: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";

/// A server that fails says in one message what is known.
#[cfg(unix)]
#[tokio::test]
async fn a_failing_server_explains_itself() {
    let shell = |name: &str, script: &str| ServerEntry::stdio(name, "/bin/sh", ["-c", script]);
    let quick = |mut entry: ServerEntry| {
        entry.startup_timeout = Some(Duration::from_millis(500));
        entry
    };
    let sse = |mut entry: ServerEntry| {
        if let Transport::Http { kind, .. } = &mut entry.transport {
            *kind = HttpKind::Sse;
        }
        entry
    };
    let (page, nothing) = (web(|_| PAGE).await, web(|_| NOTHING).await);
    let entries = [
        shell("exits", "echo 'no API key in FOO_KEY' >&2; exit 3"),
        shell("chatty", "echo 'Starting up...'; exit 1"),
        ServerEntry::stdio("missing", "/no/such/program", ["x"]),
        ServerEntry::http("nowhere", "http://127.0.0.1:9/mcp"),
        quick(shell("silent", "echo 'Listening on 8080'; exec cat 3>&1 >/dev/null")),
        ServerEntry::http("page", &page),
        sse(ServerEntry::http("old page", &page)),
        ServerEntry::http("nothing", &nothing),
        sse(ServerEntry::http("old nothing", &nothing)),
        ServerEntry::http("ftp", "ftp://127.0.0.1/mcp"),
    ];
    // Two that have no revision in common.
    let modern = server(Revision::NEWEST_MODERN, &Behind::default());
    let legacy = server(Revision::NEWEST_LEGACY, &Behind::default());
    let host = host()
        .connector("too new", source(&modern, &Behind::default()))
        .connector("too old", source(&legacy, &Behind::default()))
        .configure(|name, client| match name {
            "too new" => client.revisions([Revision::NEWEST_LEGACY]),
            "too old" => client.revisions([Revision::NEWEST_MODERN]),
            _ => client,
        })
        .from_entries(entries);
    let html = "text/html";
    let is_sse = "its configuration says `sse`, is that still true?";
    for (server, code, words) in [
        ("exits", FailureCode::Ended, vec!["exit status: 3", "no API key in FOO_KEY"]),
        ("chatty", FailureCode::Ended, vec!["exit status: 1", "Starting up..."]),
        ("missing", FailureCode::NotStarted, vec!["/no/such/program", "no such file"]),
        ("nowhere", FailureCode::Ended, vec!["127.0.0.1:9"]),
        ("silent", FailureCode::Silent, vec!["within 0.5 s", "startup timeout", "Listening on"]),
        ("page", FailureCode::NoServer, vec![html, "is it an MCP endpoint?"]),
        ("old page", FailureCode::NoServer, vec![html, is_sse]),
        ("nothing", FailureCode::NoServer, vec!["HTTP 404", "check its path"]),
        ("old nothing", FailureCode::NoServer, vec!["HTTP 404", is_sse]),
        ("ftp", FailureCode::Configuration, vec!["not ftp:"]),
        ("too new", FailureCode::Revision, vec!["2026-07-28", "2025-11-25"]),
        ("too old", FailureCode::Revision, vec!["2026-07-28", "nothing older is allowed"]),
    ] {
        let error = soon(host.call(&format!("{server}.x"), json!({}))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{server}: {error}");
        for word in words {
            assert!(error.to_string().contains(word), "{server}: {word:?} is not in: {error}");
        }
        assert_eq!(error.failure().unwrap().code(), code, "{error}");
    }
    assert!(host.tools().await.is_empty());
    host.close().await;
}

/// A server that wants to know who is asking is quoted, and a login that fails says why besides.
#[tokio::test]
async fn a_refusal_is_quoted() {
    let refusal = "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer \
                   error=\"invalid_token\"\r\ncontent-length: 0\r\n\r\n";
    let url = web(move |request| match request.starts_with(b"POST /mcp ") {
        true => refusal,
        false => NOTHING,
    })
    .await;
    for (login, header, said) in [
        (false, None, "HTTP 401"),
        (true, None, "does not register this client: HTTP 404"),
        // No login takes the place of what the user's own file says.
        (false, Some("Authorization"), "HTTP 401"),
        (true, Some("Authorization"), "the header `Authorization` of its configuration"),
        (true, Some("authorization"), "the header `Authorization` of its configuration"),
        (true, Some("X-Key"), "does not register this client: HTTP 404"),
    ] {
        let mut entry = ServerEntry::http("closed", &url);
        if let (Some(name), Transport::Http { headers, .. }) = (header, &mut entry.transport) {
            headers.push((name.to_owned(), Masked::hidden("Bearer s3cret")));
        }
        let mut builder = host();
        if login {
            builder = builder.login(|_| Some(OAuth::user("test")));
        }
        let host = builder.from_entries([entry]);
        let error = soon(host.call("closed.x", json!({}))).await.unwrap_err();
        assert_eq!(error.failure().unwrap().code(), FailureCode::Unauthorized, "{error}");
        let error = error.to_string();
        assert!(error.contains("Bearer error=\"invalid_token\""), "{error}");
        assert!(error.contains(said), "login {login}, header {header:?}: {error}");
        assert!(!error.contains("s3cret"), "{error}");
        host.close().await;
    }
}

#[tokio::test]
async fn what_is_not_to_be_used_is_shown_and_not_started() {
    let mut off = ServerEntry::stdio("off", "/no/such/program", ["x"]);
    off.disabled = true;
    let problem = Problem {
        severity: Severity::Error,
        server: Some("broken".into()),
        file: "/x/.mcp.json".into(),
        line: 7,
        message: "the variable FOO is not set".into(),
    };
    let config = Config { servers: vec![off], problems: vec![problem] };
    let host = Host::from_config(&config);
    let blocked = host.call("off.x", json!({})).await.unwrap_err();
    assert_eq!(blocked.kind(), ErrorKind::Blocked);
    let broken = host.call("broken.x", json!({})).await.unwrap_err();
    assert!(broken.to_string().contains("/x/.mcp.json:7: server `broken`"), "{broken}");
    let states: Vec<_> = host.servers().into_iter().map(|server| server.state).collect();
    assert!(matches!(&states[..], [State::Off(_), State::Failed(_)]), "{states:?}");
}

#[tokio::test]
async fn a_tool_that_is_not_admitted_says_why() {
    let behind = Behind::default();
    let one = server(Revision::NEWEST_MODERN, &behind);
    let refuse = |_: &str, tool: &docent_mcp::types::Tool| match &*tool.name {
        "touch" => Err("its definition changed".to_owned()),
        _ => Ok(()),
    };
    let host = host().admit(refuse).connector("one", source(&one, &behind)).from_entries([]);
    assert!(!host.tools().await.iter().any(|tool| tool.own == "touch"));
    let blocked = host.call("one.touch", json!({})).await.unwrap_err();
    assert_eq!(blocked.kind(), ErrorKind::Blocked);
    assert!(blocked.to_string().contains("its definition changed"), "{blocked}");
    host.close().await;
}

/// The table of limits tells every one with its default.
#[test]
fn limits_are_documented() {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tables/host-limits.md");
    let table = std::fs::read_to_string(table).unwrap();
    let limits = format!("{:#?}", docent_host::HostLimits::default());
    let rows = limits.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
    let mut seen = 0;
    for row in rows {
        let Some((field, value)) = row.trim().trim_end_matches(',').split_once(": ") else {
            continue;
        };
        if field == "connection" {
            continue;
        }
        let value = match value.strip_suffix("ms") {
            Some(ms) => format!("{ms} ms"),
            None => value.replace('s', " s"),
        };
        assert!(table.contains(&format!("| `{field}` | {value} |")), "{field}: {value}");
        seen += 1;
    }
    assert_eq!(seen, 20);
}

#[tokio::test]
async fn changes_are_told() {
    let behind = Behind::default();
    let (told, mut events) = tokio::sync::mpsc::unbounded_channel();
    for era in ERAS {
        let one = server(era, &behind);
        let told = told.clone();
        let host = host()
            .on_event(move |event| drop(told.send(event)))
            .connector("one", source(&one, &behind))
            .from_entries([]);
        host.tools().await;
        host.subscribe("memo://note").await.unwrap();
        host.call("touch", json!({})).await.unwrap();
        soon(async {
            loop {
                let event = events.recv().await.expect("the host is there");
                if matches!(&event, HostEvent::ResourceUpdated(uri) if uri == "memo://note") {
                    return;
                }
            }
        })
        .await;
        host.close().await;
    }
}
