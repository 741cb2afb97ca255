//! Reads a gzip file through limits, to its very end.
//!
//! Feeds [`super::tar`]. Members may follow each other, as `pigz` writes them, and zeros may follow
//! the last one; anything else after a member is refused, because other programs stop there or fail
//! there, each in its own way. Checksums and lengths in the trailers are verified.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::fault::Fault;
use crate::Limits;

/// Unpacked bytes of a gzip file, no more of them than the limits allow.
pub(crate) struct Gzip<R: BufRead> {
    /// `None` after the end.
    member: Option<GzDecoder<R>>,
    left: Allowance,
}

/// How many more bytes may come out.
struct Allowance {
    total: u64,
    ratio: u64,
}

impl Allowance {
    fn new(packed: u64, limits: &Limits) -> Self {
        let ratio = packed.saturating_mul(limits.unpack_ratio_max);
        let ratio = ratio.saturating_add(limits.unpack_ratio_free_bytes);
        Self { total: limits.unpacked_bytes_max, ratio }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Fault> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.total = self.total.checked_sub(bytes).ok_or(Fault::UnpackedBytes)?;
        self.ratio = self.ratio.checked_sub(bytes).ok_or(Fault::Ratio)?;
        Ok(())
    }
}

impl<R: BufRead> Gzip<R> {
    /// Reads `file`, which is `packed` bytes long.
    pub(crate) fn new(file: R, packed: u64, limits: &Limits) -> Self {
        Self { member: Some(GzDecoder::new(file)), left: Allowance::new(packed, limits) }
    }

    /// Fills `buffer` as far as there are bytes; less than all of it only at the end.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.some(&mut buffer[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        Ok(filled)
    }

    fn some(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer).map_err(damaged)?;
            if read > 0 {
                self.left.take(read)?;
                return Ok(read);
            }
            self.next_member()?;
        }
        Ok(0)
    }

    /// Goes on after the end of a member.
    fn next_member(&mut self) -> Result<(), Fault> {
        let Some(member) = self.member.take() else { return Ok(()) };
        let mut file = member.into_inner();
        let rest = file.fill_buf().map_err(damaged)?;
        match rest.first() {
            None => {}
            Some(0) => only_zeros(&mut file)?,
            Some(0x1F) => self.member = Some(GzDecoder::new(file)),
            Some(_) => return Err(Fault::Trailing),
        }
        Ok(())
    }
}

fn only_zeros(file: &mut impl BufRead) -> Result<(), Fault> {
    loop {
        let rest = file.fill_buf().map_err(damaged)?;
        let length = rest.len();
        if length == 0 {
            return Ok(());
        }
        if rest.iter().any(|&byte| byte != 0) {
            return Err(Fault::Trailing);
        }
        file.consume(length);
    }
}

fn damaged(error: io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Fault::Truncated,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => Fault::Gzip,
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("writes to memory");
        encoder.finish().expect("writes to memory")
    }

    fn unpack(file: &[u8], limits: &Limits) -> Result<usize, Fault> {
        let mut gzip = Gzip::new(file, file.len() as u64, limits);
        let mut total = 0;
        let mut buffer = [0; 700];
        loop {
            match gzip.fill(&mut buffer)? {
                0 => return Ok(total),
                read => total += read,
            }
        }
    }

    #[test]
    fn members_are_joined_and_what_follows_them_is_looked_at() {
        let limits = Limits::default();
        let one = packed(b"hello");
        let check = |file: Vec<u8>, expected| assert_eq!(unpack(&file, &limits), expected);
        check(one.clone(), Ok(5));
        check([&one[..], &one[..]].concat(), Ok(10));
        check([&one[..], &[0; 600][..]].concat(), Ok(5));
        check([&one[..], b"x"].concat(), Err(Fault::Trailing));
        check([&one[..], &[0, 0, 1][..]].concat(), Err(Fault::Trailing));
        check([&one[..], &one[..7]].concat(), Err(Fault::Truncated));
        check(one[..one.len() - 1].to_vec(), Err(Fault::Truncated));
        check(Vec::new(), Err(Fault::Truncated));
        check(b"PK\x03\x04 no gzip".to_vec(), Err(Fault::Gzip));
        let mut wrong = one;
        let at = wrong.len() - 8;
        wrong[at] ^= 1;
        check(wrong, Err(Fault::Gzip));
    }

    #[test]
    fn limits_hold_at_the_last_byte() {
        let file = packed(&vec![b'a'; 100_000]);
        let check = |total: u64, free: u64, ratio: u64, expected| {
            let limits = Limits {
                unpacked_bytes_max: total,
                unpack_ratio_free_bytes: free,
                unpack_ratio_max: ratio,
                ..Limits::default()
            };
            assert_eq!(unpack(&file, &limits), expected, "{total} {free} {ratio}");
        };
        check(100_000, 100_000, 0, Ok(100_000));
        check(99_999, 100_000, 0, Err(Fault::UnpackedBytes));
        check(100_000, 99_999, 0, Err(Fault::Ratio));
        let packed = file.len() as u64;
        check(100_000, 100_000 - packed * 3, 3, Ok(100_000));
        check(100_000, 100_000 - packed * 3 - 1, 3, Err(Fault::Ratio));
    }
}
