//! Questions of the server: forms with defaults, and rounds that must not leak into other calls.

use std::sync::Arc;

use docent_mcp::types::{ElicitResult, JsonObject};
use serde_json::json;
use tokio::sync::Notify;

use super::{Failure, Task};

pub(crate) async fn defaults(task: &Task) -> Result<(), Failure> {
    let client = task.connect().await?;
    client.tools().await?;
    client.call("test_client_elicitation_defaults", json!({})).await?;
    client.close().await;
    Ok(())
}

/// Makes another call while a question is open, then answers it.
pub(crate) async fn rounds(task: &Task) -> Result<(), Failure> {
    let (asked, answer) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (asked.clone(), answer.clone());
    let builder = task.builder().on_elicit_form(move |_| {
        let (tell, wait) = (tell.clone(), wait.clone());
        async move {
            tell.notify_one();
            wait.notified().await;
            let content = [("confirmed".to_owned(), json!(true))];
            Ok(ElicitResult::accept(JsonObject::from_iter(content)))
        }
    });
    let client = task.connect_as(builder).await?;
    client.tools().await?;
    let unrelated = async {
        asked.notified().await;
        let result = client.call("test_mrtr_unrelated", json!({})).await;
        answer.notify_one();
        result
    };
    let (echoed, unrelated) =
        tokio::join!(client.call("test_mrtr_echo_state", json!({})), unrelated);
    echoed?;
    unrelated?;
    answer.notify_one();
    client.call("test_mrtr_no_state", json!({})).await?;
    client.call("test_mrtr_no_result_type", json!({})).await?;
    client.close().await;
    Ok(())
}
