//! What is shown to somebody else, or tried more often than it should be: credentials at another
//! authorization server, a code after a redirect, logins without end, tokens handed on.

use std::sync::atomic::{AtomicUsize, Ordering};

use docent_mcp::auth::{JwtVerifier, MemoryStore, OAuth, Protection};
use docent_mcp::server::{Context, ToolError};
use docent_mcp::transport::http::{HttpEndpoint, HttpOptions, HttpServer};
use docent_mcp::{Client, Server};
use docent_testkit::authorization::{AuthorizationServer, Options};
use serde_json::json;

use super::Attacks;
use crate::Result;
use crate::realm::{ISSUER, RESOURCE, Realm, Reply, User};

pub(super) async fn attack(attacks: &mut Attacks) -> Result<()> {
    other_authority(attacks).await?;
    moved_endpoint(attacks).await?;
    endless_logins(attacks).await?;
    wrong_tokens(attacks).await?;
    handed_on(attacks).await
}

/// A server changes its authorization server. What the first one knows the client by is its own.
async fn other_authority(attacks: &mut Attacks) -> Result<()> {
    let (realm, other) = (Realm::start().await?, Realm::start().await?);
    let store = MemoryStore::new();
    let by_hand = || {
        let login = OAuth::machine("mine").client_secret("hunter2");
        login.store(store.clone())
    };
    realm.connect(by_hand()).await?.close().await;
    let by_asking = || realm.login().store(MemoryStore::new());
    realm.connect(by_asking()).await?.close().await;
    let mut first = Vec::new();
    for seen in realm.rules().seen.iter().filter(|seen| seen.path == "/token") {
        first.extend(Some(seen.parameter("client_id")).filter(|id| !id.is_empty()));
    }
    realm.rules().tokens.clear();
    realm.field(RESOURCE, "authorization_servers", json!([other.base()]));
    let outcome = realm.connect(by_hand()).await;
    attacks.refused("client secret at another authorization server", "not shown there", outcome);
    let asked = other.count("/token");
    attacks.besides("client secret at another: requests", asked == 0, &asked.to_string());
    // One that registers by itself does so again, and shows nothing of the other.
    // Its tokens are none of the first realm, so nobody gets in.
    let user = User::of(&other);
    let _ = realm.connect(OAuth::user("gate").visit(user)).await;
    let shown = other.rules().seen.iter().any(|seen| {
        seen.path == "/token" && first.contains(&seen.parameter("client_id"))
            || seen.headers.values().any(|value| value == "hunter2")
    });
    let again = other.count("/register");
    attacks.held(
        "registration used at another authorization server",
        !shown && again == 1,
        &format!("registered {again} time"),
    );
    Ok(())
}

/// A token endpoint that sends the code, the verifier and the secret elsewhere (open redirect).
async fn moved_endpoint(attacks: &mut Attacks) -> Result<()> {
    for (name, status) in [("token endpoint moved for good", 308), ("token endpoint moved", 307)] {
        let (realm, thief) = (Realm::start().await?, Realm::start().await?);
        let to = format!("{}/token", thief.base());
        realm.instead("/token", move |_| Reply::status(status).with("location", to.clone()));
        attacks.refused(name, "not followed", realm.connect(realm.login()).await);
        let stolen = thief.rules().seen.len();
        attacks.besides(&format!("{name}: followed"), stolen == 0, &stolen.to_string());
    }
    Ok(())
}

/// A server that is never content: with new scopes each time, or with no token at all.
async fn endless_logins(attacks: &mut Attacks) -> Result<()> {
    for (name, status, why) in
        [("step-up without end", 403, "403"), ("refusals without end", 401, "401")]
    {
        let realm = Realm::start().await?;
        let asked = AtomicUsize::new(0);
        realm.instead("/mcp", move |_| {
            let scope = asked.fetch_add(1, Ordering::Relaxed);
            let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"s{scope}\"");
            let status = if scope == 0 { 401 } else { status };
            Reply::status(status).with("www-authenticate", challenge)
        });
        attacks.refused(name, why, realm.connect(realm.login()).await);
        let logins = realm.count("/token");
        attacks.besides(&format!("{name}: logins"), logins <= 3, &logins.to_string());
    }
    Ok(())
}

/// Tokens that cannot be what was asked for.
async fn wrong_tokens(attacks: &mut Attacks) -> Result<()> {
    for (name, token, why) in [
        (
            "token of another type",
            json!({ "access_token": "t", "token_type": "mac" }),
            "of the type",
        ),
        (
            "token that ends a header",
            json!({ "access_token": "t\r\nx: y", "token_type": "bearer" }),
            "cannot be sent",
        ),
        (
            "token that is not bound to the key",
            json!({ "access_token": "t", "token_type": "bearer" }),
            "not bound",
        ),
    ] {
        let realm = Realm::start().await?;
        realm.field(ISSUER, "dpop_signing_alg_values_supported", json!(["ES256"]));
        realm.instead("/token", move |_| Reply::json(200, &token));
        let login = match name.contains("bound") {
            true => realm.login().dpop(),
            false => realm.login(),
        };
        attacks.refused(name, why, realm.connect(login).await);
    }
    Ok(())
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Where {
    url: String,
}

/// A tool that calls another server with all that it knows.
async fn ask_upstream(ctx: Context, to: Where) -> std::result::Result<String, ToolError> {
    let client = Client::start(HttpEndpoint::new(&to.url)?).await?;
    client.call("hello", json!({})).await?;
    client.close().await;
    Ok(format!("{:?} {:?} {:?}", ctx.meta(), ctx.principal(), ctx.claims()))
}

/// The token of a request is for this server: neither a handler nor anybody behind it sees it.
async fn handed_on(attacks: &mut Attacks) -> Result<()> {
    let authority = AuthorizationServer::start(Options::default()).await;
    let address = "http://127.0.0.1:0/mcp";
    let protection = Protection::new(address, JwtVerifier::new(authority.issuer()));
    let server = Server::new("middle", "1").tool("ask", "Asks another server", ask_upstream);
    let service = server.http_service(HttpOptions::new().protect(protection))?;
    let listening = HttpServer::bind(service, "127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listening.local_addr());
    let serving = tokio::spawn(listening.serve_until(std::future::pending()));
    let upstream = Realm::start().await?;
    let service = upstream.rules().service.clone();
    let listening = HttpServer::bind(service, "127.0.0.1:0").await?;
    let behind = format!("http://{}/mcp", listening.local_addr());
    let tapped = tokio::spawn(listening.serve_until(std::future::pending()));
    let token = authority.token(address, "ada", "");
    let client = Client::start(HttpEndpoint::new(&url)?.bearer_token(&token)?).await?;
    let to_realm = client.call("ask", json!({ "url": upstream.url() })).await;
    let said = client.call("ask", json!({ "url": behind })).await?;
    let said = format!("{said:?}");
    client.close().await;
    let shown = upstream.rules().seen.iter().any(|seen| !seen.header("authorization").is_empty());
    let asked = upstream.rules().seen.len();
    attacks.held(
        "token handed on to another server",
        to_realm.is_ok_and(|result| result.is_error == Some(true)) && asked > 0 && !shown,
        &format!("{asked} requests without a token"),
    );
    attacks.held(
        "token seen by a handler",
        !said.contains(&token) && said.contains("ada"),
        "not there",
    );
    serving.abort();
    tapped.abort();
    Ok(())
}
