//! A server that wants tokens and the authorization server that gives them, at one address, strict
//! about everything that a client has to do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use docent_mcp::auth::{OAuth, Visit};
use docent_mcp::client::Client;
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::{HookError, HttpEndpoint};
use serde_json::{Value, json};

use super::super::web::{Reply, Seen, Web, read_form};
use super::super::{builder, modern};

/// An answer that does not follow the rules.
pub(super) type Instead = fn(&Seen) -> Reply;

/// What the realm does, and what it did. `{base}` in a document is its own address.
pub(super) struct Rules {
    /// Documents by path.
    pub(super) documents: BTreeMap<String, Value>,
    /// Answers that take the place of everything else, by path.
    pub(super) instead: BTreeMap<String, Instead>,
    /// What a challenge says besides the scope.
    pub(super) challenge: String,
    /// The scope that a method needs, beside "use".
    pub(super) needs: BTreeMap<String, String>,
    pub(super) token_seconds: u64,
    /// Codes that wait: the challenge and the scope of each.
    codes: BTreeMap<String, (Value, String)>,
    /// Tokens that are good, with their scopes.
    pub(super) tokens: BTreeMap<String, String>,
    /// Refresh tokens that are good; using another one ends them all.
    pub(super) refresh: BTreeSet<String>,
    /// What users were asked, in order.
    pub(super) asked: Vec<Value>,
    /// What the token endpoint was asked, in order.
    pub(super) granted: Vec<Value>,
    number: u32,
}

impl Rules {
    fn next(&mut self, what: &str) -> String {
        self.number += 1;
        format!("{what}-{}", self.number)
    }

    /// Makes a token and whatever comes with it.
    fn give(&mut self, scope: &str) -> Value {
        let (access, refresh) = (self.next("access"), self.next("refresh"));
        self.tokens.insert(access.clone(), scope.to_owned());
        self.refresh.insert(refresh.clone());
        json!({
            "access_token": access,
            "token_type": "bearer",
            "expires_in": self.token_seconds.to_string(),
            "refresh_token": refresh,
            "scope": scope,
        })
    }

    fn token(&mut self, seen: &Seen) -> Reply {
        let form = &seen.body;
        self.granted.push(form.clone());
        let no = |error: &str| Reply::json(400, &json!({ "error": error }));
        let text = |name: &str| form[name].as_str().unwrap_or_default();
        if form["resource"] != *self.documents["prm"]["resource"].as_str().unwrap_or_default()
            && form["resource"] != base(seen)
        {
            return no("invalid_target");
        }
        match text("grant_type") {
            "authorization_code" => {
                let Some((asked, scope)) = self.codes.remove(text("code")) else {
                    return no("invalid_grant");
                };
                let same = ["client_id", "redirect_uri", "resource"];
                if same.iter().any(|name| asked[*name] != form[*name])
                    || asked["code_challenge"] != challenge(text("code_verifier"))
                {
                    return no("invalid_grant");
                }
                Reply::json(200, &self.give(&scope))
            }
            "refresh_token" => {
                if !self.refresh.remove(text("refresh_token")) {
                    // As servers do that look for thieves.
                    self.refresh.clear();
                    self.tokens.clear();
                    return no("invalid_grant");
                }
                Reply::json(200, &self.give("use"))
            }
            _ => Reply::json(200, &self.give(form["scope"].as_str().unwrap_or("use"))),
        }
    }

    fn serve(&mut self, seen: &Seen) -> Reply {
        let path = seen.path.split('?').next().unwrap_or_default();
        if let Some(instead) = self.instead.get(path) {
            return instead(seen);
        }
        match path {
            "/mcp" => self.mcp(seen),
            "/token" => self.token(seen),
            "/register" => {
                let id = self.next("client");
                Reply::json(201, &json!({ "client_id": id }))
            }
            path => match self.documents.get(path) {
                Some(document) => {
                    let text = document.to_string().replace("{base}", &base(seen));
                    Reply::text(200, "application/json", text)
                }
                None => Reply::status(404),
            },
        }
    }

    fn mcp(&mut self, seen: &Seen) -> Reply {
        let base = base(seen);
        let sent = seen.header("authorization").and_then(|sent| sent.strip_prefix("Bearer "));
        let challenge = self.challenge.replace("{base}", &base);
        let Some(scope) = sent.and_then(|token| self.tokens.get(token)) else {
            return Reply::status(401).with("www-authenticate", format!("Bearer {challenge}"));
        };
        let needed = self.needs.get(seen.method());
        match needed.filter(|needed| !scope.split(' ').any(|one| one == *needed)) {
            Some(needed) => Reply::status(403).with(
                "www-authenticate",
                format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\", {challenge}"),
            ),
            None => modern(seen),
        }
    }
}

