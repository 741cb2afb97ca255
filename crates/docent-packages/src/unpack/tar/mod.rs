//! Reads a tar archive inside gzip into a listing.
//!
//! There are many tar formats, and their readers differ in what they do with contradictions. This
//! one knows ustar, PAX and GNU's long names, and refuses whatever would let another reader see
//! other files: that is why it does not use a library that tolerates them.

mod header;
mod pax;

use std::io::BufRead;

use self::header::{BLOCK, Header, Type};
use super::fault::Fault;
use super::gzip::Gzip;
use super::keep;
use super::listing::{Listing, Repeat};
use crate::Limits;
use crate::tree::Content;

/// Bytes of a header that extends another one: a path, and what else people put there.
const EXTENSION_BYTES_MAX: u64 = 1 << 20;

/// The files of an archive, or the path of an entry and what is wrong with it.
pub(super) fn read<'a, R: BufRead>(
    gzip: Gzip<R>,
    limits: &'a Limits,
) -> Result<Listing<'a>, (Option<String>, Fault)> {
    let listing = Listing::new(Repeat::Replaces, limits);
    let mut reader = Reader { gzip, listing, limits, at: None };
    match reader.all() {
        Ok(()) => Ok(reader.listing),
        Err(fault) => Err((reader.at, fault)),
    }
}

struct Reader<'a, R: BufRead> {
    gzip: Gzip<R>,
    listing: Listing<'a>,
    limits: &'a Limits,
    /// The entry being read, for errors.
    at: Option<String>,
}

/// What extension headers say about the next entry.
#[derive(Default)]
struct Extension {
    long_name: Option<Vec<u8>>,
    long_link: bool,
    pax: Option<pax::Pax>,
}

impl<R: BufRead> Reader<'_, R> {
    fn all(&mut self) -> Result<(), Fault> {
        let mut extension = Extension::default();
        while let Some(block) = self.block()? {
            if header::is_zero(&block) {
                if extension.long_name.is_some() || extension.long_link || extension.pax.is_some() {
                    return Err(Fault::Rule("its last header extends an entry that is not there"));
                }
                return self.end();
            }
            self.at = Some(header::shown_name(&block));
            let header = header::parse(&block)?;
            match header.kind {
                Type::File | Type::Folder | Type::Link => {
                    self.entry(&header, std::mem::take(&mut extension))?;
                }
                _ => self.extend(&header, &mut extension)?,
            }
        }
        // Without its end marker, an archive may be the first part of a longer one.
        Err(Fault::Truncated)
    }

    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, Fault> {
        let mut block = [0; BLOCK];
        match self.gzip.fill(&mut block)? {
            0 => Ok(None),
            BLOCK => Ok(Some(block)),
            _ => Err(Fault::Truncated),
        }
    }

    /// After the first zero block, nothing but zeros may follow: some readers stop at one, others
    /// look for two, and some go on after them.
    fn end(&mut self) -> Result<(), Fault> {
        self.at = None;
        let mut rest = [0; 16 * BLOCK];
        loop {
            let read = self.gzip.fill(&mut rest)?;
            if rest[..read].iter().any(|&byte| byte != 0) {
                return Err(Fault::Trailing);
            }
            if read < rest.len() {
                return Ok(());
            }
        }
    }

    /// Takes in a header that says something about the next one.
    fn extend(&mut self, header: &Header, extension: &mut Extension) -> Result<(), Fault> {
        self.listing.admit_extension()?;
        if header.size > EXTENSION_BYTES_MAX {
            return Err(Fault::Rule("a header that extends it is too long"));
        }
        let bytes = self.bytes(header.size)?;
        const TWO: Fault = Fault::Rule("two headers extend it in the same or in different ways");
        match header.kind {
            Type::Pax => {
                if extension.pax.is_some() || extension.long_name.is_some() || extension.long_link {
                    return Err(TWO);
                }
                extension.pax = Some(pax::parse(&bytes)?);
            }
            Type::PaxGlobal => {
                if extension.pax.is_some() || extension.long_name.is_some() || extension.long_link {
                    return Err(TWO);
                }
                pax::check_global(&bytes)?;
            }
            Type::LongName => {
                if extension.pax.is_some() || extension.long_name.is_some() {
                    return Err(TWO);
                }
                extension.long_name = Some(long_name(&bytes)?);
            }
            _ => {
                if extension.pax.is_some() || extension.long_link {
                    return Err(TWO);
                }
                long_name(&bytes)?;
                extension.long_link = true;
            }
        }
        Ok(())
    }

    fn entry(&mut self, header: &Header, extension: Extension) -> Result<(), Fault> {
        let pax = extension.pax.unwrap_or_default();
        let extended = pax.path.or(extension.long_name);
        let path = extended.as_deref().unwrap_or(&header.path);
        let readable = std::str::from_utf8(path).is_ok();
        let path = String::from_utf8_lossy(path).into_owned();
        self.at = Some(path.clone());
        if pax.size.is_some_and(|size| size != header.size) {
            return Err(Fault::Rule("its two headers disagree on its size"));
        }
        // Whether a slash at the end makes a folder of a file is a matter on which readers differ.
        if header.kind == Type::File && (header.slash || path.ends_with('/')) {
            return Err(Fault::Rule("it is a file, but its path ends with a slash"));
        }
        let path = self.listing.admit(&path)?;
        match header.kind {
            Type::Folder => self.listing.folder(path),
            Type::Link => self.listing.link(path),
            _ => {
                let content = self.content(&path, header.size, readable)?;
                self.listing.file(path, content)
            }
        }
    }

    fn content(&mut self, path: &str, size: u64, readable: bool) -> Result<Content, Fault> {
        if !readable || !keep::useful(path) {
            self.skip(size)?;
            return Ok(Content::Skipped);
        }
        if size > self.limits.file_bytes_max {
            self.skip(size)?;
            return Ok(Content::TooLarge(size));
        }
        self.bytes(size).map(Content::InMemory)
    }

    /// The next `size` bytes and the padding after them. Memory grows with what really comes.
    fn bytes(&mut self, size: u64) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        self.chunks(size, |chunk| bytes.extend_from_slice(chunk))?;
        bytes.shrink_to_fit();
        Ok(bytes)
    }

    fn skip(&mut self, size: u64) -> Result<(), Fault> {
        self.chunks(size, |_| {})
    }

    fn chunks(&mut self, size: u64, mut take: impl FnMut(&[u8])) -> Result<(), Fault> {
        const CHUNK: usize = 128 * BLOCK;
        let mut chunk = [0; CHUNK];
        let mut left = size;
        while left > 0 {
            let wanted = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
            let padded = wanted.next_multiple_of(BLOCK);
            if self.gzip.fill(&mut chunk[..padded])? < padded {
                return Err(Fault::Truncated);
            }
            take(&chunk[..wanted]);
            left -= wanted as u64;
        }
        Ok(())
    }
}

/// A name that GNU's extension headers carry, ended by NUL.
fn long_name(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (name, rest) = bytes.split_at(end);
    if name.is_empty() || rest.iter().any(|&byte| byte != 0) {
        return Err(Fault::Rule("a long name in GNU's format is empty or has two ends"));
    }
    Ok(name.to_owned())
}
