//! Artifacts and their published digests.

use std::fmt;

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA384, SHA512};
use url::Url;

use super::Access;
use super::address::shown;
use crate::cache::entry::hex;
use crate::tree::ArchiveFormat;
use crate::{Error, ErrorKind};

/// What a release can be downloaded as.
#[derive(Clone)]
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

impl Algorithm {
    fn start(self) -> Context {
        Context::new(match self {
            Self::Sha1 => &SHA1_FOR_LEGACY_USE_ONLY,
            Self::Sha256 => &SHA256,
            Self::Sha384 => &SHA384,
            Self::Sha512 => &SHA512,
        })
    }
}

impl Artifact {
    /// The last part of its address, for people.
    pub(super) fn label(&self) -> String {
        let last = self.url.path_segments().and_then(|mut parts| parts.next_back());
        last.filter(|last| !last.is_empty()).unwrap_or("package").to_owned()
    }
}

impl Digest {
    /// For people and for keys: `sha512:9f86…`.
    pub(super) fn text(&self) -> String {
        format!("{:?}:{}", self.algorithm, hex(&self.bytes)).to_ascii_lowercase()
    }
}

impl fmt::Debug for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Artifact")
            .field("url", &shown(&self.url))
            .field("format", &self.format)
            .field("digests", &self.digests)
            .field("access", &self.access)
            .finish()
    }
}

/// Computes the SHA-256 and every published digest of bytes as they pass.
pub(super) struct Hasher {
    sha256: Context,
    published: Vec<(Digest, Context)>,
}

impl Hasher {
    pub(super) fn new(published: &[Digest]) -> Self {
        let published = published.iter().map(|digest| (digest.clone(), digest.algorithm.start()));
        Self { sha256: Algorithm::Sha256.start(), published: published.collect() }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.sha256.update(bytes);
        for (_, context) in &mut self.published {
            context.update(bytes);
        }
    }

    /// The SHA-256 in hexadecimal, if every published digest matches.
    pub(super) fn finish(self, url: &Url) -> Result<String, Error> {
        for (digest, context) in self.published {
            let found = context.finish();
            if found.as_ref() != digest.bytes {
                let found = Digest { bytes: found.as_ref().to_vec(), ..digest.clone() };
                let (found, published) = (found.text(), digest.text());
                let message = format!(
                    "what {} sent is not what was published: {found} instead of {published}",
                    shown(url),
                );
                return Err(Error::new(ErrorKind::Integrity, message).hint(
                    "try again; if it stays so, the registry or a mirror in between is damaged",
                ));
            }
        }
        Ok(hex(self.sha256.finish().as_ref()))
    }
}
