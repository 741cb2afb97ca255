//! The calls of one connection as ready bytes.
//!
//! The id of a call and its message hold the same eight digits. They are the only thing that changes
//! from one call to the next, at two known places, and the answer must have both.

use memchr::memmem;
use serde_json::json;

use super::dialect::{Spoken, Target, meta};
use crate::Result;
use crate::requests::FIRST_ID;

const DIGITS: usize = 8;

pub(super) struct Calls {
    bytes: Vec<u8>,
    id_at: usize,
    message_at: usize,
    next: u32,
    /// What stands in the answer before the digits of the id, and of the text.
    answer: [Vec<u8>; 2],
    text: String,
}

impl Calls {
    /// Calls of the tool, whose messages end in `message`; the first is rendered.
    pub(super) fn new(spoken: &Spoken, to: &Target, session: Option<&str>, message: &str) -> Self {
        let text = format!("{FIRST_ID} {message}");
        let mut params = json!({ "name": to.tool, "arguments": { "message": text } });
        if spoken.dialect.modern {
            params["_meta"] = meta();
        }
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{FIRST_ID},"method":"tools/call","params":{params}}}"#
        );
        let mut head = spoken.head(to, session, "tools/call", &to.tool);
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        let digits = FIRST_ID.to_string();
        let mut places = memmem::find_iter(body.as_bytes(), &digits).map(|at| at + head.len());
        let id_at = places.next().expect("the id is in the body");
        let message_at = places.next().expect("and the message");
        let bytes = [head.as_bytes(), body.as_bytes()].concat();
        let answer = [&b"\"id\":"[..], &b"\"text\":\""[..]].map(<[u8]>::to_vec);
        Self { bytes, id_at, message_at, next: FIRST_ID + 1, answer, text }
    }

    /// The call that was rendered last.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its message.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Renders the next call.
    pub(super) fn advance(&mut self) {
        let mut rest = self.next;
        self.next += 1;
        for place in (0..DIGITS).rev() {
            let digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            self.bytes[self.id_at + place] = digit;
            self.bytes[self.message_at + place] = digit;
        }
    }

    /// Holds a body against the call that was rendered last.
    pub(super) fn check(&self, body: &[u8]) -> Result<()> {
        let digits = &self.bytes[self.id_at..self.id_at + DIGITS];
        for before in &self.answer {
            let found = memmem::find(body, before).map(|at| &body[at + before.len()..]);
            if !found.is_some_and(|rest| rest.starts_with(digits)) {
                let body = String::from_utf8_lossy(&body[..body.len().min(300)]);
                let call = String::from_utf8_lossy(digits);
                return Err(format!("call {call} was answered with {body}").into());
            }
        }
        Ok(())
    }
}
