//! Names and values as forms and queries carry them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What was sent. A parameter that is there twice makes the request invalid.
pub struct Form(BTreeMap<String, String>);

impl Form {
    /// Reads a form; `None` if it cannot be read, or repeats a parameter.
    #[must_use]
    pub fn read(text: &str) -> Option<Form> {
        let mut all = BTreeMap::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if all.insert(decode(name)?, decode(value)?).is_some() {
                return None;
            }
        }
        Some(Form(all))
    }

    /// A parameter that is not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// The text behind `%41+b`; `None` if it is cut off, or no UTF-8.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &rest[2..];
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Names and values as one text.
///
/// # Panics
/// Never: a string takes everything.
#[must_use]
pub fn encode(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        if !text.is_empty() {
            text.push('&');
        }
        for (part, end) in [(name, "="), (value, "")] {
            for byte in part.bytes() {
                match byte {
                    b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                        text.push(char::from(byte));
                    }
                    byte => write!(text, "%{byte:02X}").expect("a string takes everything"),
                }
            }
            text.push_str(end);
        }
    }
    text
}
