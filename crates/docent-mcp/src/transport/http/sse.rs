//! Server-sent events, as both Streamable HTTP and HTTP+SSE carry messages.
//!
//! [`Decoder`] takes a response body in pieces of any size and gives the events in it. Only what
//! the format says ends a line does: CR, LF or both, and no other character, whatever Unicode thinks
//! of it. An event that is too long is skipped without being held; its id is still looked for, so
//! that whoever waits for it can be told.

use std::time::Duration;

use bytes::Bytes;

use crate::jsonrpc::{MessageId, Salvage};

/// Longest line that is not data: names of events, ids, comments.
const FIELD_BYTES_MAX: usize = 8 << 10;
/// A buffer that grew beyond this for one large event is given back afterwards.
const KEEP_BYTES: usize = 64 << 10;

/// One event.
#[derive(Debug, PartialEq)]
pub(crate) struct Event {
    /// Its name; `None` stands for `message`.
    pub(crate) name: Option<String>,
    /// The id to resume from, when the event has one of its own. Empty means that there is none
    /// any more.
    pub(crate) id: Option<String>,
    /// How long the server wants to be left alone before the stream is opened again.
    pub(crate) retry: Option<Duration>,
    pub(crate) data: Data,
}

impl Event {
    /// Whether it carries a message of the protocol.
    pub(crate) fn is_message(&self) -> bool {
        self.name.as_deref().is_none_or(|name| name == "message")
    }
}

/// What an event says.
#[derive(Debug, PartialEq)]
pub(crate) enum Data {
    /// The lines of its data; empty for an event that has only an id or a pause.
    Text(Bytes),
    /// More than may be held, with the id of the message if it could be read.
    Oversize(Option<MessageId>),
}

/// Turns bytes into events.
pub(crate) struct Decoder {
    bytes_max: usize,
    line: Vec<u8>,
    /// The line is longer than it may be; what follows of it goes nowhere, or to `oversize`.
    skipping: bool,
    /// The last byte was a CR: an LF that follows belongs to it.
    after_cr: bool,
    /// No line was complete so far: a byte order mark may come.
    first_line: bool,
    data: Vec<u8>,
    has_data: bool,
    oversize: Option<Salvage>,
    name: Option<String>,
    id: Option<String>,
    retry: Option<Duration>,
}

