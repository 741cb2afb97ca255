//! Which package versions have been read before, and under which key of the cache.
//!
//! Fed by the engine whenever it reads a package; feeds who looks for a symbol in other versions,
//! and who wants to see what the cache holds.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Origin;
use crate::cache::{Bucket, Cache};

/// One version of a package that has been read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) version: String,
    /// The key of its extraction.
    pub(crate) key: String,
    from: From,
}

/// Where its files are from; an [`Origin`] is written for people.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum From {
    Installed(#[serde(with = "crate::paths")] PathBuf),
    Registry { url: String, sha256: String },
}

impl Version {
    pub(crate) fn new(version: String, key: String, origin: Origin) -> Self {
        let from = match origin {
            Origin::Installed { path } => From::Installed(path),
            Origin::Registry { url, sha256 } => From::Registry { url, sha256 },
        };
        Self { version, key, from }
    }

    pub(crate) fn origin(&self) -> Origin {
        match self.from.clone() {
            From::Installed(path) => Origin::Installed { path },
            From::Registry { url, sha256 } => Origin::Registry { url, sha256 },
        }
    }
}

/// A package version that can be asked about without reading it again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Kept {
    /// The package, such as `npm:zod`.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The bytes of what was found in it.
    pub bytes: u64,
}

/// Notes which extraction is that of a version.
pub(crate) fn note(cache: &Cache, package: &str, version: Version) {
    let mut versions = versions(cache, package);
    versions.retain(|known| known.version != version.version);
    versions.push(version);
    // The name is in the payload too, since the key cannot be told from its digest.
    if let Ok(bytes) = postcard::to_stdvec(&(package, versions)) {
        let _ = cache.write(Bucket::Versions, package, &bytes);
    }
}

/// The versions of a package that have been read, the latest reading last.
pub(crate) fn versions(cache: &Cache, package: &str) -> Vec<Version> {
    let stored = cache.read(Bucket::Versions, package);
    stored.and_then(|bytes| decode(&bytes)).map(|(_, versions)| versions).unwrap_or_default()
}

fn decode(bytes: &[u8]) -> Option<(String, Vec<Version>)> {
    postcard::from_bytes(bytes).ok()
}

impl Cache {
    /// The package versions in it, in the order of their names.
    #[must_use]
    pub fn kept(&self) -> Vec<Kept> {
        let packages = self.read_all(Bucket::Versions);
        let packages = packages.iter().filter_map(|bytes| decode(bytes));
        let mut kept: Vec<Kept> = packages
            .flat_map(|(package, versions)| {
                let present = versions.into_iter().filter_map(|known| {
                    Some((known.version, self.bytes(Bucket::Extractions, &known.key)?))
                });
                let present: Vec<(String, u64)> = present.collect();
                present.into_iter().map(move |(version, bytes)| Kept {
                    package: package.clone(),
                    version,
                    bytes,
                })
            })
            .collect();
        kept.sort();
        kept
    }
}
