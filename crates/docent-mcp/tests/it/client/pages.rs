//! Lists over pages.

use docent_mcp::types::Revision;
use docent_mcp::{ErrorKind, Limits};
use serde_json::{Value, json};

use super::fake::{Fake, connected, connected_within, error};
use super::{ERAS, builder};

/// Answers one request for tools and returns the cursor it came with.
async fn page(fake: &mut Fake, tools: &[&str], next: Value) -> Value {
    let list = fake.expect("tools/list").await;
    let tools: Vec<_> = tools
        .iter()
        .map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }))
        .collect();
    let mut result = json!({ "tools": tools });
    if !next.is_null() {
        result["nextCursor"] = next;
    }
    fake.answer(&list, result).await;
    list["params"].get("cursor").cloned().unwrap_or_default()
}

/// [CLI-PAGE-01] a cursor goes back as it came, whatever it is, and the list ends when there is
/// none; the empty text is one.
#[tokio::test(start_paused = true)]
async fn cursors_are_opaque() {
    let cursors = ["", "eyJvIjoxfQ==", "../../etc", "\"quoted\"\n\u{2028}", "0", "null"];
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let serving = async {
            let mut came = vec![page(&mut fake, &["first"], json!(cursors[0])).await];
            for n in 0..cursors.len() {
                let next = cursors.get(n + 1).map_or(json!(null), |cursor| json!(cursor));
                came.push(page(&mut fake, &[&format!("tool{n}")], next).await);
            }
            came
        };
        let (tools, came) = tokio::join!(client.tools(), serving);
        assert_eq!(tools.unwrap().len(), 1 + cursors.len());
        assert_eq!(came[0], json!(null), "the first page has no cursor");
        assert_eq!(came[1..], cursors.map(|cursor| json!(cursor)));
    }
}

/// [CLI-PAGE-01] page by page, an empty page is not the end, and each list starts from the
/// beginning: no cursor is remembered.
#[tokio::test(start_paused = true)]
async fn pages_come_one_at_a_time() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    for _ in 0..2 {
        let mut pages = client.tool_pages();
        for (tools, next) in
            [(&["a", "b"][..], json!("x")), (&[], json!("y")), (&["c"], json!(null))]
        {
            let (fetched, _) = tokio::join!(pages.next(), page(&mut fake, tools, next));
            let names: Vec<_> =
                fetched.unwrap().unwrap().into_iter().map(|tool| tool.name).collect();
            assert_eq!(names, tools);
        }
        assert!(pages.next().await.unwrap().is_none());
        assert!(pages.next().await.unwrap().is_none());
        fake.expect_silence().await;
    }
    // A `null` cursor is none.
    let (tools, ()) = tokio::join!(client.tools(), async {
        let list = fake.expect("tools/list").await;
        fake.answer(&list, json!({ "tools": [], "nextCursor": null })).await;
    });
    assert_eq!(tools.unwrap().len(), 0);
}

/// The other lists work the same.
#[tokio::test(start_paused = true)]
async fn every_list_has_pages() {
    let (client, fake) = connected(Revision::V2026_07_28, builder()).await;
    let serving = fake.serve(|method, params| {
        let second = params.get("cursor").is_some();
        let uri = if second { "memo://b" } else { "memo://a" };
        let mut page = match method {
            "resources/list" => json!({ "resources": [{ "uri": uri, "name": "r" }] }),
            "resources/templates/list" => {
                json!({ "resourceTemplates": [{ "uriTemplate": uri, "name": "t" }] })
            }
            _ => json!({ "prompts": [{ "name": uri }] }),
        };
        if !second {
            page["nextCursor"] = json!("2");
        }
        Some(page)
    });
    let listing = async {
        assert_eq!(client.resources().await.unwrap()[1].uri, "memo://b");
        assert_eq!(client.templates().await.unwrap()[1].uri_template, "memo://b");
        assert_eq!(client.prompts().await.unwrap()[1].name, "memo://b");
        client.close().await;
    };
    tokio::join!(listing, serving);
}

/// A page that fails can be asked for again; nothing of the list is lost or taken for its end.
#[tokio::test(start_paused = true)]
async fn a_failed_page_can_be_fetched_again() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let mut pages = client.tool_pages();
    let (first, _) = tokio::join!(pages.next(), page(&mut fake, &["a"], json!("x")));
    first.unwrap().unwrap();
    let (failed, ()) = tokio::join!(pages.next(), async {
        let list = fake.expect("tools/list").await;
        fake.refuse(&list, error(-32603)).await;
    });
    assert_eq!(failed.unwrap_err().code(), Some(-32603));
    let (again, cursor) = tokio::join!(pages.next(), page(&mut fake, &["b"], json!(null)));
    assert_eq!(again.unwrap().unwrap()[0].name, "b");
    assert_eq!(cursor, json!("x"));
    assert!(pages.next().await.unwrap().is_none());
}

/// A server that hands out the same cursor again would be asked forever.
#[tokio::test(start_paused = true)]
async fn the_same_cursor_twice_is_an_error() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        page(&mut fake, &["a"], json!("x")).await;
        page(&mut fake, &["b"], json!("x")).await;
        fake.expect_silence().await;
    });
    let error = tools.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidResponse);
    assert!(error.to_string().contains("same cursor"), "{error}");
}

/// So would one whose cursors go in circles: the number of pages is limited, and exactly.
#[tokio::test(start_paused = true)]
async fn the_number_of_pages_is_limited() {
    for (pages, fits) in [(3, true), (4, false)] {
        let limits = Limits { pages_max: 3, ..Limits::default() };
        let (client, mut fake) = connected_within(limits, Revision::V2025_11_25).await;
        let (tools, ()) = tokio::join!(client.tools(), async {
            for n in 1..=3 {
                let next = if n < pages { json!(n.to_string()) } else { json!(null) };
                page(&mut fake, &["t"], next).await;
            }
            fake.expect_silence().await;
        });
        match tools {
            Ok(tools) => assert!(fits && tools.len() == 3),
            Err(error) => {
                assert!(!fits);
                assert_eq!(error.kind(), ErrorKind::Limit);
                assert!(error.to_string().contains("more than 3 pages"), "{error}");
            }
        }
    }
}
