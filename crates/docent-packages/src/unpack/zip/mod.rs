//! Reads a zip archive into a listing.
//!
//! A zip archive says everything twice, and the readers of the world believe different copies. Here
//! the archive must be exactly its entries, one after another from the first byte, then the
//! directory, then the end record: no gaps, no overlaps, nothing before or after, and both copies
//! equal. That is why it does not use a library that goes by one of them.

mod bytes;
mod data;
mod end;
mod hash;
mod record;

use std::fs::File;

use self::bytes::Bytes;
use self::data::Archive;
pub(crate) use self::data::Packed;
use self::end::Directory;
use self::record::Entry;
use super::fault::Fault;
use super::keep;
use super::listing::{Listing, Repeat};
use crate::Limits;
use crate::tree::Content;

/// Bytes of a directory; far more than the entries that limits usually allow take.
const DIRECTORY_BYTES_MAX: u64 = 64 << 20;

/// The files of an archive, or the path of an entry and what is wrong with it.
/// With a hash, that of all files is checked, as Go computes it.
pub(super) fn read<'a>(
    file: File,
    length: u64,
    h1: Option<[u8; 32]>,
    limits: &'a Limits,
) -> Result<Listing<'a>, (Option<String>, Fault)> {
    let listing = Listing::new(Repeat::Refused, limits);
    let hashes = h1.is_some().then(Vec::new);
    let file = Archive::new(file);
    let mut reader = Reader { file, length, listing, limits, hashes, is_held: true, at: None };
    let read = reader.all().and_then(|()| hash::check(h1, reader.hashes.take()));
    match read {
        Ok(()) => Ok(reader.listing),
        Err(fault) => Err((reader.at, fault)),
    }
}

struct Reader<'a> {
    file: Archive,
    length: u64,
    listing: Listing<'a>,
    limits: &'a Limits,
    /// The name and hash of each file, if they are wanted.
    hashes: Option<Vec<(String, String)>>,
    /// Whether there is room in memory for all that is of use.
    is_held: bool,
    /// The entry being read, for errors.
    at: Option<String>,
}

