//! Logins of every kind, and every way in which they fail, each with secrets that are known.

use std::sync::Arc;

use docent_mcp::auth::{
    FileStore, IdentityProvider, Introspection, MemoryStore, OAuth, PrivateKey, Protection, Secret,
    TokenVerifier as _,
};
use docent_testkit::folder::Folder;
use docent_testkit::form::Form;
use serde_json::{Value, json};

use super::search;
use super::seen::Seen;
use crate::Result;
use crate::realm::{ISSUER, Realm, Reply, User};

/// What came of the logins.
pub(super) struct Found {
    pub(super) secrets: Vec<search::Secret>,
    pub(super) seen: Seen,
    pub(super) flows: usize,
    /// Logins that ended well and should not have, or the other way round.
    pub(super) surprises: usize,
    pub(super) open_files: usize,
}

/// What the realms give out, and what programs are given.
const MADE: [&str; 9] = [
    "access",
    "refresh",
    "code",
    "registered",
    "client secret",
    "assertion",
    "id token",
    "bearer token",
    "opaque token",
];

fn secret(name: &str) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, name.as_bytes());
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(hash).replace(['-', '_'], "x")
}

pub(super) async fn all() -> Result<Found> {
    let secrets = MADE.iter().map(|name| (*name, secret(name))).collect();
    let (seen, flows, surprises, open_files) = (Seen::default(), 0, 0, 0);
    let mut found = Found { secrets, seen, flows, surprises, open_files };
    found.ways_in().await?;
    found.ways_to_fail().await?;
    found.stored().await?;
    found.verified().await?;
    found.shown()?;
    Ok(found)
}

/// A realm whose codes and tokens are the known secrets.
async fn realm() -> Result<Realm> {
    let realm = Realm::start().await?;
    for name in ["access", "refresh", "code", "registered"] {
        realm.rules().marks.insert(name, secret(name));
    }
    Ok(realm)
}

fn private_key() -> Result<PrivateKey> {
    Ok(PrivateKey::from_pem(std::str::from_utf8(docent_testkit::tls::KEY)?)?)
}

/// Every way to log in.
fn ways(realm: &Realm) -> Result<Vec<(&'static str, OAuth)>> {
    let given = || Secret::new(secret("client secret"));
    let provider = || {
        let there = format!("{}/token", realm.base());
        IdentityProvider::new(there, "me", Secret::new(secret("id token"))).client_secret(given())
    };
    Ok(vec![
        ("user", realm.login()),
        ("user with a key", realm.login().dpop()),
        ("user of a known program", realm.login().client_id("me").client_secret(given())),
        ("machine", OAuth::machine("me").client_secret(given())),
        ("machine with a key", OAuth::machine("me").private_key(private_key()?)),
        ("workload", OAuth::workload("me", Secret::new(secret("assertion")))),
        ("enterprise", OAuth::enterprise("me", provider()).client_secret(given())),
    ])
}

impl Found {
    /// Logs in, and uses what came of it; keeps all that could be read meanwhile.
    async fn flow(&mut self, name: &str, realm: &Realm, login: OAuth, good: bool) -> Result<()> {
        self.flows += 1;
        self.seen.debug(name, &login);
        let endpoint = realm.endpoint(login)?;
        self.seen.debug(name, &endpoint);
        let outcome = async {
            let client = docent_mcp::Client::start(endpoint).await?;
            let called = client.call("hello", json!({})).await;
            client.close().await;
            called
        }
        .await;
        match &outcome {
            Ok(result) => self.seen.debug(name, result),
            Err(error) => self.seen.error(name, error),
        }
        if outcome.is_ok() != good {
            self.surprises += 1;
            println!("UNLIKE EXPECTED: {name}: {:?}", outcome.err().map(|error| error.to_string()));
        }
        self.note(name, realm);
        Ok(())
    }

