//! A user logs in.

use std::time::Duration;

use docent_mcp::Limits;
use docent_mcp::auth::{OAuth, Visit};
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::HookError;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::super::web::{PATIENCE, read_form};
use super::super::{builder, text};
use super::{Realm, User};

/// One login serves a whole connection: the token is in the header of every request, and nowhere
/// else; `resource` is what the server calls itself. [CLI-AUTH-08] [CLI-AUTH-16] [BOTH-AUTH-23]
#[tokio::test]
async fn one_login_for_all_requests() {
    let realm = Realm::start().await;
    let client = realm.connect(realm.login()).await.unwrap();
    for _ in 0..3 {
        assert_eq!(text(&client.call("x", json!({})).await.unwrap()), "x");
    }
    client.close().await;
    let messages = realm.seen().into_iter().filter(|seen| seen.path == "/mcp");
    let sent: Vec<_> =
        messages.map(|seen| seen.header("authorization").map(str::to_owned)).collect();
    assert_eq!(sent[0], None);
    assert!(sent.len() > 4 && sent[1..].iter().all(|one| *one == sent[1]) && sent[1].is_some());
    let resource = json!(realm.url());
    let rules = realm.rules();
    assert_eq!(rules.asked.len(), 1);
    assert_eq!(rules.asked[0]["resource"], resource);
    assert_eq!(rules.asked[0]["scope"], "use");
    assert_eq!(rules.granted.len(), 1);
    assert_eq!(rules.granted[0]["resource"], resource);
}

/// An identifier without a path stays without one. [CLI-AUTH-08]
#[tokio::test]
async fn identifiers_stay_as_they_are() {
    let realm = Realm::start().await;
    realm.resource("resource", json!("{base}"));
    realm.connect(realm.login()).await.unwrap();
    let rules = realm.rules();
    assert_eq!(rules.asked[0]["resource"], realm.base());
    assert_eq!(rules.granted[0]["resource"], realm.base());
}

/// A server without metadata is its own authorization server, at its root. [CLI-AUTH-01]
#[tokio::test]
async fn servers_of_2025_03_26() {
    for documented in [true, false] {
        let realm = Realm::start().await;
        {
            let mut rules = realm.rules();
            rules.documents.remove("/.well-known/oauth-protected-resource/mcp");
            let path = "/.well-known/oauth-authorization-server";
            let metadata = rules.documents.get_mut(path).unwrap();
            // As many of them write it, and without what only later revisions demand.
            metadata["issuer"] = json!("{base}/");
            metadata.as_object_mut().unwrap().remove("code_challenge_methods_supported");
            metadata["authorization_response_iss_parameter_supported"] = json!(false);
            if !documented {
                rules.documents.remove(path);
            }
            rules.instead.insert("/token".to_owned(), |_| {
                super::super::web::Reply::json(
                    200,
                    &json!({ "access_token": "old", "token_type": "Bearer" }),
                )
            });
            rules.tokens.insert("old".to_owned(), "use".to_owned());
        }
        let user = User { realm: realm.clone(), add: "&x=y".to_owned() };
        let client = realm.connect(OAuth::user("test").visit(user)).await.unwrap();
        client.call("x", json!({})).await.unwrap();
        assert!(realm.rules().asked[0].get("resource").is_none(), "{documented}");
        assert_eq!(realm.count("/register"), 1);
    }
}

