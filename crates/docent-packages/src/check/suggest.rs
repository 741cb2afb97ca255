//! What may have been meant by a name that is not there.

use super::found::Suggestion;
use super::known::Known;
use crate::Kind;
use crate::index::tokenize::{terms, whole};
use crate::index::vocabulary::related;

/// How many are suggested.
pub(super) const COUNT: usize = 3;

/// How alike the letters of two names must be to be worth a mention, and how alike their words.
const LETTERS_MIN: f64 = 0.45;
const WORDS_MIN: f64 = 0.3;

/// What falls that far behind the best is not worth one.
const SHARE_OF_BEST_MIN: f64 = 0.6;

/// Letters of a declaration that are shown.
const SIGNATURE_LETTERS_MAX: usize = 160;

/// The names nearest to one, best first.
pub(super) fn nearest(name: &str, names: &[String], weight: impl Fn(&str) -> f64) -> Vec<String> {
    let wanted_private = name.starts_with('_');
    let usable = names.iter().filter(|known| {
        !known.is_empty()
            && !known.starts_with(['[', '(', '#'])
            && (wanted_private || !known.starts_with('_'))
    });
    let mut found: Vec<(f64, &String)> = usable
        .map(|known| {
            // A class is seldom meant to be a function.
            let is_same_case = is_capital(name) == is_capital(known);
            let case = if is_same_case { 1.0 } else { 0.85 };
            (likeness(name, known) * case * weight(known), known)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    found.dedup_by(|one, other| one.1 == other.1);
    let best = found.first().map_or(0.0, |(score, _)| *score);
    found.retain(|(score, _)| *score >= best * SHARE_OF_BEST_MIN);
    found.into_iter().take(COUNT).map(|(_, known)| known.clone()).collect()
}

fn is_capital(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}

/// How alike two names are, 0 to 1: by their letters, or by the words that they are made of.
fn likeness(wanted: &str, known: &str) -> f64 {
    let fold = |name: &str| name.to_lowercase().replace(['_', '-', '$'], "");
    let (one, other) = (fold(wanted), fold(known));
    if one == other {
        return 1.0;
    }
    let letters = strsim::normalized_damerau_levenshtein(&one, &other);
    let begins = strsim::jaro_winkler(&one, &other) * 0.7;
    let letters = letters.max(begins).max(part(&one, &other));
    let letters = if letters < LETTERS_MIN { 0.0 } else { letters };
    let words = words(wanted, known);
    letters.max(if words < WORDS_MIN { 0.0 } else { words })
}

/// How much of the longer of two names the shorter one is, if it is a part of it.
fn part(one: &str, other: &str) -> f64 {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let at_edge = long.starts_with(short) || long.ends_with(short);
    if short.len() > 2 && long.contains(short) || short.len() == 2 && at_edge {
        0.6 + 0.35 * short.len() as f64 / long.len() as f64
    } else {
        0.0
    }
}

/// The share of words that two names have in common, those that mean the same counting a bit less.
fn words(wanted: &str, known: &str) -> f64 {
    let (one, other) = (split(wanted), split(known));
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    if let Some(grown) = grown(&one, &other) {
        return grown;
    }
    let score = |word: &String| {
        let best = other.iter().map(|candidate| {
            if word == candidate {
                1.0
            } else if related(word).any(|same| same == *candidate) {
                0.7
            } else {
                0.0
            }
        });
        best.fold(0.0, f64::max)
    };
    let shared: f64 = one.iter().map(score).sum();
    0.95 * shared
        / (one.len().max(other.len()) as f64 * 0.7 + one.len().min(other.len()) as f64 * 0.3)
}

/// How alike a name is to one that begins with all of its words, as new names of old things do:
/// nearer than the same letters for something of another kind.
fn grown(one: &[String], other: &[String]) -> Option<f64> {
    const LETTERS_MIN: usize = 5;
    let letters: usize = one.iter().map(String::len).sum();
    let is_grown = letters >= LETTERS_MIN && one.len() < other.len() && other.starts_with(one);
    is_grown.then(|| 0.86 + 0.06 * one.len() as f64 / other.len() as f64)
}

fn split(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    terms(name, |term| words.push(term.to_owned()));
    // The name as a whole comes last, if there is more than one word in it.
    if words.len() > 1 && words.last() == Some(&whole(name)) {
        words.pop();
    }
    words
}

/// The same name in other modules of the package.
pub(super) fn elsewhere(known: &Known, module: &str, name: &str) -> Option<Suggestion> {
    let is_type = |kind| !matches!(kind, Kind::Module | Kind::Property | Kind::Method);
    let mut found = known.items().iter().filter(|item| {
        item.module != module
            && item.path == name
            && !item.local
            && is_type(item.kind)
            && item.deprecated.is_none()
    });
    let item = found.next()?;
    Some(Suggestion {
        name: name.to_owned(),
        module: Some(item.module.to_string()),
        signature: item.signature.lines().next().map(shortened),
    })
}

/// A line of a declaration, cut where it gets long.
pub(super) fn shortened(line: &str) -> String {
    let mut letters = line.trim().chars();
    let start: String = letters.by_ref().take(SIGNATURE_LETTERS_MAX).collect();
    if letters.next().is_some() { start + "…" } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, names: &[&str], expected: &[&str]) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(nearest(name, &names, |_| 1.0), expected, "{name}");
    }

    #[test]
    fn letters_and_words_count() {
        check("strng", &["string", "number", "object"], &["string"]);
        check("get_json", &["json", "text", "_json"], &["json"]);
        check("removeItem", &["deleteItem", "item", "add"], &["deleteItem", "item"]);
        check("parse_file", &["parse", "load_file", "zzz"], &["load_file", "parse"]);
        check("zzz", &["string"], &[]);
        check("max_retries", &["maxRetries"], &["maxRetries"]);
        // A component that got a longer name, beside functions that had the short one all along.
        check(
            "Hydrate",
            &["hydrate", "dehydrate", "HydrationBoundary", "Query"],
            &["HydrationBoundary", "hydrate", "dehydrate"],
        );
    }
}
