//! Resources that change, told as they do.

use std::process::{Child, Stdio};

use docent_mcp::server::{Server, ServerResource};
use docent_mcp::types::Revision;
use serde_json::json;

use crate::processes::until;
use crate::stage::{Stage, listen};

/// Says that a resource changed until the command has heard it often enough.
#[track_caller]
fn touch(server: &Server, process: &mut Child) {
    until("it does not end", || {
        server.resource_updated("memo://other");
        server.resource_updated("memo://note");
        process.try_wait().expect("its state")
    });
}

fn memos(revision: Revision) -> Server {
    let memo = |uri, name| ServerResource::new(uri, name, |_, _| async { Ok("A note") });
    Server::new("memos", "1.0")
        .revisions([revision])
        .with_resource(memo("memo://note", "note"))
        .with_resource(memo("memo://other", "other"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_was_asked_for_is_counted() {
    for revision in [Revision::NEWEST_LEGACY, Revision::V2026_07_28] {
        let (stage, server) = (Stage::empty(), memos(revision));
        let url = listen(&server).await;
        // One that fails is no change of another.
        let config = json!({ "mcpServers": {
            "gone": { "command": "/no/such/program" }, "memos": { "type": "http", "url": url } }});
        let file = stage.folder.write("servers.json", config.to_string());
        let file = file.to_str().expect("a path");
        for (more, expected) in [
            (&["--count", "1"][..], "memo://note\n"),
            (
                &["--count", "2", "--json"],
                "{\"updated\":\"memo://note\"}\n{\"updated\":\"memo://note\"}\n",
            ),
        ] {
            let words = [&["subscribe", "memo://note", "--config", file], more].concat();
            let mut command = stage.docent(&words);
            let mut process =
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it");
            touch(&server, &mut process);
            let ran = process.wait_with_output().expect("it ends");
            let err = String::from_utf8_lossy(&ran.stderr);
            assert_eq!((ran.status.code(), &*err), (Some(0), ""), "{revision:?}");
            assert_eq!(String::from_utf8_lossy(&ran.stdout), expected, "{revision:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_has_cannot_be_watched() {
    let (stage, server) = (Stage::empty(), memos(Revision::V2026_07_28));
    let url = listen(&server).await;
    let ran = stage.run(&["subscribe", "memo://none", "--url", &url]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}
