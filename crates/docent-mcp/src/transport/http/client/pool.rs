//! The HTTP client of an endpoint: its pool of connections, its proxies, whom it trusts.

use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, StatusCode, Url};

use super::endpoint::HttpEndpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// More hops than this within one origin are a loop.
const REDIRECTS_MAX: usize = 5;

pub(super) fn build(endpoint: &HttpEndpoint, limits: &Limits) -> Result<Client> {
    let mut builder = Client::builder()
        .redirect(Policy::custom(within_origin))
        .referer(false)
        .user_agent(concat!("docent-mcp/", env!("CARGO_PKG_VERSION")))
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

/// Follows a redirect that keeps method, body and origin. Whatever else it is, the caller is told.
fn within_origin(attempt: Attempt<'_>) -> Action {
    let keeps = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT];
    let same =
        attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    if same && keeps.contains(&attempt.status()) && attempt.previous().len() <= REDIRECTS_MAX {
        attempt.follow()
    } else {
        attempt.stop()
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
