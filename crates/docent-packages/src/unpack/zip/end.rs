//! The end of a zip archive: where its directory is.
//!
//! The record is found from the back. If two places could be it, or anything lies between the
//! directory and the record, readers disagree, and the archive is refused.

use super::bytes::Bytes;
use crate::unpack::fault::Fault;

const RECORD: u64 = 22;
const COMMENT_MAX: u64 = 0xFFFF;
const LOCATOR: u64 = 20;
const RECORD_64: u64 = 56;

const MISFIT: Fault = Fault::Rule("its end record does not fit its directory");
const MISFIT_64: Fault = Fault::Rule("its ZIP64 end record does not fit its end record");

/// Where the directory is, and how many entries it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Directory {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) entries: u64,
}

/// How much of the file's end [`find`] must be given.
pub(super) fn tail_length(length: u64) -> u64 {
    length.min(RECORD + COMMENT_MAX + LOCATOR + RECORD_64)
}

/// Reads the end of a file of `length` bytes; `tail` is what [`tail_length`] says.
pub(super) fn find(tail: &[u8], length: u64) -> Result<Directory, Fault> {
    let before_tail = length - tail.len() as u64;
    let record_at = only_record(tail)?;
    let mut record = Bytes::at(tail, record_at);
    record.skip(4)?;
    let disks = (record.u16()?, record.u16()?);
    let (here, entries) = (record.u16()?, record.u16()?);
    let (size, start) = (record.u32()?, record.u32()?);
    if disks != (0, 0) || here != entries {
        return Err(Fault::Rule("it is one of several parts"));
    }
    let mut directory = Directory {
        start: u64::from(start),
        end: before_tail + record_at as u64,
        entries: u64::from(entries),
    };
    let mut stated_size = u64::from(size);
    if let Some(at) = record_at.checked_sub(LOCATOR as usize)
        && tail[at..].starts_with(b"PK\x06\x07")
    {
        let long = zip64(tail, at, before_tail)?;
        let fits = |short: u64, all_ones: u64, long: u64| short == all_ones || short == long;
        let agree = fits(directory.entries, 0xFFFF, long.directory.entries)
            && fits(stated_size, 0xFFFF_FFFF, long.size)
            && fits(directory.start, 0xFFFF_FFFF, long.directory.start);
        if !agree {
            return Err(MISFIT_64);
        }
        (directory, stated_size) = (long.directory, long.size);
    }
    if directory.start.checked_add(stated_size) != Some(directory.end) {
        return Err(MISFIT);
    }
    Ok(directory)
}

/// The place of the one record in the tail that is followed by its comment and nothing else.
fn only_record(tail: &[u8]) -> Result<usize, Fault> {
    const SIGNATURE: &[u8] = b"PK\x05\x06";
    let mut found = None;
    for at in memchr::memmem::find_iter(tail, SIGNATURE) {
        let Some(comment) = tail.get(at + 20..at + 22) else { continue };
        let comment = usize::from(u16::from_le_bytes([comment[0], comment[1]]));
        let to_the_end = at + 22 + comment == tail.len();
        match found {
            // What looks like a record inside a comment is taken for the record by some.
            Some(_) => return Err(Fault::Rule("it has two end records")),
            None if to_the_end => found = Some(at),
            None => {}
        }
    }
    found.ok_or(Fault::Rule("it has no end record, or something follows it"))
}

struct Long {
    directory: Directory,
    size: u64,
}

fn zip64(tail: &[u8], locator_at: usize, before_tail: u64) -> Result<Long, Fault> {
    let mut locator = Bytes::at(tail, locator_at);
    locator.skip(4)?;
    let (disk, record_at, disks) = (locator.u32()?, locator.u64()?, locator.u32()?);
    let at = locator_at.checked_sub(RECORD_64 as usize).ok_or(MISFIT_64)?;
    if disk != 0 || disks > 1 || record_at != before_tail + at as u64 {
        return Err(MISFIT_64);
    }
    let mut record = Bytes::at(tail, at);
    let (signature, length) = (record.u32()?, record.u64()?);
    record.skip(4)?;
    let disks = (record.u32()?, record.u32()?);
    let (here, entries) = (record.u64()?, record.u64()?);
    let (size, start) = (record.u64()?, record.u64()?);
    if signature != 0x0606_4B50 || length != RECORD_64 - 12 || disks != (0, 0) || here != entries {
        return Err(MISFIT_64);
    }
    Ok(Long { directory: Directory { start, end: record_at, entries }, size })
}
