//! An authorization server on this machine, for tests and examples: strict with its clients.
//!
//! It does what specifications leave no choice about and refuses everything else: PKCE with S256,
//! redirects letter by letter, one resource for each token, each code and each refresh token once.
//! `metadata` says so; `clients` makes clients known, `authorize` hands out codes,
//! with the user's `consent`, `token` tokens
//! (bound to keys by `proof`, on the word of a company by `enterprise`), `introspect` says what they are worth. `state` is what is remembered,
//! `keys` sign, `answer` is the shape of replies.

mod answer;
mod authorize;
mod clients;
mod consent;
mod enterprise;
mod introspect;
mod keys;
mod metadata;
mod proof;
mod state;
mod token;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State as Extract};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use keys::Algorithm;
pub use state::Client;

use self::answer::{Answer, json_answer, page};
use self::keys::Keys;
use self::state::{State, now};

const BODY_BYTES_MAX: usize = 64 << 10;

/// How the server behaves.
#[derive(Clone, Debug)]
pub struct Options {
    /// The user, who is always logged in.
    pub user: String,
    /// Whether the user is asked, on a page. Without that, they agree at once.
    pub asks_user: bool,
    /// Whether the user refuses everything.
    pub user_refuses: bool,
    /// The scopes that exist; if there are none, every scope does.
    pub scopes: Vec<String>,
    /// The servers that tokens are issued for; if there are none, every address.
    pub resources: Vec<String>,
    /// Whether a client has to say which server a token is for.
    pub needs_resource: bool,
    /// Issues tokens that only introspection can read.
    pub opaque_tokens: bool,
    /// How tokens are signed.
    pub algorithm: Algorithm,
    /// How long tokens are valid.
    pub token_seconds: u64,
    /// Whether `iss` is in the answers of the authorization endpoint.
    pub names_itself: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            user: "ada".to_owned(),
            asks_user: false,
            user_refuses: false,
            scopes: Vec::new(),
            resources: Vec::new(),
            needs_resource: true,
            opaque_tokens: false,
            algorithm: Algorithm::Es256,
            token_seconds: 300,
            names_itself: true,
        }
    }
}

/// A server that runs until it is dropped.
pub struct AuthorizationServer {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    issuer: String,
    options: Options,
    state: Mutex<State>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    fn knows_scope(&self, scope: &str) -> bool {
        let known = &self.options.scopes;
        known.is_empty() || known.iter().any(|one| one == scope)
    }
}

