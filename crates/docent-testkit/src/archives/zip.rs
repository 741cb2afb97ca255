//! Writes zip archives in which every field can be made to lie.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// One entry: its data, and what its two records say of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name.
    pub name: Vec<u8>,
    /// The packed data.
    pub packed: Vec<u8>,
    /// What the directory says.
    pub central: Record,
    /// What the record before the data says.
    pub local: Record,
    /// External attributes: type and mode in the upper half.
    pub attributes: u32,
    /// Bytes after the data: a data descriptor, or something else.
    pub after: Vec<u8>,
    /// Where the directory says the entry is, if not where it is.
    pub offset: Option<u32>,
}

/// One record of an entry.
#[derive(Clone, Debug)]
pub struct Record {
    /// The name, if not the entry's.
    pub name: Option<Vec<u8>>,
    /// General purpose flags.
    pub flags: u16,
    /// The packing method.
    pub method: u16,
    /// The checksum.
    pub crc: u32,
    /// The packed size.
    pub packed: u32,
    /// The size.
    pub size: u32,
    /// Extra fields.
    pub extra: Vec<u8>,
}

impl Entry {
    /// An entry that is not packed.
    #[must_use]
    pub fn stored(name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) -> Self {
        let data = data.as_ref();
        Self::new(name.as_ref(), data.to_owned(), data, 0)
    }

    /// An entry packed with deflate.
    ///
    /// # Panics
    /// Never: memory takes all that is written to it.
    #[must_use]
    pub fn deflated(name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) -> Self {
        let data = data.as_ref();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).expect("memory takes everything");
        let packed = encoder.finish().expect("memory takes everything");
        Self::new(name.as_ref(), packed, data, 8)
    }

    fn new(name: &[u8], packed: Vec<u8>, data: &[u8], method: u16) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(data);
        let record = Record {
            name: None,
            flags: 1 << 11,
            method,
            crc: crc.sum(),
            packed: short(packed.len()),
            size: short(data.len()),
            extra: Vec::new(),
        };
        let mode = if name.ends_with(b"/") { 0o040_755 } else { 0o100_644 };
        Self {
            name: name.to_owned(),
            packed,
            central: record.clone(),
            local: record,
            attributes: mode << 16,
            after: Vec::new(),
            offset: None,
        }
    }

    /// The same with another type and mode.
    #[must_use]
    pub fn mode(self, mode: u32) -> Self {
        Self { attributes: mode << 16, ..self }
    }

    /// The same with a change to both records.
    #[must_use]
    pub fn both(mut self, change: impl Fn(&mut Record)) -> Self {
        change(&mut self.central);
        change(&mut self.local);
        self
    }

    /// The same with a change to the record before the data.
    #[must_use]
    pub fn local(mut self, change: impl Fn(&mut Record)) -> Self {
        change(&mut self.local);
        self
    }

    /// The same with a change to the record in the directory.
    #[must_use]
    pub fn central(mut self, change: impl Fn(&mut Record)) -> Self {
        change(&mut self.central);
        self
    }

    /// The same with its numbers after the data, as a program writes it that does not know them yet.
    #[must_use]
    pub fn with_descriptor(mut self) -> Self {
        let Record { crc, packed, size, .. } = self.central;
        self.after = numbers(&[0x0807_4B50, crc, packed, size]);
        self.central.flags |= 1 << 3;
        self.local = Record { crc: 0, packed: 0, size: 0, ..self.central.clone() };
        self
    }
}

/// An archive.
#[derive(Clone, Debug, Default)]
pub struct Zip {
    /// The entries, in order.
    pub entries: Vec<Entry>,
    /// Bytes before the first entry; the directory counts from the start of the file.
    pub prefix: Vec<u8>,
    /// Bytes between the entries and the directory.
    pub gap: Vec<u8>,
    /// Bytes between the directory and the end record.
    pub before_end: Vec<u8>,
    /// The comment.
    pub comment: Vec<u8>,
    /// Bytes after the end record.
    pub suffix: Vec<u8>,
    /// Changes to the end record, as place and bytes.
    pub end_patch: Vec<(usize, Vec<u8>)>,
    /// Puts ZIP64 end records before the end record, with these changes to the first of them.
    pub zip64: Option<Vec<(usize, Vec<u8>)>>,
}

impl Zip {
    /// An archive without lies.
    #[must_use]
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        Self { entries: entries.into_iter().collect(), ..Self::default() }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.prefix.clone();
        let mut directory = Vec::new();
        for entry in &self.entries {
            let at = entry.offset.unwrap_or(short(bytes.len()));
            let name = entry.local.name.as_ref().unwrap_or(&entry.name);
            bytes.extend(b"PK\x03\x04\x14\x00");
            write(&mut bytes, &entry.local, name);
            for part in [name, &entry.local.extra, &entry.packed, &entry.after] {
                bytes.extend(part);
            }
            let name = entry.central.name.as_ref().unwrap_or(&entry.name);
            directory.extend(b"PK\x01\x02\x14\x03\x14\x00");
            write(&mut directory, &entry.central, name);
            directory.extend([0; 6]);
            directory.extend(numbers(&[entry.attributes, at]));
            directory.extend(name);
            directory.extend(&entry.central.extra);
        }
        bytes.extend(&self.gap);
        let start = bytes.len();
        bytes.extend(&directory);
        if let Some(patch) = &self.zip64 {
            self.write_zip64(&mut bytes, start, patch);
        }
        bytes.extend(&self.before_end);
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        let count = u16::try_from(self.entries.len()).unwrap_or(u16::MAX).to_le_bytes();
        end.extend([count, count].concat());
        end.extend(numbers(&[short(directory.len()), short(start)]));
        end.extend(u16::try_from(self.comment.len()).unwrap_or(u16::MAX).to_le_bytes());
        patch(&mut end, &self.end_patch);
        bytes.extend([&end[..], &self.comment, &self.suffix].concat());
        bytes
    }

    fn write_zip64(&self, bytes: &mut Vec<u8>, start: usize, changes: &[(usize, Vec<u8>)]) {
        let at = bytes.len() as u64;
        let mut record = b"PK\x06\x06".to_vec();
        record.extend(44u64.to_le_bytes());
        record.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let count = self.entries.len() as u64;
        for number in [count, count, at - start as u64, start as u64] {
            record.extend(number.to_le_bytes());
        }
        patch(&mut record, changes);
        bytes.extend(record);
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend(at.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
    }
}

/// What both records have in common, from the flags to the lengths.
fn write(bytes: &mut Vec<u8>, record: &Record, name: &[u8]) {
    bytes.extend(record.flags.to_le_bytes());
    bytes.extend(record.method.to_le_bytes());
    bytes.extend([0, 0, 0x21, 0]);
    bytes.extend(numbers(&[record.crc, record.packed, record.size]));
    bytes.extend(u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(u16::try_from(record.extra.len()).unwrap_or(u16::MAX).to_le_bytes());
}

/// An extra field.
#[must_use]
pub fn extra(tag: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap_or(u16::MAX);
    [&tag.to_le_bytes()[..], &length.to_le_bytes(), data].concat()
}

/// 64-bit numbers, as the ZIP64 extra field has them.
#[must_use]
pub fn longs(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn patch(bytes: &mut [u8], changes: &[(usize, Vec<u8>)]) {
    for (at, change) in changes {
        bytes[*at..*at + change.len()].copy_from_slice(change);
    }
}

fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
