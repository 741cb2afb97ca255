//! Entries in and out of files, and the rest as it was.

use serde_json::json;

use super::*;

fn entry() -> Value {
    json!({ "command": "docent", "args": ["serve"] })
}

/// Setting gives `after`, and removing again what the text was.
fn check(before: &str, after: &str) {
    let path = ["mcpServers", "docent"];
    let set_once = set(before, &path, &entry()).expect(before);
    assert_eq!(set_once, after);
    assert_eq!(set(&set_once, &path, &entry()).expect("again"), after, "setting twice");
    let removed = remove(&set_once, &path).expect("removed");
    let mut expected = value(before).expect(before);
    // An object that was made on the way stays.
    if expected.get("mcpServers").is_none() {
        expected["mcpServers"] = json!({});
    }
    assert_eq!(value(&removed).expect("JSON"), expected);
    for comment in before.match_indices("//").map(|(at, _)| &before[at..at + 6]) {
        assert!(removed.contains(comment), "{removed}");
    }
}

#[test]
fn into_nothing() {
    let expected = "{\n  \"mcpServers\": {\n    \"docent\": {\n      \"command\": \"docent\",\n      \
                    \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}\n";
    check("", expected);
    check("{}\n", expected);
}

#[test]
fn beside_others_with_their_indentation() {
    let before = "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"x\": {}\n\t}\n}";
    let after = "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"x\": {},\n\t\t\"docent\": {\n\t\t\t\
                 \"command\": \"docent\",\n\t\t\t\"args\": [\n\t\t\t\t\"serve\"\n\t\t\t]\n\t\t}\n\t}\n}";
    check(before, after);
}

#[test]
fn comments_and_trailing_commas_stay() {
    let before = "// mine\n{\n  \"mcpServers\": {\n    \"x\": {}, // keep\n    // last\n  },\n}\n";
    let after = "// mine\n{\n  \"mcpServers\": {\n    \"x\": {}, // keep\n    // last\n    \
                 \"docent\": {\n      \"command\": \"docent\",\n      \"args\": [\n        \"serve\"\n      \
                 ]\n    },\n  },\n}\n";
    check(before, after);
    let before = "{\n  \"mcpServers\": {\n    \"x\": {} // no comma\n  }\n}";
    let after = "{\n  \"mcpServers\": {\n    \"x\": {}, // no comma\n    \"docent\": {\n      \
                 \"command\": \"docent\",\n      \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}";
    check(before, after);
}

#[test]
fn what_was_there_is_replaced_in_its_place() {
    let before = "{\"mcpServers\": {\"docent\": {\"command\": \"old\"}, \"z\": 1}}";
    let after = set(before, &["mcpServers", "docent"], &entry()).expect("set");
    let expected = json!({ "mcpServers": { "docent": entry(), "z": 1 } });
    assert_eq!(value(&after).expect("JSON"), expected);
    assert!(after.starts_with("{\"mcpServers\": {\"docent\": {\n"), "{after}");
}

#[test]
fn removing_gives_back_the_text() {
    let check = |before: &str| {
        let with = set(before, &["mcpServers", "docent"], &entry()).expect(before);
        assert_eq!(remove(&with, &["mcpServers", "docent"]).expect("removed"), before);
    };
    check("{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n");
    check("{\n  \"mcpServers\": {\n    \"x\": {},\n  }\n}\n");
    check("{\n  \"mcpServers\": {}\n}\n");
    check("{\r\n  \"mcpServers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n");
    let first = "{\"mcpServers\": {\"docent\": 1, \"z\": 1}}";
    let removed = remove(first, &["mcpServers", "docent"]).expect("removed");
    assert_eq!(removed, "{\"mcpServers\": {\"z\": 1}}");
    let absent = "{ \"mcpServers\": 3 }";
    assert_eq!(remove(absent, &["mcpServers", "docent"]).expect("nothing to do"), absent);
}

#[test]
fn what_is_broken_is_left_alone() {
    for text in [
        "{",
        "[]",
        "{\"a\" 1}",
        "{\"a\": \"\n\"}",
        "{} x",
        "/* ",
        "{\"mcpServers\": []}",
        "{\"a\": }",
        "{\"mcpServers\": {\"docent\"",
        "\"",
        "{\"a\": \"\\",
    ] {
        assert!(set(text, &["mcpServers", "docent"], &entry()).is_err(), "{text}");
    }
    let deep = "{\"a\":".repeat(5_000);
    assert!(set(&deep, &["a"], &entry()).is_err());
}
