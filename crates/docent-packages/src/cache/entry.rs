//! The frame around an entry's bytes: what makes a damaged, foreign or swapped file show itself.
//!
//! ```text
//! magic 8 | format 4 | payload length 8 | name 32 | digest 32 | payload
//! ```
//!
//! The name is the SHA-256 of bucket and key, and also the file's name in hexadecimal: a file that
//! was moved to another entry's place does not match, and no key can reach outside its folder. The
//! digest covers everything else in the file. Numbers are little-endian.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use ring::digest::{Context, SHA256};

const MAGIC: &[u8; 8] = b"docent\x00\xC5";
const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 8 + 4 + 8 + 32 + 32;

/// The most that one entry may hold: what a reader is ready to keep in memory.
pub(super) const PAYLOAD_BYTES_MAX: u64 = 512 << 20;

pub(super) type Name = [u8; 32];

/// What reading an entry found.
#[derive(Debug)]
pub(super) enum Read {
    /// The bytes that were written, and the file they are in.
    Whole(Vec<u8>, File),
    /// No entry, or one that cannot be opened now.
    Absent,
    /// Something else than what was written.
    Damaged,
}

/// The name of an entry.
pub(super) fn name(bucket: &str, key: &str) -> Name {
    sha256(&[bucket.as_bytes(), b"\0", key.as_bytes()])
}

/// What comes before the payload in the file.
pub(super) fn header(name: &Name, payload: &[u8]) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    header.extend_from_slice(name);
    let digest = sha256(&[&header, payload]);
    header.extend_from_slice(&digest);
    header
}

pub(super) fn read(path: &Path, name: &Name) -> Read {
    let Ok(found) = std::fs::symlink_metadata(path) else { return Read::Absent };
    if !found.is_file() {
        return Read::Damaged;
    }
    let payload_bytes = found.len().checked_sub(HEADER_BYTES as u64);
    let Some(payload_bytes) = payload_bytes.filter(|&bytes| bytes <= PAYLOAD_BYTES_MAX) else {
        return Read::Damaged;
    };
    let Ok(mut file) = File::open(path) else { return Read::Absent };
    match read_open(&mut file, name, payload_bytes) {
        Ok(Some(payload)) => Read::Whole(payload, file),
        Ok(None) => Read::Damaged,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Read::Damaged,
        Err(_) => Read::Absent,
    }
}

fn read_open(file: &mut File, name: &Name, payload_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut found = [0; HEADER_BYTES];
    file.read_exact(&mut found)?;
    let mut payload = Vec::with_capacity(usize::try_from(payload_bytes).unwrap_or(0));
    // One more than expected, so that an entry that grew shows.
    file.take(PAYLOAD_BYTES_MAX + 1).read_to_end(&mut payload)?;
    let whole = found[..] == header(name, &payload)[..];
    Ok(whole.then_some(payload))
}

/// Some bytes of a payload, as far as they are there.
pub(super) fn read_part(path: &Path, start: u64, size: usize) -> Option<Vec<u8>> {
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    file.seek(io::SeekFrom::Start(start.checked_add(HEADER_BYTES as u64)?)).ok()?;
    let mut bytes = Vec::new();
    file.take(size as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(part);
    }
    let mut digest = [0; 32];
    digest.copy_from_slice(context.finish().as_ref());
    digest
}

/// The name that a file's name stands for.
pub(super) fn unhex(text: &str) -> Option<Name> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut name = Name::default();
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != name.len() || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in name.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(name)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
