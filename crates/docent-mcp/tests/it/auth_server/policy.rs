//! Rules about who may use what.

use docent_mcp::Server;
use docent_mcp::auth::Policy;
use docent_mcp::server::{
    Context, ReadRequest, ServerPrompt, ServerResource, ServerTemplate, ToolError,
};
use docent_mcp::transport::http::HttpService;
use serde_json::{Value, json};

use super::{Got, Nothing, RESOURCE, ask, authority, protect};

async fn done(_: Context, _: Nothing) -> Result<&'static str, ToolError> {
    Ok("done")
}

fn server() -> Server {
    let resource = |uri: &str| ServerResource::new(uri, "note", |_, _| async { Ok("text") });
    let prompt =
        |name: &str| ServerPrompt::new(name, "A prompt", |_, _| async { Ok("text".to_owned()) });
    Server::new("test", "1")
        .tool("look", "For all", done)
        .tool("admin_delete", "For admins", done)
        .tool("admin_list", "For admins", done)
        .tool("export", "For some", done)
        .tool("secret", "For Ada", done)
        .with_resource(resource("notes://public/1"))
        .with_resource(resource("notes://private/1"))
        .with_prompt(prompt("plain"))
        .with_prompt(prompt("staff"))
}

fn policy() -> Policy {
    Policy::new()
        .tool("admin_*")
        .resource("notes://private/*")
        .needs_scope("admin")
        .tool("admin_delete")
        .needs_scope("delete")
        .tool("export")
        .needs_scope("read")
        .needs_claim("plan", "pro")
        .tool("secret")
        .needs(|claims, _| claims.is_some_and(|claims| claims.subject() == "ada"))
        .prompt("staff")
        .needs_claim("groups", "staff")
}

struct World {
    authority: docent_testkit::authorization::AuthorizationServer,
    service: HttpService,
}

async fn world(server: Server) -> World {
    let (authority, protection) = authority().await;
    World { authority, service: protect(server, protection) }
}

impl World {
    async fn ask(&self, claims: &Value, method: &str, params: Value) -> Got {
        let mut all = self.authority.claims(RESOURCE, "bob", "");
        for (name, value) in claims.as_object().unwrap() {
            all[name] = value.clone();
        }
        let token = self.authority.sign(docent_testkit::authorization::Algorithm::Es256, &all);
        let bearer = format!("Bearer {token}");
        ask(&self.service, &[("authorization", &bearer)], method, params).await
    }

    async fn names(&self, claims: &Value, method: &str) -> String {
        let (field, name) = match method {
            "tools/list" => ("tools", "name"),
            "prompts/list" => ("prompts", "name"),
            _ => ("resources", "uri"),
        };
        let got = self.ask(claims, method, json!({})).await;
        assert_eq!(got.body["result"]["cacheScope"], "private", "{got:?}");
        let names = got.body["result"][field].as_array().unwrap().iter();
        names.map(|entry| entry[name].as_str().unwrap()).collect::<Vec<_>>().join(" ")
    }
}

/// [SRV-AUTH-17] lists show what their reader may use.
#[tokio::test]
async fn lists_are_filtered() {
    let world = world(server().layer(policy())).await;
    for (claims, method, expected) in [
        (json!({}), "tools/list", "look"),
        (json!({ "sub": "ada" }), "tools/list", "look secret"),
        (json!({ "scope": "admin" }), "tools/list", "look admin_list"),
        (json!({ "scope": "admin delete" }), "tools/list", "look admin_delete admin_list"),
        (json!({ "scope": "read" }), "tools/list", "look"),
        (json!({ "scope": "read", "plan": "free" }), "tools/list", "look"),
        (json!({ "scope": "read", "plan": "pro" }), "tools/list", "look export"),
        (json!({}), "resources/list", "notes://public/1"),
        (json!({ "scope": "admin" }), "resources/list", "notes://public/1 notes://private/1"),
        (json!({ "groups": "guests" }), "prompts/list", "plain"),
        (json!({ "groups": ["guests", "staff"] }), "prompts/list", "plain staff"),
    ] {
        assert_eq!(world.names(&claims, method).await, expected, "{claims}");
    }
}

