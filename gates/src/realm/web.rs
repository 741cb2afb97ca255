//! How a realm is reached: HTTP on a socket, with TLS or without.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::rules::{Reply, Rules, Seen};
use crate::Result;

/// Longer than anybody waits.
const STALL: Duration = Duration::from_secs(60);

type Body = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// Ends when it is dropped.
pub(super) struct Serving(JoinHandle<()>);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A free port; of every address, if it is to be reached by a name.
pub(super) async fn listen(everywhere: bool) -> Result<TcpListener> {
    let address = if everywhere { "0.0.0.0:0" } else { "127.0.0.1:0" };
    Ok(TcpListener::bind(address).await?)
}

pub(super) fn serve(listener: TcpListener, tls: bool, rules: Arc<Mutex<Rules>>) -> Result<Serving> {
    let acceptor = if tls { Some(acceptor()?) } else { None };
    Ok(Serving(tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (rules, acceptor) = (rules.clone(), acceptor.clone());
            tokio::spawn(async move {
                match acceptor {
                    Some(acceptor) => {
                        if let Ok(socket) = acceptor.accept(socket).await {
                            talk(socket, rules).await;
                        }
                    }
                    None => talk(socket, rules).await,
                }
            });
        }
    })))
}

fn acceptor() -> Result<TlsAcceptor> {
    use docent_testkit::tls::{CERTIFICATE, KEY};
    let chain =
        CertificateDer::pem_slice_iter(CERTIFICATE).collect::<std::result::Result<_, _>>()?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY)?)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

async fn talk(
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    rules: Arc<Mutex<Rules>>,
) {
    let service = service_fn(move |request| {
        let rules = rules.clone();
        async move { Ok::<_, Infallible>(answer(request, &rules).await) }
    });
    // How a connection ends is its client's business.
    let _ =
        Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), service).await;
}

async fn answer(request: Request<Incoming>, rules: &Mutex<Rules>) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let seen = Seen {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers.clone(),
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    let (reply, service) = {
        let mut rules = rules.lock().expect("no panic while locked");
        (rules.answer(&seen), rules.service.clone())
    };
    match reply {
        Some(reply) => respond(reply).await,
        None => {
            // The server behind knows itself by this name only.
            parts.headers.insert("host", HeaderValue::from_static("localhost"));
            let response = service.answer(Request::from_parts(parts, Full::new(body))).await;
            response.map(|body| body.map_err(Into::into).boxed_unsync())
        }
    }
}

async fn respond(reply: Reply) -> Response<Body> {
    if reply.stalls {
        tokio::time::sleep(STALL).await;
    }
    let body = Full::new(Bytes::from(reply.body)).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() =
        StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in reply.headers {
        // Attackers are not bound to ASCII.
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