impl Decoder {
    /// A decoder that holds at most `bytes_max` bytes of data for one event.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Decoder {
            bytes_max,
            line: Vec::new(),
            skipping: false,
            after_cr: false,
            first_line: true,
            data: Vec::new(),
            has_data: false,
            oversize: None,
            name: None,
            id: None,
            retry: None,
        }
    }

    /// Takes the next piece and appends the events that it completes.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\r', b'\n', bytes) else {
                return self.extend_line(bytes);
            };
            self.extend_line(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            self.end_line(events);
        }
    }

    fn extend_line(&mut self, bytes: &[u8]) {
        if self.skipping {
            if let Some(salvage) = &mut self.oversize {
                salvage.feed(bytes);
            }
            return;
        }
        self.line.extend_from_slice(bytes);
        let is_data =
            self.line.starts_with(b"data:") || self.line.starts_with(b"\xef\xbb\xbfdata:");
        let room = if is_data { self.bytes_max.saturating_add(16) } else { FIELD_BYTES_MAX };
        if self.line.len() > room {
            self.skipping = true;
            let line = std::mem::take(&mut self.line);
            if is_data {
                let start = line.iter().position(|byte| *byte == b':').map_or(0, |at| at + 1);
                self.overflow(&line[start..]);
            }
        }
    }

    /// The event is too long: from here on only its id is looked for.
    fn overflow(&mut self, more: &[u8]) {
        let data = std::mem::take(&mut self.data);
        let salvage = self.oversize.get_or_insert_default();
        salvage.feed(&data);
        salvage.feed(more);
        self.has_data = true;
    }

    fn end_line(&mut self, events: &mut Vec<Event>) {
        let mut line = std::mem::take(&mut self.line);
        let first = std::mem::replace(&mut self.first_line, false);
        if std::mem::take(&mut self.skipping) {
            return;
        }
        let text = match line.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if first => rest,
            _ => &line[..],
        };
        if text.is_empty() {
            events.extend(self.dispatch());
        } else {
            self.field(text);
        }
        line.clear();
        if line.capacity() <= KEEP_BYTES {
            self.line = line;
        }
    }

    fn field(&mut self, line: &[u8]) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" if self.oversize.is_some() => self.overflow(value),
            b"data" if self.data.len() + value.len() + 1 > self.bytes_max.saturating_add(1) => {
                self.overflow(value);
            }
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => self.name = Some(String::from_utf8_lossy(value).into_owned()),
            // An id with a NUL in it is no id, says the format.
            b"id" if !value.contains(&0) => {
                self.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry = Some(Duration::from_millis(millis.unwrap_or(u64::MAX)));
            }
            _ => {}
        }
    }

    /// The event that an empty line ends. One without any field is none.
    fn dispatch(&mut self) -> Option<Event> {
        let (name, id, retry) = (self.name.take(), self.id.take(), self.retry.take());
        let has_data = std::mem::take(&mut self.has_data);
        if !has_data && id.is_none() && retry.is_none() {
            return None;
        }
        let data = match self.oversize.take() {
            Some(salvage) => Data::Oversize(salvage.finish()),
            None => Data::Text(std::mem::take(&mut self.data).into()),
        };
        Some(Event { name, id, retry, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(pieces: &[&[u8]]) -> Vec<Event> {
        let mut decoder = Decoder::new(1000);
        let mut events = Vec::new();
        for piece in pieces {
            decoder.feed(piece, &mut events);
        }
        events
    }

    fn texts(events: &[Event]) -> Vec<String> {
        let text = |event: &Event| match &event.data {
            Data::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
            Data::Oversize(id) => format!("oversize {id:?}"),
        };
        events.iter().map(text).collect()
    }

    #[test]
    fn streams_and_their_events() {
        for (stream, expected) in [
            ("data: a\n\n", vec!["a"]),
            ("data:a\n\n", vec!["a"]),
            ("data:  a\n\n", vec![" a"]),
            ("data: a\r\n\r\n", vec!["a"]),
            ("data: a\r\rdata: b\r\r", vec!["a", "b"]),
            ("data: a\ndata: b\n\n", vec!["a\nb"]),
            ("data\n\n", vec![""]),
            (": comment\n\n", vec![]),
            (":\n\n\n\n", vec![]),
            ("event: message\n\n", vec![]),
            ("data: never ended\n", vec![]),
            ("\u{feff}data: a\n\n", vec!["a"]),
            (
                "data: a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\n\n",
                vec!["a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f"],
            ),
            ("other: x\ndata: a\nDATA: b\n\n", vec!["a"]),
            ("id: 1\ndata: \n\n", vec![""]),
            ("retry: 5\n\n", vec![""]),
        ] {
            assert_eq!(texts(&decode(&[stream.as_bytes()])), expected, "{stream:?}");
        }
    }

    #[test]
    fn fields_of_an_event() {
        let events = decode(&[b"id: 7\nevent: endpoint\nretry: 250\ndata: x\n\nid\ndata: y\n\nid: a\0b\nretry: 2x\ndata: z\n\n"]);
        assert_eq!(events[0].id.as_deref(), Some("7"));
        assert_eq!(events[0].name.as_deref(), Some("endpoint"));
        assert!(!events[0].is_message());
        assert_eq!(events[0].retry, Some(Duration::from_millis(250)));
        assert_eq!(events[1].id.as_deref(), Some(""));
        assert!(events[1].is_message());
        assert_eq!((events[2].id.as_deref(), events[2].retry), (None, None));
    }

    /// Row 29: every character arrives as it was sent, wherever the pieces are cut.
    #[test]
    fn row_29_all_unicode_at_every_chunk_boundary() {
        let mut expected = Vec::new();
        let mut stream = Vec::new();
        let all: Vec<char> = ('\0'..=char::MAX).filter(|c| !matches!(c, '\r' | '\n')).collect();
        for some in all.chunks(300) {
            // In the middle, because the first space after the colon belongs to the format.
            let text: String = std::iter::once('x').chain(some.iter().copied()).collect();
            stream.extend_from_slice(format!("data: {text}\r\n\r\n").as_bytes());
            expected.push(text);
        }
        for size in [1, 2, 3, 7, 1021] {
            let mut decoder = Decoder::new(4096);
            let mut events = Vec::new();
            for piece in stream.chunks(size) {
                decoder.feed(piece, &mut events);
            }
            assert_eq!(texts(&events), expected, "pieces of {size}");
        }
        let short = "\u{feff}id: é\r\ndata: a\u{2028}b😀\r\rdata: c\n\n".as_bytes();
        let whole = decode(&[short]);
        for first in 0..short.len() {
            for second in first..short.len() {
                let cut = decode(&[&short[..first], &short[first..second], &short[second..]]);
                assert_eq!(cut, whole, "{first} {second}");
            }
        }
    }

    #[test]
    fn what_is_too_long_is_skipped_and_its_id_is_found() {
        let long = "x".repeat(5000);
        let answer = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"text":"{long}"}}}}"#);
        let lines = answer.replace(',', "\ndata: ,");
        for data in [format!("data: {answer}"), format!("data: {}", lines)] {
            let stream = format!("id: 1\n{data}\n\n: {long}\nevent: {long}\ndata: next\n\n");
            for size in [1, 64, 100_000] {
                let mut decoder = Decoder::new(1000);
                let mut events = Vec::new();
                for piece in stream.as_bytes().chunks(size) {
                    decoder.feed(piece, &mut events);
                    assert!(decoder.line.len() + decoder.data.len() < FIELD_BYTES_MAX + 101_000);
                }
                let id = Some(MessageId::Response(crate::jsonrpc::Id::from(7)));
                assert_eq!(events[0].data, Data::Oversize(id), "pieces of {size}");
                assert_eq!(events[0].id.as_deref(), Some("1"));
                assert_eq!(events[1].data, Data::Text("next".into()));
                assert_eq!(events.len(), 2);
            }
        }
    }

    /// Row 11: junk is neither an event nor a danger to the stack.
    #[test]
    fn row_11_fifty_thousand_frames_of_junk() {
        let mut decoder = Decoder::new(1000);
        let mut events = Vec::new();
        for _ in 0..50_000 {
            decoder.feed(b"junk\n: x\nevent: \xff\n\n", &mut events);
        }
        decoder.feed(b"data: still here\n\n", &mut events);
        assert_eq!(texts(&events), ["still here"]);
    }

    #[test]
    fn random_bytes_never_panic() {
        use proptest::prelude::*;
        proptest!(|(pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..50), 0..10))| {
            let pieces: Vec<&[u8]> = pieces.iter().map(|piece| &piece[..]).collect();
            let whole = pieces.concat();
            prop_assert_eq!(decode(&pieces), decode(&[&whole]));
        });
    }
}
