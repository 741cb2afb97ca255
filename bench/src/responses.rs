//! Responses as bytes: lines cut out of the stream, the id of each noted.
//!
//! The usual beginning of a response is compared, not parsed; only a line that begins otherwise
//! is read as JSON. This keeps the generator cheaper than the cheapest server.

use std::io::Read;

use serde_json::Value;

use crate::Result;
use crate::requests::FIRST_ID;

/// Lines of a server's output.
pub(crate) struct Responses<R> {
    from: R,
    /// `buffer[start..end]` has been read and not yet taken.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Responses<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, buffer: vec![0; 64 * 1024], start: 0, end: 0 }
    }

    /// Waits for output, marks the responses in it as seen, `most` of them at most, and returns how
    /// many there were: at least one, or zero at the end of the output.
    pub(crate) fn receive(&mut self, seen: &mut Seen, most: usize) -> Result<usize> {
        let mut count = 0;
        let mut scanned = 0;
        loop {
            while count < most
                && let Some(length) =
                    memchr::memchr(b'\n', &self.buffer[self.start + scanned..self.end])
            {
                let line = &self.buffer[self.start..self.start + scanned + length];
                if let Some(id) = response_id(line)? {
                    seen.mark(id)?;
                    count += 1;
                }
                self.start += scanned + length + 1;
                scanned = 0;
            }
            if count > 0 {
                return Ok(count);
            }
            scanned = self.end - self.start;
            if self.fill()? == 0 {
                return Ok(0);
            }
        }
    }

    /// The next line, without its newline; for the few that are looked at closely.
    pub(crate) fn line(&mut self) -> Result<Vec<u8>> {
        let mut scanned = 0;
        loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(length) = memchr::memchr(b'\n', &unread[scanned..]) {
                let line = unread[..scanned + length].to_vec();
                self.start += line.len() + 1;
                return Ok(line);
            }
            scanned = unread.len();
            if self.fill()? == 0 {
                return Err("the server closed its output".into());
            }
        }
    }

    fn fill(&mut self) -> Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let count = self.from.read(&mut self.buffer[self.end..])?;
        self.end += count;
        Ok(count)
    }
}

/// The id of a successful response; nothing for what a server may send besides.
fn response_id(line: &[u8]) -> Result<Option<u32>> {
    if let Some(rest) = line.strip_prefix(br#"{"jsonrpc":"2.0","id":"#)
        && let Some((digits, rest)) = rest.split_at_checked(8)
        && rest.starts_with(br#","result":{"#)
        && digits.iter().all(u8::is_ascii_digit)
    {
        return Ok(Some(digits.iter().fold(0, |id, digit| id * 10 + u32::from(digit - b'0'))));
    }
    let message: Value = serde_json::from_slice(line).map_err(|e| {
        format!("not JSON ({e}): {}", String::from_utf8_lossy(&line[..line.len().min(200)]))
    })?;
    if message.get("method").is_some() {
        return Ok(None);
    }
    match message["id"].as_u64() {
        Some(id) if message["result"].is_object() => Ok(Some(id.try_into()?)),
        _ => Err(format!("not a result: {message}").into()),
    }
}

/// Which calls have been answered.
#[derive(Default)]
pub(crate) struct Seen {
    bits: Vec<u64>,
    pub(crate) distinct: usize,
    pub(crate) duplicates: usize,
}

impl Seen {
    fn mark(&mut self, id: u32) -> Result<()> {
        let index = id.checked_sub(FIRST_ID).ok_or_else(|| format!("unknown id {id}"))? as usize;
        let (word, bit) = (index / 64, 1 << (index % 64));
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        if self.bits[word] & bit == 0 {
            self.bits[word] |= bit;
            self.distinct += 1;
        } else {
            self.duplicates += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte slice per read, as a pipe may.
    struct Pieces<'a>(Vec<&'a str>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            self.0.remove(0).as_bytes().read(buffer)
        }
    }

    fn check(pieces: &[&str], distinct: usize, duplicates: usize) {
        let mut responses = Responses::new(Pieces(pieces.to_vec()));
        let mut seen = Seen::default();
        while responses.receive(&mut seen, 1).unwrap() > 0 {}
        assert_eq!((seen.distinct, seen.duplicates), (distinct, duplicates), "{pieces:?}");
    }

    #[test]
    fn responses_are_counted_however_they_are_cut_and_ordered() {
        let usual = "{\"jsonrpc\":\"2.0\",\"id\":10000007,\"result\":{}}\n";
        let other = "{\"result\":{},\"id\":10000008,\"jsonrpc\":\"2.0\"}\n";
        let notification = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n";
        check(&[usual, other], 2, 0);
        check(&[&usual[..9], &usual[9..], usual], 1, 1);
        check(&[&format!("{usual}{notification}{}", &other[..5]), &other[5..]], 2, 0);
    }

    #[test]
    fn errors_and_noise_are_refused() {
        for line in [
            "{\"jsonrpc\":\"2.0\",\"id\":10000007,\"error\":{\"code\":-32603}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n",
            "listening\n",
        ] {
            let mut responses = Responses::new(line.as_bytes());
            assert!(responses.receive(&mut Seen::default(), 9).is_err(), "{line}");
        }
    }
}
