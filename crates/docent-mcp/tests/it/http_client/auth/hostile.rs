//! What authorization servers and servers must not get away with.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::auth::{OAuth, Reach};
use docent_mcp::{AuthLimits, ErrorKind};
use serde_json::{Value, json};
use tracing_subscriber::layer::SubscriberExt as _;

use super::super::web::{Reply, Step};
use super::{Instead, Realm, User};

/// Nothing of a secret is in an error, whatever goes wrong.
fn shows_no_secret(error: &docent_mcp::Error) {
    let shown = format!("{error:#} {error:?}");
    for secret in ["hunter2", "code-", "access-", "refresh-", "code_verifier"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

/// Metadata that is not what it should be ends the login before anything is sent.
/// [CLI-AUTH-04] [CLI-AUTH-06] [BOTH-AUTH-18]
#[tokio::test]
async fn metadata_that_is_not_believed() {
    for (document, name, value, why) in [
        ("prm", "resource", json!("https://evil.example/mcp"), "another resource"),
        ("prm", "resource", json!("{base}/mcp/other"), "another resource"),
        ("prm", "resource", Value::Null, "cannot be read"),
        ("prm", "authorization_servers", json!([]), "does not say whose"),
        ("prm", "authorization_servers", json!(["ftp://evil.example"]), "not ftp:"),
        ("prm", "authorization_servers", json!(["http://10.0.0.1"]), "https"),
        ("prm", "authorization_servers", json!(["http://169.254.169.254"]), "https"),
        ("prm", "authorization_servers", json!(["file:///etc/passwd"]), "no address"),
        ("as", "issuer", json!("{base}/"), "another issuer"),
        ("as", "issuer", json!("http://evil.example"), "another issuer"),
        ("as", "code_challenge_methods_supported", json!(["plain"]), "PKCE"),
        ("as", "code_challenge_methods_supported", Value::Null, "PKCE"),
        ("as", "authorization_endpoint", json!("javascript:alert(1)"), "not javascript:"),
        ("as", "authorization_endpoint", json!("file:///etc/passwd"), "not file:"),
        ("as", "authorization_endpoint", json!("--flag"), "no address"),
        ("as", "authorization_endpoint", json!("$(id)"), "no address"),
        ("as", "authorization_endpoint", json!("{base}/x\r\ny: z"), "line ends"),
        ("as", "authorization_endpoint", json!("http://evil.example/"), "https"),
        ("as", "authorization_endpoint", json!("x".repeat(64 << 10)), "longer than"),
        ("as", "authorization_endpoint", Value::Null, "no page to log in"),
        ("as", "token_endpoint", json!("http://evil.example/token"), "https"),
        ("as", "token_endpoint", Value::Null, "no token endpoint"),
        ("as", "registration_endpoint", json!("http://evil.example/register"), "https"),
    ] {
        let realm = Realm::start().await;
        match document {
            "prm" => realm.resource(name, value.clone()),
            _ => realm.metadata(name, value.clone()),
        }
        let error = realm.connect(realm.login()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authorization, "{name} {value}: {error:#}");
        assert!(error.to_string().contains(why), "{name} {value}: {error:#}");
        shows_no_secret(&error);
        assert_eq!(realm.count("/token"), 0, "{name} {value}");
    }
}

/// Answers of a login that belong to something else never reach the token endpoint.
/// [CLI-AUTH-09] [CLI-AUTH-16]
#[tokio::test]
async fn answers_that_are_not_believed() {
    for (add, why) in [
        ("&x=y", "lacks the issuer"),
        ("&iss=http://evil.example", "another issuer"),
        ("&iss={base}/", "another issuer"),
        ("&state=other&iss={base}", "two of state"),
        ("&error=hunter2&iss=http://evil.example", "another issuer"),
        ("&error=access_denied&iss={base}", "access_denied"),
    ] {
        let realm = Realm::start().await;
        let user = User { realm: realm.clone(), add: add.replace("{base}", realm.base()) };
        let error = realm.connect(OAuth::user("test").visit(user)).await.unwrap_err();
        assert!(error.to_string().contains(why), "{add}: {error:#}");
        shows_no_secret(&error);
        assert_eq!(realm.count("/token"), 0, "{add}");
    }
}

/// Token endpoints that answer with something else than a token.
#[tokio::test]
async fn answers_that_are_no_tokens() {
    let cases: [(Instead, &str); 6] = [
        (|_| Reply::json(200, &json!({ "token": "hunter2" })), "no token"),
        (|_| Reply::text(200, "text/html", "<p>hunter2"), "no token"),
        (
            |_| Reply::json(200, &json!({ "access_token": "hunter2", "token_type": "mac" })),
            "of the type",
        ),
        (
            |_| {
                Reply::json(
                    200,
                    &json!({ "access_token": "hunter2\r\nx: y", "token_type": "bearer" }),
                )
            },
            "cannot be sent",
        ),
        (|_| Reply::status(307).with("location", "http://127.0.0.1:1/token"), "not followed"),
        (|_| Reply::text(500, "text/plain", "hunter2"), "HTTP 500"),
    ];
    for (token, why) in cases {
        let realm = Realm::start().await;
        realm.rules().instead.insert("/token".to_owned(), token);
        let error = realm.connect(realm.login()).await.unwrap_err();
        assert!(error.to_string().contains(why), "{error:#}");
        shows_no_secret(&error);
        assert_eq!(realm.count("/token"), 1);
    }
}

/// Documents that are too large, too slow, or somewhere else again. [SEC-02]
#[tokio::test]
async fn documents_have_limits() {
    const PRM: &str = "/.well-known/oauth-protected-resource/mcp";
    let cases: [(Instead, &str); 6] = [
        (|_| Reply::text(200, "application/json", " ".repeat(10 << 20)), "more than"),
        (|_| Reply::events([Step::Send("{".to_owned()), Step::Hang]), "did not answer in time"),
        (|_| Reply::status(302).with("location", PRM), "place to place"),
        (|_| Reply::status(302).with("location", "http://10.0.0.1/x"), "https"),
        (|_| Reply::status(302).with("location", "file:///etc/passwd"), "not file:"),
        (|_| Reply::status(500), "HTTP 500"),
    ];
    for (document, why) in cases {
        let realm = Realm::start().await;
        realm.rules().instead.insert(PRM.to_owned(), document);
        let limits =
            AuthLimits { fetch_timeout: Duration::from_millis(500), ..AuthLimits::default() };
        let error = realm.connect(realm.login().limits(limits)).await.unwrap_err();
        assert!(error.to_string().contains(why), "{error:#}");
        assert!(realm.count(PRM) <= 4, "{why}");
    }
}

/// In public mode nothing on this machine or in its network is connected to. [SEC-02]
#[tokio::test]
async fn public_mode_stays_public() {
    let canary = Realm::start().await;
    for named in ["http://{host}/x", "http://localhost:{port}/x"] {
        let realm = Realm::start().await;
        let host = canary.base().trim_start_matches("http://").to_owned();
        let port = host.rsplit(':').next().unwrap().to_owned();
        let named = named.replace("{host}", &host).replace("{port}", &port);
        realm.rules().challenge = format!("resource_metadata=\"{named}\"");
        let error = realm.connect(realm.login().reach(Reach::Public)).await.unwrap_err();
        let shown = format!("{error:#}");
        assert!(shown.contains("public net") || shown.contains("cannot be reached"), "{shown}");
        assert!(canary.seen().is_empty());
        assert_eq!(realm.seen().len(), 1, "only the request itself");
    }
}

/// A server that never takes a token does not send its user to the browser again and again; a
/// refusal is no sign of an era. [CLI-AUTH-15]
#[tokio::test]
async fn logins_do_not_loop() {
    let realm = Realm::start().await;
    realm.rules().instead.insert("/mcp".to_owned(), |_| Reply::status(401));
    let error = realm.connect(realm.login()).await.unwrap_err();
    assert_eq!(error.http_status(), Some(401), "{error:#}");
    assert_eq!(realm.rules().asked.len(), 1);
    assert!(realm.seen().iter().all(|seen| seen.method() != "initialize"));
    let realm = Realm::start().await;
    realm.rules().instead.insert("/mcp".to_owned(), |_| {
        Reply::status(403).with("www-authenticate", "Bearer error=\"access_denied\"")
    });
    let error = realm.connect(realm.login()).await.unwrap_err();
    assert_eq!(error.http_status(), Some(403), "{error:#}");
    assert_eq!(realm.seen().len(), 1);
}

/// Everything that is logged, by this crate and by those below it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Log {
    fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            use std::fmt::Write as _;
            writeln!(self.0.lock().unwrap(), "{field}={value:?}").unwrap();
        });
    }

    fn on_new_span(
        &self,
        attributes: &tracing::span::Attributes<'_>,
        _: &tracing::span::Id,
        _: tracing_subscriber::layer::Context<'_, S>,
    ) {
        attributes.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            use std::fmt::Write as _;
            writeln!(self.0.lock().unwrap(), "{field}={value:?}").unwrap();
        });
    }
}

