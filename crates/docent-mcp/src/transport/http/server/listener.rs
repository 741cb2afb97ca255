//! A server of our own: accepts connections, watches them, and ends them without losing an answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{CONNECTION, TRANSFER_ENCODING};
use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream, ToSocketAddrs};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::activity::{Activity, Watched};
use super::reply::{HttpBody, Refusal};
use super::{HttpOptions, HttpService};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::HttpLimits;
use crate::server::Server;

/// How long the answers that end a server may take to be written.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// A server that listens.
///
/// ```no_run
/// use docent_mcp::Server;
/// use docent_mcp::transport::http::{HttpOptions, HttpServer};
///
/// # async fn run(server: Server) -> docent_mcp::Result<()> {
/// let service = server.http_service(HttpOptions::new())?;
/// let listening = HttpServer::bind(service, "127.0.0.1:0").await?;
/// println!("http://{}/mcp", listening.local_addr());
/// listening.serve().await
/// # }
/// ```
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    service: HttpService,
    path: String,
    #[cfg(feature = "tls")]
    tls: Option<tokio_rustls::TlsAcceptor>,
}

impl Server {
    /// Serves over HTTP, at the path `/mcp`, until the process is told to stop (SIGINT or SIGTERM).
    /// For other hosts than this machine, paths, TLS, or another signal, see [`HttpServer`].
    pub async fn serve_http(self, address: impl ToSocketAddrs) -> Result<()> {
        let service = self.http_service(HttpOptions::new())?;
        HttpServer::bind(service, address).await?.serve().await
    }
}

impl HttpServer {
    /// Listens at an address.
    pub async fn bind(service: HttpService, address: impl ToSocketAddrs) -> Result<Self> {
        let failed = |error| {
            Error::new(ErrorKind::Transport, "the address cannot be listened at").with_source(error)
        };
        let listener = listen(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(HttpServer {
            listener,
            address,
            service,
            path: "/mcp".to_owned(),
            #[cfg(feature = "tls")]
            tls: None,
        })
    }

    /// Where it listens; useful after binding to port 0.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves at another path than `/mcp`.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Serves HTTPS.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, mut config: rustls::ServerConfig) -> Self {
        if config.alpn_protocols.is_empty() {
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        }
        self.tls = Some(tokio_rustls::TlsAcceptor::from(Arc::new(config)));
        self
    }

    /// Serves until the process is told to stop (SIGINT or SIGTERM).
    pub async fn serve(self) -> Result<()> {
        let stop = told_to_stop()?;
        self.serve_until(stop).await
    }

    /// Serves until `stop` resolves. Then no new connection is taken, subscriptions end, and what
    /// is running is answered before this returns, as long as the limits allow.
    pub async fn serve_until(self, stop: impl Future<Output = ()>) -> Result<()> {
        let limits = self.service.limits().http.clone();
        let slots = Arc::new(Semaphore::new(limits.connections_max));
        let (stopping, stopped) = watch::channel(Stage::Serving);
        let shared = Arc::new(Shared {
            service: self.service.clone(),
            path: self.path,
            limits,
            stopped,
            #[cfg(feature = "tls")]
            tls: self.tls,
        });
        let accepting = accept(&self.listener, &slots, &shared);
        tokio::select! {
            () = accepting => {}
            () = stop => {}
        }
        drop(self.listener);
        self.service.shut_down();
        let limits = &shared.limits;
        let all = u32::try_from(limits.connections_max).unwrap_or(u32::MAX);
        let _ = stopping.send(Stage::Finishing);
        let finished = tokio::time::timeout(limits.shutdown_timeout, slots.acquire_many(all)).await;
        if finished.is_err() {
            tracing::warn!("some requests did not finish in time and are answered with an error");
            self.service.give_up();
            let answered = tokio::time::timeout(LAST_WORDS, slots.acquire_many(all)).await;
            if answered.is_err() {
                let _ = stopping.send(Stage::Ended);
                let _ = tokio::time::timeout(LAST_WORDS, slots.acquire_many(all)).await;
            }
        }
        Ok(())
    }
}

/// Connections that may wait to be accepted. The usual 128 is less than what arrives at once when
/// many clients reconnect, and the system resets some of those that do not fit.
const BACKLOG: u32 = 4096;

