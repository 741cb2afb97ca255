//! What parent and child say to each other: frames of a kind, a length and that many bytes.
//!
//! The child is not trusted: every frame has a limit, and whatever is in it is only decoded.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::Job;

/// What the child is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) job: Job,
    /// Files to leave out, as `name:path`.
    pub(super) skip: Vec<String>,
}

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// To the child: a [`Request`].
    Request = 1,
    /// The child has given up its rights: a [`super::Confinement`].
    Ready = 2,
    /// The child is about to open a package: nothing.
    Opening = 3,
    /// The child is about to parse a file: `name:path`.
    Reading = 4,
    /// An extraction.
    Done = 5,
    /// An [`crate::Error`].
    Failed = 6,
    /// The child could use another package, and waits: a [`crate::Wanted`].
    Asking = 7,
    /// To the child: the [`super::Source`] it asked for, or nothing.
    Answer = 8,
    /// To the child, in place of a request: code that is to be parsed.
    Code = 9,
    /// What code uses.
    Uses = 10,
}

const KINDS: &[Kind] = &[
    Kind::Request,
    Kind::Ready,
    Kind::Opening,
    Kind::Reading,
    Kind::Done,
    Kind::Failed,
    Kind::Asking,
    Kind::Answer,
    Kind::Code,
    Kind::Uses,
];

/// Bytes of a request or an answer: the longest lists of files have a few.
const REQUEST_BYTES_MAX: u64 = 128 << 20;

/// Bytes of all other frames but extractions.
const SMALL_BYTES_MAX: u64 = 64 << 10;

impl Kind {
    fn bytes_max(self, extraction: u64) -> u64 {
        match self {
            Self::Request | Self::Answer | Self::Code => REQUEST_BYTES_MAX,
            Self::Done | Self::Uses => extraction,
            _ => SMALL_BYTES_MAX,
        }
    }
}

/// A frame that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// There is no more, or not all of it.
    End,
    /// It is longer than it may be.
    TooLong,
    /// It makes no sense.
    Nonsense,
}

pub(super) fn encode(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    postcard::to_allocvec(value).map_err(|_| Fault::Nonsense)
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    postcard::from_bytes(bytes).map_err(|_| Fault::Nonsense)
}

/// The frame as bytes.
pub(super) fn header(kind: Kind, length: usize) -> Result<[u8; 5], Fault> {
    let length = u32::try_from(length).map_err(|_| Fault::TooLong)?.to_le_bytes();
    Ok([kind as u8, length[0], length[1], length[2], length[3]])
}

pub(super) fn write(to: &mut impl Write, kind: Kind, bytes: &[u8]) -> io::Result<()> {
    let header = header(kind, bytes.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    to.write_all(&header)?;
    to.write_all(bytes)?;
    to.flush()
}

/// How long a value is as it is encoded.
pub(super) fn size(value: &impl Serialize) -> Result<usize, Fault> {
    let flavor = postcard::ser_flavors::Size::default();
    postcard::serialize_with_flavor(value, flavor).map_err(|_| Fault::Nonsense)
}

/// Writes a frame whose size is known while it is encoded.
pub(super) fn write_value(
    to: &mut impl Write,
    kind: Kind,
    size: usize,
    value: &impl Serialize,
) -> io::Result<()> {
    let header = header(kind, size).map_err(|_| io::ErrorKind::InvalidInput)?;
    to.write_all(&header)?;
    let mut buffer = io::BufWriter::with_capacity(1 << 16, to);
    postcard::to_io(value, &mut buffer).map_err(|_| io::ErrorKind::InvalidData)?;
    buffer.flush()
}

/// What a header announces, if that is allowed.
fn announced(header: [u8; 5], extraction_bytes_max: u64) -> Result<(Kind, u64), Fault> {
    let [kind, length @ ..] = header;
    let kind = KINDS.iter().copied().find(|known| *known as u8 == kind).ok_or(Fault::Nonsense)?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > kind.bytes_max(extraction_bytes_max) {
        Err(Fault::TooLong)
    } else {
        Ok((kind, length))
    }
}

/// Reads a frame of the parent.
pub(super) fn read(from: &mut impl Read) -> Result<(Kind, Vec<u8>), Fault> {
    let mut header = [0; 5];
    from.read_exact(&mut header).map_err(|_| Fault::End)?;
    let (kind, length) = announced(header, 0)?;
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes).map_err(|_| Fault::End)?;
    if bytes.len() as u64 == length { Ok((kind, bytes)) } else { Err(Fault::End) }
}

/// Reads a frame of the child; memory grows with what really comes.
pub(super) async fn receive(
    from: &mut (impl AsyncRead + Unpin),
    extraction_bytes_max: u64,
) -> Result<(Kind, Vec<u8>), Fault> {
    let mut header = [0; 5];
    from.read_exact(&mut header).await.map_err(|_| Fault::End)?;
    let (kind, length) = announced(header, extraction_bytes_max)?;
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes).await.map_err(|_| Fault::End)?;
    if bytes.len() as u64 == length { Ok((kind, bytes)) } else { Err(Fault::End) }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(mut bytes: &[u8], expected: Result<(Kind, &[u8]), Fault>) {
        let expected = expected.map(|(kind, bytes)| (kind, bytes.to_owned()));
        assert_eq!(receive(&mut bytes, 3).await, expected);
    }

    #[tokio::test]
    async fn frames_are_bounded_by_kind() {
        check(b"\x04\x02\0\0\0ab", Ok((Kind::Reading, b"ab"))).await;
        check(b"\x03\0\0\0\0more", Ok((Kind::Opening, b""))).await;
        check(b"\x05\x03\0\0\0abc", Ok((Kind::Done, b"abc"))).await;
        check(b"\x05\x04\0\0\0abcd", Err(Fault::TooLong)).await;
        check(b"\x04\x01\0\x01\0", Err(Fault::TooLong)).await;
        check(b"\x05\xFF\xFF\xFF\xFF", Err(Fault::TooLong)).await;
        check(b"\x0B\0\0\0\0", Err(Fault::Nonsense)).await;
        check(b"usage: program", Err(Fault::Nonsense)).await;
        check(b"\x05\x03\0\0\0ab", Err(Fault::End)).await;
        check(b"\x05\x03", Err(Fault::End)).await;
        check(b"", Err(Fault::End)).await;
    }

    #[test]
    fn a_frame_that_is_written_can_be_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, Kind::Failed, b"why").expect("memory takes everything");
        assert_eq!(read(&mut &bytes[..]), Ok((Kind::Failed, b"why".to_vec())));
        let value = vec!["a".repeat(100_000), "b".to_owned()];
        let mut bytes = Vec::new();
        let size = size(&value).expect("text can be encoded");
        write_value(&mut bytes, Kind::Failed, size, &value).expect("memory takes everything");
        let encoded = encode(&value).expect("text can be encoded");
        assert_eq!(bytes[5..], encoded);
        assert_eq!(bytes[..5], header(Kind::Failed, encoded.len()).expect("it is short"));
    }
}
