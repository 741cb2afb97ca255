//! Runs `messages.txt`: what violations and errors say, word for word.

use super::super::{SchemaError, SchemaLimits, Validator};
use serde_json::Value;

#[test]
fn messages_read_as_listed() {
    let mut compiled: Option<(Result<Validator, SchemaError>, &str)> = None;
    let mut said = Vec::new();
    for line in include_str!("messages.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.trim_start().split_once(' ').expect(line);
        if word != "says" {
            assert!(said.is_empty(), "not listed before {line:?}: {said:?}");
        }
        match (word, &compiled) {
            ("schema", _) => {
                let schema: Value = serde_json::from_str(rest).expect(line);
                let limits = SchemaLimits::default();
                compiled = Some((Validator::with_formats(&schema, &limits), rest));
            }
            ("value", Some((Ok(validator), _))) => {
                let value = serde_json::from_str(rest).expect(line);
                let violations = validator.check(&value).expect_err(line);
                said = violations.iter().rev().map(ToString::to_string).collect();
            }
            ("says", Some((_, schema))) => {
                assert_eq!(said.pop().as_deref(), Some(rest), "{schema}");
            }
            ("refused", Some((Err(error), schema))) => {
                assert_eq!(error.to_string(), rest, "{schema}");
            }
            _ => panic!("{line:?} after {compiled:?}"),
        }
    }
}
