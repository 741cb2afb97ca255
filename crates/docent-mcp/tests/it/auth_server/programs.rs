//! Programs that log in without a user: the examples, against our server and the authorization
//! server of the test kit; and what that server refuses of assertions.

use std::process::Stdio;

use docent_mcp::auth::{JwtVerifier, Protection};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_testkit::authorization::{AuthorizationServer, Client as Known, Options};
use serde_json::Value;

use super::counted;
use super::strictness::post;
use crate::examples::example;

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ASSERTION: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// A company's identity provider, an authorization server that trusts it, and a server that trusts
/// that.
struct Company {
    provider: AuthorizationServer,
    authority: AuthorizationServer,
    url: String,
}

async fn company() -> Company {
    let provider = AuthorizationServer::start(Options::default()).await;
    let authority = AuthorizationServer::start(Options::default()).await;
    authority.trust(&provider);
    for (server, grants) in
        [(&provider, &[EXCHANGE][..]), (&authority, &[ASSERTION, "client_credentials"])]
    {
        for id in ["app", "other"] {
            server.add_client(Known {
                id: id.to_owned(),
                secret: Some("s3cret".to_owned()),
                grant_types: grants.iter().map(|grant| (*grant).to_owned()).collect(),
                auth_method: "client_secret_basic".to_owned(),
                ..Known::default()
            });
        }
    }
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let url = format!("http://{address}/mcp");
    let protection = Protection::new(&url, JwtVerifier::new(authority.issuer()));
    let options = HttpOptions::new().protect(protection.needs_scope("notes"));
    let service = counted().server.http_service(options).unwrap();
    let listening = HttpServer::bind(service, address).await.unwrap();
    tokio::spawn(listening.serve_until(std::future::pending()));
    Company { provider, authority, url }
}

/// Runs an example, which prints what the tool said.
async fn run(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Result<String, String> {
    let mut command = std::process::Command::new(example(name));
    command.args(arguments).envs(variables.iter().copied());
    command.env("NO_PROXY", "127.0.0.1").stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// [BOTH-AUTH-18] a program with an account of its own.
#[tokio::test]
async fn a_machine() {
    let company = company().await;
    let arguments = [company.url.as_str(), "app", "who"];
    let said = run("machine", &arguments, &[("CLIENT_SECRET", "s3cret")]).await;
    assert_eq!(said, Ok("app: notes".to_owned()));
    let refused = run("machine", &arguments, &[("CLIENT_SECRET", "guess")]).await.unwrap_err();
    assert!(refused.contains("invalid_client") && !refused.contains("guess"), "{refused}");
}

/// A user whom the company vouches for, and one whom it does not know.
#[tokio::test]
async fn an_enterprise() {
    let company = company().await;
    let endpoint = format!("{}/token", company.provider.issuer());
    let arguments = [company.url.as_str(), "app", &endpoint, "who"];
    let id_token = company.provider.id_token("ada", "app");
    let secret = ("CLIENT_SECRET", "s3cret");
    let said = run("enterprise", &arguments, &[secret, ("ID_TOKEN", &id_token)]).await;
    assert_eq!(said, Ok("ada: notes".to_owned()));
    let elsewhere = company.authority.id_token("ada", "app");
    let refused = run("enterprise", &arguments, &[secret, ("ID_TOKEN", &elsewhere)]).await;
    let refused = refused.unwrap_err();
    assert!(refused.contains("invalid_grant") && !refused.contains(&elsewhere), "{refused}");
}

/// [AS-AUTH-24] an assertion is for one authorization server, one client and one server, once.
#[tokio::test]
async fn assertions() {
    let company = company().await;
    let client = Some(("app", "s3cret"));
    let exchange = async |audience: &str, kind: &str| -> Value {
        let id_token = company.provider.id_token("ada", "app");
        let form = format!(
            "grant_type={EXCHANGE}&requested_token_type=urn:ietf:params:oauth:token-type:{kind}\
             &subject_token_type=urn:ietf:params:oauth:token-type:id_token\
             &subject_token={id_token}&audience={audience}&resource={}&scope=notes",
            company.url
        );
        post(&company.provider, "/token", client, &form).await.1
    };
    let redeem = async |client: &str, assertion: &str, rest: &str| -> Value {
        let form = format!("grant_type={ASSERTION}&assertion={assertion}&{rest}");
        post(&company.authority, "/token", Some((client, "s3cret")), &form).await.1
    };
    let issuer = company.authority.issuer();
    assert_eq!(exchange(issuer, "access_token").await["error"], "invalid_request");
    let right = format!("resource={}&scope=notes", company.url);
    for (audience, client, rest, expected) in [
        ("https://elsewhere.example", "app", right.as_str(), "invalid_grant"),
        (issuer, "other", &right, "invalid_grant"),
        (issuer, "app", "resource=https://elsewhere.example", "invalid_target"),
        (issuer, "app", &right.replace("notes", "admin"), "invalid_scope"),
    ] {
        let assertion = exchange(audience, "id-jag").await;
        let assertion = assertion["access_token"].as_str().unwrap();
        let answer = redeem(client, assertion, rest).await;
        assert_eq!(answer["error"], expected, "{audience} {client} {rest}: {answer}");
    }
    assert_eq!(redeem("app", "made.up.x", &right).await["error"], "invalid_grant");
    let assertion = exchange(issuer, "id-jag").await;
    let assertion = assertion["access_token"].as_str().unwrap();
    assert!(redeem("app", assertion, &right).await["access_token"].is_string());
    assert_eq!(redeem("app", assertion, &right).await["error"], "invalid_grant", "used twice");
}
