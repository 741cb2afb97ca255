//! What we encode for a revision is what that revision's official schema allows.

use std::collections::BTreeSet;

use jsonschema::Validator;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::{Value, json};

use super::official::Schema;
use super::table::{Encode, MESSAGES};
use crate::types::sample::Source;
use crate::types::{METHODS, MethodKind, Sender};

/// Definitions that are no message of their own.
const NOT_MESSAGES: &[(&str, &str)] = &[
    ("Request", "what all requests have in common"),
    ("Notification", "what all notifications have in common"),
    ("Result", "what all results have in common"),
    ("PaginatedRequest", "what all list requests have in common"),
    ("PaginatedResult", "what all pages have in common"),
    ("CacheableResult", "what all results with caching hints have in common"),
    ("JSONRPCRequest", "the envelope; checked with every request"),
    ("JSONRPCNotification", "the envelope; checked with every notification"),
    ("JSONRPCBatchRequest", "an array of envelopes; framing is tested where it is done"),
    ("ClientRequest", "a union; its members are checked one by one"),
    ("ClientNotification", "a union; its members are checked one by one"),
    ("ClientResult", "a union; its members are checked one by one"),
    ("ServerRequest", "a union; its members are checked one by one"),
    ("ServerNotification", "a union; its members are checked one by one"),
    ("ServerResult", "a union; its members are checked one by one"),
    ("InputRequest", "a union; its members are checked one by one"),
];

fn is_message(name: &str) -> bool {
    ["Request", "Result", "Notification"].iter().any(|suffix| name.ends_with(suffix))
}

fn check(
    schema: &Schema,
    definition: &str,
    encode: Encode,
    accept: impl Fn(&Value) -> Result<(), String>,
) {
    let outcome = TestRunner::new(super::config(60)).run(&vec(any::<u8>(), 0..600), |bytes| {
        let message = encode(&mut Source::new(&bytes), schema.revision);
        accept(&message).map_err(|error| TestCaseError::fail(format!("{error}\n{message:#}")))
    });
    if let Err(error) = outcome {
        panic!("{definition} of {}: {error}", schema.revision);
    }
}

fn verdict(validator: &Validator, instance: &Value) -> Result<(), String> {
    validator.validate(instance).map_err(|error| format!("{error} at {}", error.instance_path()))
}

/// [SRV-RESULT-01] every message of every revision meets its official definition
#[test]
fn what_we_encode_is_valid() {
    for schema in Schema::all("what_we_encode_is_valid") {
        let envelopes =
            ["JSONRPCRequest", "JSONRPCNotification"].map(|name| schema.validator(name));
        for &(definition, encode) in MESSAGES.iter().filter(|(name, _)| schema.has(name)) {
            let own = schema.validator(definition);
            let response = format!("{definition}Response");
            let response = schema.has(&response).then(|| schema.validator(&response));
            check(&schema, definition, encode, |message| {
                verdict(&own, message)?;
                match (message.get("jsonrpc").is_some(), message.get("id").is_some()) {
                    (true, true) => verdict(&envelopes[0], message)?,
                    (true, false) => verdict(&envelopes[1], message)?,
                    _ => {}
                }
                let Some(response) = &response else { return Ok(()) };
                verdict(response, &json!({ "jsonrpc": "2.0", "id": 1, "result": message }))
            });
        }
    }
}

/// [SRV-RESULT-01] no message holds a field that its revision does not have
#[test]
fn what_we_encode_holds_nothing_of_other_revisions() {
    for schema in Schema::all("what_we_encode_holds_nothing_of_other_revisions") {
        let schema = schema.closed();
        for &(definition, encode) in MESSAGES.iter().filter(|(name, _)| schema.has(name)) {
            let own = schema.validator(definition);
            check(&schema, definition, encode, |message| verdict(&own, message));
        }
    }
}

#[test]
fn every_message_of_every_schema_is_in_the_table() {
    let known: BTreeSet<&str> = MESSAGES
        .iter()
        .map(|(name, _)| *name)
        .chain(NOT_MESSAGES.iter().map(|(n, _)| *n))
        .collect();
    let mut seen = BTreeSet::new();
    let schemas = Schema::all("every_message_of_every_schema_is_in_the_table");
    for schema in &schemas {
        for name in schema.definitions().keys().filter(|name| is_message(name)) {
            assert!(known.contains(name.as_str()), "{name} of {} is not checked", schema.revision);
            seen.insert(name.clone());
        }
    }
    for name in known.iter().filter(|_| !schemas.is_empty()) {
        assert!(seen.contains(*name), "{name} is in no schema");
    }
}

#[test]
fn the_method_table_agrees_with_the_schemas() {
    for schema in Schema::all("the_method_table_agrees_with_the_schemas") {
        for (union, kind, from) in [
            ("ClientRequest", MethodKind::Request, Sender::Client),
            ("ServerRequest", MethodKind::Request, Sender::Server),
            ("ClientNotification", MethodKind::Notification, Sender::Client),
            ("ServerNotification", MethodKind::Notification, Sender::Server),
        ] {
            let ours: BTreeSet<&str> = METHODS
                .iter()
                .filter(|row| row.kind == kind && row.applies(schema.revision, from))
                .map(|row| row.name)
                .collect();
            let definition = schema.definitions().get(union);
            let theirs: BTreeSet<&str> =
                definition.map(|union| methods(&schema, union)).unwrap_or_default();
            assert_eq!(ours, theirs, "{union} of {}", schema.revision);
        }
    }
}

/// The method names of a union, or of a union that has shrunk to one member.
fn methods<'a>(schema: &'a Schema, union: &'a Value) -> BTreeSet<&'a str> {
    let members = match union.get("anyOf").and_then(Value::as_array) {
        Some(members) => members.iter().collect(),
        None => vec![union],
    };
    let resolve = |member: &'a Value| match member.get("$ref").and_then(Value::as_str) {
        Some(pointer) => &schema.definitions()[pointer.rsplit('/').next().unwrap()],
        None => member,
    };
    let name = |member| resolve(member)["properties"]["method"]["const"].as_str().unwrap();
    members.into_iter().map(name).collect()
}
