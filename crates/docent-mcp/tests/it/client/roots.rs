//! Which folders a server may see.

use docent_mcp::ErrorKind;
use docent_mcp::types::{Revision, Root};
use serde_json::json;

use super::fake::{Fake, connected, heard, said};
use super::{SESSION, builder};

/// [CLI-ROOTS-01] only `file:` addresses can be roots, from the start and later, and a server sees
/// exactly those that were given.
#[tokio::test(start_paused = true)]
async fn roots_are_files() {
    for uri in ["https://a.example", "/home", "home", "", "file:/home", "FILE", "memo://a"] {
        let (transport, _fake) = Fake::pair();
        let error = builder().roots([Root::new(uri)]).connect(transport).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{uri}");
        let (client, mut fake) = connected(SESSION, builder().roots([])).await;
        let error =
            client.set_roots([Root::new("file:///fine"), Root::new(uri)]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{uri}");
        let roots = fake.ask(1, "roots/list", json!({})).await;
        assert_eq!(roots["result"]["roots"], json!([]), "nothing changed");
    }
    let (client, _fake) = connected(SESSION, builder()).await;
    let error = client.set_roots([Root::new("file:///a")]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "roots were never declared");
}

/// [CLI-ROOTS-02] a change is told to the server of a session, which then sees the new list; a
/// modern server is told nothing and sees it when it asks.
#[tokio::test(start_paused = true)]
async fn changed_roots_are_told() {
    let mut root = Root::new("file:///b");
    root.name = Some("B".into());
    let expected = json!({ "roots": [{ "uri": "file:///b", "name": "B" }] });
    for revision in Revision::ALL {
        let (client, mut fake) =
            connected(revision, builder().roots([Root::new("file:///a")])).await;
        client.set_roots([root.clone()]).await.unwrap();
        if !revision.is_modern() {
            fake.expect_like(
                json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }),
            )
            .await;
            assert_eq!(fake.ask(1, "roots/list", json!({})).await["result"], expected);
            continue;
        }
        let (called, ()) = tokio::join!(client.call("any", json!({})), async {
            let first = fake.expect("tools/call").await;
            let questions = json!({ "r": { "method": "roots/list" } });
            fake.answer(
                &first,
                json!({ "resultType": "input_required", "inputRequests": questions }),
            )
            .await;
            let second = fake.expect("tools/call").await;
            assert_eq!(second["params"]["inputResponses"]["r"], expected);
            fake.answer(&second, said("seen")).await;
        });
        assert_eq!(heard(&called.unwrap()), "seen");
    }
}