impl Reader<'_> {
    fn all(&mut self) -> Result<(), Fault> {
        let tail = end::tail_length(self.length);
        let tail = self.file.range(self.length - tail, tail)?;
        let directory = end::find(&tail, self.length)?;
        let mut entries = self.directory(&directory)?;
        self.check_sizes(&entries)?;
        self.is_held = self.held_bytes(&entries) <= self.limits.held_bytes_max;
        // In the order of the file, so that each entry ends where the next begins.
        entries.sort_by_key(|entry| entry.at);
        let mut expected = 0;
        for (index, entry) in entries.iter().enumerate() {
            self.at = Some(String::from_utf8_lossy(&entry.name).into_owned());
            let next = entries.get(index + 1).map_or(directory.start, |entry| entry.at);
            let data = self.place(entry, expected, next)?;
            expected = next;
            self.entry(entry, data)?;
        }
        self.at = None;
        if expected == directory.start { Ok(()) } else { Err(GAP) }
    }

    fn directory(&mut self, directory: &Directory) -> Result<Vec<Entry>, Fault> {
        if directory.entries > self.limits.entries_max {
            return Err(Fault::Entries);
        }
        let length = directory.end - directory.start;
        if length > DIRECTORY_BYTES_MAX {
            return Err(Fault::Rule("its directory is too long"));
        }
        let bytes = self.file.range(directory.start, length)?;
        let mut bytes = Bytes::new(&bytes);
        let mut entries = Vec::new();
        while !bytes.is_empty() {
            entries.push(record::central(&mut bytes)?);
            if entries.len() as u64 > directory.entries {
                break;
            }
        }
        let complete = entries.len() as u64 == directory.entries;
        if complete { Ok(entries) } else { Err(Fault::Rule("its directory is damaged")) }
    }

    fn check_sizes(&self, entries: &[Entry]) -> Result<(), Fault> {
        let total = entries.iter().fold(0u64, |total, entry| total.saturating_add(entry.size));
        if total > self.limits.unpacked_bytes_max {
            return Err(Fault::UnpackedBytes);
        }
        let allowed = self.length.saturating_mul(self.limits.unpack_ratio_max);
        let allowed = allowed.saturating_add(self.limits.unpack_ratio_free_bytes);
        if total > allowed { Err(Fault::Ratio) } else { Ok(()) }
    }

    /// The bytes of all files that are of use, as far as the directory is right, which the data of
    /// each has to prove.
    fn held_bytes(&self, entries: &[Entry]) -> u64 {
        let is_kept = |entry: &&Entry| {
            entry.size <= self.limits.file_bytes_max && entry.path().is_ok_and(keep::useful)
        };
        entries.iter().filter(is_kept).fold(0, |sum: u64, entry| sum.saturating_add(entry.size))
    }

    /// Checks that an entry takes up everything from `expected` to `next`; where its data begins.
    fn place(&mut self, entry: &Entry, expected: u64, next: u64) -> Result<u64, Fault> {
        if entry.at != expected {
            return Err(GAP);
        }
        let room = next.checked_sub(entry.at).ok_or(GAP)?;
        const LONGEST: u64 = record::LOCAL + 2 * 0xFFFF;
        let record = self.file.range(entry.at, room.min(LONGEST))?;
        let data = entry.at + record::local(&record, entry)?;
        let end = data.checked_add(entry.packed).filter(|&end| end <= next).ok_or(GAP)?;
        if !entry.has_descriptor() {
            return if end == next { Ok(data) } else { Err(GAP) };
        }
        // A descriptor has 24 bytes at most.
        let descriptor = self.file.range(end, (next - end).min(25))?;
        let fits = record::is_descriptor(&descriptor, entry);
        if fits { Ok(data) } else { Err(Fault::Rule("its data descriptor is wrong")) }
    }

    fn entry(&mut self, entry: &Entry, data: u64) -> Result<(), Fault> {
        const ENCRYPTED_OR_PATCH: u16 = 1 | 1 << 5 | 1 << 6 | 1 << 13;
        if entry.flags & ENCRYPTED_OR_PATCH != 0 {
            return Err(Fault::Rule("it is encrypted or a patch"));
        }
        match entry.method {
            0 if entry.packed != entry.size => {
                return Err(Fault::Rule("it is not packed, but has two sizes"));
            }
            0 | 8 => {}
            _ => return Err(Fault::Rule("it is packed in a way that is not supported")),
        }
        let written = entry.path()?;
        let path = self.listing.admit(written)?;
        let slash = written.ends_with('/');
        match (entry.mode & 0o170_000, slash) {
            (0 | 0o040_000, true) if entry.size == 0 => self.listing.folder(path),
            (0 | 0o040_000, true) => Err(Fault::Rule("it is a folder, but has a size")),
            (0o120_000, false) => self.listing.link(path),
            (0 | 0o100_000, false) => {
                let (content, hash) = self.content(entry, &path, data)?;
                if let (Some(hashes), Some(hash)) = (&mut self.hashes, hash) {
                    hashes.push((written.to_owned(), hash));
                }
                self.listing.file(path, content)
            }
            (0o020_000 | 0o060_000, _) => Err(Fault::Rule("it is a device")),
            (0o010_000, _) => Err(Fault::Rule("it is a named pipe")),
            _ => Err(Fault::Rule("its type and its path contradict each other")),
        }
    }

    /// What is kept of a file, and its hash if that is wanted.
    fn content(
        &self,
        entry: &Entry,
        path: &str,
        data: u64,
    ) -> Result<(Content, Option<String>), Fault> {
        let packed = Packed {
            archive: self.file.clone(),
            at: data,
            packed: entry.packed,
            size: entry.size,
            crc: entry.crc,
            is_deflated: entry.method != 0,
        };
        let is_wanted = self.hashes.is_some();
        let left_out = match (keep::useful(path), entry.size > self.limits.file_bytes_max) {
            (false, _) => Some(Content::Skipped),
            (true, true) => Some(Content::TooLarge(entry.size)),
            (true, false) => None,
        };
        if let Some(content) = left_out {
            return Ok((content, if is_wanted { Some(packed.check()?) } else { None }));
        }
        if self.is_held {
            let bytes = packed.bytes()?;
            let hash = is_wanted.then(|| hash::of(&bytes));
            return Ok((Content::InMemory(bytes), hash));
        }
        // Checked as if it were kept, so that the size of an archive does not decide on that.
        let hash = packed.check()?;
        Ok((Content::Packed(packed), Some(hash)))
    }
}

const GAP: Fault = Fault::Rule("its entries overlap, or something lies between them");
