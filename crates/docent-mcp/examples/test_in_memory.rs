//! How to test a server: both ends in one program, no process and no socket.
//!
//! Each function below would be a `#[tokio::test(start_paused = true)]` in your crate.

use std::time::Duration;

use docent_mcp::client::{Client, RequestOptions};
use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::transport;
use docent_mcp::types::{ElicitAction, ElicitResult, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Boil {
    minutes: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    sure: bool,
}

/// The server under test.
fn server() -> Server {
    Server::new("kitchen", "1.0").tool("boil", "Boils an egg", boil)
}

async fn boil(ctx: Context, args: Boil) -> Result<&'static str, ToolError> {
    if args.minutes > 10 {
        let answer = ctx.elicit::<Confirm>("That is long. Are you sure?").await?;
        if !answer.accepted().is_some_and(|answer| answer.sure) {
            return Ok("the egg stays raw");
        }
    }
    tokio::time::sleep(Duration::from_secs(60 * args.minutes)).await;
    Ok("the egg is done")
}

/// A client whose user gives this answer, connected to a fresh server.
async fn connect(revision: Revision, answer: ElicitResult) -> Client {
    let (near, far) = transport::memory();
    tokio::spawn(server().serve(far));
    Client::builder("test", "1.0")
        .revisions([revision])
        .on_elicit_form(move |_| std::future::ready(Ok(answer.clone())))
        .connect(near)
        .await
        .unwrap()
}

/// Calls `boil` and tells what came back.
async fn check(revision: Revision, minutes: u64, answer: &ElicitResult, expected: &str) {
    let client = connect(revision, answer.clone()).await;
    let patient = RequestOptions::new().timeout(Duration::from_secs(3600));
    let result = client.call_with("boil", json!({ "minutes": minutes }), patient).await.unwrap();
    assert_eq!(result.content[0].as_text(), Some(expected), "{minutes} minutes, {revision}");
    client.close().await;
}

/// Time is paused: an egg of ten minutes takes none.
async fn eggs_are_boiled() {
    let nobody = ElicitResult::of(ElicitAction::Cancel);
    for revision in Revision::ALL {
        check(revision, 10, &nobody, "the egg is done").await;
    }
}

/// The same handler asks in both eras. Revisions before 2025-06-18 cannot ask.
async fn long_boiling_is_confirmed() {
    let answer = |sure| ElicitResult::accept(json!({ "sure": sure }).as_object().unwrap().clone());
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28] {
        check(revision, 11, &answer(true), "the egg is done").await;
        check(revision, 11, &answer(false), "the egg stays raw").await;
        check(revision, 11, &ElicitResult::of(ElicitAction::Decline), "the egg stays raw").await;
    }
}

/// Arguments outside the schema never reach the handler.
async fn bad_arguments_are_refused() {
    let client = connect(Revision::V2026_07_28, ElicitResult::default()).await;
    let result = client.call("boil", json!({ "minutes": "three" })).await.unwrap();
    assert!(result.failed());
    let error = client.call("bake", json!({})).await.unwrap_err();
    assert!(error.is_invalid_params(), "{error:#}");
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    eggs_are_boiled().await;
    long_boiling_is_confirmed().await;
    bad_arguments_are_refused().await;
}
