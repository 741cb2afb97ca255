//! `type`: the kinds of JSON value that a schema admits, as a set of bits.
//!
//! Fed by the compiler. The walk tests it before anything else, because most schemas hold
//! little more.

use super::super::compile::Compiler;
use super::super::error::SchemaError;
use super::super::number::Num;
use super::super::preview;
use serde_json::{Map, Value};

/// A set of JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Types(u8);

const NAMES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const INTEGER: u8 = 1 << 2;
const NUMBER: u8 = 1 << 3;

impl Types {
    pub(in super::super) const ANY: Self = Self(0x7f);
    pub(in super::super) const NONE: Self = Self(0);

    pub(in super::super) fn compile(
        compiler: &Compiler<'_>,
        schema: &Map<String, Value>,
    ) -> Result<Self, SchemaError> {
        let names = match schema.get("type") {
            None => return Ok(Self::ANY),
            Some(Value::Array(names)) if !names.is_empty() => names.as_slice(),
            Some(name) => std::slice::from_ref(name),
        };
        let mut types = Self::NONE;
        for name in names {
            let position = NAMES.iter().position(|known| name.as_str() == Some(known));
            let Some(position) = position else {
                return Err(compiler.malformed(format!(
                    "`type` is {}, expected one of {} or a list of them",
                    preview::literal(name),
                    preview::list(NAMES.iter().map(|name| preview::quoted(name))),
                )));
            };
            types.0 |= 1 << position;
        }
        Ok(types)
    }

    pub(in super::super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(in super::super) fn admit(self, value: &Value) -> bool {
        let bit = match value {
            Value::Null => 1 << 0,
            Value::Bool(_) => 1 << 1,
            Value::Number(number) => {
                // `1.0` is an integer too; look only when it makes a difference.
                return self.0 & NUMBER != 0
                    || (self.0 & INTEGER != 0 && Num::of(number).is_integer());
            }
            Value::String(_) => 1 << 4,
            Value::Array(_) => 1 << 5,
            Value::Object(_) => 1 << 6,
        };
        self.0 & bit != 0
    }

    /// The message for a value that was not admitted.
    pub(in super::super) fn mismatch(self, value: &Value) -> String {
        if self.is_empty() {
            return format!("expected nothing here, found {}", preview::describe(value));
        }
        let names = (0..NAMES.len()).filter(|bit| self.0 >> bit & 1 == 1).map(|bit| NAMES[bit]);
        let names: Vec<_> = names.collect();
        format!("expected {}, found {}", names.join(" or "), preview::describe(value))
    }
}
