use docent_mcp::server::{Context, Elicited, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::{Modern, Nothing, modern, server, service};

#[derive(Deserialize, JsonSchema)]
struct Answer {
    name: String,
}

async fn asks(context: Context, _: Nothing) -> Result<String, ToolError> {
    match context.elicit::<Answer>("Who are you?").await? {
        Elicited::Accepted(answer) => Ok(answer.name),
        _ => Ok("nobody".to_owned()),
    }
}

fn call(principal: &str, answered: Option<(&Value, &str)>) -> Modern {
    let mut call = modern("tools/call", json!({ "name": "asks" })).header("principal", principal);
    let meta = &mut call.body["params"]["_meta"];
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": { "form": {} } });
    if let Some((round, name)) = answered {
        let key = round["inputRequests"].as_object().unwrap().keys().next().unwrap();
        let answer = json!({ "action": "accept", "content": { "name": name } });
        call.body["params"]["inputResponses"] = json!({ key: answer });
        call.body["params"]["requestState"] = round["requestState"].clone();
    }
    call
}

/// [SRV-ELIC-08] [SRV-MRTR-04] what one user was asked cannot be answered by another.
#[tokio::test]
async fn questions_belong_to_who_was_asked() {
    let service = service(server().tool("asks", "Asks", asks));
    let asked = call("ada", None).ask(&service).await.json()["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    let stolen = call("bob", Some((&asked, "Bob"))).ask(&service).await;
    assert_eq!(stolen.code(), Some(-32602), "{stolen:?}");
    let answered = call("ada", Some((&asked, "Ada"))).ask(&service).await.json();
    assert_eq!(answered["result"]["content"][0]["text"], "Ada");
}
