//! Artifacts: found in the cache by any of their digests, else streamed into it and checked.
//!
//! A file lies in the cache under its SHA-256. Small entries say which one a digest of another kind
//! belongs to, or, for an artifact without any, an address; each is written only after the bytes
//! were seen to match.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::sync::mpsc;
use tokio::time::Instant;
use url::Url;

use super::address::{shown, without_user};
use super::artifact::{Algorithm, Artifact, Digest, Hasher};
use super::document::offline;
use super::once::{Loaded, Reporter};
use super::request::{Answer, Question, too_long};
use super::retry::{Failure, retry};
use super::{Blob, Inner, blocking};
use crate::cache::entry::hex;
use crate::cache::{Bucket, Temporary};
use crate::{Error, ErrorKind};

/// The least time between two reports.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// Chunks of a body that may wait for the disk.
const CHUNKS_WAITING: usize = 16;

impl Artifact {
    /// What tells this download from others that are under way.
    pub(super) fn key(&self) -> String {
        let digests: Vec<String> = self.digests.iter().map(Digest::text).collect();
        let access = hex(&self.access.fingerprint());
        format!("{}\n{}\n{access}", without_user(&self.url), digests.join(" "))
    }

    /// The key of the entry that leads from a digest to the file.
    fn digest_key(&self, digest: &Digest) -> String {
        match digest.algorithm {
            // Two files with one SHA-1 can be made, so that it counts only for its own address.
            Algorithm::Sha1 => format!("{} {}", digest.text(), without_user(&self.url)),
            _ => digest.text(),
        }
    }

    /// The keys of all entries that lead to the file.
    fn keys(&self) -> Vec<String> {
        if self.digests.is_empty() {
            let identity = hex(&self.access.identity(&self.url));
            return vec![format!("url {} {identity}", without_user(&self.url))];
        }
        let others = self.digests.iter().filter(|digest| digest.algorithm != Algorithm::Sha256);
        others.map(|digest| self.digest_key(digest)).collect()
    }
}

impl Inner {
    pub(super) async fn artifact(
        self: Arc<Self>,
        artifact: Artifact,
        reporter: Reporter<Blob>,
    ) -> Result<Blob, Error> {
        let found = {
            let (this, artifact) = (Arc::clone(&self), artifact.clone());
            blocking(move || this.find(&artifact)).await?
        };
        match found {
            Some(blob) => Ok(blob),
            None if self.offline => Err(offline(&artifact.url)),
            None => retry(&self.limits, || self.download(&artifact, &reporter)).await,
        }
    }

    /// The artifact in the cache, if it is there and everything published about it is true of it.
    fn find(&self, artifact: &Artifact) -> Option<Blob> {
        let entry = |key: &String| {
            let bytes = self.cache.read(Bucket::Digests, key)?;
            String::from_utf8(bytes).ok()
        };
        let keys = artifact.keys();
        let known: Vec<Option<String>> = keys.iter().map(entry).collect();
        let published = artifact.digests.iter();
        let published = published.filter(|digest| digest.algorithm == Algorithm::Sha256);
        let mut published = published.map(|digest| hex(&digest.bytes));
        let sha256 = published.next().or_else(|| known.iter().flatten().next().cloned())?;
        if published.any(|other| other != sha256) {
            return None;
        }
        let path = self.cache.artifact(&sha256)?;
        // What no entry vouches for is checked now.
        if known.iter().any(|known| known.as_ref() != Some(&sha256)) {
            let found = digests_match(&path, artifact)?;
            self.note(artifact, &found);
        }
        Some(Blob { path, sha256 })
    }

    /// Notes which file everything that is known of an artifact leads to.
    fn note(&self, artifact: &Artifact, sha256: &str) {
        for key in artifact.keys() {
            // Without the entry the file is fetched again some day, and that is all.
            let _ = self.cache.write(Bucket::Digests, &key, sha256.as_bytes());
        }
    }

    /// One attempt.
    async fn download(
        self: &Arc<Self>,
        artifact: &Artifact,
        reporter: &Reporter<Blob>,
    ) -> Result<Blob, Failure> {
        let question = Question {
            url: &artifact.url,
            accept: "*/*",
            // The digests are of the file as it is.
            encoding: "identity",
            access: &artifact.access,
            known: None,
        };
        self.in_time(&artifact.url, async {
            let Answer::Body(url, mut response) = self.ask(&question).await? else {
                let message = format!("{} did not send a file", shown(&artifact.url));
                return Err(Failure::never(Error::new(ErrorKind::Network, message)));
            };
            let total = self.check_length(&url, &response, self.limits.download_bytes_max)?;
            let (sender, writer) = self.writer(artifact, &url);
            let loaded = self.load_file(&url, &mut response, sender, total, reporter).await;
            // Waited for even when loading failed, so that its file is gone before anybody hears.
            let written = writer.await;
            let bytes = loaded?;
            let (file, sha256) = written.map_err(Failure::never)?;
            reporter.loaded(Loaded { bytes, total });
            let (this, artifact) = (Arc::clone(self), artifact.clone());
            let kept = blocking(move || {
                let path = this.cache.keep_artifact(file, &sha256, bytes)?;
                this.note(&artifact, &sha256);
                Ok(Blob { path, sha256 })
            });
            kept.await.and_then(|kept| kept).map_err(Failure::never)
        })
        .await
    }

    /// Passes a body on to its writer, and says how long it was.
    async fn load_file(
        &self,
        url: &Url,
        response: &mut Response,
        writer: mpsc::Sender<Bytes>,
        total: Option<u64>,
        reporter: &Reporter<Blob>,
    ) -> Result<u64, Failure> {
        let bytes_max = self.limits.download_bytes_max;
        let (mut bytes, mut reported) = (0, None::<Instant>);
        while let Some(chunk) = self.next_bytes(url, response).await? {
            bytes += chunk.len() as u64;
            if bytes > bytes_max {
                return Err(too_long(url, bytes_max));
            }
            if reported.is_none_or(|reported| reported.elapsed() >= REPORT_EVERY) {
                reported = Some(Instant::now());
                reporter.loaded(Loaded { bytes, total });
            }
            // The writer is gone only if it failed, and then says why.
            if writer.send(chunk).await.is_err() {
                break;
            }
        }
        Ok(bytes)
    }

    /// Hashes and writes what is sent to it, away from the threads that wait for the network.
    fn writer(
        self: &Arc<Self>,
        artifact: &Artifact,
        url: &Url,
    ) -> (mpsc::Sender<Bytes>, impl Future<Output = Result<(Temporary, String), Error>> + use<>)
    {
        let (sender, mut chunks) = mpsc::channel::<Bytes>(CHUNKS_WAITING);
        let (this, url) = (Arc::clone(self), url.clone());
        let mut hasher = Hasher::new(&artifact.digests);
        let writer = tokio::task::spawn_blocking(move || {
            let mut file = this.cache.temporary()?;
            while let Some(chunk) = chunks.blocking_recv() {
                hasher.update(&chunk);
                file.write(&chunk)?;
            }
            Ok((file, hasher.finish(&url)?))
        });
        let written = async { writer.await.unwrap_or_else(|_| Err(super::ended())) };
        (sender, written)
    }
}

/// The SHA-256 of a file, if all published digests are those of it.
fn digests_match(path: &Path, artifact: &Artifact) -> Option<String> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut hasher = Hasher::new(&artifact.digests);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return hasher.finish(&artifact.url).ok(),
            read => hasher.update(&buffer[..read]),
        }
    }
}
