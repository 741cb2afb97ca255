//! The cache under damage, failing disks, eviction and company.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use docent_testkit::folder::Folder;

use super::*;

const KEY: &str = "https://registry.example/left\napplication/json";

fn open(folder: &Folder) -> Cache {
    Cache::open(folder.path(), &Limits::default()).unwrap()
}

fn entry(cache: &Cache, key: &str) -> PathBuf {
    cache.locate(Bucket::Metadata, key).1
}

fn age(path: &Path, by: Duration) {
    File::open(path).unwrap().set_modified(SystemTime::now() - by).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_was_written_is_read() {
    let folder = Folder::new();
    let cache = open(&folder);
    let long = vec![7; 3 << 20];
    for (key, bytes) in [
        (KEY, &b"one"[..]),
        ("", b"empty key"),
        ("../../escape", b"up"),
        ("/etc/passwd", b"root"),
        ("CACHEDIR.TAG", b"tag"),
        ("nul\0nul", b"nul"),
        ("empty", b""),
        ("long", &long),
    ] {
        assert_eq!(cache.read(Bucket::Metadata, key), None, "{key}");
        cache.write(Bucket::Metadata, key, bytes).unwrap();
        assert_eq!(cache.read(Bucket::Metadata, key).as_deref(), Some(bytes), "{key}");
        // The same key elsewhere is another entry.
        assert_eq!(cache.read(Bucket::Extractions, key), None, "{key}");
    }
    cache.write(Bucket::Metadata, KEY, b"two").unwrap();
    assert_eq!(open(&folder).read(Bucket::Metadata, KEY).as_deref(), Some(&b"two"[..]));
    cache.remove(Bucket::Metadata, KEY);
    assert_eq!(cache.read(Bucket::Metadata, KEY), None);
    let expected = ["CACHEDIR.TAG", "eviction.lock", "metadata-v1", "temporary"];
    assert_eq!(names(folder.path()), expected);
    assert!(names(&folder.path().join("temporary")).is_empty());
}

/// Damage to one entry, which must then count as absent, and be replaceable.
fn damage(name: &str, harm: impl FnOnce(&Path)) {
    let folder = Folder::new();
    let cache = open(&folder);
    cache.write(Bucket::Metadata, KEY, b"the bytes that were written").unwrap();
    harm(&entry(&cache, KEY));
    assert_eq!(cache.read(Bucket::Metadata, KEY), None, "{name}");
    cache.write(Bucket::Metadata, KEY, b"new").unwrap();
    assert_eq!(cache.read(Bucket::Metadata, KEY).as_deref(), Some(&b"new"[..]), "{name}");
}

fn rewrite(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn damaged_entries_are_absent() {
    let whole = b"the bytes that were written".len() + 84;
    for at in 0..whole {
        damage(&format!("flip {at}"), |path| rewrite(path, |bytes| bytes[at] ^= 1));
        damage(&format!("cut {at}"), |path| rewrite(path, |bytes| bytes.truncate(at)));
    }
    damage("longer", |path| rewrite(path, |bytes| bytes.push(0)));
    damage("doubled", |path| rewrite(path, |bytes| bytes.extend_from_within(..)));
    damage("zeros", |path| rewrite(path, |bytes| bytes.fill(0)));
    damage("gone", |path| fs::remove_file(path).unwrap());
    damage("a folder", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        fs::write(path.join("inside"), "x").unwrap();
    });
    damage("huge", |path| {
        let file = File::options().write(true).open(path).unwrap();
        file.set_len(1 << 40).unwrap();
    });
    damage("another entry", |path| {
        let other = Folder::new();
        let cache = open(&other);
        cache.write(Bucket::Metadata, "other", b"something else").unwrap();
        fs::copy(entry(&cache, "other"), path).unwrap();
    });
    damage("the same key of another kind", |path| {
        let other = Folder::new();
        let cache = open(&other);
        cache.write(Bucket::Extractions, KEY, b"something else").unwrap();
        fs::copy(cache.locate(Bucket::Extractions, KEY).1, path).unwrap();
    });
}

#[cfg(unix)]
#[test]
fn links_are_neither_read_nor_followed() {
    let elsewhere = Folder::new();
    let canary = elsewhere.path().join("canary");
    damage("a link", |path| {
        fs::rename(path, &canary).unwrap();
        std::os::unix::fs::symlink(&canary, path).unwrap();
    });
    damage("a link to a folder", |path| {
        fs::remove_file(path).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), path).unwrap();
    });
    assert!(canary.exists());
}

#[cfg(unix)]
#[test]
fn only_the_user_can_look_inside() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let cache = open(&folder);
    cache.write(Bucket::Metadata, KEY, b"private").unwrap();
    let sha256 = cache.write_artifact(b"private").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (path, expected) in [
        (folder.path().join("metadata-v1"), 0o700),
        (folder.path().join("artifacts-v1"), 0o700),
        (folder.path().join("temporary"), 0o700),
        (entry(&cache, KEY), 0o600),
        (cache.artifact(&sha256).unwrap(), 0o600),
    ] {
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

/// A disk on which one step fails.
struct Broken(Step);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Full,
    Short,
    Sync,
    Rename,
    SyncFolder,
    Remove,
}

