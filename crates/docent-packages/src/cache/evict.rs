//! Keeps the cache within its quota: what was used longest ago goes first.
//!
//! One process at a time does it, under a lock that the system takes back when a process dies. What
//! was written or handed out within the last minute stays, so that a path in somebody's hand is not
//! pulled away; an entry that is open stays readable to whoever has it open.

use std::fs::{Metadata, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use super::Cache;
use super::write::{TEMPORARY, clear, private};

/// What is younger than this stays.
const YOUNG: Duration = Duration::from_secs(60);
/// What a process has not finished for this long, it never will.
const ABANDONED: Duration = Duration::from_secs(60 * 60);
/// The least time between two looks through the folder.
const PAUSE: Duration = Duration::from_secs(5);
const LOCK: &str = "eviction.lock";
/// How the folders of entries are called, before the version of their format.
const STAGES: [&str; 7] = [
    "metadata-v",
    "artifacts-v",
    "digests-v",
    "extractions-v",
    "companions-v",
    "versions-v",
    "tools-v",
];

/// What this process believes to be in the folder.
#[derive(Default)]
pub(super) struct Growth(Mutex<Option<Known>>);

struct Known {
    bytes: u64,
    added: u64,
    looked: Instant,
}

impl Growth {
    /// Whether it is time to look through the folder, now that bytes were added.
    fn add(&self, bytes: u64, bytes_max: u64) -> bool {
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(known) = known.as_mut() else { return true };
        known.added = known.added.saturating_add(bytes);
        // Others write too, so that one's own count is not enough.
        let full = known.bytes.saturating_add(known.added) > bytes_max;
        (full || known.added > bytes_max / 8) && known.looked.elapsed() >= PAUSE
    }

    fn set(&self, bytes: u64) {
        let known = Known { bytes, added: 0, looked: Instant::now() };
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(known);
    }
}

struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Cache {
    pub(super) fn grown(&self, bytes: u64) {
        if self.growth.add(bytes, self.bytes_max) {
            self.evict();
        }
    }

    /// Brings the folder within its quota, and clears what dead processes left; happens by itself
    /// after writes. Does nothing while another process is at it.
    pub fn evict(&self) {
        let lock = private(OpenOptions::new().write(true).create(true).truncate(false))
            .open(self.folder.join(LOCK));
        // Without a lock, in a folder that cannot be written, there is nothing to remove either.
        let Ok(lock) = lock else { return };
        if lock.try_lock().is_err() {
            return;
        }
        let now = SystemTime::now();
        self.clear_abandoned(now);
        let mut entries = self.entries();
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        if bytes > self.bytes_max {
            // A little further than needed, or the next write would be here again.
            let goal = self.bytes_max - self.bytes_max / 10;
            entries.sort_by_key(|entry| last_use(entry.used, now));
            for entry in entries {
                if bytes <= goal || age(entry.used, now) < YOUNG {
                    break;
                }
                // It may have been used since it was listed.
                let used = std::fs::symlink_metadata(&entry.path).map(|found| used(&found));
                if used.is_ok_and(|used| age(used, now) >= YOUNG)
                    && self.disk.remove(&entry.path).is_ok()
                {
                    bytes = bytes.saturating_sub(entry.bytes);
                }
            }
        }
        self.growth.set(bytes);
    }

    /// All entries, those of other versions of Docent included.
    fn entries(&self) -> Vec<Entry> {
        let stages = self.stage_folders();
        let entries = stages.iter().flat_map(|folder| files(folder).collect::<Vec<_>>());
        let entries = entries.filter(|(_, found)| !found.is_dir());
        entries
            .map(|(path, found)| Entry { path, bytes: found.len(), used: used(&found) })
            .collect()
    }

    /// The folders that entries are in, whichever version of Docent made them.
    pub(super) fn stage_folders(&self) -> Vec<PathBuf> {
        let stages = files(&self.folder).filter(|(path, found)| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let version = STAGES.iter().find_map(|stage| name.strip_prefix(stage));
            found.is_dir() && version.is_some_and(|version| version.parse::<u32>().is_ok())
        });
        stages.map(|(folder, _)| folder).collect()
    }

    pub(super) fn clear_abandoned(&self, now: SystemTime) {
        for (path, found) in files(&self.folder.join(TEMPORARY)) {
            if age(used(&found), now) >= ABANDONED {
                if found.is_dir() {
                    let _ = std::fs::remove_dir_all(&path);
                } else {
                    clear(self.disk.as_ref(), &path);
                }
            }
        }
    }
}

pub(super) fn files(folder: &Path) -> impl Iterator<Item = (PathBuf, Metadata)> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| {
        let path = entry.path();
        let found = std::fs::symlink_metadata(&path).ok()?;
        Some((path, found))
    })
}

fn used(found: &Metadata) -> SystemTime {
    found.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// When something was last used. A time well in the future is a clock's mistake, and would keep
/// its file forever.
fn last_use(used: SystemTime, now: SystemTime) -> SystemTime {
    if used > now + YOUNG { SystemTime::UNIX_EPOCH } else { used }
}

fn age(used: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(last_use(used, now)).unwrap_or_default()
}
