//! Where a server is on the web, and how to get there.

use std::fmt;
use std::sync::{Arc, OnceLock};

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;

use super::hook::RequestHook;
use super::pool::{self, Pool};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::transport::http::headers::LAST_EVENT_ID;

/// The address of a server that speaks MCP over HTTP, of any revision.
///
/// ```no_run
/// use docent_mcp::Client;
/// use docent_mcp::transport::http::HttpEndpoint;
///
/// # async fn run() -> docent_mcp::Result<()> {
/// let endpoint = HttpEndpoint::new("http://localhost:8000/mcp")?.bearer_token("secret")?;
/// let client = Client::start(endpoint).await?;
/// # Ok(())
/// # }
/// ```
///
/// Clones share their connections. Proxies are taken from the environment, except for servers on
/// this machine. Redirects are followed only within the origin of the address, so headers, tokens
/// and session ids never reach another one.
#[derive(Clone)]
pub struct HttpEndpoint {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) hook: Option<Arc<dyn RequestHook>>,
    #[cfg(feature = "tls")]
    pub(super) certificates: Vec<rustls::pki_types::CertificateDer<'static>>,
    pool: Arc<OnceLock<Pool>>,
}

impl HttpEndpoint {
    /// The endpoint at `url`, an `http://` or `https://` address.
    pub fn new(url: impl AsRef<str>) -> Result<Self> {
        let text = url.as_ref();
        let url = Url::parse(text).map_err(|error| {
            Error::invalid_input("the endpoint is no address: write it like http://host:port/mcp")
                .with_source(error)
        })?;
        match url.scheme() {
            "http" => {}
            "https" if cfg!(feature = "tls") => {}
            "https" => {
                let message = "https:// needs the feature `tls` of docent-mcp";
                return Err(Error::invalid_input(message));
            }
            other => {
                let message = format!("an endpoint is http:// or https://, not {other}:");
                return Err(Error::invalid_input(message));
            }
        }
        if !url.username().is_empty() || url.password().is_some() {
            let message = "the address holds credentials: put them into a header instead";
            return Err(Error::invalid_input(message));
        }
        Ok(HttpEndpoint {
            url,
            headers: HeaderMap::new(),
            hook: None,
            #[cfg(feature = "tls")]
            certificates: Vec::new(),
            pool: Arc::default(),
        })
    }

    /// The address.
    #[must_use]
    pub fn address(&self) -> &Url {
        &self.url
    }

    /// Adds a header to every request.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self> {
        let bad = |what: &str| Error::invalid_input(format!("the {what} of a header is not valid"));
        let name: HeaderName = name.parse().map_err(|_| bad("name"))?;
        let ours = [ACCEPT, CONTENT_TYPE, CONTENT_LENGTH, HOST, LAST_EVENT_ID];
        if ours.contains(&name) || name.as_str().starts_with("mcp-") {
            let message = format!("the header {name} belongs to the protocol");
            return Err(Error::invalid_input(message));
        }
        let mut value: HeaderValue = value.parse().map_err(|_| bad("value"))?;
        value.set_sensitive(name == AUTHORIZATION);
        self.headers.append(name, value);
        Ok(self)
    }

    /// Sends this token with every request. For tokens that change, use a
    /// [hook](HttpEndpoint::hook).
    pub fn bearer_token(self, token: &str) -> Result<Self> {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Lets `hook` see each request before it is sent, and each challenge that comes back.
    #[must_use]
    pub fn hook(mut self, hook: impl RequestHook) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// Gets tokens from now on when the server wants some, and sends them with every request. Say
    /// this last: certificates that are trusted count for the authorization server as well.
    #[cfg(feature = "auth")]
    #[must_use]
    pub fn authorize(self, oauth: crate::auth::OAuth) -> Self {
        let hook = crate::auth::Authorizer::hook(&self, oauth);
        self.hook(hook)
    }

    /// Uses a client that exists already, with its proxies, certificates and rules. Let it follow
    /// no redirects to other origins: it would take headers along.
    #[must_use]
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.pool = Arc::new(OnceLock::from(Pool::Full(client)));
        self
    }

    /// Trusts these certificates (PEM) besides those of the machine.
    #[cfg(feature = "tls")]
    pub fn root_certificates(mut self, pem: &[u8]) -> Result<Self> {
        self.certificates.extend(super::pool::certificates(pem)?);
        self.pool = Arc::default();
        Ok(self)
    }

    #[cfg(all(feature = "auth", feature = "tls"))]
    pub(crate) fn certificates(&self) -> &[rustls::pki_types::CertificateDer<'static>] {
        &self.certificates
    }

    /// Scheme, host and port, for messages: a path or a query may hold secrets.
    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The HTTP client that this endpoint is reached with: its proxies, its certificates, its rules
    /// for redirects. For requests of another kind to the same place.
    pub fn http(&self, limits: &Limits) -> Result<reqwest::Client> {
        match self.pool(limits)? {
            Pool::Full(client) => Ok(client),
            Pool::Plain(_) => pool::full(self, limits),
        }
    }

    /// The connections of this endpoint, opened as needed and kept for the next request.
    pub(super) fn pool(&self, limits: &Limits) -> Result<Pool> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool.clone());
        }
        let pool = Pool::new(self, limits)?;
        Ok(self.pool.get_or_init(|| pool).clone())
    }
}

impl fmt::Debug for HttpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEndpoint").field("origin", &self.origin()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_cannot_be_used() {
        for (url, why) in [
            ("localhost:8000/mcp", "http:// or https://"),
            ("not an address", "write it like"),
            ("ftp://host/mcp", "not ftp:"),
            ("http://user:secret@host/mcp", "credentials"),
        ] {
            let error = HttpEndpoint::new(url).unwrap_err();
            assert!(error.to_string().contains(why), "{url}: {error}");
            assert!(!format!("{error:#}").contains("secret"), "{url}");
        }
    }

    #[test]
    fn headers_that_cannot_be_set() {
        let endpoint = HttpEndpoint::new("http://host/mcp").unwrap();
        for (name, value) in [
            ("Mcp-Session-Id", "x"),
            ("mcp-protocol-version", "2025-11-25"),
            ("Accept", "*/*"),
            ("a b", "x"),
            ("x", "a\r\nb"),
        ] {
            assert!(endpoint.clone().header(name, value).is_err(), "{name}: {value}");
        }
        let endpoint = endpoint.bearer_token("secret").unwrap();
        assert!(!format!("{endpoint:?} {:?}", endpoint.headers).contains("secret"));
    }
}
