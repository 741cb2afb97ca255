//! Schemas and values made to hang, to overflow the stack, or to reach out.
//!
//! Every case runs on a 2 MiB stack, the size that async runtimes give their threads, and
//! within a time far above what it needs and far below what it asks for.

use super::super::{SchemaError, SchemaLimits, Validator, Violation};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

const STACK_BYTES: usize = 2 << 20;
const TIME_MAX: Duration = Duration::from_secs(20);

/// Runs `case` on a small stack and checks that it ends in time.
fn bounded<T: Send + 'static>(name: &str, case: impl FnOnce() -> T + Send + 'static) -> T {
    let start = Instant::now();
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(case).unwrap();
    let result = thread.join().unwrap_or_else(|_| panic!("{name} panicked"));
    assert!(start.elapsed() < TIME_MAX, "{name} took {:?}", start.elapsed());
    result
}

/// `core` inside `levels` arrays, or inside objects under `key`. Deep values overflow the
/// stack when copied or dropped, so they are built by moving and then leaked.
fn nest(levels: usize, core: Value, key: Option<&str>) -> Value {
    (0..levels).fold(core, |inner, _| match key {
        None => Value::Array(vec![inner]),
        Some(key) => Value::Object(Map::from_iter([(key.to_owned(), inner)])),
    })
}

fn check(schema: &Value, value: &Value) -> Result<(), Vec<Violation>> {
    Validator::new(schema, &SchemaLimits::default()).unwrap().check(value)
}

fn is_limit(result: Result<(), Vec<Violation>>) -> bool {
    result.is_err_and(|violations| violations.len() == 1 && violations[0].is_limit())
}

#[test]
fn exponential_combinations_end() {
    // Every level asks for the next one twice: 2^40 turns without a bound on steps.
    let levels = |keyword: &str, leaf: Value| {
        let mut definitions = Map::new();
        for level in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
            definitions.insert(format!("l{level}"), json!({ keyword: [next, next] }));
        }
        definitions.insert("l40".to_owned(), leaf);
        json!({ "$ref": "#/$defs/l0", "$defs": definitions })
    };
    let table = [
        ("anyOf", levels("anyOf", json!(false))),
        ("allOf", levels("allOf", json!(true))),
        ("oneOf", levels("oneOf", json!(false))),
        ("not", {
            let mut schema = levels("anyOf", json!(false));
            schema["not"] = json!({ "$ref": "#/$defs/l0" });
            schema
        }),
        ("unevaluated", {
            let mut schema = levels("anyOf", json!({ "properties": { "a": true } }));
            schema["unevaluatedProperties"] = json!(false);
            schema
        }),
    ];
    for (name, schema) in table {
        let result = bounded(name, move || check(&schema, &json!({ "a": 1 })));
        assert!(is_limit(result.clone()), "{name}: {result:?}");
    }
}

#[test]
fn endless_references_end() {
    let table = [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } },
                "$ref": "#/$defs/a" }),
        json!({ "not": { "$ref": "#" } }),
        json!({ "if": { "$ref": "#" }, "then": false }),
        json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "$dynamicAnchor": "node", "$dynamicRef": "#node" }),
        json!({ "unevaluatedProperties": { "$ref": "#" }, "anyOf": [{ "$ref": "#" }] }),
        json!({ "dependentSchemas": { "a": { "$ref": "#" } } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#" }),
    ];
    for schema in table {
        let name = schema.to_string();
        let result = bounded(&name, move || check(&schema, &json!({ "a": 1 })));
        assert!(is_limit(result.clone()), "{name}: {result:?}");
    }
}

