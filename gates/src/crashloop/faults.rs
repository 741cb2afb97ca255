//! Disks on which one step fails, once or from some moment on.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use docent_packages::Limits;
use docent_packages::cache::{Bucket, Cache, Disk, LocalDisk};

use crate::Result;
use crate::cache::content::{self, Folder, KEYS, Look};
use crate::random::Random;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Full,
    ShortWrite,
    WriteError,
    Sync,
    Rename,
    SyncFolder,
    Remove,
}

const FAULTS: [Fault; 7] = [
    Fault::Full,
    Fault::ShortWrite,
    Fault::WriteError,
    Fault::Sync,
    Fault::Rename,
    Fault::SyncFolder,
    Fault::Remove,
];

/// Fails at one step, after it went well so often; once, or each time from then on.
struct Failing {
    fault: Fault,
    after: usize,
    once: bool,
    count: AtomicUsize,
}

impl Failing {
    fn fails(&self, steps: &[Fault]) -> bool {
        if !steps.contains(&self.fault) {
            return false;
        }
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        if self.once { count == self.after } else { count >= self.after }
    }
}

impl Disk for Failing {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        if !self.fails(&[Fault::Full, Fault::ShortWrite, Fault::WriteError]) {
            return LocalDisk.write(file, bytes);
        }
        match self.fault {
            Fault::Full => Err(io::ErrorKind::StorageFull.into()),
            Fault::ShortWrite => {
                LocalDisk.write(file, &bytes[..bytes.len() / 2])?;
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => Err(io::Error::other("input/output error")),
        }
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        let failed = self.fails(&[Fault::Sync]);
        if failed { Err(io::Error::other("lost")) } else { LocalDisk.sync(file) }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let failed = self.fails(&[Fault::Rename]);
        if failed { Err(io::ErrorKind::StorageFull.into()) } else { LocalDisk.rename(from, to) }
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let failed = self.fails(&[Fault::SyncFolder]);
        if failed { Err(io::Error::other("lost")) } else { LocalDisk.sync_folder(folder) }
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        let failed = self.fails(&[Fault::Remove]);
        if failed { Err(io::ErrorKind::PermissionDenied.into()) } else { LocalDisk.remove(file) }
    }
}

#[derive(Default)]
pub(super) struct Outcome {
    pub(super) runs: usize,
    pub(super) look: Look,
    pub(super) unrepaired: usize,
}

pub(super) fn run() -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for fault in FAULTS {
        for after in 0..8 {
            for once in [true, false] {
                outcome.runs += 1;
                let count = AtomicUsize::new(0);
                one(Failing { fault, after, once, count }, &mut outcome)?;
            }
        }
    }
    Ok(outcome)
}

fn one(disk: Failing, outcome: &mut Outcome) -> Result<()> {
    let folder = Folder::new("faults")?;
    let mut random = Random::new(disk.after as u64);
    let sound = Cache::open(folder.path(), &Limits::default())?;
    let mut limits = Limits::default();
    limits.cache_bytes_max = 100_000;
    let cache = Cache::open_on(Arc::new(disk), folder.path(), &limits)?;
    for turn in 0..24 {
        let (number, seed) = (turn % KEYS, random.next() % 1000);
        let bytes = content::bytes(number, seed);
        // A write that fails says so, and what is read is then what was there before.
        let before = sound.read(Bucket::Metadata, &content::key(number));
        let written = cache.write(Bucket::Metadata, &content::key(number), &bytes);
        let after = cache.read(Bucket::Metadata, &content::key(number));
        let expected = if written.is_ok() { Some(&bytes) } else { before.as_ref() };
        outcome.look.wrong += usize::from(after.as_ref() != expected);
        outcome.look.right += usize::from(after.is_some());
        if let Ok(sha256) = cache.write_artifact(&bytes) {
            let look = content::look_at_artifact(&cache, number, &sha256);
            outcome.look.add(look);
            outcome.look.wrong += look.absent;
        }
        cache.evict();
    }
    // With a sound disk everything works again, and nothing has to be removed by hand.
    for number in 0..KEYS {
        let bytes = content::bytes(number, 7);
        sound.write(Bucket::Metadata, &content::key(number), &bytes)?;
        outcome.unrepaired += usize::from(content::look(&sound, number).right != 1);
    }
    Ok(())
}
