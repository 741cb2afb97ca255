//! Entries and artifacts on disk, harmed in every way: none may be served, and the cache must take
//! a new one in the same place.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use docent_packages::Limits;
use docent_packages::cache::{Bucket, Cache};

use super::content::{self, Folder, Look};
use crate::Result;

type Harm = fn(&Path, &Path) -> std::io::Result<()>;

/// Each is given the file to harm, and another of its kind.
const HARMS: &[(&str, Harm)] = &[
    ("flip the first bit", |file, _| change(file, |bytes| bytes[0] ^= 1)),
    ("flip a bit of the format", |file, _| change(file, |bytes| bytes[8] ^= 2)),
    ("flip a bit of the length", |file, _| change(file, |bytes| bytes[12] ^= 4)),
    ("flip a bit of the name", |file, _| change(file, |bytes| bytes[20] ^= 8)),
    ("flip a bit of the digest", |file, _| change(file, |bytes| bytes[60] ^= 16)),
    ("flip the first bit inside", |file, _| change(file, |bytes| bytes[84] ^= 32)),
    ("flip a bit in the middle", |file, _| change(file, |bytes| flip(bytes, 2))),
    ("flip the last bit", |file, _| change(file, |bytes| flip(bytes, 1))),
    ("another format", |file, _| change(file, |bytes| bytes[8] = 2)),
    ("swap two bytes", |file, _| change(file, |bytes| bytes.swap(90, 91))),
    ("turn it around", |file, _| change(file, |bytes| bytes.reverse())),
    ("empty it", |file, _| change(file, Vec::clear)),
    ("cut to one byte", |file, _| change(file, |bytes| bytes.truncate(1))),
    ("cut in the head", |file, _| change(file, |bytes| bytes.truncate(50))),
    ("cut after the head", |file, _| change(file, |bytes| bytes.truncate(84))),
    ("cut in half", |file, _| change(file, |bytes| bytes.truncate(bytes.len() / 2))),
    ("cut the last byte", |file, _| change(file, |bytes| bytes.truncate(bytes.len() - 1))),
    ("add a byte", |file, _| change(file, |bytes| bytes.push(0))),
    ("add a page", |file, _| change(file, |bytes| bytes.resize(bytes.len() + 4096, 0))),
    ("write it twice", |file, _| change(file, |bytes| bytes.extend_from_within(..))),
    ("put a byte in front", |file, _| change(file, |bytes| bytes.insert(0, b'd'))),
    ("drop the first byte", |file, _| change(file, |bytes| *bytes = bytes.split_off(1))),
    ("zeros", |file, _| change(file, |bytes| bytes.fill(0))),
    ("zeros from the middle on", |file, _| {
        change(file, |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle..].fill(0);
        })
    }),
    ("ones", |file, _| change(file, |bytes| bytes.fill(0xFF))),
    ("text", |file, _| fs::write(file, "not found")),
    ("huge and hollow", |file, _| File::options().write(true).open(file)?.set_len(1 << 40)),
    ("another entry", |file, other| fs::copy(other, file).map(drop)),
    ("two swapped", |file, other| {
        let aside = file.with_extension("aside");
        fs::rename(file, &aside)?;
        fs::rename(other, file)?;
        fs::rename(aside, other)
    }),
    ("the head of one, the rest of another", |file, other| {
        let other = fs::read(other)?;
        change(file, |bytes| {
            bytes.truncate(84);
            bytes.extend_from_slice(other.get(84..).unwrap_or_default());
        })
    }),
    ("remove it", |file, _| fs::remove_file(file)),
    ("an empty folder", |file, _| fs::remove_file(file).and_then(|()| fs::create_dir(file))),
    ("a folder with a file", |file, _| {
        fs::remove_file(file)?;
        fs::create_dir(file)?;
        fs::write(file.join("inside"), "x")
    }),
    #[cfg(unix)]
    ("a link to another", |file, other| {
        fs::remove_file(file)?;
        std::os::unix::fs::symlink(other, file)
    }),
    #[cfg(unix)]
    ("a link to nothing", |file, _| {
        fs::remove_file(file)?;
        std::os::unix::fs::symlink("nowhere", file)
    }),
    #[cfg(unix)]
    ("a link to a folder", |file, _| {
        fs::remove_file(file)?;
        std::os::unix::fs::symlink("/", file)
    }),
    #[cfg(unix)]
    ("a hard link to another", |file, other| {
        fs::remove_file(file)?;
        fs::hard_link(other, file)
    }),
];

