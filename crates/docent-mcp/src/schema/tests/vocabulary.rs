//! Runs `vocabulary.txt`: schemas, values that fit them, values that do not.

use super::super::{SchemaLimits, Validator};
use serde_json::Value;

#[test]
fn values_fit_or_not_as_listed() {
    let mut validator = None;
    let mut values = 0;
    for line in include_str!("vocabulary.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.trim_start().split_once(' ').expect(line);
        if word == "schema" {
            let schema: Value = serde_json::from_str(rest).expect(line);
            let compiled = Validator::with_formats(&schema, &SchemaLimits::default());
            validator = Some((compiled.expect(line), rest));
            continue;
        }
        let (validator, schema) = validator.as_ref().expect("values follow a schema");
        let list: Vec<Value> = serde_json::from_str(&format!("[{rest}]")).expect(line);
        for value in list {
            let result = validator.check(&value);
            match word {
                "fits" => assert_eq!(result, Ok(()), "{schema} against {value}"),
                "not" => {
                    let violations = result.expect_err(&format!("{schema} against {value}"));
                    assert!(violations.iter().all(|violation| !violation.is_limit()));
                }
                _ => panic!("unknown word in {line:?}"),
            }
            assert_eq!(validator.is_valid(&value), word == "fits");
            values += 1;
        }
    }
    assert!(values > 200, "only {values} values");
}
