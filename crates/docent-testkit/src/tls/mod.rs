//! Certificates for this machine, in PEM: one for servers and one for clients, each with the authority
//! to trust for it. The one for servers is good for loopback addresses, `localhost` and a few names
//! below `.example`, and for nothing else: the keys of the authorities were thrown away, and those
//! here are known to everybody.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// The authority of the server's certificate, for clients.
pub const AUTHORITY: &[u8] = include_bytes!("authority.pem");
/// The certificate, for servers.
pub const CERTIFICATE: &[u8] = include_bytes!("server.pem");
/// The key of the certificate.
pub const KEY: &[u8] = include_bytes!("server.key");
/// The authority of the client's certificate, for servers.
pub const CLIENT_AUTHORITY: &[u8] = include_bytes!("client_authority.pem");
/// The certificate, for clients.
pub const CLIENT_CERTIFICATE: &[u8] = include_bytes!("client.pem");
/// The key of the client's certificate.
pub const CLIENT_KEY: &[u8] = include_bytes!("client.key");

/// What a server wants to know of its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    /// A client may show a certificate.
    Asked,
    /// A client without a certificate is turned away.
    Required,
}

/// Takes connections with the certificate of this machine.
///
/// # Panics
/// Never, as the certificates are part of this crate.
#[must_use]
pub fn acceptor(clients: Clients) -> TlsAcceptor {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(CLIENT_AUTHORITY) {
        roots.add(authority.expect("PEM")).expect("an authority");
    }
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let verifier = match clients {
        Clients::Asked => verifier.allow_unauthenticated(),
        Clients::Required => verifier,
    };
    let chain = CertificateDer::pem_slice_iter(CERTIFICATE).map(|one| one.expect("PEM")).collect();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY).expect("a key"))
        .expect("a certificate and its key");
    TlsAcceptor::from(Arc::new(config))
}
