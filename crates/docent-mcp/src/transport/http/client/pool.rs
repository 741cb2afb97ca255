//! The HTTP client of an endpoint: its pool of connections, its proxies, whom it trusts.

use bytes::Bytes;
use http::HeaderValue;
use http::header::{ACCEPT, LOCATION, USER_AGENT};
use http_body_util::Full;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Body, Client, Request, Response, ResponseBuilderExt as _, StatusCode, Url};

use super::endpoint::HttpEndpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// More hops than this within one origin are a loop.
const REDIRECTS_MAX: usize = 5;

/// Who we say we are.
const AGENT: &str = concat!("docent-mcp/", env!("CARGO_PKG_VERSION"));

/// What the requests of an endpoint are made with.
#[derive(Clone)]
pub(super) enum Pool {
    Full(Client),
    /// Without proxies and TLS, for servers on this machine that need none of them: what the other
    /// does for each request takes longer there than the request.
    Plain(Box<Plain>),
}

type Plain = legacy::Client<HttpConnector, Full<Bytes>>;

impl Pool {
    pub(super) fn new(endpoint: &HttpEndpoint, limits: &Limits) -> Result<Self> {
        match endpoint.url.scheme() == "http" && is_loopback(&endpoint.url) {
            true => Ok(Pool::Plain(Box::new(plain(limits)))),
            false => full(endpoint, limits).map(Pool::Full),
        }
    }

    /// Makes a request, and goes where it is sent as far as that is allowed.
    pub(super) async fn send(
        &self,
        mut request: Request,
        body: Option<&Bytes>,
    ) -> Result<Response, Lost> {
        let plain = match self {
            Pool::Plain(plain) => plain,
            Pool::Full(client) => {
                *request.body_mut() = body.map(|body| body.clone().into());
                return Ok(client.execute(request).await?);
            }
        };
        let mut hops = 0;
        loop {
            let response = send_plain(plain, &request, body).await?;
            hops += 1;
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to.and_then(|to| request.url().join(to).ok());
            match to.filter(|to| follows(response.status(), request.url(), to, hops)) {
                Some(to) => *request.url_mut() = to,
                None => return Ok(response),
            }
        }
    }
}

/// A request that the network lost.
pub(super) struct Lost {
    /// There was no connection yet.
    pub(super) connecting: bool,
    pub(super) error: Box<dyn std::error::Error + Send + Sync>,
}

impl From<reqwest::Error> for Lost {
    fn from(error: reqwest::Error) -> Self {
        // Its address may hold secrets.
        Lost { connecting: error.is_connect(), error: error.without_url().into() }
    }
}

fn plain(limits: &Limits) -> Plain {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(limits.connect_timeout));
    connector.set_nodelay(true);
    legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .build(connector)
}

async fn send_plain(
    plain: &Plain,
    request: &Request,
    body: Option<&Bytes>,
) -> Result<Response, Lost> {
    let mut sent = http::Request::new(Full::new(body.cloned().unwrap_or_default()));
    *sent.method_mut() = request.method().clone();
    *sent.uri_mut() = request
        .url()
        .as_str()
        .parse()
        .map_err(|error: http::uri::InvalidUri| Lost { connecting: true, error: error.into() })?;
    *sent.headers_mut() = request.headers().clone();
    for (name, value) in [(USER_AGENT, AGENT), (ACCEPT, "*/*")] {
        sent.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    let response = plain
        .request(sent)
        .await
        .map_err(|error| Lost { connecting: error.is_connect(), error: error.into() })?;
    let (parts, body) = response.into_parts();
    let named = http::Response::builder().url(request.url().clone()).body(Body::wrap(body));
    let mut named = named.expect("nothing in it can be wrong");
    *named.status_mut() = parts.status;
    *named.headers_mut() = parts.headers;
    named.extensions_mut().extend(parts.extensions);
    Ok(named.into())
}

/// A client for every endpoint.
pub(super) fn full(endpoint: &HttpEndpoint, limits: &Limits) -> Result<Client> {
    let mut builder = Client::builder()
        .redirect(Policy::custom(within_origin))
        .referer(false)
        .user_agent(AGENT)
        .connect_timeout(limits.connect_timeout);
    if is_loopback(&endpoint.url) {
        builder = builder.no_proxy();
    }
    #[cfg(feature = "tls")]
    {
        let plain = endpoint.url.scheme() == "http";
        // Redirects stay within the origin and this machine needs no proxy, so no certificate is
        // ever looked at: those of the machine take megabytes.
        let config = match plain && is_loopback(&endpoint.url) {
            true => trusting_nobody()?,
            false => tls(&endpoint.certificates, plain)?,
        };
        builder = builder.tls_backend_preconfigured(config);
    }
    builder.build().map_err(|error| unusable(error.without_url()))
}

/// Whether a redirect is followed: one that keeps method, body and origin. Whatever else it is, the
/// caller is told.
fn follows(status: StatusCode, from: &Url, to: &Url, hops: usize) -> bool {
    let keeps = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT];
    keeps.contains(&status) && from.origin() == to.origin() && hops <= REDIRECTS_MAX
}

fn within_origin(attempt: Attempt<'_>) -> Action {
    let previous = attempt.previous();
    let from = previous.last();
    match from.is_some_and(|from| follows(attempt.status(), from, attempt.url(), previous.len())) {
        true => attempt.follow(),
        false => attempt.stop(),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

fn unusable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Transport, "the HTTP client cannot be set up").with_source(error)
}

/// Reads certificates (PEM), of which there has to be one at least.
#[cfg(feature = "tls")]
pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<rustls::pki_types::CertificateDer<'static>>> {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject as _;

    let unusable = || Error::invalid_input("these are no certificates in PEM");
    let mut all = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| unusable().with_source(error))?;
        let known = rustls::RootCertStore::empty().add(certificate.clone());
        known.map_err(|error| unusable().with_source(error))?;
        all.push(certificate);
    }
    match all.is_empty() {
        true => Err(unusable()),
        false => Ok(all),
    }
}

/// Trusts what the machine trusts, and what the endpoint was given. The provider is ours alone: a
/// library should not choose one for the whole process. What is `plain` may do without TLS.
#[cfg(feature = "tls")]
pub(crate) fn tls(
    own: &[rustls::pki_types::CertificateDer<'static>],
    plain: bool,
) -> Result<rustls::ClientConfig> {
    use std::sync::Arc;

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let own = own.to_vec();
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(own, provider.clone());
    let mut config = match verifier {
        Ok(verifier) => rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth(),
        // A machine without certificates can still speak plain HTTP; TLS then trusts nobody.
        Err(_) if plain => return trusting_nobody(),
        Err(error) => return Err(unusable(error)),
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// For what is said without TLS.
#[cfg(feature = "tls")]
fn trusting_nobody() -> Result<rustls::ClientConfig> {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    Ok(builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_needs_no_proxy() {
        for (url, expected) in [
            ("http://localhost:1/", true),
            ("http://127.0.0.1/", true),
            ("http://127.1.2.3:80/x", true),
            ("http://[::1]:8/", true),
            ("http://localhost.example.com/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
