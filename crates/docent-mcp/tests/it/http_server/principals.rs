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
    let filled_in = |name| json!({ "action": "accept", "content": { "name": name } });
    call_of("asks", principal, answered.map(|(round, name)| (round, filled_in(name))))
}

fn call_of(tool: &str, principal: &str, answered: Option<(&Value, Value)>) -> Modern {
    let mut call = modern("tools/call", json!({ "name": tool })).header("principal", principal);
    let meta = &mut call.body["params"]["_meta"];
    meta["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "elicitation": { "form": {}, "url": {} } });
    if let Some((round, answer)) = answered {
        let key = round["inputRequests"].as_object().unwrap().keys().next().unwrap();
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

async fn sends(context: Context, _: Nothing) -> Result<String, ToolError> {
    let action = context.elicit_url("Connect your mail", "https://example.com/connect").await?;
    Ok(format!("{action:?} by {}", context.principal().unwrap_or("nobody")))
}

async fn sends_with_a_password(context: Context, _: Nothing) -> Result<String, ToolError> {
    let url = format!("https://{}:secret@example.com/", context.principal().unwrap_or("nobody"));
    context.elicit_url("Connect your mail", url).await?;
    Ok("sent".to_owned())
}

/// [SRV-ELIC-06] an address says nothing about who is sent there, and what was begun by one user
/// is finished by nobody else.
#[tokio::test]
async fn a_page_is_finished_by_who_was_sent_there() {
    let server = server().tool("sends", "Sends", sends);
    let service = service(server.tool("leaks", "Leaks", sends_with_a_password));
    let accepted = || json!({ "action": "accept" });
    let asked = call_of("sends", "ada", None).ask(&service).await.json()["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    assert!(!asked["inputRequests"].to_string().contains("ada"), "{asked}");
    let stolen = call_of("sends", "bob", Some((&asked, accepted()))).ask(&service).await;
    assert_eq!(stolen.code(), Some(-32602), "{stolen:?}");
    let finished = call_of("sends", "ada", Some((&asked, accepted()))).ask(&service).await.json();
    assert_eq!(finished["result"]["content"][0]["text"], "Accept by ada");

    let leaked = call_of("leaks", "ada", None).ask(&service).await.json();
    assert_eq!(leaked["result"]["isError"], true, "{leaked}");
    assert!(!leaked.to_string().contains("secret"), "{leaked}");
}
