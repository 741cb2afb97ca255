//! Tests of the schema module that cross its files.

/// Every keyword: schemas, values that fit them, values that do not.
mod vocabulary;

/// What violations and errors say, word for word.
mod messages;

/// ECMA-262 patterns: what matches, and what is refused.
mod patterns;

/// Schemas derived from Rust types.
mod derived;

/// `x-mcp-header` and elicitation forms.
mod protocol;

/// Schemas and values made to hang, to overflow the stack, or to reach out.
mod hostile;

/// The official test suite, when it is at hand.
mod suite;

#[test]
fn validators_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<super::Validator>();
}