/// By hand, by document, by asking; in that order, and each only where it can be.
/// [CLI-AUTH-10] [CLI-AUTH-12]
#[tokio::test]
async fn ways_to_be_known() {
    const DOCUMENT: &str = "https://app.example/client.json";
    for (by_hand, documents, registers, expected) in [
        (true, true, true, Some("mine")),
        (false, true, true, Some(DOCUMENT)),
        (false, false, true, Some("client-1")),
        (false, false, false, None),
    ] {
        let realm = Realm::start().await;
        realm.metadata("client_id_metadata_document_supported", json!(documents));
        if !registers {
            realm.metadata("registration_endpoint", Value::Null);
        }
        let mut login = realm.login().client_metadata_url(DOCUMENT).unwrap();
        if by_hand {
            login = login.client_id("mine");
        }
        let outcome = realm.connect(login).await;
        match expected {
            Some(expected) => {
                outcome.unwrap();
                assert_eq!(realm.rules().asked[0]["client_id"], expected);
            }
            None => {
                let error = outcome.unwrap_err();
                assert!(error.to_string().contains("client id"), "{error}");
            }
        }
        assert_eq!(realm.count("/register"), usize::from(expected == Some("client-1")));
    }
    let realm = Realm::start().await;
    realm.connect(realm.login()).await.unwrap();
    let seen = realm.seen().into_iter().find(|seen| seen.path == "/register").unwrap();
    assert_eq!(seen.body["application_type"], "native");
    assert_eq!(seen.body["grant_types"], json!(["authorization_code", "refresh_token"]));
    assert_eq!(seen.body["redirect_uris"][0], realm.rules().asked[0]["redirect_uri"]);
}

/// Another authorization server gets nothing that an earlier one gave. [CLI-AUTH-13]
#[tokio::test]
async fn another_authorization_server_is_a_new_one() {
    let (realm, other) = (Realm::start().await, Realm::start().await);
    let moved = other.base().to_owned();
    struct Either(User, User);
    impl Visit for Either {
        fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
            match url.starts_with(self.0.realm.base()) {
                true => self.0.visit(url),
                false => self.1.visit(url),
            }
        }
    }
    let login = OAuth::user("test").visit(Either(realm.user(), other.user()));
    let client = realm.connect(login.clone()).await.unwrap();
    realm.rules().tokens.clear();
    realm.resource("authorization_servers", json!([moved]));
    other.rules().documents.get_mut("prm").unwrap()["resource"] = json!(realm.url());
    // The realm does not know the other one's tokens: the login goes there, and then it is over.
    let error = client.call("x", json!({})).await.unwrap_err();
    assert_eq!(error.http_status(), Some(401), "{error}");
    assert_eq!(other.rules().asked[0]["client_id"], "client-1");
    assert_eq!(other.count("/register"), 1);
    assert_eq!(realm.rules().granted.len(), 1, "and the refresh token stays where it was");
    let asked = other.seen().iter().map(|seen| seen.body.to_string()).collect::<String>();
    assert!(!asked.contains("refresh-"), "{asked}");
    // Credentials that were given by hand are not even tried there.
    let realm = Realm::start().await;
    let login = realm.login().client_id("mine").client_secret("hunter2");
    let client = realm.connect(login).await.unwrap();
    realm.rules().tokens.clear();
    realm.resource("authorization_servers", json!([moved]));
    let before = other.seen().len();
    let error = client.call("x", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("another authorization server"), "{error}");
    assert!(other.seen()[before..].iter().all(|seen| seen.verb == "GET"));
}

/// More rights are asked for together with those that are there, and not forever. [CLI-AUTH-15]
#[tokio::test]
async fn more_scopes() {
    let realm = Realm::start().await;
    realm.rules().needs.insert("tools/call".to_owned(), "write".to_owned());
    let client = realm.connect(realm.login()).await.unwrap();
    client.call("x", json!({})).await.unwrap();
    let scopes = |realm: &Realm| -> Vec<Value> {
        realm.rules().asked.iter().map(|asked| asked["scope"].clone()).collect()
    };
    assert_eq!(scopes(&realm), ["use", "use write"]);
    // Whoever never gets enough stops asking.
    let realm = Realm::start().await;
    realm.rules().needs.insert("tools/call".to_owned(), "write".to_owned());
    let client = realm.connect(realm.login()).await.unwrap();
    realm.rules().instead.insert("/token".to_owned(), |_| {
        super::super::web::Reply::json(
            200,
            &json!({ "access_token": "little", "token_type": "Bearer", "scope": "use" }),
        )
    });
    realm.rules().tokens.insert("little".to_owned(), "use".to_owned());
    let error = client.call("x", json!({})).await.unwrap_err();
    assert_eq!(error.http_status(), Some(403), "{error}");
    assert!(scopes(&realm).len() <= 4, "{:?}", scopes(&realm));
}

