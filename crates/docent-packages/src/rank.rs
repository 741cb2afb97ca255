//! From a question to the items and chunks that answer it, best first.
//!
//! A question is words, symbols, or both. Words are looked up in the index, each with the words that
//! programmers use for the same thing; symbols are looked up by name. What decides then: how rare
//! the words are, where they occur, how much of the question is covered, and how central a thing is.

mod follow;

use crate::hashing::HashMap;
use crate::index::symbols::{Fit, module_parts, segments};
use crate::index::vocabulary::{RELATED_WEIGHT, related};
use crate::index::{Found, Index, View, tokenize};
use crate::{Chunk, ChunkKind, Extraction, Item, Kind};

/// What was found for a question.
pub(crate) struct Ranking {
    /// Best first.
    pub(crate) hits: Vec<Hit>,
    /// Symbols in the question that the package does not have.
    pub(crate) missing: Vec<String>,
}

impl Ranking {
    /// The same, with what lies outside of the module that was asked for further down.
    pub(crate) fn inside_first(mut self, module: &str, extraction: &Extraction) -> Self {
        const OUTSIDE: f32 = 0.5;
        for hit in &mut self.hits {
            if let Found::Item(position) = hit.found {
                let at = extraction.items[position as usize].module.strip_prefix(module);
                let is_inside =
                    at.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']));
                hit.score *= if is_inside { 1.0 } else { OUTSIDE };
            }
        }
        self.hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.found.cmp(&b.found)));
        self
    }
}

/// One thing that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) found: Found,
    pub(crate) score: f32,
}

/// Words about the answer rather than about the subject.
const ABOUT_THE_ANSWER: &[&str] = &[
    "signature",
    "parameter",
    "argument",
    "default",
    "type",
    "overload",
    "option",
    "constructor",
    "method",
    "function",
    "decorator",
    "keyword",
    "name",
    "return",
    "value",
    "example",
    "syntax",
    "api",
    "usage",
    "class",
    "interface",
    "taking",
    "definition",
    "import",
    "call",
];

/// Whether a term says what the answer should be like, rather than what it should be about.
pub(crate) fn is_about_the_answer(term: &str) -> bool {
    ABOUT_THE_ANSWER.iter().any(|word| tokenize::stem(word) == term)
}

const HITS_MAX: usize = 24;

/// What scores less than this share of the best hit is noise.
const SCORE_SHARE_MIN: f32 = 0.15;

/// Answers a question.
pub(crate) fn search(
    extraction: &Extraction,
    index: &Index,
    package: &str,
    question: &str,
    fuzzy: bool,
    languages: &[String],
) -> Ranking {
    let mut scores: HashMap<Found, f32> = HashMap::default();
    words(index.all(extraction), package, question, fuzzy, &mut scores);
    for (found, score) in &mut scores {
        *score *= centrality(extraction, *found, languages);
    }
    follow::editions(extraction, index, &mut scores);
    follow::called(extraction, index, &mut scores);
    follow::meant(extraction, index, &mut scores);
    let missing = symbols(extraction, index, question, &mut scores);
    let mut hits: Vec<Hit> =
        scores.into_iter().map(|(found, score)| Hit { found, score }).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.found.cmp(&b.found)));
    let least = hits.first().map_or(0.0, |best| best.score * SCORE_SHARE_MIN);
    hits.retain(|hit| hit.score >= least);
    hits.truncate(HITS_MAX);
    Ranking { hits, missing }
}

/// The sections of prose that fit some words, best first.
pub(crate) fn sections(
    extraction: &Extraction,
    index: &Index,
    words_asked: &str,
    languages: &[String],
) -> Vec<u32> {
    let mut scores: HashMap<Found, f32> = HashMap::default();
    words(index.prose(), "", words_asked, false, &mut scores);
    let mut sections: Vec<(f32, u32)> = scores
        .into_iter()
        .filter_map(|(found, score)| match found {
            Found::Chunk(position) => {
                Some((score * centrality(extraction, found, languages), position))
            }
            Found::Item(_) => None,
        })
        .collect();
    sections.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    sections.into_iter().map(|(_, position)| position).take(HITS_MAX).collect()
}

