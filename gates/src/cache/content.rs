//! Entries that can be told from any others: what a key may hold follows from a seed inside it.

use docent_packages::cache::{Bucket, Cache};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::Result;
use crate::random::Random;

/// How many keys there are.
pub(crate) const KEYS: u64 = 12;
const HEAD_BYTES: usize = 24;
/// Now and then an entry is this long, and most are much shorter.
const BYTES_MAX: u64 = 200_000;

pub(crate) fn key(number: u64) -> String {
    format!("https://registry.example/package-{number}\napplication/json")
}

/// The bytes that belong to a key and a seed: both, the length, and then chance from the seed.
pub(crate) fn bytes(number: u64, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed ^ number.rotate_left(32));
    let limit = random.pick(&[10, 1_000, 20_000, BYTES_MAX]);
    let length = random.next() % limit;
    let mut bytes = Vec::new();
    for field in [number, seed, length] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    while bytes.len() < HEAD_BYTES + usize::try_from(length).unwrap_or_default() {
        bytes.extend_from_slice(&random.next().to_le_bytes());
    }
    bytes
}

/// Whether these are all the bytes of some writing of a key.
pub(crate) fn is_right(number: u64, found: &[u8]) -> bool {
    let seed = found.get(8..16).and_then(|seed| seed.try_into().ok()).map(u64::from_le_bytes);
    seed.is_some_and(|seed| bytes(number, seed) == found)
}

/// What a look through all keys found.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Look {
    pub(crate) right: usize,
    pub(crate) absent: usize,
    pub(crate) wrong: usize,
}

impl Look {
    pub(crate) fn add(&mut self, other: Self) {
        self.right += other.right;
        self.absent += other.absent;
        self.wrong += other.wrong;
    }
}

/// Reads a key and says what it got.
pub(crate) fn look(cache: &Cache, number: u64) -> Look {
    match cache.read(Bucket::Metadata, &key(number)) {
        None => Look { absent: 1, ..Look::default() },
        Some(found) if is_right(number, &found) => Look { right: 1, ..Look::default() },
        Some(_) => Look { wrong: 1, ..Look::default() },
    }
}

/// Opens an artifact by its digest and says what is in it. The file may be evicted in between, if
/// this process sleeps for a minute.
pub(crate) fn look_at_artifact(cache: &Cache, number: u64, sha256: &str) -> Look {
    match cache.artifact(sha256).map(std::fs::read) {
        Some(Ok(found)) if is_right(number, &found) => Look { right: 1, ..Look::default() },
        Some(Ok(_)) => Look { wrong: 1, ..Look::default() },
        None | Some(Err(_)) => Look { absent: 1, ..Look::default() },
    }
}

/// The files in a folder of the cache.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(std::result::Result::ok);
    entries.map(|entry| entry.path()).collect()
}

/// Makes a file look as if it had not been used for a time; it may be gone by now.
pub(crate) fn age(file: &Path, by: Duration) {
    if let Ok(file) = std::fs::File::open(file) {
        let _ = file.set_modified(SystemTime::now() - by);
    }
}

/// A folder that is removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("docent-gate-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
