//! The two records that each entry of a zip archive has: one in the directory, one before its data.
//!
//! They must say the same. Where they differ, a reader that goes by the directory and one that
//! reads from the front see different archives.

use super::bytes::Bytes;
use crate::unpack::fault::Fault;

/// Bytes of a local record before its name.
pub(super) const LOCAL: u64 = 30;

const ALL_ONES: u64 = 0xFFFF_FFFF;
const MISMATCH: Fault = Fault::Rule("its two records in the archive disagree");
const BAD_64: Fault = Fault::Rule("its ZIP64 sizes contradict its records");

/// An entry as the directory has it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    /// Where its local record is.
    pub(super) at: u64,
    /// The type and mode that Unix gives files; 0 if there is none.
    pub(super) mode: u32,
}

impl Entry {
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & 1 << 3 != 0
    }

    /// The name as text.
    pub(super) fn path(&self) -> Result<&str, Fault> {
        let utf8 = self.flags & 1 << 11 != 0;
        if !utf8 && !self.name.is_ascii() {
            return Err(Fault::Rule("its path has no known encoding"));
        }
        std::str::from_utf8(&self.name).map_err(|_| Fault::Rule("its path is not UTF-8"))
    }
}

/// Takes the next entry off the directory.
pub(super) fn central(directory: &mut Bytes<'_>) -> Result<Entry, Fault> {
    if directory.u32()? != 0x0201_4B50 {
        return Err(Fault::Rule("its directory is damaged"));
    }
    directory.skip(4)?;
    let (flags, method) = (directory.u16()?, directory.u16()?);
    directory.skip(4)?;
    let crc = directory.u32()?;
    let (packed, size) = (u64::from(directory.u32()?), u64::from(directory.u32()?));
    let (name, extra, comment) = (directory.u16()?, directory.u16()?, directory.u16()?);
    let disk = directory.u16()?;
    directory.skip(2)?;
    let (attributes, at) = (directory.u32()?, u64::from(directory.u32()?));
    let name = directory.take(usize::from(name))?.to_owned();
    let extra = directory.take(usize::from(extra))?;
    directory.skip(usize::from(comment))?;
    let mut entry = Entry { name, flags, method, crc, packed, size, at, mode: attributes >> 16 };
    let mut long = [&mut entry.size, &mut entry.packed, &mut entry.at];
    extend(&mut long, long_sizes(extra, &entry.name)?)?;
    if disk != 0 {
        return Err(Fault::Rule("it is one of several parts"));
    }
    Ok(entry)
}

/// Checks a local record against the directory, and gives the length of the whole record.
pub(super) fn local(record: &[u8], entry: &Entry) -> Result<u64, Fault> {
    let mut fields = Bytes::new(record);
    if fields.u32()? != 0x0403_4B50 {
        return Err(Fault::Rule("its local record is not where its directory says"));
    }
    fields.skip(2)?;
    let (flags, method) = (fields.u16()?, fields.u16()?);
    fields.skip(4)?;
    let crc = fields.u32()?;
    let (mut packed, mut size) = (u64::from(fields.u32()?), u64::from(fields.u32()?));
    let (name, extra) = (usize::from(fields.u16()?), usize::from(fields.u16()?));
    let (name, extra) = (fields.take(name)?, fields.take(extra)?);
    extend(&mut [&mut size, &mut packed], long_sizes(extra, &entry.name)?)?;
    // Two bits only tell how hard the packer tried.
    const TELLING: u16 = !0b110;
    if name != entry.name || flags & TELLING != entry.flags & TELLING || method != entry.method {
        return Err(MISMATCH);
    }
    let same = (crc, packed, size) == (entry.crc, entry.packed, entry.size);
    // With a descriptor, the numbers follow the data, and here are zeros.
    let later = entry.has_descriptor()
        && (crc == 0 || crc == entry.crc)
        && (packed == 0 || packed == entry.packed)
        && (size == 0 || size == entry.size);
    if same || later { Ok((record.len() - fields.left()) as u64) } else { Err(MISMATCH) }
}

/// Whether `bytes`, which lie between an entry's data and the next record, are its descriptor.
pub(super) fn is_descriptor(bytes: &[u8], entry: &Entry) -> bool {
    let bytes = match bytes.len() {
        16 | 24 => bytes.strip_prefix(b"PK\x07\x08"),
        12 | 20 => Some(bytes),
        _ => None,
    };
    let numbers = bytes.and_then(|bytes| {
        let mut fields = Bytes::new(bytes);
        let crc = fields.u32().ok()?;
        let mut size = || match bytes.len() {
            12 => fields.u32().ok().map(u64::from),
            _ => fields.u64().ok(),
        };
        Some((crc, size()?, size()?))
    });
    numbers == Some((entry.crc, entry.packed, entry.size))
}

/// The ZIP64 field among the extra fields; refuses one that gives the entry another name.
fn long_sizes<'a>(extra: &'a [u8], name: &[u8]) -> Result<Option<&'a [u8]>, Fault> {
    let mut fields = Bytes::new(extra);
    let mut found = None;
    while fields.left() >= 4 {
        let (tag, length) = (fields.u16()?, fields.u16()?);
        let field = fields.take(usize::from(length));
        let field = field.map_err(|_| Fault::Rule("its extra fields are damaged"))?;
        match tag {
            1 if found.is_some() => return Err(BAD_64),
            1 => found = Some(field),
            0x7075 if field.get(5..) != Some(name) => {
                return Err(Fault::Rule("an extra field gives it another path"));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Puts the values of a ZIP64 field in the place of those that are all ones. The field may also
/// repeat all of them, and must not say anything else.
fn extend(values: &mut [&mut u64], field: Option<&[u8]>) -> Result<(), Fault> {
    let Some(field) = field else {
        return if values.iter().any(|value| **value == ALL_ONES) { Err(BAD_64) } else { Ok(()) };
    };
    let short = values.iter().filter(|value| ***value == ALL_ONES).count();
    let repeats = field.len() != short * 8;
    let mut numbers = Bytes::new(field);
    for value in values {
        if **value == ALL_ONES {
            **value = numbers.u64().map_err(|_| BAD_64)?;
        } else if repeats && !numbers.is_empty() && numbers.u64().ok() != Some(**value) {
            return Err(BAD_64);
        }
    }
    if numbers.is_empty() { Ok(()) } else { Err(BAD_64) }
}