/// Adds up what the words of the question find.
fn words(
    index: View<'_>,
    package: &str,
    question: &str,
    fuzzy: bool,
    scores: &mut HashMap<Found, f32>,
) {
    let mut package_terms = Vec::new();
    tokenize::terms(package, |term| package_terms.push(term.to_owned()));
    let mut terms: Vec<(String, f32)> = Vec::new();
    tokenize::terms(question, |term| {
        if tokenize::is_filler(term) || terms.iter().any(|(known, _)| known == term) {
            return;
        }
        let weight = match () {
            () if is_about_the_answer(term) => 0.3,
            () if package_terms.iter().any(|word| word == term) => 0.3,
            () => 1.0,
        };
        terms.push((term.to_owned(), weight));
    });
    let mut total = 0.0;
    let mut covered: HashMap<Found, f32> = HashMap::default();
    for (term, weight) in &terms {
        let mut best: HashMap<Found, f32> = HashMap::default();
        let own = index.rarity(term);
        let mut take = |word: &str, factor: f32| {
            for (found, occurrence) in index.occurrences(word) {
                let value = best.entry(found).or_default();
                *value = value.max(occurrence * factor);
            }
        };
        take(term, own);
        let mut rarity = own;
        if fuzzy {
            for word in related(term).filter(|word| word != term) {
                // A stand-in is never worth more than the word itself would be.
                let other = index.rarity(word);
                let worth = if own > 0.0 { own.min(other) } else { other };
                take(word, worth * RELATED_WEIGHT);
                rarity = rarity.max(worth * RELATED_WEIGHT);
            }
        }
        total += rarity * weight;
        for (found, value) in best {
            *scores.entry(found).or_default() += value * weight;
            *covered.entry(found).or_default() += weight * value.min(rarity).max(rarity * 0.3);
        }
    }
    if total > 0.0 {
        for (found, score) in scores {
            let share = covered.get(found).copied().unwrap_or_default() / total;
            *score *= 0.4 + 0.6 * share.min(1.0);
        }
    }
}

/// How likely a thing is to be what anybody asks for, before the question is known.
fn centrality(extraction: &Extraction, found: Found, languages: &[String]) -> f32 {
    match found {
        Found::Item(position) => item_centrality(&extraction.items[position as usize]),
        Found::Chunk(position) => chunk_centrality(&extraction.prose[position as usize], languages),
    }
}

pub(crate) fn chunk_centrality(chunk: &Chunk, languages: &[String]) -> f32 {
    // Some have their changelog in the README.
    let is_about_release = chunk.headings.iter().any(|heading| is_release(heading));
    let kind = match chunk.kind {
        _ if is_about_release => 0.4,
        ChunkKind::Readme | ChunkKind::Guide => 0.85,
        ChunkKind::Example => 0.6,
        ChunkKind::Changelog => 0.4,
    };
    let read = match &chunk.language {
        None if languages.is_empty() => 1.0,
        None => 0.9,
        Some(tag) if languages.iter().any(|want| tag.starts_with(want.as_str())) => 1.1,
        Some(_) => 0.2,
    };
    kind * read
}

/// Whether a heading is that of one release: `v1.10.2 (2022-09-05)`, `[0.3.0] - 2021-01-01`.
fn is_release(heading: &str) -> bool {
    let start = heading.trim_start_matches(['[', '`', '#', ' ']).trim_start_matches(['v', 'V']);
    let number =
        start.split(|c: char| !(c.is_ascii_digit() || c == '.')).next().unwrap_or_default();
    let begins = number.starts_with(|c: char| c.is_ascii_digit());
    let parts = number.split('.').filter(|part| !part.is_empty()).count();
    // `2.4 Examples` is a chapter.
    let rest = &start[number.len()..];
    begins && parts >= 2 && (parts >= 3 || !rest.starts_with(' ') || rest.contains(['(', '-']))
}

pub(crate) fn item_centrality(item: &Item) -> f32 {
    let mut factor = match item.kind {
        Kind::Module => 0.7,
        Kind::Variant | Kind::Constant | Kind::Variable => 0.8,
        Kind::Property => 0.9,
        _ => 1.0,
    };
    if item.inherited.is_some() {
        factor *= 0.75;
    }
    if item.deprecated.is_some() {
        factor *= 0.75;
    }
    if item.docs.is_empty() {
        factor *= 0.88;
    }
    let depth = item.path.matches('.').count();
    let nested = module_parts(&item.module).count().saturating_sub(1);
    factor * 0.96f32.powi(i32::try_from(depth + nested).unwrap_or(9).min(9))
}

