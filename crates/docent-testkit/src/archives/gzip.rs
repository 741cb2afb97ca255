//! Gzip members, and bombs.

use std::io::Write as _;

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress};

/// The bytes as one gzip member.
///
/// # Panics
/// Never: memory takes all that is written to it.
#[must_use]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// `head`, then `zeros` zero bytes, then `tail`, as one gzip member. Takes no longer than a small
/// one: the packed zeros are made once and repeated.
#[must_use]
pub fn bomb(head: &[u8], zeros: u64, tail: &[u8]) -> Vec<u8> {
    const CHUNK: u64 = 1 << 20;
    let chunk = vec![0; 1 << 20];
    let rest = vec![0; usize::try_from(zeros % CHUNK).unwrap_or(0)];
    let mut bytes = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF".to_vec();
    let mut crc = Crc::new();
    let mut add = |part: &[u8], times: u64| {
        let packed = deflate(part, FlushCompress::Full);
        let mut part_crc = Crc::new();
        part_crc.update(part);
        for _ in 0..times {
            bytes.extend(&packed);
            crc.combine(&part_crc);
        }
    };
    add(head, 1);
    add(&chunk, zeros / CHUNK);
    add(&rest, 1);
    add(tail, 1);
    bytes.extend(deflate(&[], FlushCompress::Finish));
    bytes.extend(crc.sum().to_le_bytes());
    bytes.extend(crc.amount().to_le_bytes());
    bytes
}

/// A piece of a deflate stream that does not depend on what is before it.
fn deflate(bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    let mut packed = Vec::with_capacity(bytes.len() + 1024);
    let _ = Compress::new(Compression::best(), false).compress_vec(bytes, &mut packed, flush);
    packed
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_bomb_is_a_good_member() {
        let bomb = bomb(b"head", (3 << 20) + 5, b"tail");
        let mut unpacked = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(&bomb[..]);
        decoder.read_to_end(&mut unpacked).expect("a good member");
        let expected = [&b"head"[..], &vec![0; (3 << 20) + 5], b"tail"].concat();
        assert!(unpacked == expected, "{} bytes", unpacked.len());
    }
}
