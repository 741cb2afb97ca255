//! A part of an item's documentation that is about the question: the beginning, and of a long list the
//! entries that have its words.
//!
//! Feeds [`super::search`], where most results have room for a few lines only.

use super::budget::{clip, tokens};
use crate::index::tokenize;
use crate::rank::is_about_the_answer;

const MARK: &str = "…";

/// At most that many tokens of the documentation of what is at a path.
pub(super) fn of(docs: &str, path: &str, question: &str, limit: usize) -> String {
    let docs = docs.trim();
    let whole = clip(docs, limit);
    if limit == 0 || tokens(docs) <= limit {
        return whole;
    }
    // What the whole thing is called, any of its entries may mention.
    let own = terms(path);
    let wanted: Vec<String> =
        terms(question).into_iter().filter(|term| !own.contains(term)).collect();
    let entries = entries(docs);
    let matches = |text: &str| {
        let found = terms(text);
        wanted.iter().filter(|term| found.contains(term)).count()
    };
    // Two words make it likely that an entry is about the question; those that show anyway need no
    // help.
    let mut best: Vec<(usize, &str)> = { entries.iter() }
        .filter(|entry| !whole.contains(entry.trim_end()))
        .map(|entry| (matches(entry), *entry))
        .filter(|(count, _)| *count >= 2)
        .collect();
    best.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let Some((_, entry)) = best.first() else { return whole };
    let cost = tokens(entry) + tokens(MARK) + 2;
    let Some(room) = limit.checked_sub(cost) else { return whole };
    let start = clip(first_paragraph(docs), room);
    let mut text = String::new();
    if !start.is_empty() {
        text.push_str(start.trim_end_matches(['\n', '…']).trim_end());
        text.push('\n');
    }
    text.push_str(MARK);
    text.push('\n');
    text.push_str(entry.trim_end());
    if tokens(&text) <= limit { text } else { whole }
}

/// The entries of lists, each with the lines that continue it.
fn entries(docs: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let mut start: Option<usize> = None;
    let mut at = 0;
    for line in docs.split_inclusive('\n') {
        let is_entry = line.starts_with("- ") || line.starts_with("* ");
        let continues = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        if !continues && let Some(begin) = start.take() {
            entries.push(&docs[begin..at]);
        }
        if is_entry {
            start = Some(at);
        }
        at += line.len();
    }
    entries.extend(start.map(|begin| &docs[begin..]));
    entries
}

fn first_paragraph(docs: &str) -> &str {
    docs.split("\n\n").next().unwrap_or_default()
}

/// The words that say what a text is about.
fn terms(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    tokenize::terms(text, |term| {
        let says = !tokenize::is_filler(term) && !is_about_the_answer(term);
        if says && !found.iter().any(|known| known == term) {
            found.push(term.to_owned());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCS: &str = "Creates a server.\n\nParameters:\n- `options` — Configuration\n\
        - `options.backlog=511` — The maximum length of the queue of\n    pending connections\n\
        - `options.payload=100` — The maximum allowed message\n    size\n- `callback` — A listener\n";

    #[test]
    fn the_entry_that_was_asked_for() {
        let check = |question: &str, limit: usize, expected: &str| {
            let text = of(DOCS, "QueueServer.constructor", question, limit);
            assert_eq!(text, expected, "{question}");
            assert!(tokens(&text) <= limit);
        };
        let entry = "- `options.payload=100` — The maximum allowed message\n    size";
        check("maximum message size", 40, &format!("Creates a server.\n…\n{entry}"));
        check("QueueServer maximum message size", 40, &format!("Creates a server.\n…\n{entry}"));
        // One word is no reason, and a text that fits is left alone.
        let cut = clip(DOCS.trim(), 30);
        check("message format", 30, &cut);
        check("maximum message size", 1000, DOCS.trim());
        check("maximum message size", 0, "");
        check("maximum message size", 12, &clip(DOCS.trim(), 12));
    }

    proptest::proptest! {
        #[test]
        fn excerpts_fit(docs in "(?s)(- |maximum|size|\n|  |é|```|.){0,60}", limit in 0usize..60) {
            proptest::prop_assert!(tokens(&of(&docs, "x", "maximum size", limit)) <= limit);
        }
    }
}
