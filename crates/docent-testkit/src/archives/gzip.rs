//! Gzip members, and bombs.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

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

/// `head`, then `zeros` zero bytes, then `tail`, as one gzip member.
///
/// # Panics
/// Never: memory takes all that is written to it.
#[must_use]
pub fn bomb(head: &[u8], zeros: u64, tail: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(head).expect("memory takes everything");
    let chunk = vec![0; 1 << 20];
    let mut left = zeros;
    while left > 0 {
        let part = left.min(chunk.len() as u64);
        encoder.write_all(&chunk[..usize::try_from(part).unwrap_or(0)]).expect("memory takes all");
        left -= part;
    }
    encoder.write_all(tail).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}
