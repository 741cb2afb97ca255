//! Servers behind TLS, with the certificate of the test kit.

use docent_testkit::tls::{AUTHORITY, CERTIFICATE, KEY};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::HttpEndpoint;
use crate::transport::http::{HttpOptions, HttpServer};
use crate::{Client, ErrorKind, Server};

/// A server behind TLS, and its address.
async fn serve() -> String {
    let chain = CertificateDer::pem_slice_iter(CERTIFICATE).map(Result::unwrap);
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain.collect(), key)
        .unwrap();
    let service = Server::new("safe", "1").http_service(HttpOptions::new()).unwrap();
    let listening = HttpServer::bind(service, "127.0.0.1:0").await.unwrap().tls(config);
    let url = format!("https://{}/mcp", listening.local_addr());
    tokio::spawn(listening.serve_until(std::future::pending()));
    url
}

#[tokio::test]
async fn certificates_of_ones_own_are_trusted() {
    let endpoint = HttpEndpoint::new(serve().await).unwrap().root_certificates(AUTHORITY).unwrap();
    let client = Client::start(endpoint).await.unwrap();
    client.ping().await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn unknown_certificates_are_not() {
    let endpoint = HttpEndpoint::new(serve().await).unwrap();
    let error = Client::start(endpoint).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport, "{error:#}");
    let endpoint = HttpEndpoint::new("https://localhost/").unwrap();
    for broken in ["", "none", "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----"] {
        assert!(endpoint.clone().root_certificates(broken.as_bytes()).is_err(), "{broken}");
    }
}
