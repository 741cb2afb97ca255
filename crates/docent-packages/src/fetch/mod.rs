//! Gets documents and artifacts from the user's registries.
//!
//! Fed by [`crate::ecosystem`], which says where and as whom; feeds [`crate::cache`]. A credential is
//! sent only inside the scope it was configured for, on every hop of a redirect.
//!
//! In reading order: `login`, `certificate` and `artifact` (what is asked for, and as whom), `once` (many waiters,
//! one fetch), `document` and `download` (the two things there are to get), `retry`, `request` (one
//! attempt, hop by hop), `client`, `route` and `tls` (how a host is reached).

mod address;
mod artifact;
mod certificate;
mod client;
mod document;
mod download;
mod inflate;
mod login;
mod once;
mod request;
mod retry;
mod route;
#[cfg(test)]
mod tests;
mod tls;

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::Semaphore;
use url::Url;

pub(crate) use artifact::{Algorithm, Artifact, Digest};
pub(crate) use certificate::{Authority, Identity, Pem, Shown};
pub(crate) use login::{Access, Credential, Login, Secret};

pub(crate) use self::address::shown;
use self::client::Clients;
use self::document::Wish;
use self::once::Once;
use self::retry::Failure;
use crate::cache::Cache;
pub(crate) use crate::cache::entry::hex;
use crate::{Error, ErrorKind, Limits, Progress, Update};

/// A request for metadata.
#[derive(Clone)]
pub(crate) struct Request<'a> {
    pub(crate) url: Url,
    /// The `Accept` header.
    pub(crate) accept: &'a str,
    pub(crate) access: &'a Access,
}

/// Metadata that a registry sent.
#[derive(Clone)]
pub(crate) struct Document {
    /// Where it came from in the end, without query, which relative links in it are relative to.
    pub(crate) url: Url,
    /// The media type without parameters, in lower case.
    pub(crate) content_type: String,
    pub(crate) body: Bytes,
    /// Whether it is an old copy, because the registry could not be reached.
    pub(crate) stale: bool,
}

/// An artifact in the cache.
#[derive(Clone, Debug)]
pub(crate) struct Blob {
    pub(crate) path: PathBuf,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub(crate) sha256: String,
}

/// The client for all registries.
pub(crate) struct Fetcher {
    inner: Arc<Inner>,
    documents: Once<String, Document>,
    artifacts: Once<String, Blob>,
}

/// What a fetch needs, shared with the tasks that do the work.
struct Inner {
    limits: Limits,
    cache: Arc<Cache>,
    offline: bool,
    clients: Clients,
    turns: Semaphore,
}

impl Fetcher {
    pub(crate) fn new(limits: &Limits, cache: Arc<Cache>, offline: bool) -> Self {
        let turns = Semaphore::new(limits.requests_max.clamp(1, Semaphore::MAX_PERMITS));
        let (limits, clients) = (limits.clone(), Clients::default());
        let inner = Arc::new(Inner { limits, cache, offline, clients, turns });
        Self { inner, documents: Once::new(), artifacts: Once::new() }
    }

    /// Gets metadata, from the cache while it is fresh. A 404 is [`crate::ErrorKind::PackageNotFound`].
    pub(crate) async fn document(&self, request: &Request<'_>) -> Result<Document, Error> {
        let (url, accept) = (request.url.clone(), request.accept.to_owned());
        let wish = Wish { url, accept, access: request.access.clone() };
        let key = format!("{}\n{}", wish.key(), hex(&wish.access.fingerprint()));
        let inner = Arc::clone(&self.inner);
        self.documents.run(key, |_| inner.document(wish), |_| ()).await
    }

    /// Gets an artifact into the cache and checks its digests; once, however many wait for it.
    pub(crate) async fn artifact(
        &self,
        artifact: &Artifact,
        progress: &Progress,
    ) -> Result<Blob, Error> {
        let (inner, wanted) = (Arc::clone(&self.inner), artifact.clone());
        let work = |reporter| inner.artifact(wanted, reporter);
        let heard = |loaded: once::Loaded| {
            let what = || artifact.label();
            progress.report(|| Update::Downloading {
                what: what(),
                bytes: loaded.bytes,
                total: loaded.total,
            });
        };
        self.artifacts.run(artifact.key(), work, heard).await
    }
}

impl Inner {
    /// Waits for a turn, then does the work within the time for one request.
    async fn in_time<T>(
        &self,
        url: &Url,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let _turn = self.turns.acquire().await.map_err(|_| Failure::never(ended()))?;
        let done = tokio::time::timeout(self.limits.download_timeout, work).await;
        done.unwrap_or_else(|_| {
            let seconds = self.limits.download_timeout.as_secs_f64();
            let message = format!("{} took longer than {seconds} s", shown(url));
            Err(Failure::soon(Error::new(ErrorKind::Network, message)))
        })
    }
}

/// Does what waits for the disk where it holds nobody up.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| ended())
}

fn ended() -> Error {
    Error::new(ErrorKind::Io, "a piece of work ended before it was done")
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shape = f.debug_struct("Request");
        shape.field("url", &shown(&self.url)).field("accept", &self.accept);
        shape.field("access", self.access).finish()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("url", &shown(&self.url))
            .field("content_type", &self.content_type)
            .field("bytes", &self.body.len())
            .field("stale", &self.stale)
            .finish()
    }
}