    /// Keeps what a realm saw, and the secrets that only the client made.
    fn note(&mut self, name: &str, realm: &Realm) {
        self.seen.requests(name, realm);
        let mut made = Vec::new();
        for request in realm.rules().seen.iter().filter(|seen| seen.path == "/token") {
            made.push(("verifier", request.parameter("code_verifier")));
            made.push(("client assertion", request.parameter("client_assertion")));
        }
        for page in &realm.rules().pages {
            let query = page.split_once('?').map_or("", |(_, query)| query);
            let state = Form::read(query).and_then(|form| form.get("state").map(str::to_owned));
            made.extend(state.map(|state| ("state", state)));
            // The page may know its state, and nothing else.
            let rest = page.split("state=").next().unwrap_or_default();
            self.seen.add(format!("{name}: the page"), rest);
        }
        self.secrets.extend(made.into_iter().filter(|(_, text)| !text.is_empty()));
    }

    /// Logins that end well: at first, with tokens that end at once, with more scopes.
    async fn ways_in(&mut self) -> Result<()> {
        let names: Vec<_> = ways(&realm().await?)?.into_iter().map(|(name, _)| name).collect();
        for (at, name) in names.into_iter().enumerate() {
            let mut realms = Vec::new();
            let fresh = realm().await?;
            realms.push((name.to_owned(), fresh));
            let short = realm().await?;
            short.rules().token_seconds = 0;
            realms.push((format!("{name}, tokens that end"), short));
            let post = realm().await?;
            post.field(
                ISSUER,
                "token_endpoint_auth_methods_supported",
                json!(["client_secret_post"]),
            );
            realms.push((format!("{name}, secrets in forms"), post));
            for (name, realm) in realms {
                let (_, login) = ways(&realm)?.swap_remove(at);
                self.flow(&name, &realm, login, true).await?;
            }
        }
        Ok(())
    }

    /// Logins that fail, at servers which repeat what they hear, or send others elsewhere.
    async fn ways_to_fail(&mut self) -> Result<()> {
        let echo: fn(&crate::realm::Seen) -> Reply = |seen| {
            let said = format!("bad: {} {}", seen.body, seen.header("authorization"));
            Reply::json(400, &json!({ "error": "invalid_request", "error_description": said }))
        };
        let page: fn(&crate::realm::Seen) -> Reply =
            |seen| Reply { body: format!("<pre>{seen:?}"), ..Reply::status(500) };
        let garbage: fn(&crate::realm::Seen) -> Reply = |_| Reply {
            body: format!("{{\"access_token\":\"{}\",", secret("access")),
            ..Reply::status(200)
        };
        let odd: fn(&crate::realm::Seen) -> Reply =
            |_| Reply::json(200, &json!({ "access_token": secret("access"), "token_type": "mac" }));
        for (name, answer) in
            [("repeated", echo), ("a page", page), ("cut off", garbage), ("another type", odd)]
        {
            for at in [0, 2, 3, 4, 5, 6] {
                let realm = realm().await?;
                realm.instead("/token", answer);
                let (way, login) = ways(&realm)?.swap_remove(at);
                self.flow(&format!("{way}: {name}"), &realm, login, false).await?;
            }
        }
        for (name, path) in
            [("token endpoint", "/token"), ("registration", "/register"), ("server", "/mcp")]
        {
            let (realm, thief) = (realm().await?, self::realm().await?);
            let to = format!("{}{path}", thief.base());
            let moved = move |seen: &crate::realm::Seen| match seen.header("authorization") {
                "" if seen.path == "/mcp" => Reply::status(401),
                _ => Reply::status(307).with("location", to.clone()),
            };
            realm.instead(path, moved);
            let name = format!("{name} moved");
            self.flow(&name, &realm, realm.login(), false).await?;
            self.seen.thief(&name, &thief);
        }
        let realm = realm().await?;
        let user = User::of(&realm).tampered(|answer| {
            let repeated = format!("no: {answer:?}");
            answer.insert("error", "access_denied".to_owned());
            answer.insert("error_description", repeated);
        });
        // The code that came along is in the words of the server, which have to be shown.
        realm.rules().marks.remove("code");
        self.flow("the user refuses", &realm, OAuth::user("gate").visit(user), false).await
    }

