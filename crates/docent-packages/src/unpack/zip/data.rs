//! The data of one entry: unpacked into memory, or unpacked once to be checked and again when it is
//! read.
//!
//! The second way is for archives with more in them than a worker may hold. Both check the same, so
//! that an archive is refused whichever way it is read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use ring::digest::{Context, SHA256};

use crate::cache::entry::hex;
use crate::unpack::fault::Fault;

/// An archive that several entries are read from.
#[derive(Clone, Debug)]
pub(super) struct Archive(Arc<Mutex<File>>);

impl Archive {
    pub(super) fn new(file: File) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    /// Bytes of the file; memory grows with what is really there.
    pub(super) fn range(&self, at: u64, length: u64) -> Result<Vec<u8>, Fault> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        (&mut *file).take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(Fault::Truncated) }
    }
}

/// Where the data of an entry is, and what it should be.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    pub(super) archive: Archive,
    pub(super) at: u64,
    pub(super) packed: u64,
    pub(super) size: u64,
    pub(super) crc: u32,
    pub(super) is_deflated: bool,
}

const DAMAGED: Fault = Fault::Rule("its packed data is damaged");
const FOLLOWED: Fault = Fault::Rule("something follows its packed data");

impl Packed {
    /// How large it is, unpacked.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// All of it.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Fault> {
        let packed = self.archive.range(self.at, self.packed)?;
        let bytes = if self.is_deflated { inflate(&packed, self.size)? } else { packed };
        let mut crc = Crc::new();
        crc.update(&bytes);
        self.fits(bytes.len() as u64, &crc)?;
        Ok(bytes)
    }

    /// Unpacks all of it and keeps nothing but its SHA-256, in hexadecimal.
    pub(super) fn check(&self) -> Result<String, Fault> {
        let packed = self.archive.range(self.at, self.packed)?;
        let (mut crc, mut hash, mut size) = (Crc::new(), Context::new(&SHA256), 0u64);
        let mut add = |bytes: &[u8]| {
            crc.update(bytes);
            hash.update(bytes);
            size += bytes.len() as u64;
        };
        if self.is_deflated {
            let mut decoder = DeflateDecoder::new(packed.as_slice());
            let mut unpacked = (&mut decoder).take(self.size + 1);
            let mut buffer = vec![0; 1 << 16];
            loop {
                match unpacked.read(&mut buffer).map_err(|_| DAMAGED)? {
                    0 => break,
                    length => add(&buffer[..length]),
                }
            }
            if decoder.total_in() != packed.len() as u64 && size == self.size {
                return Err(FOLLOWED);
            }
        } else {
            add(&packed);
        }
        self.fits(size, &crc)?;
        Ok(hex(hash.finish().as_ref()))
    }

    /// Its beginning: so many bytes, or all if there are fewer. Only the whole can be checked, which
    /// is done when the archive is opened.
    pub(crate) fn head(&self, bytes_max: u64) -> Result<Vec<u8>, Fault> {
        // Data that cannot be packed grows a little.
        let needed = if self.is_deflated { bytes_max.saturating_add(1 << 10) } else { bytes_max };
        let packed = self.archive.range(self.at, self.packed.min(needed))?;
        if !self.is_deflated {
            return Ok(packed);
        }
        let mut bytes = Vec::new();
        // Where it is cut it ends too early, and what comes before that is what is wanted.
        let _ = DeflateDecoder::new(packed.as_slice()).take(bytes_max).read_to_end(&mut bytes);
        Ok(bytes)
    }

    fn fits(&self, size: u64, crc: &Crc) -> Result<(), Fault> {
        if size != self.size {
            return Err(Fault::Rule("its size is not the one it states"));
        }
        if crc.sum() != self.crc {
            return Err(Fault::Rule("its checksum is wrong"));
        }
        Ok(())
    }
}

/// Unpacks all of `packed`, and at most one byte more than it should have.
fn inflate(packed: &[u8], size: u64) -> Result<Vec<u8>, Fault> {
    let mut decoder = DeflateDecoder::new(packed);
    let mut bytes = Vec::new();
    let read = (&mut decoder).take(size + 1).read_to_end(&mut bytes);
    read.map_err(|error| match Fault::from(error) {
        Fault::Io(_) => DAMAGED,
        fault => fault,
    })?;
    if decoder.total_in() != packed.len() as u64 && bytes.len() as u64 == size {
        return Err(FOLLOWED);
    }
    Ok(bytes)
}
