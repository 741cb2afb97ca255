//! From what the words of a question find to what is meant by it: the edition that everybody imports,
//! the calls that a section shows, the function that a documentation points to.
//!
//! Fed by [`super::search`] with what was found so far.

use super::HITS_MAX;
use crate::hashing::HashMap;
use crate::index::symbols::Fit;
use crate::index::{Found, Index};
use crate::{Extraction, Item, Kind};

/// How many of the best are looked at for what they lead to.
const LOOKED_AT: usize = 3 * HITS_MAX;

/// The best items so far.
fn best_items(scores: &HashMap<Found, f32>) -> Vec<(u32, f32)> {
    let items = scores.iter().filter_map(|(found, score)| match found {
        Found::Item(position) => Some((*position, *score)),
        Found::Chunk(_) => None,
    });
    let mut items: Vec<(u32, f32)> = items.collect();
    items.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    items.truncate(LOOKED_AT);
    items
}

/// Moves other editions of the package down: `kit/v1` beside `kit`. Who means that edition says so, or
/// imports it by its name.
pub(super) fn editions(extraction: &Extraction, index: &Index, scores: &mut HashMap<Found, f32>) {
    const OTHER_EDITION: f32 = 0.6;
    let editions = index.editions(extraction);
    if editions.is_empty() {
        return;
    }
    for (found, score) in scores {
        let Found::Item(position) = found else { continue };
        if editions.contains(&extraction.items[*position as usize].module) {
            *score *= OTHER_EDITION;
        }
    }
}

/// Lifts what the documentation of a hit says is meant: a type that is "for the `map` method" is found
/// in place of that method, and something with "use `b` instead" in place of `b`.
pub(super) fn meant(extraction: &Extraction, index: &Index, scores: &mut HashMap<Found, f32>) {
    for (position, score) in best_items(scores) {
        let item = &extraction.items[position as usize];
        let Some(name) = points_to(item) else { continue };
        let found = index.symbols.lookup(name, &extraction.items).into_iter();
        let calls: Vec<(u32, Fit)> = { found }
            .filter(|(_, fit)| matches!(fit, Fit::Exact | Fit::Suffix | Fit::Name))
            .filter(|(at, _)| {
                let kind = extraction.items[*at as usize].kind;
                matches!(kind, Kind::Function | Kind::Method) && *at != position
            })
            .collect();
        // One of many of that name is none in particular.
        let Some((call, best)) = calls.first() else { continue };
        if calls.iter().filter(|(_, fit)| fit == best).count() <= 4 {
            let entry = scores.entry(Found::Item(*call)).or_default();
            *entry = entry.max(score * 1.01);
        }
    }
}

/// The name that the beginning of a documentation points to.
fn points_to(item: &Item) -> Option<&str> {
    let first = item.docs.split("\n\n").next().unwrap_or_default();
    let reason = item.deprecated.as_deref().unwrap_or_default();
    let instead = [reason, first].into_iter().find(|text| text.contains("instead"));
    let is_type = matches!(item.kind, Kind::Struct | Kind::Class | Kind::Interface);
    let code = match instead {
        Some(text) => text.split_once('`')?.1,
        None if is_type => first.split('.').next()?.split_once("[`")?.1,
        None => return None,
    };
    let (name, _) = code.split_once('`')?;
    Some(name.split('(').next().unwrap_or(name).trim_start_matches('.'))
}

/// Lifts what the code of the best section calls: prose finds the way, and the reader needs the
/// declarations along it.
pub(super) fn called(extraction: &Extraction, index: &Index, scores: &mut HashMap<Found, f32>) {
    /// Calls that are looked at.
    const CALLS_MAX: usize = 6;
    /// What a call is worth, of what its section is.
    const SHARE: f32 = 0.6;
    let best = scores.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
    let Some((&Found::Chunk(position), &score)) = best else { return };
    let text = &extraction.prose[position as usize].text;
    let mut seen: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices('(') {
        let before = &text[..at];
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let start = before
            .rfind(|c| !is_name(c))
            .map_or(0, |end| end + before[end..].chars().next().map_or(1, char::len_utf8));
        let name = &before[start..];
        if name.len() < 3 || seen.contains(&name) || seen.len() >= CALLS_MAX {
            continue;
        }
        // One of many of that name is none in particular. A method is called by its name alone.
        let found = index.symbols.lookup(name, &extraction.items);
        let is_named = |fit: &Fit| matches!(fit, Fit::Exact | Fit::Suffix | Fit::Name);
        let named = found.iter().filter(|(_, fit)| is_named(fit)).count();
        if let (Some((item, _)), 1..=3) = (found.first(), named) {
            seen.push(name);
            let entry = scores.entry(Found::Item(*item)).or_default();
            *entry = entry.max(score * SHARE);
        }
    }
}
