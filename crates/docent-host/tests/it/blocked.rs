//! Tools that are not offered: not listed, and whoever calls one is told why.

use std::sync::Arc;

use docent_host::config::{Filter, ServerEntry};
use docent_host::{ErrorKind, Gateway, HostBuilder};
use docent_mcp::Server;
use docent_mcp::server::{Context, ToolError};
use docent_mcp::types::{Revision, Tool};
use serde_json::json;

use crate::fixture::{Behind, ERAS, Way, client, connect, host, soon, source, text};

/// A server with these tools, each of which says its name.
fn with_tools(era: Revision, names: &[&'static str]) -> Server {
    names.iter().fold(Server::new("tools", "1.0").revisions([era]), |server, &name| {
        server.tool(name, "Says its name", move |_: Context, (): ()| async move {
            Ok::<_, ToolError>(name)
        })
    })
}

/// Every server of the host is this one.
fn of(server: &Server) -> HostBuilder {
    let reach = source(server, &Behind::default());
    host().reach(move |_| Some(reach()))
}

fn entry(name: &str, allow: &[&str], deny: &[&str]) -> ServerEntry {
    let globs = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect();
    let mut entry = ServerEntry::http(name, "");
    entry.tools = Filter { allow: globs(allow), deny: globs(deny) };
    entry
}

const NAMES: [&str; 4] = ["read_file", "read_secret", "write_file", "delete"];

/// Globs of an entry: which tools are left of all.
async fn check(era: Revision, allow: &[&str], deny: &[&str], left: &[&str]) {
    let builder = || of(&with_tools(era, &NAMES));
    let host = builder().from_entries([entry("one", allow, deny)]);
    let tools = host.tools().await;
    let listed: Vec<_> = tools.iter().map(|tool| &*tool.own).collect();
    assert_eq!(listed, left, "{allow:?} {deny:?}");
    let gateway = builder().from_entries([entry("one", allow, deny)]);
    let gateway = Arc::new(Gateway::new(gateway));
    let client = connect(&gateway, Way::Memory, client(era).0).await;
    let listed: Vec<_> = soon(client.tools()).await.unwrap();
    let expected: Vec<_> = left.iter().map(|own| format!("one__{own}")).collect();
    let listed: Vec<_> = listed.into_iter().map(|tool| tool.name).collect();
    assert_eq!(listed, expected, "{allow:?} {deny:?}");
    for own in NAMES {
        for name in [own.to_owned(), format!("one.{own}"), format!("one__{own}")] {
            let called = host.call(&name, json!({})).await;
            let passed = soon(client.call(&name, json!({}))).await;
            if left.contains(&own) {
                assert_eq!(text(&called.unwrap()), own);
                assert_eq!(text(&passed.unwrap()), own);
                continue;
            }
            let why = format!(
                "`{own}` of `one` cannot be used: the server's configuration does not allow it"
            );
            let blocked = called.unwrap_err();
            assert_eq!((blocked.kind(), blocked.server()), (ErrorKind::Blocked, Some("one")));
            assert_eq!(blocked.to_string(), why, "{name}");
            let refused = passed.unwrap_err();
            assert!(refused.is_invalid_params(), "{refused:#}");
            assert_eq!(refused.rpc().unwrap().message, why, "{name}");
        }
    }
    host.close().await;
    gateway.close().await;
}

#[tokio::test]
async fn globs_of_an_entry_say_what_is_offered() {
    for era in ERAS {
        check(era, &[], &[], &NAMES).await;
        check(era, &["read_*"], &[], &["read_file", "read_secret"]).await;
        check(era, &["read_*"], &["*_secret"], &["read_file"]).await;
        check(era, &[], &["delete", "*_secret"], &["read_file", "write_file"]).await;
        check(era, &["nothing"], &[], &[]).await;
    }
}

/// The one that was called is the one that is told of, whatever else is blocked.
#[tokio::test]
async fn the_right_tool_is_told_of() {
    let refuse = |server: &str, tool: &Tool| match (server, &*tool.name) {
        ("one", "get" | "budget" | "only") => Err(format!("{} changed", tool.name)),
        ("two", "get" | "widget") => Err(format!("{} of two changed", tool.name)),
        _ => Ok(()),
    };
    let server = with_tools(Revision::NEWEST_MODERN, &["get", "budget", "widget", "only", "free"]);
    let host = of(&server).admit(refuse);
    let host = host.from_entries([ServerEntry::http("one", ""), ServerEntry::http("two", "")]);
    for (name, kind, said) in [
        ("one.get", ErrorKind::Blocked, "get changed"),
        // Its name ends with that of another one.
        ("one.budget", ErrorKind::Blocked, "budget changed"),
        ("one__budget", ErrorKind::Blocked, "budget changed"),
        ("two.widget", ErrorKind::Blocked, "widget of two changed"),
        ("one.gadget", ErrorKind::UnknownName, "unknown tool: one.gadget"),
        ("gadget", ErrorKind::UnknownName, "unknown tool: gadget"),
        ("get", ErrorKind::AmbiguousName, "one__get or two__get"),
        ("free", ErrorKind::AmbiguousName, "one__free or two__free"),
    ] {
        let error = soon(host.call(name, json!({}))).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
        assert!(error.to_string().contains(said), "{name}: {error}");
    }
    // A server that offers it answers for one that does not.
    for name in ["budget", "widget", "only"] {
        assert_eq!(text(&soon(host.call(name, json!({}))).await.unwrap()), name);
    }
    // What is no tool is not blocked.
    let unknown = soon(host.prompt("one.budget", [("a", "b")])).await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::UnknownName, "{unknown}");
    host.close().await;
}