/// Lifts what the question names outright; gives back the names that nothing has.
fn symbols(
    extraction: &Extraction,
    index: &Index,
    question: &str,
    scores: &mut HashMap<Found, f32>,
) -> Vec<String> {
    let top = scores.values().copied().fold(0.0f32, f32::max).max(1.0);
    let single = question.split_whitespace().count() == 1;
    let mut missing = Vec::new();
    let mut lifted: Vec<(u32, f32)> = Vec::new();
    for word in question.split_whitespace() {
        let word =
            word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '(')));
        let parts = segments(word);
        let Some(last) = parts.last().filter(|last| last.len() > 1) else { continue };
        let code = looks_like_code(last);
        if !(code || single || parts.len() > 1 || word.contains('(') || starts_upper(last)) {
            continue;
        }
        let found = index.symbols.lookup(word, &extraction.items);
        // `rng()` is no call of a type `Rng`.
        let is_path = word.contains("::") || word.contains('(');
        let is_other = is_path
            && found.iter().all(|(at, fit)| {
                *fit > Fit::Suffix && !is_cased_alike(last, extraction.items[*at as usize].name())
            });
        if (found.is_empty() || is_other)
            && (code || single || word.contains("::") || word.contains('('))
        {
            missing.push(parts.join("."));
        }
        for (rank, (position, fit)) in found.into_iter().take(12).enumerate() {
            let lift = match fit {
                Fit::Exact | Fit::Suffix => 1.6,
                Fit::Folded | Fit::FoldedSuffix => 1.2,
                Fit::Name if code || parts.len() > 1 => 1.0,
                Fit::Name => 0.6,
                Fit::FoldedName if code => 0.5,
                Fit::FoldedName => 0.2,
            };
            // Same-named things share the lift: the first is the likeliest.
            let share = 1.0 / (1.0 + 0.15 * rank as f32);
            lifted.push((position, lift * share));
        }
    }
    // `Response sendFile` asks for a member of what it names: one that the other words find rises
    // with its owner, as far as they find it.
    let owners: HashMap<u32, f32> = lifted.iter().copied().collect();
    for (position, item) in (0u32..).zip(&extraction.items) {
        let Some(lift) = item.parent.and_then(|parent| owners.get(&parent)) else { continue };
        if let Some(score) = scores.get_mut(&Found::Item(position)) {
            *score += *score * lift;
        }
    }
    for (position, lift) in lifted {
        *scores.entry(Found::Item(position)).or_default() += top * lift;
    }
    missing
}

/// Whether two names begin alike: types and functions are told apart by their first letter.
pub(crate) fn is_cased_alike(one: &str, other: &str) -> bool {
    let is_upper = |name: &str| name.chars().next().is_some_and(char::is_uppercase);
    is_upper(one) == is_upper(other)
}

/// Whether a word has the shape of an identifier: `sendFile`, `find_all`.
fn looks_like_code(word: &str) -> bool {
    let snake = word.trim_matches('_').contains('_');
    let mut characters = word.chars().peekable();
    let mut camel = false;
    while let (Some(c), Some(next)) = (characters.next(), characters.peek()) {
        camel |= c.is_lowercase() && next.is_uppercase();
    }
    snake || camel
}