/// A user who takes their time does not make the server an old one, nor the call late.
#[tokio::test]
async fn users_may_take_their_time() {
    struct Slow(User);
    impl Visit for Slow {
        fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(700)).await;
                self.0.visit(url).await
            })
        }
    }
    let realm = Realm::start().await;
    let limits = Limits {
        probe_timeout: Duration::from_millis(300),
        request_timeout: Duration::from_millis(300),
        connect_timeout: Duration::from_secs(10),
        ..Limits::default()
    };
    realm.rules().needs.insert("tools/call".to_owned(), "write".to_owned());
    let login = OAuth::user("test").visit(Slow(realm.user()));
    let client = builder().limits(limits).connect(realm.endpoint(login)).await.unwrap();
    assert!(client.server().revision.is_modern());
    client.call("x", json!({})).await.unwrap();
    assert_eq!(realm.rules().asked.len(), 2);
}

/// Many calls that need a login cause one.
#[tokio::test]
async fn one_login_for_many_calls() {
    let realm = Realm::start().await;
    let client = realm.connect(realm.login()).await.unwrap();
    realm.rules().tokens.clear();
    realm.rules().refresh.clear();
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call("x", json!({})).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(realm.rules().asked.len(), 2);
}

/// The browser itself comes back, to the port that the client opened.
#[tokio::test]
async fn browsers_come_back_by_themselves() {
    struct Real(User);
    impl Visit for Real {
        fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
            Box::pin(async move {
                let back = self.0.visit(url).await?.unwrap();
                let target = back.strip_prefix("http://").unwrap();
                let (host, path) = target.split_once('/').unwrap();
                let mut socket = tokio::net::TcpStream::connect(host).await?;
                let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\n\r\n");
                socket.write_all(request.as_bytes()).await?;
                let mut page = String::new();
                socket.read_to_string(&mut page).await?;
                assert!(page.contains("can be closed"), "{page}");
                Ok(None)
            })
        }
    }
    let realm = Realm::start().await;
    realm.connect(OAuth::user("test").visit(Real(realm.user()))).await.unwrap();
    let asked = read_form(&format!("a={}", realm.rules().asked[0]["redirect_uri"]));
    assert!(asked["a"].as_str().unwrap().contains("http://127.0.0.1:"), "{asked}");
}

/// The example logs in without a browser, and finds its login the next time.
#[cfg(feature = "process")]
#[tokio::test]
async fn the_example_logs_in() {
    use std::process::Stdio;
    use tokio::io::{AsyncBufReadExt as _, BufReader};

    let folder = docent_testkit::folder::Folder::new();
    let realm = Realm::start().await;
    for login in [true, false] {
        let mut program = tokio::process::Command::new(crate::examples::example("login"));
        program.args(["--terminal", realm.url()]).env("LOGIN_CREDENTIALS", folder.path());
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = program.kill_on_drop(true).spawn().unwrap();
        let mut stdin = program.stdin.take().unwrap();
        if login {
            let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
            let url = loop {
                let line = lines.next_line().await.unwrap().unwrap();
                if line.starts_with("http") {
                    break line;
                }
            };
            let back = realm.user().visit(&url).await.unwrap().unwrap();
            stdin.write_all(format!("{back}\n").as_bytes()).await.unwrap();
        }
        let output = tokio::time::timeout(PATIENCE, program.wait_with_output()).await;
        let output = output.unwrap().unwrap();
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        assert_eq!(realm.rules().asked.len(), 1);
    }
}
