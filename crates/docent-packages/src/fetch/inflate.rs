//! Collects a body in memory, through gzip or as it is, and stops at a limit before it is passed,
//! with [`io::ErrorKind::FileTooLarge`].

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;

/// A body on its way in.
pub(super) enum Body {
    Plain(Bounded),
    Gzip(Box<MultiGzDecoder<Bounded>>),
}

/// Bytes up to a limit.
pub(super) struct Bounded {
    bytes: Vec<u8>,
    bytes_max: u64,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() as u64 + bytes.len() as u64 > self.bytes_max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Body {
    /// A body with this `Content-Encoding`.
    pub(super) fn new(encoding: &str, bytes_max: u64) -> io::Result<Self> {
        let bounded = Bounded { bytes: Vec::new(), bytes_max };
        match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Self::Plain(bounded)),
            "gzip" | "x-gzip" => Ok(Self::Gzip(Box::new(MultiGzDecoder::new(bounded)))),
            _ => Err(io::Error::other("an encoding that was not asked for")),
        }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(bounded) => bounded.write_all(bytes),
            Self::Gzip(decoder) => decoder.write_all(bytes),
        }
    }

    /// All bytes; an error if the compressed ones broke off.
    pub(super) fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Plain(bounded) => Ok(bounded.bytes),
            Self::Gzip(decoder) => decoder.finish().map(|bounded| bounded.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// The length of the body, or what went wrong: `full` or `broken`.
    fn check(encoding: &str, sent: &[u8], bytes_max: u64, expected: Result<usize, &str>) {
        let collect = || -> io::Result<Vec<u8>> {
            let mut body = Body::new(encoding, bytes_max)?;
            sent.chunks(7).try_for_each(|chunk| body.add(chunk))?;
            body.finish()
        };
        let outcome = collect().map(|bytes| bytes.len()).map_err(|error| {
            if error.kind() == io::ErrorKind::FileTooLarge { "full" } else { "broken" }
        });
        assert_eq!(outcome, expected, "{encoding} {} {bytes_max}", sent.len());
    }

    #[test]
    fn bodies_are_read_up_to_the_limit_and_no_further() {
        let zeros = vec![0; 1 << 20];
        let bomb = gzip(&zeros);
        check("", &[1; 10], 10, Ok(10));
        check("identity", &[1; 11], 10, Err("full"));
        check("gzip", &bomb, 1 << 20, Ok(1 << 20));
        check("GZIP", &bomb, (1 << 20) - 1, Err("full"));
        check("gzip", &[gzip(b"ab"), gzip(b"c")].concat(), 9, Ok(3));
        check("gzip", &bomb[..bomb.len() - 1], 1 << 20, Err("broken"));
        check("gzip", b"not gzip at all", 99, Err("broken"));
        check("gzip", b"", 99, Err("broken"));
        check("br", b"x", 99, Err("broken"));
    }
}
