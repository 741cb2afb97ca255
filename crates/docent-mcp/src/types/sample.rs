//! Values of every wire type, drawn from a string of bytes.
//!
//! Whoever runs out of bytes gets the smallest value, so that shortening the bytes (which is how
//! proptest shrinks) makes the value simpler.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use super::JsonObject;
use crate::jsonrpc::Id;

/// The bytes that values are drawn from.
pub(crate) struct Source<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

/// A type whose values can be drawn.
pub(crate) trait Sample {
    fn sample(source: &mut Source<'_>) -> Self;
}

/// What a freshly drawn value needs to be allowed in the protocol: nothing, unless the type has a
/// method of its own with this name.
pub(crate) trait Valid {
    fn make_valid(&mut self, _: &mut Source<'_>) {}
}

impl<T> Valid for T {}

impl<'a> Source<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Source { bytes: bytes.iter() }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    /// One of the first `count` numbers; 0 at the end of the bytes.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    pub(crate) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    fn u64(&mut self) -> u64 {
        let digits = self.below(9);
        (0..digits).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    /// Any JSON value, nested at most `depth` deep.
    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => Value::Bool(bool::sample(self)),
            2 => Value::from(i64::sample(self)),
            3 => Value::from(self.u64()),
            4 => Value::from(f64::sample(self)),
            5 => Value::String(String::sample(self)),
            6 => (0..self.below(3)).map(|_| self.value(depth - 1)).collect(),
            _ => Value::Object(self.object(depth - 1)),
        }
    }

    pub(super) fn object(&mut self, depth: usize) -> JsonObject {
        (0..self.below(3)).map(|_| (String::sample(self), self.value(depth))).collect()
    }
}

const TEXTS: [&str; 12] = [
    "",
    "text",
    "\"quoted\" \\ back/slash",
    "line\nbreak\r\ttab",
    "\u{2028}\u{2029}\u{feff}",
    "\u{0}\u{1f}\u{7f}",
    "żółć — 文書 🦀",
    "e\u{301}\u{202e}rtl",
    "null",
    "resultType",
    "file:///a%20b?c#d",
    "2026-07-28T00:00:00Z",
];

impl Sample for String {
    fn sample(source: &mut Source<'_>) -> Self {
        match source.below(16) {
            kind if kind < TEXTS.len() => TEXTS[kind].to_owned(),
            _ => (0..source.below(6))
                .map(|_| {
                    let code = u32::from_le_bytes([source.byte(), source.byte(), source.byte(), 0]);
                    char::from_u32(code % 0x11_0000).unwrap_or('\u{fffd}')
                })
                .collect(),
        }
    }
}

impl Sample for bool {
    fn sample(source: &mut Source<'_>) -> Self {
        source.below(2) == 1
    }
}

impl Sample for u64 {
    fn sample(source: &mut Source<'_>) -> Self {
        source.u64()
    }
}

impl Sample for i64 {
    fn sample(source: &mut Source<'_>) -> Self {
        source.u64().cast_signed()
    }
}

impl Sample for f64 {
    fn sample(source: &mut Source<'_>) -> Self {
        let number = match source.below(4) {
            0 => 0.0,
            1 => f64::from(source.byte()) / 8.0 - 4.0,
            2 => f64::from_bits(source.u64()),
            _ => -f64::from_bits(source.u64()),
        };
        if number.is_finite() { number } else { 0.5 }
    }
}

impl Sample for Number {
    fn sample(source: &mut Source<'_>) -> Self {
        match source.below(2) {
            0 => Number::from(i64::sample(source)),
            _ => Number::from_f64(f64::sample(source)).unwrap(),
        }
    }
}

impl Sample for Value {
    fn sample(source: &mut Source<'_>) -> Self {
        source.value(2)
    }
}

impl Sample for JsonObject {
    fn sample(source: &mut Source<'_>) -> Self {
        source.object(2)
    }
}

impl Sample for Id {
    fn sample(source: &mut Source<'_>) -> Self {
        match source.below(3) {
            0 => Id::from(i64::sample(source)),
            1 => Id::from(source.u64()),
            _ => Id::String(String::sample(source)),
        }
    }
}

impl<T: Sample> Sample for Option<T> {
    fn sample(source: &mut Source<'_>) -> Self {
        (source.below(2) == 1).then(|| T::sample(source))
    }
}

impl<T: Sample> Sample for Vec<T> {
    fn sample(source: &mut Source<'_>) -> Self {
        (0..source.below(3)).map(|_| T::sample(source)).collect()
    }
}

impl<T: Sample> Sample for BTreeMap<String, T> {
    fn sample(source: &mut Source<'_>) -> Self {
        (0..source.below(3)).map(|_| (String::sample(source), T::sample(source))).collect()
    }
}