impl Disk for Broken {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        match self.0 {
            Step::Full => Err(io::ErrorKind::StorageFull.into()),
            Step::Short => {
                LocalDisk.write(file, &bytes[..bytes.len() / 2])?;
                Err(io::ErrorKind::WriteZero.into())
            }
            _ => LocalDisk.write(file, bytes),
        }
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        if self.0 == Step::Sync { Err(io::Error::other("lost")) } else { LocalDisk.sync(file) }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.0 == Step::Rename {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        LocalDisk.rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        if self.0 == Step::SyncFolder {
            return Err(io::Error::other("lost"));
        }
        LocalDisk.sync_folder(folder)
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        if self.0 == Step::Remove {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        LocalDisk.remove(file)
    }
}

#[test]
fn a_disk_that_fails_costs_the_write_and_nothing_else() {
    for (step, written) in [
        (Step::Full, false),
        (Step::Short, false),
        (Step::Sync, false),
        (Step::Rename, false),
        (Step::SyncFolder, true),
        (Step::Remove, true),
    ] {
        let folder = Folder::new();
        open(&folder).write(Bucket::Metadata, KEY, b"before").unwrap();
        let broken = Arc::new(Broken(step));
        let cache = Cache::open_on(broken, folder.path(), &Limits::default()).unwrap();
        let outcome = cache.write(Bucket::Metadata, KEY, b"after");
        let artifact = cache.write_artifact(b"bytes");
        assert_eq!((outcome.is_ok(), artifact.is_ok()), (written, written), "{step:?}");
        if let Err(error) = outcome {
            assert_eq!(error.kind(), ErrorKind::Io, "{step:?}");
        }
        let expected: &[u8] = if written { b"after" } else { b"before" };
        assert_eq!(cache.read(Bucket::Metadata, KEY).as_deref(), Some(expected), "{step:?}");
        assert!(names(&folder.path().join("temporary")).is_empty(), "{step:?}");
        // Once the disk works again, so does the cache.
        open(&folder).write(Bucket::Metadata, KEY, b"again").unwrap();
        assert_eq!(cache.read(Bucket::Metadata, KEY).as_deref(), Some(&b"again"[..]), "{step:?}");
    }
}

#[test]
fn a_full_disk_says_what_to_do() {
    let folder = Folder::new();
    let disk = Arc::new(Broken(Step::Full));
    let cache = Cache::open_on(disk, folder.path(), &Limits::default()).unwrap();
    let error = cache.write(Bucket::Metadata, KEY, b"x").unwrap_err();
    assert_eq!(error.to_string(), "writing to the cache failed: no storage space");
    assert_eq!(error.hints(), ["free some space, or put the cache into another folder"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_still_read() {
    let folder = Folder::new();
    open(&folder).write(Bucket::Metadata, KEY, b"before").unwrap();
    // A file in the way stands for a folder without rights, which would not stop a superuser.
    fs::remove_dir_all(folder.path().join("temporary")).unwrap();
    fs::write(folder.path().join("temporary"), "").unwrap();
    let cache = open(&folder);
    assert_eq!(cache.write(Bucket::Metadata, KEY, b"after").unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(cache.read(Bucket::Metadata, KEY).as_deref(), Some(&b"before"[..]));
    let inside_a_file = folder.path().join("temporary").join("cache");
    assert!(Cache::open(&inside_a_file, &Limits::default()).is_err());
}

#[test]
fn a_cache_that_was_cleared_while_open_goes_on() {
    let folder = Folder::new();
    let cache = open(&folder);
    cache.write(Bucket::Metadata, KEY, b"before").unwrap();
    let sha256 = cache.write_artifact(b"artifact").unwrap();
    fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(cache.read(Bucket::Metadata, KEY), None);
    assert_eq!(cache.artifact(&sha256), None);
    cache.write(Bucket::Metadata, KEY, b"after").unwrap();
    assert_eq!(cache.read(Bucket::Metadata, KEY).as_deref(), Some(&b"after"[..]));
    assert_eq!(cache.write_artifact(b"artifact").unwrap(), sha256);
}

#[test]
fn artifacts_are_checked_whenever_they_look_different() {
    let folder = Folder::new();
    let cache = open(&folder);
    let sha256 = cache.write_artifact(b"an archive").unwrap();
    let path = cache.artifact(&sha256).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"an archive");
    for harm in [
        (|path| fs::write(path, b"an archivE").unwrap()) as fn(&Path),
        |path| fs::write(path, b"").unwrap(),
        |path| fs::write(path, b"an archive and more").unwrap(),
        |path| File::options().write(true).open(path).unwrap().set_len(1 << 40).unwrap(),
        |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir_all(path.join("in")).unwrap();
        },
    ] {
        for old in [false, true] {
            cache.write_artifact(b"an archive").unwrap();
            if old {
                age(&path, Duration::from_secs(10));
            }
            assert_eq!(cache.artifact(&sha256).as_ref(), Some(&path));
            harm(&path);
            assert_eq!(cache.artifact(&sha256), None);
            assert!(!path.exists());
        }
    }
    for name in ["", "../x", "CACHEDIR.TAG", &sha256.to_uppercase(), &sha256[1..]] {
        assert_eq!(cache.artifact(name), None, "{name}");
    }
}

#[test]
fn use_is_noted_once_in_a_while() {
    let folder = Folder::new();
    let cache = open(&folder);
    cache.write(Bucket::Metadata, KEY, b"x").unwrap();
    let path = entry(&cache, KEY);
    let modified = || fs::metadata(&path).unwrap().modified().unwrap();
    for (minutes, noted) in [(5, false), (59, false), (61, true), (60 * 24, true)] {
        age(&path, Duration::from_secs(60 * minutes));
        let before = modified();
        cache.read(Bucket::Metadata, KEY).unwrap();
        assert_eq!(modified() != before, noted, "{minutes}");
    }
}

/// Entries of 1,000 bytes, each so many minutes old, in a cache of `quota` bytes: which are left.
fn evicted(quota: u64, minutes: &[u64]) -> Vec<u64> {
    let folder = Folder::new();
    let limits = Limits { cache_bytes_max: quota, ..Limits::default() };
    let roomy = open(&folder);
    for minutes in minutes {
        let key = minutes.to_string();
        roomy.write(Bucket::Metadata, &key, &[0; 1000 - 84]).unwrap();
        age(&entry(&roomy, &key), Duration::from_secs(60 * minutes));
    }
    let cache = Cache::open(folder.path(), &limits).unwrap();
    cache.evict();
    let left = minutes.iter().filter(|minutes| entry(&cache, &minutes.to_string()).exists());
    left.copied().collect()
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    for (quota, minutes, left) in [
        (10_000, &[9, 8, 7, 6][..], &[9, 8, 7, 6][..]),
        (4_000, &[9, 8, 7, 6], &[9, 8, 7, 6]),
        (3_999, &[9, 6, 8, 7], &[6, 8, 7]),
        (2_000, &[9, 6, 8, 7], &[6]),
        (0, &[9, 8, 7, 6], &[]),
        // What is younger than a minute stays, whatever the quota.
        (0, &[9, 0, 8], &[0]),
    ] {
        assert_eq!(evicted(quota, minutes), left, "{quota} {minutes:?}");
    }
}

#[test]
fn eviction_clears_what_is_left_over_and_nothing_that_is_not_its_own() {
    let folder = Folder::new();
    let limits = Limits { cache_bytes_max: 0, ..Limits::default() };
    let cache = Cache::open(folder.path(), &limits).unwrap();
    let day = Duration::from_secs(24 * 60 * 60);
    let file = |path: &str, old: Option<Duration>| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        if let Some(old) = old {
            age(&path, old);
        }
        path
    };
    let gone = [
        file("temporary/dead", Some(Duration::from_secs(3601))),
        file("metadata-v0/old-format", Some(day)),
        file("artifacts-v1/old", Some(day)),
        file("extractions-v12/newer-format", Some(day)),
    ];
    let future = file("metadata-v1/from-the-future", None);
    File::open(&future).unwrap().set_modified(SystemTime::now() + day).unwrap();
    let kept = [
        file("temporary/alive", Some(Duration::from_secs(3500))),
        file("notes.txt", Some(day)),
        file("metadata-vault/theirs", Some(day)),
        file("other/theirs", Some(day)),
        folder.path().join("CACHEDIR.TAG"),
    ];
    cache.evict();
    for path in gone.iter().chain([&future]) {
        assert!(!path.exists(), "{}", path.display());
    }
    for path in &kept {
        assert!(path.exists(), "{}", path.display());
    }
}

#[test]
fn only_one_process_evicts() {
    let folder = Folder::new();
    let limits = Limits { cache_bytes_max: 0, ..Limits::default() };
    let cache = Cache::open(folder.path(), &limits).unwrap();
    cache.write(Bucket::Metadata, KEY, b"x").unwrap();
    age(&entry(&cache, KEY), Duration::from_secs(600));
    let lock = File::create(folder.path().join("eviction.lock")).unwrap();
    lock.lock().unwrap();
    cache.evict();
    assert!(entry(&cache, KEY).exists());
    lock.unlock().unwrap();
    cache.evict();
    assert!(!entry(&cache, KEY).exists());
}

#[test]
fn an_open_entry_outlives_its_eviction() {
    let folder = Folder::new();
    let limits = Limits { cache_bytes_max: 0, ..Limits::default() };
    let cache = Cache::open(folder.path(), &limits).unwrap();
    let sha256 = cache.write_artifact(b"an archive").unwrap();
    let path = cache.artifact(&sha256).unwrap();
    let mut reader = File::open(&path).unwrap();
    age(&path, Duration::from_secs(600));
    // Handing it out makes it young again, so that its path stays good.
    assert!(cache.artifact(&sha256).is_some());
    cache.evict();
    assert!(path.exists());
    age(&path, Duration::from_secs(600));
    cache.evict();
    assert!(!path.exists());
    let mut read = String::new();
    io::Read::read_to_string(&mut reader, &mut read).unwrap();
    assert_eq!(read, "an archive");
}
