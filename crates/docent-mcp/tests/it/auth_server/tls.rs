//! An authorization server behind TLS, whose tokens are signed by RS256: both halves talk to it.

use std::net::SocketAddr;
use std::sync::Arc;

use docent_mcp::auth::{Introspection, JwtVerifier, OAuth, Protection, Secret, TokenVerifier};
use docent_mcp::transport::http::{HttpEndpoint, HttpOptions, HttpServer};
use docent_mcp::{Client, Server};
use docent_testkit::authorization::{Algorithm, AuthorizationServer, Client as Known, Options};
use docent_testkit::tls::{AUTHORITY, CERTIFICATE, KEY};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use super::counted;

/// Connections that begin with a handshake.
struct Safe {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl axum::serve::Listener for Safe {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let (socket, from) = self.listener.accept().await.unwrap();
            if let Ok(socket) = self.acceptor.accept(socket).await {
                return (socket, from);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

async fn authority() -> AuthorizationServer {
    let chain = CertificateDer::pem_slice_iter(CERTIFICATE).map(Result::unwrap).collect();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY).unwrap())
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let options = Options { algorithm: Algorithm::Rs256, ..Options::default() };
    let authority = AuthorizationServer::start_on(Safe { listener, acceptor }, issuer, options);
    authority.add_client(Known {
        id: "worker".to_owned(),
        secret: Some("s3cret".to_owned()),
        grant_types: vec!["client_credentials".to_owned()],
        auth_method: "client_secret_basic".to_owned(),
        ..Known::default()
    });
    authority
}

/// Serves at an address of its own, until the runtime ends.
async fn serve(server: Server, verifier: impl TokenVerifier) -> String {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let url = format!("http://{address}/mcp");
    let options = HttpOptions::new().protect(Protection::new(&url, verifier));
    let listening = HttpServer::bind(server.http_service(options).unwrap(), address).await.unwrap();
    tokio::spawn(listening.serve_until(std::future::pending()));
    url
}

/// [BOTH-AUTH-18] metadata, tokens, keys and introspection come over TLS, from who is trusted.
#[tokio::test]
async fn everything_comes_over_tls() {
    let authority = authority().await;
    let trusting = JwtVerifier::new(authority.issuer()).root_certificates(AUTHORITY).unwrap();
    let url = serve(counted().server, trusting).await;
    let login = || OAuth::machine("worker").client_secret("s3cret");
    let endpoint = HttpEndpoint::new(&url).unwrap().root_certificates(AUTHORITY).unwrap();
    let client = Client::start(endpoint.authorize(login())).await.unwrap();
    let said = client.call("who", json!({})).await.unwrap();
    assert_eq!(said.content[0].as_text(), Some("worker: "));
    client.close().await;
    let stranger = HttpEndpoint::new(&url).unwrap().authorize(login());
    let error = Client::start(stranger).await.unwrap_err();
    assert!(error.to_string().contains("https://localhost"), "{error:#}");
    assert!(error.to_string().contains("cannot be reached"), "{error:#}");
}

/// [SRV-AUTH-17] a server that does not trust the issuer's certificate takes none of its tokens.
#[tokio::test]
async fn issuers_have_to_be_trusted() {
    let authority = authority().await;
    let token = Secret::new(
        authority
            .sign(Algorithm::Rs256, &authority.claims("https://server.example", "ada", "notes")),
    );
    let verify = async |verifier: &dyn TokenVerifier| {
        let verified = verifier.verify(&token, "https://server.example").await;
        verified.map(|claims| claims.subject().to_owned()).map_err(|error| error.to_string())
    };
    let issuer = authority.issuer();
    let trusting = JwtVerifier::new(issuer).root_certificates(AUTHORITY).unwrap();
    assert_eq!(verify(&trusting).await, Ok("ada".to_owned()));
    let error = verify(&JwtVerifier::new(issuer)).await.unwrap_err();
    assert!(error.contains("cannot be reached"), "{error}");
    let asking = Introspection::new(issuer, "worker", "s3cret");
    let error = verify(&asking).await.unwrap_err();
    assert!(error.contains("cannot be reached"), "{error}");
    let asking = Introspection::new(issuer, "worker", "s3cret").root_certificates(AUTHORITY);
    let error = verify(&asking.unwrap()).await.unwrap_err();
    assert!(error.contains("not active"), "it was not issued there: {error}");
    assert!(JwtVerifier::new(issuer).root_certificates(b"none").is_err());
}