impl AuthorizationServer {
    /// Starts a server on a free port.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn start(options: Options) -> Self {
        Self::start_at("127.0.0.1:0".parse().expect("an address"), options).await
    }

    /// Starts a server at an address of this machine.
    ///
    /// # Panics
    /// If the address is in use.
    pub async fn start_at(address: SocketAddr, options: Options) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("it was bound");
        Self::start_on(listener, format!("http://{address}"), options)
    }

    /// Starts a server that is called `issuer` and takes its connections from a listener, which may
    /// speak TLS.
    pub fn start_on<L>(listener: L, issuer: String, options: Options) -> Self
    where
        L: axum::serve::Listener,
        L::Addr: std::fmt::Debug,
    {
        let shared = Arc::new(Shared { issuer, options, state: Mutex::new(State::new()) });
        let router = Router::new().fallback(answer).with_state(shared.clone());
        let task = tokio::spawn(async move {
            // It ends only with the task.
            let _ = axum::serve(listener, router).await;
        });
        AuthorizationServer { shared, task }
    }

    /// Its issuer identifier.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.shared.issuer
    }

    /// Makes a client known.
    pub fn add_client(&self, client: Client) {
        self.shared.state().clients.insert(client.id.clone(), client);
    }

    /// Makes the metadata document of a client known, as if it had been fetched from its address.
    pub fn add_document(&self, address: &str, document: Value) {
        self.shared.state().documents.insert(address.to_owned(), document);
    }

    /// Says who a user is to a client, as an identity provider does (an ID token).
    #[must_use]
    pub fn id_token(&self, subject: &str, client: &str) -> String {
        let claims = json!({
            "iss": self.shared.issuer,
            "sub": subject,
            "aud": client,
            "iat": now(),
            "exp": now() + self.shared.options.token_seconds,
        });
        let mut state = self.shared.state();
        let token = state.keys.sign(self.shared.options.algorithm, "JWT", &claims);
        state.id_tokens.insert(token.clone(), (subject.to_owned(), client.to_owned()));
        token
    }

    /// Takes assertions of this identity provider for logins.
    pub fn trust(&self, provider: &AuthorizationServer) {
        self.shared.state().trusted = Some(provider.shared.clone());
    }

    /// A good token for a server.
    #[must_use]
    pub fn token(&self, resource: &str, subject: &str, scope: &str) -> String {
        self.sign(Algorithm::Es256, &self.claims(resource, subject, scope))
    }

    /// The claims of a good token, to be made worse.
    #[must_use]
    pub fn claims(&self, resource: &str, subject: &str, scope: &str) -> Value {
        json!({
            "iss": self.shared.issuer,
            "sub": subject,
            "aud": resource,
            "client_id": "test",
            "scope": scope,
            "iat": now(),
            "exp": now() + self.shared.options.token_seconds,
            "jti": keys::random(),
        })
    }

    /// A token with any claims.
    #[must_use]
    pub fn sign(&self, algorithm: Algorithm, claims: &Value) -> String {
        self.shared.state().keys.sign(algorithm, "at+jwt", claims)
    }

    /// A token with any header, signed with the key of an algorithm whatever the header says.
    #[must_use]
    pub fn sign_as(&self, algorithm: Algorithm, header: &Value, claims: &Value) -> String {
        self.shared.state().keys.sign_as(algorithm, header, claims)
    }

    /// The public keys.
    #[must_use]
    pub fn public_keys(&self) -> Value {
        self.shared.state().keys.public()
    }

    /// Replaces all keys but the RSA key, which only gets another name.
    pub fn rotate_keys(&self) {
        let mut state = self.shared.state();
        let generation = state.keys.id(Algorithm::Es256);
        let generation = generation.rsplit('-').next().and_then(|it| it.parse().ok()).unwrap_or(1);
        state.keys = Keys::generate(generation + 1u32);
    }

    /// Every request so far: method and path.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.shared.state().seen.clone()
    }
}

impl Drop for AuthorizationServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(Extract(shared): Extract<Arc<Shared>>, request: Request) -> Answer {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    shared.state().seen.push(format!("{} {path}", parts.method));
    let Ok(body) = axum::body::to_bytes(body, BODY_BYTES_MAX).await else {
        return page(StatusCode::PAYLOAD_TOO_LARGE, "the request is too long");
    };
    match (parts.method.as_str(), path.as_str()) {
        (
            "GET",
            "/.well-known/oauth-authorization-server" | "/.well-known/openid-configuration",
        ) => json_answer(StatusCode::OK, &metadata::document(&shared.issuer, &shared.options)),
        ("GET", "/jwks") => json_answer(StatusCode::OK, &shared.state().keys.public()),
        ("GET", "/authorize") => {
            authorize::authorize(&shared, parts.uri.query().unwrap_or_default()).await
        }
        ("POST", "/consent") => match form(&parts, &body) {
            Some(form) => consent::answer(&shared, &parts.headers, form).await,
            None => page(StatusCode::BAD_REQUEST, "send a form"),
        },
        ("POST", "/register") => clients::register(&shared, &body),
        ("POST", "/token") => match form(&parts, &body) {
            Some(form) => token::token(&shared, &parts.headers, form).await,
            None => answer::refuse(StatusCode::BAD_REQUEST, "invalid_request", "send a form"),
        },
        ("POST", "/introspect") => match form(&parts, &body) {
            Some(form) => introspect::introspect(&shared, &parts.headers, form).await,
            None => answer::refuse(StatusCode::BAD_REQUEST, "invalid_request", "send a form"),
        },
        _ => page(StatusCode::NOT_FOUND, "there is nothing here"),
    }
}

fn form<'a>(parts: &Parts, body: &'a Bytes) -> Option<&'a str> {
    let media = parts.headers.get("content-type")?.to_str().ok()?;
    let essence = media.split(';').next()?.trim();
    let form = essence.eq_ignore_ascii_case("application/x-www-form-urlencoded");
    std::str::from_utf8(body).ok().filter(|_| form && parts.uri.query().is_none())
}
