//! The reader of JSON, beside the usual parser.

use proptest::prelude::*;

use super::json::read;
use super::{DEPTH_MAX, Leniency, Node, Value, repeated};
use crate::config::dialect::ROWS;
use crate::config::draft::{Manner, draft};
use crate::config::machine::Platform;
use crate::config::read::Format;

/// The tree as the usual parser would give it.
fn plain(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(text) => serde_json::from_str(text).expect("a number"),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Table(entries) => {
            entries.iter().map(|(key, value)| (key.text.clone(), plain(value))).collect()
        }
    }
}

#[test]
fn faults_are_told_with_their_line() {
    for (text, leniency, line, message) in [
        ("{\n\"a\": 1,\n}", Leniency::STRICT, 2, "a comma before `}`"),
        ("{\n// x\n}", Leniency::STRICT, 2, "a comment"),
        ("[1,\n2 3]", Leniency::JSONC, 2, "`,` or `]` is expected, not `3`"),
        ("{\n\"a\n\": 1}", Leniency::JSONC, 2, "a text that does not end"),
        ("{'a': 1}", Leniency::JSONC, 1, "a key in double quotes is expected, not `'`"),
        ("[\n'a']", Leniency::JSONC, 2, "a text in single quotes"),
        ("\n\n", Leniency::JSONC, 3, "the file ends where a value is expected"),
        ("[1] /* x", Leniency::JSONC, 1, "a comment that does not end"),
        ("[1]\n]", Leniency::JSONC, 2, "`]` after the end of the value"),
        (r#"["\ud800"]"#, Leniency::JSONC, 1, "`\\u` with half of a character"),
        (r#"["\u+123"]"#, Leniency::JSONC, 1, "`\\u` needs four hexadecimal digits"),
        ("[01]", Leniency::JSONC, 1, "`01` is no number"),
    ] {
        let fault = read(text, leniency).expect_err(text);
        assert!(fault.message.starts_with(message), "{text}: {fault:?}");
        assert_eq!(fault.line, line, "{text}: {fault:?}");
    }
}

#[test]
fn what_the_owner_allows_is_read() {
    let text = "// a\n{\"a\": [1, 2,], /* b\n */ \"a\": {},}\n// c";
    let node = read(text, Leniency::JSONC).expect("JSONC");
    let entries = node.table().expect("a table");
    assert_eq!((node.line, entries[1].0.line), (2, 3));
    assert_eq!(repeated(entries).count(), 1);
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(read(&nested(DEPTH_MAX + 1), Leniency::JSONC).is_ok());
    assert!(read(&nested(DEPTH_MAX + 2), Leniency::JSONC).is_err());
    assert!(read(&"[".repeat(1_000_000), Leniency::JSONC).is_err());
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "\\PC*".prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

proptest! {
    /// What the usual parser reads is read the same, and what it refuses is refused.
    #[test]
    fn strictly_it_is_the_usual_parser(
        value in value(),
        pretty: bool,
        change in prop::option::of((any::<prop::sample::Index>(), "[\\[\\]{},:\"\\\\0-9a-z/ ]?")),
    ) {
        let mut text = if pretty { format!("{value:#}") } else { value.to_string() };
        if let Some((at, piece)) = change {
            let at = at.index(text.len());
            let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let after = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            text.replace_range(at..after, &piece);
        }
        let usual = serde_json::from_str::<serde_json::Value>(&text).ok();
        let ours = read(&text, Leniency::STRICT).ok().map(|node| plain(&node));
        prop_assert_eq!(usual, ours, "{}", text);
    }

    /// No text makes a reader or a dialect panic.
    #[test]
    fn no_text_is_too_odd(text in "[\\[\\]{}:,\"'=.#&*!|>\\-\n a-z0-9é]{0,80}", value in value()) {
        for format in [Format::Json(Leniency::JSONC), Format::Toml, Format::Yaml] {
            let _ = super::read(&text, format);
        }
        let keys = ROWS.iter().flat_map(|row| row.fields.iter().flat_map(|group| group.iter()));
        let text: serde_json::Map<String, serde_json::Value> =
            keys.map(|(name, _)| ((*name).to_owned(), value.clone())).collect();
        let all = serde_json::Value::Object(text.clone()).to_string();
        let each = text.into_iter().map(|(name, value)| serde_json::json!({ name: value }).to_string());
        for text in each.chain([all]) {
            let node = super::read(&text, Format::Json(Leniency::STRICT)).expect("JSON");
            for row in ROWS {
                for manner in [Manner::ToUse, Manner::AsOwner] {
                    let _ = draft(&node, row, Platform::Windows, manner, &mut Vec::new());
                }
            }
        }
    }
}
