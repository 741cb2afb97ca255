//! Finds the id of a request that cannot be parsed, so that its sender is told instead of left
//! waiting.
//!
//! Two kinds of text come here: text that is not JSON, and messages over the size limit, which are
//! never held in memory and so arrive in pieces. The scanner keeps a few words of state, looks only
//! at the top level of the object and remembers nothing but the `id` and whether a `method`, or a
//! `result` or `error`, was there. The difference matters: the id of a response belongs to *our*
//! requests, and answering it could end an unrelated request of the peer with the same number.

use super::Id;

/// Longest scalar that is remembered, enough for any id a sane peer sends.
const SCALAR_BYTES_MAX: usize = 256;

/// The id of the request in `text`, if both the id and a method can be made out.
pub(crate) fn request_id(text: &[u8]) -> Option<Id> {
    let mut scanner = Salvage::default();
    scanner.feed(text);
    match scanner.finish() {
        Some(MessageId::Request(id)) => Some(id),
        _ => None,
    }
}

/// The id of a message that is not there as a whole, and what it is the id of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageId {
    /// A request, whose sender waits for an answer.
    Request(Id),
    /// An answer, for which somebody here waits.
    Response(Id),
}

/// The scanner; feed it the text in pieces of any size.
#[derive(Default)]
pub(crate) struct Salvage {
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The string or number being read at the top level, as JSON text.
    scalar: Vec<u8>,
    scalar_too_long: bool,
    /// The key whose value comes next.
    key: Option<Vec<u8>>,
    id: Option<Id>,
    method_seen: bool,
    /// A `result` or an `error` was there.
    answer_seen: bool,
    /// Two ids, or a text that stopped making sense: nothing can be told any more.
    confused: bool,
}

impl Salvage {
    pub(crate) fn feed(&mut self, text: &[u8]) {
        for &byte in text {
            self.step(byte);
        }
    }

    /// The id, if one was found in what looked like a message.
    pub(crate) fn finish(mut self) -> Option<MessageId> {
        self.end_scalar();
        let id = self.id.filter(|_| !self.confused)?;
        match (self.method_seen, self.answer_seen) {
            (true, _) => Some(MessageId::Request(id)),
            (false, true) => Some(MessageId::Response(id)),
            (false, false) => None,
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.remember(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.remember(byte);
            }
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                self.scalar.clear();
            }
            b'}' | b']' => {
                self.end_scalar();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                let key = std::mem::take(&mut self.scalar);
                self.answer_seen |= matches!(&*key, br#""result""# | br#""error""#);
                self.key = Some(key);
            }
            b',' if self.depth == 1 => self.end_scalar(),
            byte if byte.is_ascii_whitespace() => {}
            byte => self.remember(byte),
        }
    }

    fn remember(&mut self, byte: u8) {
        if self.depth == 1 {
            if self.scalar.len() < SCALAR_BYTES_MAX {
                self.scalar.push(byte);
            } else {
                self.scalar_too_long = true;
            }
        }
    }

    /// A top-level value is complete.
    fn end_scalar(&mut self) {
        let scalar = std::mem::take(&mut self.scalar);
        let too_long = std::mem::take(&mut self.scalar_too_long);
        if self.depth != 1 {
            return;
        }
        match self.key.take().as_deref() {
            Some(br#""method""#) => self.method_seen |= scalar.starts_with(b"\""),
            Some(br#""id""#) => {
                let id = serde_json::from_slice(&scalar).ok().filter(|_| !too_long);
                self.confused |= self.id.is_some() || id.is_none();
                self.id = id;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Id, MessageId, Salvage, request_id};

    #[test]
    fn finds_ids_of_broken_requests_only() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{bad"#, Some(Id::from(7))),
            (
                r#"{"method":"x","params":{"id":1,"a":[{"id":2}]},"id":"seven""#,
                Some(Id::from("seven")),
            ),
            (r#"{"method":"a\"b","id":3"#, Some(Id::from(3))),
            (r#"{"id":7,"result":{bad"#, None),
            (r#"{"id":7,"meth"#, None),
            (r#"{"id":null,"method":"x","params":{"#, None),
            (r#"{"id":1.5,"method":"x","params":{"#, None),
            (r#"{"id":1,"id":2,"method":"x","params":{"#, None),
            ("not json at all", None),
            ("", None),
        ] {
            assert_eq!(request_id(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn pieces_give_the_same_answer_as_the_whole() {
        let text = br#"{"params":{"x":"}\"]{"},"method":"tools/call","id":"a\u0062"}"#;
        for cut in 0..text.len() {
            let mut scanner = Salvage::default();
            scanner.feed(&text[..cut]);
            scanner.feed(&text[cut..]);
            assert_eq!(scanner.finish(), Some(MessageId::Request(Id::from("ab"))), "cut at {cut}");
        }
    }

    #[test]
    fn answers_are_told_from_requests() {
        for (text, expected) in [
            (r#"{"id":7,"result":{"id":8,"#, Some(MessageId::Response(Id::from(7)))),
            (r#"{"error":{"code":1},"id":"x","#, Some(MessageId::Response(Id::from("x")))),
            (r#"{"id":7,"method":"m","result":{"#, Some(MessageId::Request(Id::from(7)))),
            (r#"{"id":7,"x":"result""#, None),
        ] {
            let mut scanner = Salvage::default();
            scanner.feed(text.as_bytes());
            assert_eq!(scanner.finish(), expected, "{text}");
        }
    }
}