fn base(seen: &Seen) -> String {
    format!("http://{}", seen.header("host").unwrap_or_default())
}

/// S256, by the tools that a test has: the client's own is checked against the RFC elsewhere.
pub(super) fn challenge(verifier: &str) -> String {
    use base64::Engine as _;
    let hash = ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes());
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(hash)
}

/// The realm while it runs.
#[derive(Clone)]
pub(super) struct Realm {
    web: Arc<Web>,
    rules: Arc<Mutex<Rules>>,
}

impl Realm {
    pub(super) async fn start() -> Realm {
        let prm = json!({
            "resource": "{base}/mcp",
            "authorization_servers": ["{base}"],
            "scopes_supported": ["use"],
        });
        let metadata = json!({
            "issuer": "{base}",
            "authorization_endpoint": "{base}/authorize",
            "token_endpoint": "{base}/token",
            "registration_endpoint": "{base}/register",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": true,
        });
        let rules = Arc::new(Mutex::new(Rules {
            documents: [
                ("/.well-known/oauth-protected-resource/mcp".to_owned(), prm.clone()),
                ("/.well-known/oauth-authorization-server".to_owned(), metadata),
                ("prm".to_owned(), prm),
            ]
            .into(),
            instead: BTreeMap::new(),
            challenge: "realm=\"test\"".to_owned(),
            needs: BTreeMap::new(),
            token_seconds: 3600,
            codes: BTreeMap::new(),
            tokens: BTreeMap::new(),
            refresh: BTreeSet::new(),
            asked: Vec::new(),
            granted: Vec::new(),
            number: 0,
        }));
        let serving = rules.clone();
        let web = Web::start(move |seen| serving.lock().unwrap().serve(seen)).await;
        let base = web.url.trim_end_matches("/mcp").to_owned();
        let realm = Realm { web: Arc::new(web), rules };
        realm.rules().documents.get_mut("prm").unwrap()["resource"] = json!(format!("{base}/mcp"));
        realm
    }

    pub(super) fn rules(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().unwrap()
    }

    pub(super) fn url(&self) -> &str {
        &self.web.url
    }

    pub(super) fn base(&self) -> &str {
        self.web.url.trim_end_matches("/mcp")
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.web.seen()
    }

    /// How often a path was asked for.
    pub(super) fn count(&self, path: &str) -> usize {
        self.seen().iter().filter(|seen| seen.path.split('?').next() == Some(path)).count()
    }

    /// Changes a field of the authorization server's metadata; `Null` removes it.
    pub(super) fn metadata(&self, name: &str, value: Value) {
        self.document("/.well-known/oauth-authorization-server", name, value);
    }

    pub(super) fn resource(&self, name: &str, value: Value) {
        self.document("/.well-known/oauth-protected-resource/mcp", name, value);
    }

    fn document(&self, path: &str, name: &str, value: Value) {
        let mut rules = self.rules();
        let document = rules.documents.get_mut(path).unwrap().as_object_mut().unwrap();
        match value {
            Value::Null => document.remove(name),
            value => document.insert(name.to_owned(), value),
        };
    }

    /// A user of this realm who always agrees.
    pub(super) fn user(&self) -> User {
        User { realm: self.clone(), add: String::new() }
    }

    /// A login with such a user.
    pub(super) fn login(&self) -> OAuth {
        OAuth::user("test").visit(self.user())
    }

    pub(super) fn endpoint(&self, oauth: OAuth) -> HttpEndpoint {
        HttpEndpoint::new(self.url()).unwrap().authorize(oauth)
    }

    pub(super) async fn connect(&self, oauth: OAuth) -> docent_mcp::Result<Client> {
        builder().connect(self.endpoint(oauth)).await
    }
}

/// Somebody with a browser.
pub(super) struct User {
    pub(super) realm: Realm,
    /// What is put behind the answer.
    pub(super) add: String,
}

impl Visit for User {
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
        Box::pin(async move {
            let (page, query) = url.split_once('?').unwrap();
            assert!(page.starts_with(self.realm.base()), "{page}");
            let asked = read_form(query);
            assert_eq!(asked["response_type"], "code");
            assert_eq!(asked["code_challenge_method"], "S256");
            let mut rules = self.realm.rules();
            let code = rules.next("code");
            let scope = asked["scope"].as_str().unwrap_or("use").to_owned();
            rules.asked.push(asked.clone());
            rules.codes.insert(code.clone(), (asked.clone(), scope));
            let (back, state) = (&asked["redirect_uri"], &asked["state"]);
            let add = match self.add.as_str() {
                "" => format!("&iss={}", self.realm.base()),
                add => add.to_owned(),
            };
            Ok(Some(format!(
                "{}?code={code}&state={}{add}",
                back.as_str().unwrap(),
                state.as_str().unwrap()
            )))
        })
    }
}
