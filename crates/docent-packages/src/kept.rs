//! Which package versions have been read before, and under which key of the cache.
//!
//! Fed by the engine whenever it reads a package; feeds who looks for a symbol in other versions,
//! and who wants to see what the cache holds.

use crate::cache::{Bucket, Cache};

/// The versions of one package, and the key of each one's extraction.
type Versions = Vec<(String, String)>;

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
pub(crate) fn note(cache: &Cache, package: &str, version: String, key: String) {
    let mut versions = versions(cache, package);
    versions.retain(|(known, _)| *known != version);
    versions.push((version, key));
    // The name is in the payload too, since the key cannot be told from its digest.
    if let Ok(bytes) = postcard::to_stdvec(&(package, versions)) {
        let _ = cache.write(Bucket::Versions, package, &bytes);
    }
}

/// The versions of a package that have been read, the latest reading last.
pub(crate) fn versions(cache: &Cache, package: &str) -> Versions {
    let stored = cache.read(Bucket::Versions, package);
    stored.and_then(|bytes| decode(&bytes)).map(|(_, versions)| versions).unwrap_or_default()
}

fn decode(bytes: &[u8]) -> Option<(String, Versions)> {
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
                let present = versions.into_iter().filter_map(|(version, key)| {
                    Some((version, self.bytes(Bucket::Extractions, &key)?))
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
