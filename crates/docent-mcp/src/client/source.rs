//! Where connections come from, and whether another one can be had.

use std::future::Future;
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};
use crate::limits::Limits;
#[cfg(feature = "process")]
use crate::transport::child::ChildProcess;
#[cfg(feature = "http")]
use crate::transport::http::{HttpEndpoint, Mirrored};
use crate::transport::{BoxFuture, Transport};

/// What a client connects to.
///
/// A [`Transport`] is one connection and cannot be had again. A
/// [`ChildProcess`](crate::transport::child::ChildProcess) or a [`Source::connector`] can: the
/// client uses that when a server exits on the first message it does not know, and when it crashes.
/// An [`HttpEndpoint`](crate::transport::http::HttpEndpoint) can too: a client uses that
/// when the server has lost its session.
pub struct Source(Kind);

enum Kind {
    Once(Mutex<Option<Transport>>),
    Connector(Arc<dyn Fn() -> BoxFuture<'static, std::io::Result<Transport>> + Send + Sync>),
    #[cfg(feature = "process")]
    Child(Box<ChildProcess>),
    #[cfg(feature = "http")]
    Http(Box<HttpSource>),
}

/// A server on the web, and what was found out about it.
#[cfg(feature = "http")]
pub(crate) struct HttpSource {
    pub(crate) endpoint: HttpEndpoint,
    /// What the server was last time.
    pub(crate) verdict: Mutex<Option<Verdict>>,
    /// The tool arguments that its headers repeat.
    pub(crate) mirrored: Arc<Mirrored>,
}

/// Which of the ways over HTTP a server speaks.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Modern,
    Session,
    OldSse,
}

impl Source {
    /// Connections from a function, for example one that dials a socket.
    pub fn connector<F, Fut>(connect: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = std::io::Result<Transport>> + Send + 'static,
    {
        Source(Kind::Connector(Arc::new(move || Box::pin(connect()))))
    }

    pub(crate) fn is_reusable(&self) -> bool {
        !matches!(self.0, Kind::Once(_))
    }

    #[cfg(feature = "http")]
    pub(crate) fn http(&self) -> Option<&HttpSource> {
        match &self.0 {
            Kind::Http(http) => Some(http),
            _ => None,
        }
    }

    pub(crate) async fn open(&self, limits: &Limits) -> Result<Transport> {
        match &self.0 {
            Kind::Once(transport) => {
                transport.lock().expect("no panic while locked").take().ok_or_else(Error::closed)
            }
            Kind::Connector(connect) => {
                let opened = tokio::time::timeout(limits.connect_timeout, connect()).await;
                Ok(opened.map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))??)
            }
            #[cfg(feature = "process")]
            Kind::Child(child) => child.spawn(limits).map_err(|error| {
                Error::new(crate::ErrorKind::Transport, "the server could not be started")
                    .with_source(error)
            }),
            #[cfg(feature = "http")]
            Kind::Http(http) => http.endpoint.open(limits, &http.mirrored),
        }
    }
}

impl From<Transport> for Source {
    fn from(transport: Transport) -> Self {
        Source(Kind::Once(Mutex::new(Some(transport))))
    }
}

#[cfg(feature = "process")]
impl From<ChildProcess> for Source {
    fn from(child: ChildProcess) -> Self {
        Source(Kind::Child(Box::new(child)))
    }
}

#[cfg(feature = "http")]
impl From<HttpEndpoint> for Source {
    fn from(endpoint: HttpEndpoint) -> Self {
        let (verdict, mirrored) = (Mutex::default(), Arc::default());
        Source(Kind::Http(Box::new(HttpSource { endpoint, verdict, mirrored })))
    }
}