/// Whatever is logged, at any level, holds no secret: through a login, renewals, more scopes, a
/// refusal.
#[tokio::test]
async fn nothing_secret_is_logged() {
    let log = Log::default();
    let subscriber = tracing_subscriber::registry().with(log.clone());
    let _logging = tracing::subscriber::set_default(subscriber);
    let realm = Realm::start().await;
    realm.metadata("token_endpoint_auth_methods_supported", json!(["client_secret_basic"]));
    realm.rules().needs.insert("tools/call".to_owned(), "write".to_owned());
    // Strict about who asks, but this test is about what is said.
    let login = realm.login().client_id("mine").client_secret("hunter2");
    let _ = realm.connect(login).await;
    let client = realm.connect(OAuth::machine("mine").client_secret("hunter2")).await.unwrap();
    realm.rules().token_seconds = 0;
    client.call("x", json!({})).await.unwrap();
    realm.rules().instead.insert("/mcp".to_owned(), |_| Reply::status(401));
    client.call("x", json!({})).await.unwrap_err();
    client.close().await;
    let logged = log.0.lock().unwrap().clone();
    assert!(logged.contains("message="), "something is logged");
    for secret in ["hunter2", "bWluZTpodW50ZXIy", "code-", "access-", "refresh-"] {
        assert!(!logged.contains(secret), "{secret} in {logged}");
    }
}
