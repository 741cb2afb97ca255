//! Requests to the authorization server: keys, metadata, introspection.
//!
//! Its address is the operator's choice, not a client's, so it may be anywhere; but it is https or
//! this machine, redirects are not followed, and answers are bounded in size and time. Where its
//! metadata sends us is its own choice, and stays within reach: what is public does not lead into
//! a private network.

use http::{HeaderMap, Method};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde::de::DeserializeOwned;

use super::TokenError;
use crate::auth::reach::{self, Allowed, Reach, Resolver, is_loopback};
use crate::error::{Error, Result};
use crate::limits::VerifierLimits;

/// Where an authorization server may send us, and whom TLS trusts there.
#[derive(Clone, Default)]
pub(super) struct Way {
    pub(super) reach: Reach,
    #[cfg(feature = "tls")]
    pub(super) certificates: Vec<rustls::pki_types::CertificateDer<'static>>,
}

#[derive(Clone)]
pub(super) struct Fetch {
    allowed: Allowed,
    client: Client,
    /// For this machine, which no proxy leads to.
    direct: Client,
    limits: VerifierLimits,
}

impl Fetch {
    /// For requests that begin at `start`, the address that the operator gave.
    pub(super) async fn new(
        limits: &VerifierLimits,
        way: &Way,
        start: &str,
    ) -> Result<Fetch, TokenError> {
        let start = address_of(start).map_err(unusable)?;
        let allowed = way.reach.allowed(&start).await;
        let builder = || {
            let builder = Client::builder()
                .redirect(Policy::none())
                .referer(false)
                .user_agent(concat!("docent-mcp/", env!("CARGO_PKG_VERSION")))
                .dns_resolver(Resolver(allowed))
                .timeout(limits.fetch_timeout);
            #[cfg(feature = "tls")]
            let builder = builder.tls_backend_preconfigured(
                crate::transport::http::client_tls(&way.certificates, false).map_err(|error| {
                    TokenError::unavailable(format!("TLS cannot be set up: {error}"))
                })?,
            );
            Ok::<_, TokenError>(builder)
        };
        let built = |builder: reqwest::ClientBuilder| {
            builder.build().map_err(|_| TokenError::unavailable("no HTTP client can be made"))
        };
        let direct = built(builder()?.no_proxy())?;
        let client = match way.reach {
            // A proxy would hide which address is connected to.
            Reach::Public => direct.clone(),
            Reach::LikeServer | Reach::Any => built(builder()?)?,
        };
        Ok(Fetch { allowed, client, direct, limits: limits.clone() })
    }

    /// A document, or the status in its place.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        address: &str,
    ) -> Result<Result<T, u16>, TokenError> {
        self.send(Method::GET, address, HeaderMap::new(), None).await
    }

    /// Sends a form.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        address: &str,
        headers: HeaderMap,
        form: String,
    ) -> Result<Result<T, u16>, TokenError> {
        self.send(Method::POST, address, headers, Some(form)).await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        address: &str,
        headers: HeaderMap,
        form: Option<String>,
    ) -> Result<Result<T, u16>, TokenError> {
        let url = address_of(address).map_err(unusable)?;
        let origin = url.origin().ascii_serialization();
        if reach::literal(&url).is_some_and(|address| !self.allowed.permits(address)) {
            return Err(TokenError::unavailable(format!("{origin} is not on the public net")));
        }
        let unreachable = |_| TokenError::unavailable(format!("{origin} cannot be reached"));
        let client = if is_loopback(&url) { &self.direct } else { &self.client };
        let mut request =
            client.request(method, url).headers(headers).header("accept", "application/json");
        if let Some(form) = form {
            request =
                request.header("content-type", "application/x-www-form-urlencoded").body(form);
        }
        let mut response = request.send().await.map_err(unreachable)?;
        if response.status() != 200 {
            return Ok(Err(response.status().as_u16()));
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(unreachable)? {
            let max = self.limits.document_bytes_max;
            if body.len() + piece.len() > max {
                let message = format!("{origin} answered with more than {max} bytes");
                return Err(TokenError::unavailable(message));
            }
            body.extend_from_slice(&piece);
        }
        serde_json::from_slice(&body)
            .map(Ok)
            .map_err(|_| TokenError::unavailable(format!("{origin} answered with something else")))
    }
}

/// An address that tokens may be sent to, and keys come from: https, or this machine.
pub(super) fn address_of(address: &str) -> Result<Url> {
    let bad = |why: &str| Error::invalid_input(format!("{address:?} {why}"));
    let url = Url::parse(address).map_err(|_| bad("is no address"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::invalid_input("an address for authorization holds credentials"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err(bad("has to be https, or on this machine")),
    }
}

fn unusable(error: Error) -> TokenError {
    TokenError::unavailable(format!("an address is not usable: {error}"))
}
