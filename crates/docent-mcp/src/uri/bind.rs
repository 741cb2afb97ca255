//! From the raw text that `matching` found to decoded variables, or to a refusal.
//!
//! This is the gate that a hostile URI has to pass, so it looks at *decoded* text: what a value
//! is made of in the URI has been decided before, but `%2F` is a slash only from here on.

use std::collections::BTreeMap;

use super::escape::decode;
use super::matching::Capture;
use super::template::{Modifier, Operator};
use super::{UriValue, Variables};

pub(super) fn bind(captures: &[Capture<'_, '_>]) -> Option<Variables> {
    let mut variables = Variables::new();
    let mut prefixes = Vec::new();
    let mut pairs: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for capture in captures {
        let name = capture.variable.name.as_str();
        match (capture.variable.modifier, capture.name) {
            (Modifier::Explode, Some(key)) => {
                let value = value(capture.operator, capture.text)?;
                pairs.entry(name).or_default().push((key, value));
            }
            (Modifier::Explode, None) => {
                let items = capture.text.split(char::from(capture.operator.separator()));
                let items: Option<Vec<_>> =
                    items.map(|item| value(capture.operator, item)).collect();
                define(&mut variables, name, UriValue::List(items?))?;
            }
            (Modifier::None, _) => {
                let text = value(capture.operator, capture.text)?;
                define(&mut variables, name, UriValue::Text(text))?;
            }
            (Modifier::Prefix(length), _) => {
                prefixes.push((name, value(capture.operator, capture.text)?, length));
            }
        }
    }
    for (name, found) in pairs {
        let found = if found.iter().all(|(key, _)| *key == name) {
            UriValue::List(found.into_iter().map(|(_, value)| value).collect())
        } else {
            let decoded = |(key, value)| Some((decode(key)?, value));
            UriValue::Map(found.into_iter().map(decoded).collect::<Option<_>>()?)
        };
        define(&mut variables, name, found)?;
    }
    // Longest first, so that a prefix is compared with the most that is known of its value.
    prefixes.sort_by_key(|(_, _, length)| std::cmp::Reverse(*length));
    for (name, prefix, length) in prefixes {
        let fits = match variables.value(name) {
            None => prefix.chars().count() <= length,
            Some(whole) => whole.as_text()?.chars().take(length).eq(prefix.chars()),
        };
        if !fits {
            return None;
        }
        if variables.value(name).is_none() {
            variables.set(name, prefix);
        }
    }
    Some(variables)
}

/// Sets a variable; `None` if it has another value already.
fn define(variables: &mut Variables, name: &str, value: UriValue) -> Option<()> {
    match variables.value(name) {
        Some(known) => (*known == value).then_some(()),
        None => {
            variables.set(name, value);
            Some(())
        }
    }
}

/// Decodes one value, unless it is one that could lead out of a folder.
fn value(operator: Operator, text: &str) -> Option<String> {
    let value = decode(text)?;
    let is_dots = |segment: &str| matches!(segment, "." | "..");
    let refused = match operator {
        Operator::Simple | Operator::Label | Operator::Path => {
            value.is_empty() || is_dots(&value) || value.contains(['/', '\\', '\0'])
        }
        Operator::Reserved => value.contains(['\\', '\0']) || value.split('/').any(is_dots),
        Operator::Fragment | Operator::Parameter | Operator::Query | Operator::Continuation => {
            false
        }
    };
    (!refused).then_some(value)
}
