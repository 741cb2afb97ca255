//! What an entry says about logging in reaches the login.

use std::sync::{Arc, Mutex};

use docent_host::config::{Masked, ServerEntry};
use docent_host::{ErrorKind, Host};
use docent_mcp::auth::{OAuth, Visit};
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::HookError;
use docent_testkit::authorization::Client as Known;
use docent_testkit::plain_http;
use serde_json::json;

use crate::fixture::{soon, text};
use crate::protected::{Protected, RESOURCE, protected};

/// A user who goes where the login page sends them, with a memory.
#[derive(Clone, Default)]
struct User(Arc<Mutex<Vec<String>>>);

impl Visit for User {
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
        self.0.lock().unwrap().push(url.to_owned());
        Box::pin(async move {
            let reply = plain_http::send("GET", url, &[], "").await?;
            let to = reply.header("location");
            Ok(Some(to.ok_or("nobody was sent anywhere")?.to_owned()))
        })
    }
}

fn host(user: &User, entry: ServerEntry) -> Host {
    let user = user.clone();
    Host::builder("test", "1.0")
        .login(move |_| Some(OAuth::user("test").visit(user.clone())))
        .from_entries([entry])
}

/// A port that is free now.
fn port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// An entry that says everything there is to say, and the client that the authority knows.
fn entry(world: &Protected, port: u16) -> ServerEntry {
    world.authority.add_client(Known {
        id: "by-hand".to_owned(),
        secret: Some("s3cret".to_owned()),
        redirect_uris: vec![format!("http://localhost:{port}/callback")],
        grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
        auth_method: "client_secret_basic".to_owned(),
    });
    let mut entry = world.entry();
    let metadata = format!("{}/.well-known/oauth-authorization-server", world.authority.issuer());
    entry.oauth.client_id = Some("by-hand".to_owned());
    entry.oauth.client_secret = Some(Masked::hidden("s3cret"));
    entry.oauth.callback_port = Some(port);
    entry.oauth.scopes = vec!["notes".to_owned()];
    entry.oauth.metadata_url = Some(metadata);
    entry.oauth.resource = Some(RESOURCE.to_owned());
    entry
}

#[tokio::test]
async fn everything_that_an_entry_says_is_used() {
    let world = protected().await;
    let (user, port) = (User::default(), port());
    let host = host(&user, entry(&world, port));
    let who = soon(host.call("notes.who", json!({}))).await.unwrap();
    assert_eq!(text(&who), "ada: notes");
    let visited = user.0.lock().unwrap().clone();
    let [page] = &visited[..] else { panic!("one login, not {visited:?}") };
    for part in [
        "client_id=by-hand".to_owned(),
        "scope=notes&".to_owned(),
        format!("redirect_uri=http%3A%2F%2Flocalhost%3A{port}%2Fcallback"),
        "resource=https%3A%2F%2Fnotes.example%2Fmcp".to_owned(),
    ] {
        assert!(format!("{page}&").contains(&part), "{part} is not in {page}");
    }
    let asked = world.authority.requests();
    assert!(!asked.iter().any(|request| request.contains("register")), "{asked:?}");

    // Scopes that the entry does not name are not asked for, and that is said.
    let client = soon(host.client("notes")).await.unwrap();
    let refused = soon(client.call("admin", json!({}))).await.unwrap_err();
    let refused = format!("{refused:#}");
    assert!(refused.contains("`admin`") && refused.contains("only `notes`"), "{refused}");
    assert_eq!(user.0.lock().unwrap().len(), 1, "nobody is asked for it");
    host.close().await;
}

/// Without the settings, the same server cannot be logged in to: each of them matters.
#[tokio::test]
async fn without_the_settings_there_is_no_way_in() {
    let world = protected().await;
    type Spoil = fn(&mut ServerEntry);
    let rows: [(&str, Spoil); 5] = [
        ("https://notes.example cannot be reached", |entry| entry.oauth.metadata_url = None),
        ("it was issued for another audience", |entry| entry.oauth.resource = None),
        ("invalid_client", |entry| entry.oauth.client_secret = None),
        // The page sends nobody back to an address that it does not know.
        ("nobody was sent anywhere", |entry| entry.oauth.callback_port = None),
        ("authorization is needed: send a token", |entry| entry.oauth.off = true),
    ];
    for (why, spoil) in rows {
        let mut entry = entry(&world, port());
        spoil(&mut entry);
        let host = host(&User::default(), entry);
        let failed = soon(host.call("notes.who", json!({}))).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Unavailable, "{failed}");
        // Why there was no way in, and what the server said to begin with.
        let failed = failed.to_string();
        assert!(failed.contains(why), "{why} is not in {failed}");
        assert!(failed.contains("WWW-Authenticate: Bearer "), "{failed}");
        host.close().await;
    }
}
