//! HTTP/2 written frame by frame, as RFC 9113 has it: headers stand as they are, neither indexed nor
//! compressed, so that no library tidies them up.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Result;

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const GOAWAY: u8 = 7;

pub(crate) const ACK: u8 = 1;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// One frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()[..]].concat();
    [head, payload.to_vec()].concat()
}

/// A block of headers.
pub(crate) fn block(headers: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(0);
        string(&mut block, name);
        string(&mut block, value);
    }
    block
}

/// A length with a prefix of seven bits, and the text as it is.
fn string(block: &mut Vec<u8>, text: &str) {
    match u8::try_from(text.len()) {
        Ok(length) if length < 127 => block.push(length),
        _ => {
            block.push(127);
            let mut rest = text.len() - 127;
            while rest >= 128 {
                block.push(0x80 | (rest & 0x7f) as u8);
                rest >>= 7;
            }
            block.push((rest & 0x7f) as u8);
        }
    }
    block.extend_from_slice(text.as_bytes());
}

/// The status in a block of headers of an answer, which the server may compress.
pub(crate) fn status(block: &[u8]) -> Option<u16> {
    // The block may begin with a new size for the table.
    let block = match block.first()? {
        0x3f => &block[block.iter().skip(1).position(|byte| byte & 0x80 == 0)? + 2..],
        size if size & 0xe0 == 0x20 => &block[1..],
        _ => block,
    };
    match *block.first()? {
        indexed @ 0x88..=0x8e => {
            Some([200, 204, 206, 304, 400, 404, 500][usize::from(indexed - 0x88)])
        }
        // The name is in the table, the value stands here.
        0x48 | 0x08 | 0x18 => {
            let length = *block.get(1)?;
            let value = block.get(2..2 + usize::from(length & 0x7f))?;
            match length & 0x80 {
                0 => std::str::from_utf8(value).ok()?.parse().ok(),
                _ => digits(value),
            }
        }
        _ => None,
    }
}

/// Digits as the code of RFC 7541 has them: 0 to 2 in five bits, the others in six.
fn digits(bytes: &[u8]) -> Option<u16> {
    let bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let number = |bits: &[u8]| bits.iter().fold(0_u16, |number, bit| number << 1 | u16::from(*bit));
    let (mut rest, mut value) = (&bits[..], 0);
    while rest.len() >= 5 {
        let (digit, length) = match number(&rest[..5]) {
            short @ 0..=2 => (short, 5),
            _ if rest.len() < 6 => break,
            _ => match number(&rest[..6]) {
                long @ 25..=31 => (long - 22, 6),
                _ => break,
            },
        };
        value = value * 10 + digit;
        rest = &rest[length..];
    }
    (value > 0).then_some(value)
}

/// A connection that has begun.
pub(crate) struct Framed {
    pub(crate) stream: TcpStream,
}

/// A frame that was read.
pub(crate) struct Read {
    pub(crate) kind: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

impl Framed {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        stream.write_all(&[PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()).await?;
        Ok(Framed { stream })
    }

    /// The next frame. Settings are acknowledged on the way.
    pub(crate) async fn read(&mut self) -> Result<Read> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).await?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]).try_into()?];
        self.stream.read_exact(&mut payload).await?;
        if kind == SETTINGS && flags & ACK == 0 {
            self.stream.write_all(&frame(SETTINGS, ACK, 0, &[])).await?;
        }
        Ok(Read { kind, stream: u32::from_be_bytes(stream) & 0x7fff_ffff, payload })
    }

    /// Sends one request on stream 1. Returns the status of the answer, or `None` if the stream or
    /// the connection was ended instead.
    pub(crate) async fn ask(
        &mut self,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Option<u16>> {
        let mut bytes = frame(HEADERS, END_HEADERS, 1, &block(headers));
        bytes.extend(frame(DATA, END_STREAM, 1, body));
        self.stream.write_all(&bytes).await?;
        loop {
            let Ok(read) = self.read().await else { return Ok(None) };
            match read.kind {
                HEADERS if read.stream == 1 => {
                    let status = status(&read.payload);
                    return Ok(Some(status.ok_or("a status that cannot be read")?));
                }
                RST_STREAM | GOAWAY => return Ok(None),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes as RFC 7541 gives them in its examples and its table.
    #[test]
    fn statuses_are_read() {
        for (block, expected) in [
            (&[0x88][..], Some(200)),
            (&[0x8c], Some(400)),
            (&[0x48, 0x82, 0x64, 0x02], Some(302)),
            (&[0x48, 0x03, b'4', b'1', b'5'], Some(415)),
            (&[0x3f, 0xe1, 0x1f, 0x8d], Some(404)),
            (&[0x20, 0x88], Some(200)),
            (&[0x40], None),
            (&[], None),
        ] {
            assert_eq!(status(block), expected, "{block:x?}");
        }
    }

    #[test]
    fn long_strings_have_long_lengths() {
        let mut block = Vec::new();
        string(&mut block, &"x".repeat(1337 + 127));
        assert_eq!(block[..4], [127, 0x80 | 0x39, 0x0a, b'x']);
    }
}