    /// What is kept on disk is readable by its owner only, and its names say nothing.
    async fn stored(&mut self) -> Result<()> {
        let (folder, realm) = (Folder::new(), realm().await?);
        let store = FileStore::open(folder.path().join("store"))?;
        self.seen.debug("store", &store);
        self.flow("store", &realm, realm.login().dpop().store(store), true).await?;
        let mut waiting = vec![folder.path().join("store")];
        while let Some(path) = waiting.pop() {
            self.seen.add("the name of a file", path.to_string_lossy());
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = std::fs::metadata(&path)?.permissions().mode();
                let inner = path.ancestors().count() > folder.path().ancestors().count() + 1;
                self.open_files += usize::from(inner && mode & 0o077 != 0);
            }
            if path.is_dir() {
                for entry in std::fs::read_dir(&path)? {
                    waiting.push(entry?.path());
                }
            } else if let Ok(kept) = serde_json::from_slice::<Value>(&std::fs::read(&path)?) {
                let key = kept["key"].as_str().map(str::to_owned);
                self.secrets.extend(key.map(|key| ("DPoP key", key)));
            }
        }
        Ok(())
    }

    /// A server that verifies tokens, and an authorization server that does not help it.
    async fn verified(&mut self) -> Result<()> {
        let token = Secret::new(secret("opaque token"));
        let echo: fn(&crate::realm::Seen) -> Reply =
            |seen| Reply::json(400, &json!({ "error": format!("{} {seen:?}", seen.body) }));
        let inactive: fn(&crate::realm::Seen) -> Reply =
            |_| Reply::json(200, &json!({ "active": false }));
        let other: fn(&crate::realm::Seen) -> Reply =
            |seen| Reply::json(200, &json!({ "active": true, "sub": seen.body, "aud": seen.body }));
        for (name, answer) in [("repeats", echo), ("knows nothing", inactive), ("is wrong", other)]
        {
            let realm = realm().await?;
            realm.instead("/introspect", answer);
            let given = secret("client secret");
            let verifier = Introspection::new(realm.base(), "me", Secret::new(given));
            self.seen.debug(name, &verifier);
            let said = verifier.verify(&token, &realm.url()).await;
            self.surprises += usize::from(said.is_ok());
            self.seen.debug(name, &said.err());
            self.seen.requests(name, &realm);
            let protection = Protection::new(realm.url(), verifier);
            self.seen.debug(name, &protection);
            let (status, answered) = crate::oauth::call_protected(protection, &token).await?;
            self.surprises += usize::from(status == 200);
            self.seen.add(format!("introspection {name}: the answer"), answered);
            self.flows += 1;
        }
        Ok(())
    }

    /// What `Debug` shows of everything that holds a secret.
    fn shown(&mut self) -> Result<()> {
        let pem = std::str::from_utf8(docent_testkit::tls::KEY)?;
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        // The first half says what kind of key it is, and is the same for all.
        self.secrets.push(("private key", body[body.len() / 2..].to_owned()));
        let endpoint = docent_mcp::transport::http::HttpEndpoint::new("http://localhost/mcp")?;
        let endpoint = endpoint.bearer_token(&secret("bearer token"))?;
        self.seen.debug("endpoint", &endpoint);
        self.seen.debug("private key", &private_key()?);
        self.seen.debug("store", &MemoryStore::new());
        self.seen.debug("secret", &Secret::new(secret("id token")));
        let provider =
            IdentityProvider::new("http://localhost/", "me", Secret::new(secret("id token")));
        self.seen.debug("provider", &Arc::new(provider));
        Ok(())
    }
}
