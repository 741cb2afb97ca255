//! Gets documents and artifacts from the user's registries.
//!
//! Fed by [`crate::ecosystem`], which says where and as whom; feeds [`crate::cache`]. A credential is
//! sent only inside the scope it was configured for, on every hop of a redirect.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use url::Url;

use crate::cache::Cache;
use crate::tree::ArchiveFormat;
use crate::{Error, Limits, Progress};

/// What a release can be downloaded as.
#[derive(Clone, Debug)]
pub(crate) struct Artifact {
    pub(crate) url: Url,
    pub(crate) format: ArchiveFormat,
    /// As published; every one of them must match.
    pub(crate) digests: Vec<Digest>,
    pub(crate) access: Access,
}

/// A published digest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Digest {
    pub(crate) algorithm: Algorithm,
    pub(crate) bytes: Vec<u8>,
}

/// The digests that registries publish and that are worth checking, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Algorithm {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// How a registry is reached: who one is there, and through what.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    /// The credentials that may be sent, each only inside its scope; the longest scope wins.
    pub(crate) logins: Vec<Login>,
    /// Files of certificates to trust besides the machine's.
    pub(crate) ca_files: Vec<PathBuf>,
    /// Certificates to trust besides the machine's, as PEM text.
    pub(crate) ca_pem: Vec<String>,
    /// Whether the user has turned the check of certificates off.
    pub(crate) insecure: bool,
    /// The proxy for this registry, over what the environment says.
    pub(crate) proxy: Option<Url>,
    /// Hosts that are reached without the proxy, separated by commas.
    pub(crate) no_proxy: Option<String>,
}

/// A credential and where it may go.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    /// Scheme, host and port must be equal; the path must start with this one.
    pub(crate) scope: Url,
    pub(crate) credential: Credential,
}

/// Who one is at a registry.
#[derive(Clone, Debug)]
pub(crate) enum Credential {
    Bearer(Secret),
    Basic {
        user: String,
        password: Secret,
    },
    /// What follows `Basic` in the header, as npm's `_auth` holds it.
    BasicEncoded(Secret),
}

/// A text that cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A request for metadata.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) url: Url,
    /// The `Accept` header.
    pub(crate) accept: &'a str,
    pub(crate) access: &'a Access,
}

/// Metadata that a registry sent.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// Where it came from in the end, which relative links in it are relative to.
    pub(crate) url: Url,
    /// The media type without parameters, in lower case.
    pub(crate) content_type: String,
    pub(crate) body: Bytes,
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
    limits: Limits,
    cache: Arc<Cache>,
    offline: bool,
}

impl Fetcher {
    pub(crate) fn new(limits: &Limits, cache: Arc<Cache>, offline: bool) -> Self {
        Self { limits: limits.clone(), cache, offline }
    }

    /// Gets metadata, from the cache while it is fresh. A 404 is [`crate::ErrorKind::PackageNotFound`].
    pub(crate) async fn document(&self, request: &Request<'_>) -> Result<Document, Error> {
        let _ = (request, &self.limits, &self.cache, self.offline);
        unimplemented!()
    }

    /// Gets an artifact into the cache and checks its digests; once, however many wait for it.
    pub(crate) async fn artifact(
        &self,
        artifact: &Artifact,
        progress: &Progress,
    ) -> Result<Blob, Error> {
        let _ = (artifact, progress);
        unimplemented!()
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An address as it may be shown: without credentials and query.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}
