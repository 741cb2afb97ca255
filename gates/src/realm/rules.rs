//! What a realm does when nothing else is said, and what it did.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use docent_mcp::Server;
use docent_mcp::server::{Context, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpService};
use docent_testkit::form::Form;
use hyper::HeaderMap;
use serde_json::{Value, json};

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// A parameter of the form.
    pub(crate) fn parameter(&self, name: &str) -> String {
        let form = Form::read(&self.body);
        form.and_then(|form| form.get(name).map(str::to_owned)).unwrap_or_default()
    }
}

/// What is answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
    /// Whether the answer stops before its body, and waits.
    pub(crate) stalls: bool,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Reply {
        Reply { status, ..Reply::default() }
    }

    pub(crate) fn json(status: u16, value: &Value) -> Reply {
        let media = ("content-type", "application/json".to_owned());
        Reply { status, headers: vec![media], body: value.to_string(), stalls: false }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }
}

/// An answer that does not follow the rules.
pub(crate) type Answer = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

pub(crate) struct Rules {
    pub(crate) documents: BTreeMap<String, Value>,
    /// Answers that take the place of everything else, by path.
    pub(crate) instead: BTreeMap<String, Answer>,
    /// What a challenge says.
    pub(crate) challenge: String,
    /// What the texts of tokens and codes begin with, by what they are.
    pub(crate) marks: BTreeMap<&'static str, String>,
    pub(crate) token_seconds: u64,
    /// Tokens that are good.
    pub(crate) tokens: BTreeSet<String>,
    pub(crate) seen: Vec<Seen>,
    /// The pages that users were taken to.
    pub(crate) pages: Vec<String>,
    pub(crate) service: HttpService,
    number: u32,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

async fn hello(_: Context, _: Nothing) -> Result<String, ToolError> {
    Ok("hello".to_owned())
}

impl Rules {
    pub(super) fn new(base: &str) -> Rules {
        let resource = json!({
            "resource": format!("{base}/mcp"),
            "authorization_servers": [base],
            "scopes_supported": ["use"],
        });
        let issuer = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "jwks_uri": format!("{base}/jwks"),
            "introspection_endpoint": format!("{base}/introspect"),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
            "authorization_response_iss_parameter_supported": true,
        });
        let documents = [(super::RESOURCE, resource), (super::ISSUER, issuer)];
        let server = Server::new("realm", "1").tool("hello", "Says hello", hello);
        Rules {
            documents: documents.map(|(path, document)| (path.to_owned(), document)).into(),
            instead: BTreeMap::new(),
            challenge: "realm=\"gate\"".to_owned(),
            marks: BTreeMap::new(),
            token_seconds: 3600,
            tokens: BTreeSet::new(),
            seen: Vec::new(),
            pages: Vec::new(),
            service: server.http_service(HttpOptions::new()).expect("the usual options"),
            number: 0,
        }
    }

    /// Another code, token or the like.
    pub(super) fn make(&mut self, what: &'static str) -> String {
        self.number += 1;
        let mark = self.marks.get(what).map_or(what, String::as_str);
        format!("{mark}-{}", self.number)
    }

    /// The answer; `None` if the request is for the server behind.
    pub(super) fn answer(&mut self, seen: &Seen) -> Option<Reply> {
        self.seen.push(seen.clone());
        if let Some(instead) = self.instead.get(&seen.path).cloned() {
            return Some(instead(seen));
        }
        match seen.path.as_str() {
            "/mcp" => {
                let token = seen.header("authorization").split(' ').nth(1).unwrap_or_default();
                match self.tokens.contains(token) {
                    true => None,
                    false => {
                        let challenge = format!("Bearer {}", self.challenge);
                        Some(Reply::status(401).with("www-authenticate", challenge))
                    }
                }
            }
            "/token" => Some(self.token(seen)),
            "/register" => {
                let mut client = json!({ "client_id": self.make("client") });
                if self.marks.contains_key("registered") {
                    client["client_secret"] = json!(self.make("registered"));
                    client["token_endpoint_auth_method"] = json!("client_secret_basic");
                }
                Some(Reply::json(201, &client))
            }
            path => Some(match self.documents.get(path) {
                Some(document) => Reply::json(200, document),
                None => Reply::status(404),
            }),
        }
    }

    /// Whoever asks gets a token.
    fn token(&mut self, seen: &Seen) -> Reply {
        let access = self.make("access");
        self.tokens.insert(access.clone());
        let mut answer = json!({
            "access_token": access,
            "token_type": if seen.headers.contains_key("dpop") { "DPoP" } else { "Bearer" },
            "expires_in": self.token_seconds,
            "refresh_token": self.make("refresh"),
        });
        if seen.parameter("grant_type").ends_with("token-exchange") {
            answer["issued_token_type"] = json!("urn:ietf:params:oauth:token-type:id-jag");
            answer["token_type"] = json!("N_A");
        }
        Reply::json(200, &answer)
    }
}
