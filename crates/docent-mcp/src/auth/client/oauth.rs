//! How a client gets its tokens, as a program says it.

use std::fmt;
use std::sync::Arc;

use super::address::safe_url;
use super::authorizer::Authorizer;
use super::browser::{Browser, Visit};
use super::grant::{Grant, IdentityProvider};
use super::identity::{Credential, Identity};
use super::jwt::PrivateKey;
use super::registration;
use super::source::TokenSource;
use super::store::{CredentialStore, MemoryStore};
use crate::auth::Secret;
use crate::auth::reach::Reach;
use crate::error::{Error, Result};
use crate::limits::AuthLimits;
use crate::transport::http::{HttpEndpoint, RequestHook};

/// How a client logs in to servers that ask for it. One of four ways:
///
/// - [`OAuth::user`]: a user logs in with their browser;
/// - [`OAuth::machine`]: the program itself has an account (client credentials);
/// - [`OAuth::workload`]: the platform that the program runs on says who it is;
/// - [`OAuth::enterprise`]: the user's company says who the user is and what they may use.
///
/// ```no_run
/// use docent_mcp::Client;
/// use docent_mcp::auth::{FileStore, OAuth};
/// use docent_mcp::transport::http::HttpEndpoint;
///
/// # async fn run() -> docent_mcp::Result<()> {
/// let login = OAuth::user("my app").store(FileStore::open("credentials")?);
/// let endpoint = HttpEndpoint::new("http://localhost:8000/mcp")?.authorize(login);
/// let client = Client::start(endpoint).await?;
/// # Ok(())
/// # }
/// ```
///
/// Nothing happens until a server answers 401. Then its metadata says where to log in and what for;
/// tokens are kept in the store, sent with every request to this server and to no other, renewed
/// when they end, and asked for again when the server wants more scopes.
#[derive(Clone)]
pub struct OAuth {
    pub(super) name: String,
    pub(super) grant: Grant,
    pub(super) identity: Option<Identity>,
    pub(super) metadata_url: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) issuer_metadata: Option<String>,
    pub(super) resource: Option<String>,
    pub(super) scopes: Vec<String>,
    pub(super) only_scopes: Option<Vec<String>>,
    pub(super) redirect: Option<String>,
    pub(super) dpop: bool,
    pub(super) reach: Reach,
    pub(super) store: Arc<dyn CredentialStore>,
    pub(super) visit: Arc<dyn Visit>,
    pub(super) limits: AuthLimits,
}

impl OAuth {
    fn new(name: impl Into<String>, grant: Grant, identity: Option<Identity>) -> Self {
        OAuth {
            name: name.into(),
            grant,
            identity,
            metadata_url: None,
            issuer: None,
            issuer_metadata: None,
            resource: None,
            scopes: Vec::new(),
            only_scopes: None,
            redirect: None,
            dpop: false,
            reach: Reach::default(),
            store: Arc::new(MemoryStore::new()),
            visit: Arc::new(Browser::new()),
            limits: AuthLimits::default(),
        }
    }

    /// A user logs in with their browser, and is told that it is for `name`.
    pub fn user(name: impl Into<String>) -> Self {
        OAuth::new(name, Grant::User, None)
    }

    /// The program has an account of its own. It needs [`OAuth::client_secret`] or
    /// [`OAuth::private_key`] as well.
    pub fn machine(client_id: impl Into<String>) -> Self {
        let client_id = client_id.into();
        OAuth::new(client_id.clone(), Grant::Machine, None).client_id(client_id)
    }

    /// The platform that the program runs on gives it tokens that say who it is.
    pub fn workload(client_id: impl Into<String>, token: impl TokenSource) -> Self {
        let client_id = client_id.into();
        OAuth::new(client_id.clone(), Grant::Workload(Arc::new(token)), None).client_id(client_id)
    }

    /// The company's identity provider decides who may use which server. `client_id` is how the
    /// server's authorization server knows the program.
    pub fn enterprise(client_id: impl Into<String>, provider: IdentityProvider) -> Self {
        let (client_id, grant) = (client_id.into(), Grant::Enterprise(Arc::new(provider)));
        OAuth::new(client_id.clone(), grant, None).client_id(client_id)
    }

    /// The program is registered by hand, under this id.
    #[must_use]
    pub fn client_id(mut self, client_id: impl Into<String>) -> Self {
        self.identity =
            Some(Identity { client_id: client_id.into(), credential: Credential::None });
        self
    }

    /// The secret that came with the client id, which has to be set first.
    #[must_use]
    pub fn client_secret(self, secret: impl Into<Secret>) -> Self {
        self.credential(Credential::Secret { secret: secret.into(), method: None })
    }

    /// The key that the program signs with instead of showing a secret.
    #[must_use]
    pub fn private_key(self, key: PrivateKey) -> Self {
        self.credential(Credential::Key(Arc::new(key)))
    }

    fn credential(mut self, credential: Credential) -> Self {
        let client_id = self.identity.take().map_or_else(String::new, |one| one.client_id);
        self.identity = Some(Identity { client_id, credential });
        self
    }