/// [BOTH-SCHEMA-03] depth is bounded, and what is allowed is safe.
#[test]
fn deep_schemas_are_refused_and_allowed_depth_is_safe() {
    for levels in [10_000, 100_000] {
        let deep = nest(levels, json!(true), Some("not"));
        bounded("deep schema", move || {
            let error = Validator::new(&deep, &SchemaLimits::default()).unwrap_err();
            assert!(matches!(error, SchemaError::TooLarge { limit: "schema_depth_max", .. }));
            assert!(super::super::mirrored_headers(&deep).is_ok());
            std::mem::forget(deep);
        });
    }
    // As deep as is allowed: it compiles, and the check ends well.
    for (keyword, levels) in [("not", 127), ("items", 127), ("if", 127)] {
        let schema = nest(levels, json!(true), Some(keyword));
        let value = nest(levels, json!(1), None);
        bounded(keyword, move || {
            let _ = check(&schema, &value);
        });
    }
}

#[test]
fn deep_values_end() {
    // Each schema looks into the value by another road; the value is 10,000 levels deep.
    let table = [
        json!({ "items": { "$ref": "#" }, "properties": { "a": { "$ref": "#" } } }),
        json!({ "additionalProperties": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] } }),
        json!({ "unevaluatedProperties": { "$ref": "#" } }),
        json!({ "contains": { "$ref": "#" }, "patternProperties": { "": { "$ref": "#" } } }),
        json!({ "prefixItems": [{ "allOf": [{ "oneOf": [{ "$ref": "#" }] }] }],
                "properties": { "a": { "if": { "$ref": "#" }, "then": { "$ref": "#" } } } }),
    ];
    for schema in table {
        let name = schema.to_string();
        for key in [None, Some("a")] {
            let (schema, value) = (schema.clone(), nest(10_000, json!(1), key));
            bounded(&name, move || {
                let result = check(&schema, &value);
                // Either a bound was met, or this schema does not look into this value.
                assert!(result.is_ok() || is_limit(result));
                std::mem::forget(value);
            });
        }
    }
    let twins = Value::Array([0, 1].map(|_| nest(10_000, json!(1), None)).into());
    bounded("deep twins", move || {
        assert!(is_limit(check(&json!({ "uniqueItems": true }), &twins)));
        std::mem::forget(twins);
    });
}

#[test]
fn large_inputs_end() {
    let choices: Vec<_> = (0..90_000).map(|n| json!(format!("choice {n}"))).collect();
    let numbers: Vec<_> = (0..90_000).map(Value::from).collect();
    let text = "a".repeat(1 << 20);
    let reference = json!({ "$ref": "#/$defs/a" });
    let long_name = json!({
        "$defs": { "a": { "required": [text], "dependentRequired": { text.clone(): [] } } },
        "allOf": vec![reference; 20_000],
    });
    let table: Vec<(&str, Value, Value)> = vec![
        ("string choices", json!({ "enum": choices }), json!("none of them")),
        ("number choices", json!({ "items": { "enum": numbers } }), json!(vec![-1; 1_000])),
        ("unique", json!({ "uniqueItems": true }), Value::Array(numbers.clone())),
        ("long text", json!({ "pattern": "(a*)*b", "maxLength": 10 }), json!(text)),
        ("many states", json!({ "pattern": "(?:a?){2000}b" }), json!(text)),
        ("name patterns", json!({ "patternProperties": { "(x+x+)+y": true } }), {
            Value::Object((0..1_000).map(|n| ("x".repeat(100 + n), json!(n))).collect())
        }),
        ("long name", long_name, json!({ text.clone(): 1 })),
        (
            "wide marks",
            json!({ "unevaluatedItems": false, "anyOf": vec![json!({ "contains": true }); 1_000] }),
            Value::Array(numbers.clone()),
        ),
        (
            "wide object",
            json!({ "unevaluatedProperties": false, "properties": { "p5": true } }),
            Value::Object((0..50_000).map(|n| (format!("p{n}"), json!(n))).collect()),
        ),
    ];
    // A tenth of the default steps, because the engine for patterns is slow in test builds.
    let steps_max = SchemaLimits::default().steps_max / 10;
    let limits = SchemaLimits { steps_max, ..SchemaLimits::default() };
    for (name, schema, value) in table {
        let _ = bounded(name, move || Validator::new(&schema, &limits).unwrap().check(&value));
    }
}

