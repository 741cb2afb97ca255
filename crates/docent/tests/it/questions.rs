//! What servers ask their user, asked at a terminal.
#![cfg(unix)]

use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::types::Revision;

use crate::answer::order;
use crate::stage::{Stage, at_terminal, listen};

const BOTH_ERAS: [Revision; 2] = [Revision::NEWEST_LEGACY, Revision::V2026_07_28];

async fn serve(revision: Revision) -> String {
    let server = Server::new("pizza", "1.0")
        .revisions([revision])
        .tool("order", "Takes an order", order)
        .tool("pay", "Sends to a page", |context: Context, (): ()| async move {
            let action = context.elicit_url("Pay here.", "https://pay.example/4711").await?;
            Ok::<_, ToolError>(format!("{action:?}"))
        });
    listen(&server).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_is_filled_in_field_by_field() {
    for revision in BOTH_ERAS {
        let (stage, url) = (Stage::empty(), serve(revision).await);
        let typing = |typed| at_terminal(stage.docent(&["call", "order", "--url", &url]), typed);
        // What does not fit is asked again, what is empty is the default.
        let done = typing("large\n\n3\nglue\n\n\ny\n\n");
        assert_eq!(done.code, Some(0), "{revision:?}: {}", done.err);
        assert_eq!(done.out, "size 3 with \"basil\", sure: true\n", "{revision:?}");
        for seen in [
            "server asks: Which pizza?\n",
            "  How large: ",
            "  that is no whole number\n",
            "  this one is needed\n",
            "  top (basil, olives) (optional) [basil]: ",
            "  `glue` is not among basil, olives\n",
            "send this? [Y/n]: ",
            "server asks: Really?\n",
        ] {
            assert!(done.err.contains(seen), "{revision:?}: {seen}: {}", done.err);
        }
        // Not sent, and not even filled in.
        for typed in ["3\n\nn\n", "\u{4}"] {
            let no = typing(typed);
            assert_eq!((no.code, no.out.as_str()), (Some(0), "no pizza\n"), "{}", no.err);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_shown_and_visited_by_the_user() {
    for revision in BOTH_ERAS {
        let (stage, url) = (Stage::empty(), serve(revision).await);
        for (typed, expected) in [("y\n", "Accept\n"), ("\n", "Decline\n"), ("\u{4}", "Cancel\n")] {
            let ran = at_terminal(stage.docent(&["call", "pay", "--url", &url]), typed);
            assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected), "{}", ran.err);
            let seen = "server wants you to visit a page: Pay here.\n  https://pay.example/4711\n\
                        visit it yourself, then answer [y/N]: ";
            assert!(ran.err.contains(seen), "{revision:?}: {}", ran.err);
        }
    }
}