fn change(file: &Path, how: impl FnOnce(&mut Vec<u8>)) -> std::io::Result<()> {
    let mut bytes = fs::read(file)?;
    how(&mut bytes);
    fs::write(file, bytes)
}

/// Flips a bit at a part of the whole, counted from the end.
fn flip(bytes: &mut [u8], part: usize) {
    let at = bytes.len() - bytes.len() / part.max(1);
    let at = if part == 1 { bytes.len() - 1 } else { at };
    bytes[at] ^= 64;
}

/// What came of all harms.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) harms: usize,
    pub(super) wrong: usize,
    pub(super) unrepaired: usize,
}

pub(super) fn run() -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for (name, harm) in HARMS {
        // With the cache open meanwhile, and with one that is opened afterwards.
        for reopen in [false, true] {
            for artifact in [false, true] {
                let (look, repaired) = one(*harm, reopen, artifact)?;
                outcome.harms += 1;
                outcome.wrong += look.wrong;
                outcome.unrepaired += usize::from(!repaired);
                if look.wrong > 0 || !repaired {
                    println!("{name}, reopened {reopen}, artifact {artifact}: {look:?} {repaired}");
                }
            }
        }
    }
    let gone = permissions()?;
    outcome.harms += 1;
    outcome.wrong += gone.wrong;
    Ok(outcome)
}

fn one(harm: Harm, reopen: bool, artifact: bool) -> Result<(Look, bool)> {
    let folder = Folder::new("damage")?;
    let open = || Cache::open(folder.path(), &Limits::default());
    let mut cache = open()?;
    // Seeds whose entries are long enough to harm anywhere.
    let seeds = [long_seed(0), long_seed(1)];
    let mut digests = Vec::new();
    for (number, seed) in (0..).zip(seeds) {
        cache.write(Bucket::Metadata, &content::key(number), &content::bytes(number, seed))?;
        digests.push(cache.write_artifact(&content::bytes(number, seed))?);
        // So that both have been used, and are remembered as good.
        content::look(&cache, number);
        content::look_at_artifact(&cache, number, &digests[digests.len() - 1]);
    }
    let paths = if artifact {
        digests.iter().map(|digest| folder.path().join("artifacts-v1").join(digest)).collect()
    } else {
        entries_of(&folder, &seeds)?
    };
    harm(&paths[0], &paths[1])?;
    if reopen {
        cache = open()?;
    }
    let mut look = Look::default();
    for (number, digest) in (0..).zip(&digests) {
        look.add(content::look(&cache, number));
        look.add(content::look_at_artifact(&cache, number, digest));
    }
    // Whatever it was, a new one can be written and read.
    let mut repaired = true;
    for (number, seed) in (0..).zip(seeds) {
        cache.write(Bucket::Metadata, &content::key(number), &content::bytes(number, seed))?;
        let digest = cache.write_artifact(&content::bytes(number, seed))?;
        repaired &= content::look(&cache, number).right == 1;
        repaired &= content::look_at_artifact(&cache, number, &digest).right == 1;
    }
    Ok((look, repaired))
}

/// The files of the first two entries, found by what is in them.
fn entries_of(folder: &Folder, seeds: &[u64; 2]) -> Result<Vec<PathBuf>> {
    let files = content::files(&folder.path().join("metadata-v1"));
    let mut paths = Vec::new();
    for (number, seed) in (0..).zip(seeds) {
        let bytes = content::bytes(number, *seed);
        let ours = files.iter().find(|file| fs::read(file).is_ok_and(|all| all.ends_with(&bytes)));
        paths.push(ours.ok_or("an entry has no file")?.clone());
    }
    Ok(paths)
}

fn long_seed(number: u64) -> u64 {
    let mut seeds = 1..;
    seeds.find(|seed| content::bytes(number, *seed).len() > 500).unwrap_or_default()
}

/// A file that nobody may read. A superuser may all the same, and then gets what was written.
fn permissions() -> Result<Look> {
    let folder = Folder::new("permissions")?;
    let cache = Cache::open(folder.path(), &Limits::default())?;
    cache.write(Bucket::Metadata, &content::key(0), &content::bytes(0, 1))?;
    for file in content::files(&folder.path().join("metadata-v1")) {
        let mut permissions = fs::metadata(&file)?.permissions();
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0);
        #[cfg(not(unix))]
        permissions.set_readonly(true);
        fs::set_permissions(&file, permissions)?;
    }
    let mut look = content::look(&cache, 0);
    cache.write(Bucket::Metadata, &content::key(0), &content::bytes(0, 2))?;
    look.add(content::look(&cache, 0));
    Ok(look)
}
