//! The shell, fed by a pipe.

use std::io::Write as _;
use std::process::Stdio;

use docent_mcp::server::{
    Completer, Context, PromptError, Server, ServerPrompt, ServerResource, ToolError,
};
use docent_mcp::types::Revision;

use crate::processes::until;
use crate::stage::{Stage, listen};

fn server(revision: Revision) -> Server {
    Server::new("many", "1.0")
        .revisions([revision])
        .tool("hello", "Says hello", |_: Context, (): ()| async {
            Ok::<_, ToolError>("hello there")
        })
        .with_resource(ServerResource::new("memo://note", "note", |_, _| async { Ok("A note") }))
        .with_prompt(
            ServerPrompt::new("greet", "Greets", |_, args| async move {
                Ok::<_, PromptError>(format!("Greet {}", args["name"]))
            })
            .required("name", "Whom")
            .complete("name", Completer::values(["Ada", "Alan", "Grace"])),
        )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_commands_on_servers_that_stay_open() {
    const TYPED: &str = "servers\ntools\ncall hello\nread memo://note\nprompt greet name='Ada L'\n\
                         complete greet name=A\ncall nothing\nnonsense\nsubscribe memo://note --count 1\n\
                         quit\ncall hello\n";
    for revision in [Revision::NEWEST_LEGACY, Revision::V2026_07_28] {
        let (stage, server) = (Stage::empty(), server(revision));
        let url = listen(&server).await;
        let mut command = stage.docent(&["shell", "--url", &url]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("a shell");
        process.stdin.take().expect("input").write_all(TYPED.as_bytes()).expect("it reads");
        until("it does not end", || {
            server.resource_updated("memo://note");
            process.try_wait().expect("its state")
        });
        let ran = process.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&ran.stdout);
        let err = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(0), "{revision:?}: {out}{err}");
        let mut rest = &*out;
        // In this order, and nothing after the end.
        for seen in [
            "ready",
            "server.hello",
            "hello there",
            "A note",
            "Greet Ada L",
            "Ada\nAlan\n",
            "memo://note\n",
        ] {
            let (_, after) = rest.split_once(seen).unwrap_or_else(|| panic!("{seen}: {out}{err}"));
            rest = after;
        }
        assert!(!rest.contains("hello there"), "{out}");
        assert!(err.contains("unknown tool: nothing") && err.contains("nonsense"), "{err}");
    }
}
