//! What a child writes to its stderr: always read, so that the child never waits for us; the end of
//! it kept, for error messages.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// Who sees each line.
pub(super) type LineSink = Arc<dyn Fn(&str) + Send + Sync>;

const READ_BYTES: usize = 8 << 10;
/// A longer line is passed on in pieces.
const LINE_BYTES_MAX: usize = 8 << 10;
/// As much of the end as an error message can carry and a person will read.
const LAST_LINES: usize = 30;
const LAST_BYTES: usize = 4 << 10;

/// Reads until the end of input. Whatever happens here, reading goes on.
pub(super) async fn drain(
    mut source: impl AsyncRead + Unpin + Send + 'static,
    tail: Tail,
    sink: Option<LineSink>,
) {
    let mut buffer = vec![0; READ_BYTES];
    let mut lines = sink.map(Lines::new);
    while let Ok(read @ 1..) = source.read(&mut buffer).await {
        tail.push(&buffer[..read]);
        if let Some(lines) = &mut lines {
            lines.push(&buffer[..read]);
        }
    }
    if let Some(lines) = &mut lines {
        lines.finish();
    }
}

/// The last bytes that were written, shared between who reads and who explains.
#[derive(Clone)]
pub(super) struct Tail(Arc<Mutex<Ring>>);

impl Tail {
    pub(super) fn new(bytes_max: usize) -> Self {
        Tail(Arc::new(Mutex::new(Ring { bytes: VecDeque::new(), bytes_max })))
    }

    fn push(&self, bytes: &[u8]) {
        self.lock().push(bytes);
    }

    /// The last lines as text that is safe to print, or nothing.
    pub(super) fn last_lines(&self) -> String {
        let bytes = self.lock().last(LAST_BYTES);
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<String> = text.trim_end().lines().map(printable).collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the last `bytes_max` bytes.
struct Ring {
    bytes: VecDeque<u8>,
    bytes_max: usize,
}

impl Ring {
    fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.bytes_max)..];
        let excess = (self.bytes.len() + bytes.len()).saturating_sub(self.bytes_max);
        self.bytes.drain(..excess);
        self.bytes.extend(bytes);
    }

    /// The last bytes, from the start of a character on.
    fn last(&self, bytes_max: usize) -> Vec<u8> {
        let start = self.bytes.len().saturating_sub(bytes_max);
        let is_continuation = |byte: &&u8| **byte & 0xc0 == 0x80;
        self.bytes.range(start..).skip_while(is_continuation).copied().collect()
    }
}

/// A line without escape sequences and other control characters: what a child writes must not drive
/// the terminal of whoever reads the error.
fn printable(line: &str) -> String {
    let mut characters = line.chars();
    let mut text = String::with_capacity(line.len());
    while let Some(character) = characters.next() {
        match character {
            // Mostly a color: `ESC [`, parameters, and a letter.
            '\u{1b}' if characters.as_str().starts_with('[') => {
                characters.next();
                characters.find(|next| ('@'..='~').contains(next));
            }
            '\t' => text.push(' '),
            _ if character.is_control() => {}
            _ => text.push(character),
        }
    }
    text
}

/// Cuts a stream into lines for a function of the caller's.
struct Lines {
    /// Gone after a panic.
    sink: Option<LineSink>,
    line: Vec<u8>,
}

impl Lines {
    fn new(sink: LineSink) -> Self {
        Lines { sink: Some(sink), line: Vec::new() }
    }

    fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            for piece in piece.chunks(LINE_BYTES_MAX) {
                if self.line.len() + piece.len() > LINE_BYTES_MAX {
                    self.emit();
                }
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.line.pop();
                if self.line.ends_with(b"\r") {
                    self.line.pop();
                }
                self.emit();
            }
        }
    }

    fn finish(&mut self) {
        if !self.line.is_empty() {
            self.emit();
        }
    }

    fn emit(&mut self) {
        if let Some(sink) = &self.sink {
            let line = String::from_utf8_lossy(&self.line);
            if catch_unwind(AssertUnwindSafe(|| sink(&line))).is_err() {
                self.sink = None;
            }
        }
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(bytes_max: usize, written: &[&[u8]]) -> Tail {
        let tail = Tail::new(bytes_max);
        written.iter().for_each(|bytes| tail.push(bytes));
        tail
    }

    #[test]
    fn the_ring_holds_its_limit_and_one_more_byte_pushes_out_the_first() {
        for (written, kept) in [
            (&[&b"12345678"[..]][..], "12345678"),
            (&[b"123456789"], "23456789"),
            (&[b"12345678", b"9"], "23456789"),
            (&[b"1234", b"56789"], "23456789"),
            (&[b"1", b"abcdefgh-1234567"], "-1234567"),
        ] {
            assert_eq!(tail(8, written).last_lines(), kept);
        }
        assert_eq!(tail(0, &[b"1"]).last_lines(), "");
    }

    #[test]
    fn what_is_kept_is_text() {
        assert_eq!(tail(3, &["aäb".as_bytes()]).last_lines(), "äb");
        assert_eq!(tail(2, &["aäb".as_bytes()]).last_lines(), "b");
        assert_eq!(tail(9, &[b"\xff ok\n\n"]).last_lines(), "\u{fffd} ok");
    }

    #[test]
    fn escape_sequences_do_not_reach_error_messages() {
        let colored = b"\x1b[1;31merror\x1b[0m: no\ttoken\x07\r\n\x1b[2K\x1b]0;title\n";
        assert_eq!(tail(99, &[colored]).last_lines(), "error: no token\n]0;title");
    }

    #[test]
    fn only_the_last_lines_are_told() {
        let lines: Vec<u8> = (1..=100).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        let told = tail(9999, &[&lines]).last_lines();
        assert_eq!((told.lines().count(), told.lines().next()), (LAST_LINES, Some("71")));
    }

    fn lines(written: &[&[u8]]) -> Vec<String> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let mut lines =
            Lines::new(Arc::new(move |line| sink.lock().unwrap().push(line.to_owned())));
        written.iter().for_each(|bytes| lines.push(bytes));
        lines.finish();
        seen.lock().unwrap().clone()
    }

    #[test]
    fn lines_are_passed_on_however_they_arrive() {
        assert_eq!(lines(&[b"a\nb", b"c\r", b"\n\nd"]), ["a", "bc", "", "d"]);
    }

    #[test]
    fn a_line_at_the_limit_is_whole_and_one_past_it_is_not() {
        let long = |size: usize| [vec![b'x'; size - 1], vec![b'\n']].concat();
        let sizes = |size| lines(&[&long(size)]).iter().map(String::len).collect::<Vec<_>>();
        assert_eq!(sizes(LINE_BYTES_MAX), [LINE_BYTES_MAX - 1]);
        assert_eq!(sizes(LINE_BYTES_MAX + 1), [LINE_BYTES_MAX, 0]);
    }

    #[test]
    fn a_panic_of_the_listener_does_not_stop_the_reading() {
        let mut lines = Lines::new(Arc::new(|_| panic!("the listener of this test panics")));
        lines.push(b"1\n2\n");
        assert!(lines.sink.is_none());
    }
}