async fn listen(address: impl ToSocketAddrs) -> std::io::Result<TcpListener> {
    let mut failed = None;
    for address in tokio::net::lookup_host(address).await? {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4(),
            SocketAddr::V6(_) => TcpSocket::new_v6(),
        };
        let listening = socket.and_then(|socket| {
            // A server that is started again takes its place at once.
            #[cfg(unix)]
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            socket.listen(BACKLOG)
        });
        match listening {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| std::io::ErrorKind::AddrNotAvailable.into()))
}

/// Resolves when the process is told to stop.
fn told_to_stop() -> Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        let terminated = async { terminate.recv().await };
        #[cfg(not(unix))]
        let terminated = std::future::pending::<Option<()>>();
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated => {}
        }
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Serving,
    /// What is running is answered, nothing new is taken.
    Finishing,
    /// Everything is cut off.
    Ended,
}

/// What every connection needs.
struct Shared {
    service: HttpService,
    path: String,
    limits: HttpLimits,
    stopped: watch::Receiver<Stage>,
    #[cfg(feature = "tls")]
    tls: Option<tokio_rustls::TlsAcceptor>,
}

async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>, shared: &Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // With no slot left, the connection is dropped, which closes it.
                if let Ok(slot) = slots.clone().try_acquire_owned() {
                    tokio::spawn(shared.clone().connect(stream, slot));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                // Out of descriptors, most likely: others have to end first.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

impl Shared {
    async fn connect(self: Arc<Self>, stream: TcpStream, slot: OwnedSemaphorePermit) {
        // Answers are written whole: waiting for more to send only delays them.
        let _ = stream.set_nodelay(true);
        #[cfg(feature = "tls")]
        if let Some(tls) = self.tls.clone() {
            let greeting = tokio::time::timeout(self.limits.header_timeout, tls.accept(stream));
            match greeting.await {
                Ok(Ok(stream)) => self.serve(stream).await,
                failed => tracing::debug!(?failed, "a TLS handshake failed"),
            }
            return drop(slot);
        }
        self.serve(stream).await;
        drop(slot);
    }

    async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self: Arc<Self>, stream: S) {
        let activity = Arc::new(Activity::default());
        let stream = Watched::new(stream, activity.clone(), self.limits.clone());
        let service = service_fn(|request: Request<Incoming>| {
            let busy = activity.enter();
            let shared = self.clone();
            async move {
                // Where chunks end is what readers disagree about: whoever stands before us may
                // have seen another end, so nothing after it is taken for a request.
                let chunked = request.headers().contains_key(TRANSFER_ENCODING);
                let mut response = shared.answer(request).await;
                if chunked {
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, std::convert::Infallible>(response.map(|body| body.keeping(busy)))
            }
        });
        let builder = builder(&self.limits);
        let mut connection =
            std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
        let mut stopped = self.stopped.clone();
        let finishing = async { stopped.wait_for(|stage| *stage != Stage::Serving).await.is_ok() };
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            _ = finishing => {
                connection.as_mut().graceful_shutdown();
                let mut stopped = self.stopped.clone();
                let cut = async { stopped.wait_for(|stage| *stage == Stage::Ended).await.is_ok() };
                tokio::select! {
                    ended = connection.as_mut() => ended,
                    _ = cut => Ok(()),
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended");
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<HttpBody> {
        let path = request.uri().path();
        if path != self.path && !self.service.has(path) {
            let message = format!("nothing is served here; the address is {}", self.path);
            return Refusal::new(StatusCode::NOT_FOUND, message).respond();
        }
        let headers = request.headers();
        let length: usize =
            headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if length > self.limits.header_bytes_max {
            let message = "the headers of the request are too long";
            let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            return Refusal::new(status, message).respond();
        }
        self.service.answer(request).await
    }
}

/// How connections are read and written.
fn builder(limits: &HttpLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // Times are kept in `activity`.
        .header_read_timeout(None)
        .max_headers(limits.header_fields_max)
        // Bodies are read through the same buffer, so it is larger than any head may be.
        .max_buf_size(limits.header_bytes_max.max(16 << 10) * 4);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.keep_alive)
        .keep_alive_timeout(limits.write_timeout)
        .max_concurrent_streams(128)
        .max_pending_accept_reset_streams(20)
        .max_header_list_size(u32::try_from(limits.header_bytes_max).unwrap_or(u32::MAX))
        .max_send_buf_size(256 << 10);
    builder
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpServer").field("address", &self.address).finish_non_exhaustive()
    }
}
