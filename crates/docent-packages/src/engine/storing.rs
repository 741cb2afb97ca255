//! What has been read is put into the cache while the answer is on its way: the disk takes longer
//! to be sure of it than people should wait.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::loaded::Read;
use crate::cache::{Bucket, Cache};
use crate::kept;

/// How many MiB may be on their way. Who brings more waits, so that a disk slower than the reader
/// does not fill the memory.
const ROOM: u32 = 16;

pub(super) struct Storing {
    cache: Arc<Cache>,
    /// One for each MiB.
    permits: Arc<Semaphore>,
    /// A list of versions is read, changed and written again: one at a time.
    noting: Arc<Mutex<()>>,
}

/// What is known after a package was read.
pub(super) struct Entry {
    pub(super) read: Arc<Read>,
    pub(super) key: String,
    /// The key before the package's companions were known, which are found by it the next time.
    pub(super) first: String,
    /// Whether the cache did not have it.
    pub(super) is_new: bool,
    /// The version that the package has been read in, when nothing more is to be read.
    pub(super) note: Option<(String, kept::Version)>,
}

impl Storing {
    pub(super) fn new(cache: Arc<Cache>) -> Self {
        let permits = Arc::new(Semaphore::new(ROOM as usize));
        Self { cache, permits, noting: Arc::default() }
    }

    /// Puts away what is new.
    pub(super) async fn put(&self, entry: Entry) {
        if !entry.is_new && entry.note.is_none() {
            return;
        }
        let room = u32::try_from(entry.read.bytes >> 20).map_or(ROOM, |mib| (mib + 1).min(ROOM));
        let permit = Arc::clone(&self.permits).acquire_many_owned(room).await;
        let (cache, noting) = (Arc::clone(&self.cache), Arc::clone(&self.noting));
        tokio::task::spawn_blocking(move || {
            entry.write(&cache, &noting);
            drop(permit);
        });
    }

    /// Waits for all that was put so far. The semaphore is fair, so what comes later does not put
    /// this off.
    pub(super) async fn settle(&self) {
        let _ = self.permits.acquire_many(ROOM).await;
    }
}

impl Entry {
    /// Without a cache the next question only takes longer.
    fn write(self, cache: &Cache, noting: &Mutex<()>) {
        if self.is_new {
            store(cache, Bucket::Extractions, &self.key, &self.read.extraction);
            if self.first != self.key {
                store(cache, Bucket::Companions, &self.first, &self.read.answered);
            }
        }
        // The last, so that who finds the note finds what it is about.
        if let Some((package, version)) = self.note {
            let _one = noting.lock().unwrap_or_else(PoisonError::into_inner);
            kept::note(cache, &package, version);
        }
    }
}

fn store(cache: &Cache, bucket: Bucket, key: &str, found: &impl serde::Serialize) {
    if let Ok(bytes) = postcard::to_stdvec(found) {
        let _ = cache.write(bucket, key, &bytes);
    }
}