#[test]
fn oversized_schemas_are_refused_by_name() {
    let long = "x".repeat(5_000);
    // Each relative name is inside the folder of the one around it.
    let folder = format!("{}/", "x".repeat(100));
    let folders = (0..30).fold(json!(true), |inner, _| json!({ "$id": folder, "not": inner }));
    let named = (0..2_000).map(|n| (n.to_string(), json!({ "$id": format!("urn:{n}") })));
    let named = Map::from_iter(named);
    let table = [
        ("schema_values_max", json!({ "enum": vec![0; 100_001] })),
        ("schema_values_max", json!({ "allOf": vec![json!({ "type": "null" }); 60_000] })),
        ("reference_bytes_max", json!({ "$ref": format!("#/{long}") })),
        ("reference_bytes_max", json!({ "$anchor": long })),
        ("reference_bytes_max", folders),
        ("schema_resources_max", json!({ "$defs": named })),
        ("pattern_bytes_max", json!({ "pattern": long })),
        ("pattern_states_max", json!({ "pattern": "(?:(?:a{99}){99}){99}" })),
        ("pattern_states_max", json!({ "pattern": "a{99999}" })),
        ("pattern_states_max", json!({ "allOf": vec![json!({ "pattern": "a{999}" }); 60] })),
    ];
    for (limit, schema) in table {
        let refused =
            bounded(limit, move || Validator::new(&schema, &SchemaLimits::default()).map(|_| ()));
        let named = matches!(refused, Err(SchemaError::TooLarge { limit: l, .. }) if l == limit);
        assert!(named, "{limit}: {refused:?}");
    }
}

#[test]
fn limits_hold_exactly() {
    let limits = SchemaLimits { instance_depth_max: 3, ..SchemaLimits::default() };
    let schema = json!({ "items": { "$ref": "#" } });
    let validator = Validator::new(&schema, &limits).unwrap();
    for (levels, fits) in [(2, true), (3, true), (4, false)] {
        let value = nest(levels, json!(1), None);
        assert_eq!(validator.is_valid(&value), fits, "{levels} levels");
    }
    let schema = json!({ "items": true });
    for (steps_max, fits) in [(10, false), (11, true)] {
        let limits = SchemaLimits { steps_max, ..SchemaLimits::default() };
        let validator = Validator::new(&schema, &limits).unwrap();
        assert_eq!(validator.is_valid(&json!(vec![0; 10])), fits, "{steps_max} steps");
    }
    let wrong = json!(vec!["text"; 100]);
    let violations = check(&json!({ "items": { "type": "null" } }), &wrong).unwrap_err();
    assert_eq!(violations.len(), SchemaLimits::default().violations_max);
}

#[test]
fn messages_stay_short() {
    let long = "\u{1F600}".repeat(100_000);
    let value = json!({ long.clone(): long, "a": nest(50, json!(vec![0; 1_000]), None) });
    let table = [
        json!({ "type": "string" }),
        json!({ "additionalProperties": false }),
        json!({ "propertyNames": { "maxLength": 3 } }),
        json!({ "unevaluatedProperties": false }),
        json!({ "not": true }),
        json!({ "enum": [vec!["x".repeat(1_000); 50]] }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "null" }, false, false, false, false] }),
    ];
    let branches = |inner: Value| json!({ "anyOf": [inner, inner, inner, inner] });
    let nested = (0..6).fold(json!({ "type": "string" }), |inner, _| branches(inner));
    for schema in table.into_iter().chain([nested]) {
        for violation in check(&schema, &value).unwrap_err() {
            assert!(violation.message.len() < 2_000, "{schema}: {}", violation.message.len());
        }
    }
}