/// [SRV-AUTH-17] who lacks scopes is told all of them at once; who lacks anything else, nothing.
#[tokio::test]
async fn calls_are_denied() {
    let world = world(server().layer(policy())).await;
    let scopes = |got: &Got| {
        let challenge = got.challenge().to_owned();
        let scope = challenge.split("scope=\"").nth(1).and_then(|rest| rest.split('"').next());
        scope.unwrap_or_default().to_owned()
    };
    for (claims, name, needed) in [
        (json!({}), "admin_delete", "admin delete"),
        (json!({ "scope": "admin" }), "admin_delete", "admin delete"),
        (json!({}), "admin_list", "admin"),
        (json!({ "plan": "pro" }), "export", "read"),
    ] {
        let got = world.ask(&claims, "tools/call", json!({ "name": name, "arguments": {} })).await;
        assert_eq!(got.status, 403, "{name}: {got:?}");
        assert!(got.challenge().contains("error=\"insufficient_scope\""), "{got:?}");
        let mut told: Vec<_> = scopes(&got).split(' ').map(str::to_owned).collect();
        told.sort();
        assert_eq!(told.join(" "), needed);
        assert!(got.body["error"]["message"].as_str().unwrap().contains("needed"), "{got:?}");
    }
    let read = json!({ "uri": "notes://private/1" });
    assert_eq!(world.ask(&json!({}), "resources/read", read.clone()).await.status, 403);
    assert_eq!(world.ask(&json!({ "scope": "admin" }), "resources/read", read).await.status, 200);

    // The same answer as for something that does not exist.
    for (method, name, claims) in [
        ("tools/call", "secret", json!({})),
        ("tools/call", "export", json!({ "scope": "read" })),
        ("prompts/get", "staff", json!({})),
    ] {
        let hidden = world.ask(&claims, method, json!({ "name": name, "arguments": {} })).await;
        let params = json!({ "name": format!("{name}x"), "arguments": {} });
        let absent = world.ask(&claims, method, params).await;
        assert_eq!(hidden.status, absent.status);
        let text = |got: &Got| got.body["error"]["message"].as_str().unwrap().to_owned();
        assert_eq!(text(&hidden), text(&absent).trim_end_matches('x'), "{name}");
        assert!(!text(&absent).contains("did you mean"), "{}", text(&absent));
    }
    let allowed = json!({ "name": "secret", "arguments": {} });
    assert_eq!(world.ask(&json!({ "sub": "ada" }), "tools/call", allowed).await.text(), "done");
}

/// [SRV-AUTH-17] every page can be reached, whatever is left out of it.
#[tokio::test]
async fn pages_are_not_lost() {
    let mut server = Server::new("test", "1");
    for n in 0..25 {
        let kind = if n % 10 == 9 { "open" } else { "admin" };
        server = server.tool(format!("{kind}_{n}"), "A tool", done);
    }
    let limits = docent_mcp::Limits { page_entries_max: 5, ..Default::default() };
    let world =
        world(server.limits(limits).layer(Policy::new().tool("admin_*").needs_scope("admin")))
            .await;
    let mut seen = Vec::new();
    let mut params = json!({});
    loop {
        let got = world.ask(&json!({}), "tools/list", params).await;
        let tools = got.body["result"]["tools"].as_array().unwrap().clone();
        seen.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        match got.body["result"]["nextCursor"].as_str() {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => break,
        }
    }
    assert_eq!(seen, ["open_9", "open_19"]);
}

/// [SRV-AUTH-17] a policy can deny what it does not name, and methods.
#[tokio::test]
async fn closed_policies() {
    let policy = Policy::new()
        .tool("look")
        .needs(|claims, _| claims.is_some())
        .method("prompts/*")
        .needs_scope("prompts")
        .deny_others();
    let world = world(server().layer(policy)).await;
    assert_eq!(world.names(&json!({}), "tools/list").await, "look");
    assert_eq!(world.names(&json!({ "scope": "admin" }), "resources/list").await, "");
    assert_eq!(world.ask(&json!({}), "prompts/list", json!({})).await.status, 403);
    assert_eq!(world.names(&json!({ "scope": "prompts" }), "prompts/list").await, "");
}

/// [BOTH-AUTH-23] without a transport that takes tokens, nothing that needs one can be used.
#[tokio::test]
async fn without_tokens_nothing_is_allowed() {
    let (ours, theirs) = docent_mcp::transport::memory();
    let serving = tokio::spawn(server().layer(policy()).serve(theirs));
    let client = docent_mcp::Client::start(ours).await.unwrap();
    let tools = client.tools().await.unwrap();
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["look"]);
    let denied = client.call("admin_list", json!({})).await.unwrap_err();
    assert!(denied.is_invalid_params(), "{denied:#}");
    client.close().await;
    serving.await.unwrap().unwrap();
}

/// [SRV-AUTH-17] a resource is the same however its address is written.
#[tokio::test]
async fn addresses_in_disguise() {
    let read = |_: Context, request: ReadRequest| async move { Ok(request.uri) };
    let server = Server::new("test", "1")
        .with_template(ServerTemplate::new("files://{folder}/{name}", "file", read))
        .with_template(ServerTemplate::new("tree://{+path}", "tree", read))
        .layer(Policy::new().resource("*://private/*").needs_scope("admin"));
    let world = world(server).await;
    for (uri, status) in [
        ("files://public/1", 200),
        ("files://private/1", 403),
        ("files://%70rivate/1", 403),
        ("files://privat%65/%31", 403),
        ("tree://public/1", 200),
        ("tree://public/../private/1", 403),
        ("tree://public/%2e%2e/private/1", 403),
    ] {
        let got = world.ask(&json!({}), "resources/read", json!({ "uri": uri })).await;
        // A template may refuse dots by itself, which is an error like others.
        assert!(got.status == status, "{uri}: {got:?}");
        let allowed = json!({ "scope": "admin" });
        let got = world.ask(&allowed, "resources/read", json!({ "uri": uri })).await;
        assert_eq!(got.status, 200, "{uri}: {got:?}");
    }
}