fn starts_upper(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase) && word.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(path: &str, signature: &str, docs: &str) -> Item {
        Item {
            module: "kit".into(),
            path: path.to_owned(),
            kind: Kind::Function,
            signature: signature.into(),
            docs: docs.into(),
            ..Item::default()
        }
    }

    /// Checks the best hits, and the names that are said to be missing.
    fn check(question: &str, expected: &[&str], missing: &[&str]) {
        let extraction = Extraction {
            items: vec![
                item("confirm", "def confirm(text, abort=False)", "Prompts for confirmation."),
                item("prompt", "def prompt(text)", "Prompts a user for input."),
                item("thumbnail", "def thumbnail(size)", "Make this image into a thumbnail."),
                item("mergeAsof", "mergeAsof(left, right)", "Joins on the nearest key."),
                item("Client.close", "close(): void", "Closes the client."),
                item("Client", "class Client(timeout)", "Sends requests."),
                item("parse", "parse(text: string)", "Reads a document."),
            ],
            ..Extraction::default()
        };
        let index = Index::build(&extraction);
        let ranking = search(&extraction, &index, "kit", question, true, &[]);
        let found = ranking.hits.iter().map(|hit| match hit.found {
            Found::Item(position) => extraction.items[position as usize].path.as_str(),
            Found::Chunk(_) => "prose",
        });
        let found: Vec<&str> = found.take(expected.len()).collect();
        assert_eq!(found, expected, "{question}");
        assert_eq!(ranking.missing, missing, "{question}");
    }

    #[test]
    fn names_come_first() {
        check("confirm", &["confirm"], &[]);
        check("merge_asof", &["mergeAsof"], &[]);
        check("Client constructor timeout argument", &["Client"], &[]);
        check("client.close()", &["Client.close"], &[]);
    }

    #[test]
    fn words_find_what_is_called_otherwise() {
        check("ask a yes/no question", &["confirm"], &[]);
        check("join on the closest key", &["mergeAsof"], &[]);
        check("resize an image", &["thumbnail"], &[]);
        check("decode a document", &["parse"], &[]);
    }

    #[test]
    fn sections_about_one_release() {
        for heading in ["v1.10.2 (2022-09-05)", "[0.3.0] - 2021-01-01", "1.0.0", "v1.0b1", "2.1"] {
            assert!(is_release(heading), "{heading}");
        }
        for heading in ["2.4 Examples", "Python 3.12", "v1", "Release notes", "", "3 ways", "…"] {
            assert!(!is_release(heading), "{heading}");
        }
    }

    #[test]
    fn other_editions_come_after_and_what_is_meant_first() {
        let in_module = |module: &str, path: &str, docs: &str| Item {
            module: module.into(),
            ..item(path, "parse(text: string)", docs)
        };
        let keys = "Reads a document with keys. Keys of a document.";
        let mut items = vec![
            in_module("kit/v1", "Reader", keys),
            in_module("kit/v1", "Parser", keys),
            item("Reader", "parse(text: string)", "Reads a document with keys."),
            in_module("kit/extra", "Reader", "Reads a letter."),
            in_module("kit/extra", "Other", "Reads a letter."),
            in_module("kit/extra", "Third", "Reads a letter."),
            in_module("kit/extra", "Fourth", "Reads a letter."),
            Item {
                kind: Kind::Struct,
                ..item("Chunked", "struct Chunked", "Stream of pieces for the [`pieces`] method.")
            },
            item("pieces", "fn pieces(self)", "Cuts it up."),
            item("slice", "fn slice(self)", "Thin rows. Use `kit.carve(x)` instead."),
            item("carve", "fn carve(self)", ""),
        ];
        for path in ["Writer", "Printer", "Client"] {
            items.extend([item(path, "", ""), in_module("kit/v1", path, "")]);
        }
        let extraction = Extraction { items, ..Extraction::default() };
        let index = Index::build(&extraction);
        let best = |question: &str| {
            let hit = search(&extraction, &index, "kit", question, true, &[]).hits[0];
            let Found::Item(position) = hit.found else { panic!("prose") };
            position
        };
        assert_eq!(best("letter"), 3);
        assert_eq!(best("stream chunked"), 8);
        assert_eq!(best("thin rows"), 10);
        let editions = index.editions(&extraction);
        assert_eq!(editions.iter().map(|module| module.as_str()).collect::<Vec<_>>(), ["kit/v1"]);
    }

    #[test]
    fn the_edition_that_everybody_imports_comes_first() {
        let names = ["Reader", "Parser", "Writer", "Printer"];
        let of = |module: &str| {
            let module = module.to_owned();
            names.map(|path| Item {
                module: module.as_str().into(),
                ..item(path, &format!("class {path}"), "Reads a document with keys.")
            })
        };
        // Whichever was read first: all else is equal.
        for modules in [["kit/v1", "kit"], ["kit", "kit/v1"]] {
            let items: Vec<Item> = modules.into_iter().flat_map(of).collect();
            let extraction = Extraction { items, ..Extraction::default() };
            let index = Index::build(&extraction);
            let ranking = search(&extraction, &index, "kit", "document with keys", true, &[]);
            let hits = ranking.hits.iter().filter_map(|hit| match hit.found {
                Found::Item(at) => Some(extraction.items[at as usize].module.to_string()),
                Found::Chunk(_) => None,
            });
            let expected = ["kit"; 4].into_iter().chain(["kit/v1"; 4]);
            assert_eq!(hits.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn names_that_nothing_has_are_told() {
        check("mergeAll", &[], &["mergeAll"]);
        check("kit.frobnicate()", &[], &["kit.frobnicate"]);
        check("how does Node.js close it", &["Client.close"], &[]);
    }
}
