//! Tokens that end, and several programs that share them.

use std::process::Stdio;
use std::time::Duration;

use docent_mcp::auth::{CredentialStore, FileStore, MemoryStore, OAuth};
use docent_testkit::folder::Folder;
use serde_json::json;

use super::super::web::{PATIENCE, Reply};
use super::Realm;

/// A token that is about to end is renewed before it is sent, once for all calls, with the newest
/// refresh token.
#[tokio::test]
async fn tokens_are_renewed_in_time() {
    let realm = Realm::start().await;
    realm.rules().token_seconds = 0;
    let store = MemoryStore::new();
    let client = realm.connect(realm.login().store(store.clone())).await.unwrap();
    for round in 0..3 {
        let calls: Vec<_> = (0..8)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { client.call("x", json!({})).await })
            })
            .collect();
        for call in calls {
            call.await.unwrap().unwrap_or_else(|error| panic!("{round}: {error:#}"));
        }
    }
    let rules = realm.rules();
    assert_eq!(rules.asked.len(), 1, "nobody was asked again");
    let refreshes = rules.granted.iter().filter(|form| form["grant_type"] == "refresh_token");
    assert!(refreshes.clone().count() >= 3);
    for form in refreshes {
        assert_eq!(form["resource"], realm.url());
        assert_eq!(form["client_id"], rules.asked[0]["client_id"]);
    }
}

/// A refused token is renewed; a refused refresh token means a new login; a server that is down
/// costs neither.
#[tokio::test]
async fn refusals_of_tokens() {
    let realm = Realm::start().await;
    let client = realm.connect(realm.login()).await.unwrap();
    realm.rules().tokens.clear();
    client.call("x", json!({})).await.unwrap();
    assert_eq!(realm.rules().asked.len(), 1);
    realm.rules().tokens.clear();
    realm.rules().instead.insert("/token".to_owned(), |_| Reply::status(503));
    let error = client.call("x", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("503"), "{error}");
    realm.rules().instead.clear();
    client.call("x", json!({})).await.unwrap();
    assert_eq!(realm.rules().asked.len(), 1, "the login was kept");
    realm.rules().tokens.clear();
    realm.rules().refresh.clear();
    client.call("x", json!({})).await.unwrap();
    assert_eq!(realm.rules().asked.len(), 2);
}

/// Calls that are given up while they renew the token do not lose the login.
#[tokio::test]
async fn renewals_are_finished() {
    let realm = Realm::start().await;
    let client = realm.connect(realm.login()).await.unwrap();
    realm.rules().token_seconds = 0;
    realm.rules().tokens.clear();
    let refreshes = || {
        let rules = realm.rules();
        rules.granted.iter().filter(|form| form["grant_type"] == "refresh_token").count()
    };
    // How long a renewal takes is the machine's business: given up are some at each of its steps.
    let mut step = Duration::from_micros(250);
    while refreshes() <= 2 {
        for steps in 0..20 {
            let _ = tokio::time::timeout(step * steps, client.call("x", json!({}))).await;
        }
        step *= 2;
    }
    client.call("x", json!({})).await.unwrap();
    assert_eq!(realm.rules().asked.len(), 1);
}

/// A login in the store is used by the next program, also after its token ended.
#[tokio::test]
async fn logins_are_kept() {
    let folder = Folder::new();
    let realm = Realm::start().await;
    for seconds in [3600, 0, 3600] {
        realm.rules().token_seconds = seconds;
        let store = FileStore::open(folder.path()).unwrap();
        let client = realm.connect(realm.login().store(store)).await.unwrap();
        client.call("x", json!({})).await.unwrap();
        client.close().await;
    }
    assert_eq!(realm.rules().asked.len(), 1);
    assert_eq!(realm.count("/register"), 1);
    // What cannot be read is as good as nothing.
    let store = FileStore::open(folder.path()).unwrap();
    store.save(&format!("login {}", realm.url()), &"garbage".into()).await.unwrap();
    realm.connect(realm.login().store(store)).await.unwrap();
    assert_eq!(realm.rules().asked.len(), 2);
}

const WORKER_URL: &str = "DOCENT_TEST_WORKER_URL";
const WORKER_FOLDER: &str = "DOCENT_TEST_WORKER_FOLDER";
const ROUNDS: u32 = 200;

/// Row 28: programs that share a login never lose it, although the authorization server takes each
/// refresh token once and ends the login of whoever uses an old one.
#[tokio::test]
async fn row_28_programs_share_a_login() {
    let folder = Folder::new();
    let realm = Realm::start().await;
    let store = FileStore::open(folder.path()).unwrap();
    let client = realm.connect(realm.login().store(store)).await.unwrap();
    // Every token is over at once, so every call of every program renews it.
    realm.rules().token_seconds = 0;
    realm.rules().tokens.clear();
    client.call("x", json!({})).await.unwrap();
    let programs: Vec<_> = (0..5)
        .map(|_| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "http_client::auth::renewal::a_program_with_a_login"])
                .env(WORKER_URL, realm.url())
                .env(WORKER_FOLDER, folder.path())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for program in programs {
        let ended = tokio::task::spawn_blocking(move || program.wait_with_output());
        let output = tokio::time::timeout(PATIENCE, ended).await.unwrap().unwrap().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}");
    }
    let rules = realm.rules();
    let refreshes = rules.granted.iter().filter(|form| form["grant_type"] == "refresh_token");
    assert!(refreshes.count() >= 5 * ROUNDS as usize, "each program renewed tokens");
    assert_eq!(rules.asked.len(), 1, "nobody had to log in again");
    assert_eq!(rules.refresh.len(), 1, "there is one login");
}

/// One of the programs of the test above, or by itself a program with a login of its own.
#[tokio::test]
async fn a_program_with_a_login() {
    let alone = Realm::start().await;
    let (url, folder, login) = match (std::env::var(WORKER_URL), std::env::var_os(WORKER_FOLDER)) {
        // Whoever has to ask a user here has lost the login.
        (Ok(url), Some(folder)) => (url, Some(folder), OAuth::user("test").visit(alone.user())),
        _ => (alone.url().to_owned(), None, alone.login()),
    };
    let login = match folder {
        Some(folder) => login.store(FileStore::open(folder).unwrap()),
        None => login,
    };
    let endpoint = docent_mcp::transport::http::HttpEndpoint::new(&url).unwrap().authorize(login);
    let client = super::super::builder().connect(endpoint).await.unwrap();
    for round in 0..ROUNDS {
        let outcome = client.call("x", json!({})).await;
        outcome.unwrap_or_else(|error| panic!("round {round}: {error:#}"));
        tokio::time::sleep(Duration::from_millis(u64::from(round % 3))).await;
    }
    client.close().await;
}