    /// The authorization server that the client id, its secret and its key are for. Another one
    /// never sees them. Without this, it is the first one that a server names.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Where the metadata of the authorization server is, for servers that say nothing about it, or
    /// nothing that is true: what is there is believed, whatever the server says. On https, or on
    /// this machine.
    pub fn issuer_metadata_url(mut self, url: impl Into<String>) -> Result<Self> {
        let url = url.into();
        safe_url(&url, self.limits.address_bytes_max).map_err(|_| {
            Error::invalid_input("the metadata of an authorization server is on https, or here")
        })?;
        self.issuer_metadata = Some(url);
        Ok(self)
    }

    /// What tokens are for (`resource` of RFC 8707), where that is not what the server calls itself.
    #[must_use]
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Where on the web the program describes itself (Client ID Metadata Document); the address is
    /// then its client id, wherever that is supported. [`OAuth::client_metadata`] is what has to be
    /// there.
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Result<Self> {
        let url = url.into();
        let parsed = reqwest::Url::parse(&url).ok().filter(|parsed| {
            parsed.scheme() == "https"
                && parsed.path() != "/"
                && parsed.fragment().is_none()
                && parsed.username().is_empty()
                && parsed.password().is_none()
                && parsed.as_str() == url
        });
        if parsed.is_none() {
            let message = "the address of a client metadata document is https, with a path, without credentials, fragment and dots";
            return Err(Error::invalid_input(message));
        }
        self.metadata_url = Some(url);
        Ok(self)
    }

    /// The document that describes the program at the address of [`OAuth::client_metadata_url`].
    pub fn client_metadata(&self) -> Option<serde_json::Value> {
        let url = self.metadata_url.as_deref()?;
        let redirect = self.redirect.as_deref().unwrap_or("http://127.0.0.1/callback");
        let mut document = registration::metadata(self, redirect);
        document["client_id"] = serde_json::Value::from(url);
        Some(document)
    }

    /// Asks for this scope in any case, besides those that servers want.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }

    /// Asks for exactly these scopes, whatever servers want: one that wants more is told no.
    #[must_use]
    pub fn only_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.only_scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Where the browser comes back to, if the authorization server was told one address: on this
    /// machine (`http://127.0.0.1:8085/callback`), or an https page of yours; then
    /// [`OAuth::visit`] has to bring the answer. Without it, any free port.
    pub fn redirect(mut self, uri: impl Into<String>) -> Result<Self> {
        let uri = uri.into();
        if !uri.starts_with("https:") {
            safe_url(&uri, self.limits.address_bytes_max).map_err(|_| {
                Error::invalid_input("a redirect has to be https, or on this machine")
            })?;
        }
        self.redirect = Some(uri);
        Ok(self)
    }

    /// Keeps logins here instead of in memory.
    #[must_use]
    pub fn store(mut self, store: impl CredentialStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Takes users to the login page in another way than with the browser of the system.
    #[must_use]
    pub fn visit(mut self, visit: impl Visit) -> Self {
        self.visit = Arc::new(visit);
        self
    }

    /// Accepts only tokens that are bound to a key (DPoP), which are of no use to thieves. Servers
    /// that demand it get it anyway.
    #[must_use]
    pub fn dpop(mut self) -> Self {
        self.dpop = true;
        self
    }

    /// Where servers may send this client.
    #[must_use]
    pub fn reach(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Other bounds than the default ones.
    #[must_use]
    pub fn limits(mut self, limits: AuthLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The login as a hook, for one of your own that does more and hands requests and challenges on;
    /// otherwise use [`HttpEndpoint::authorize`], which is also to be said last.
    pub fn hook(self, endpoint: &HttpEndpoint) -> impl RequestHook + use<> {
        Authorizer::hook(endpoint, self)
    }

    /// Whether somebody has to be asked.
    pub(super) fn is_interactive(&self) -> bool {
        matches!(self.grant, Grant::User)
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [CLI-AUTH-11] the id is the address of the document, which says so itself.
    #[test]
    fn metadata_documents() {
        for url in [
            "http://app.example/client.json",
            "https://app.example",
            "https://app.example/",
            "https://app.example/a/../client.json",
            "https://user@app.example/client.json",
            "https://app.example/client.json#x",
            "client.json",
        ] {
            assert!(OAuth::user("app").client_metadata_url(url).is_err(), "{url}");
        }
        let url = "https://app.example/client.json";
        let login = OAuth::user("app").client_metadata_url(url).unwrap();
        let document = login.client_metadata().unwrap();
        assert_eq!(document["client_id"], url);
        assert_eq!(document["application_type"], "native");
        assert_eq!(OAuth::user("app").client_metadata(), None);
    }

    #[test]
    fn nothing_secret_is_shown() {
        let login = OAuth::machine("me").client_secret("hunter2").scope("a");
        assert!(!format!("{login:?}").contains("hunter2"));
    }
}
