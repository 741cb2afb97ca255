//! The names that a file declares, wherever and for whom: what may stand for something else.

use super::text::Text;
use crate::hashing::HashSet;

/// Words in front of the name of a type.
pub(super) const TYPES: &[&str] =
    &["struct", "class", "enum", "actor", "protocol", "typealias", "associatedtype", "macro"];

/// All names that a source declares; a type that it extends as `extension Name`. Nothing if it cannot
/// be made sense of.
pub(in crate::check) fn names(source: &str) -> Option<HashSet<String>> {
    let text = Text::of(source)?;
    let (mut types, mut members) = (HashSet::default(), HashSet::default());
    collect(&text, &mut types, &mut members);
    let all = types.into_iter().chain(members).map(str::to_owned);
    let extended = (0..text.len()).filter(|&at| text.is(at, "extension"));
    let extended = extended.map(|at| {
        let mut name = text.plain(at + 1).to_owned();
        let mut next = at + 2;
        while text.is(next, ".") {
            text.plain(next + 1).clone_into(&mut name);
            next += 2;
        }
        format!("extension {name}")
    });
    Some(all.chain(extended).collect())
}

/// Sorts the names that a file declares into types, with the parameters of types, and others.
pub(super) fn collect<'t>(
    text: &Text<'t>,
    types: &mut HashSet<&'t str>,
    members: &mut HashSet<&'t str>,
) {
    for at in 0..text.len() {
        if !text.is_word(at) || text.before(at) == "." || !text.is_word(at + 1) {
            continue;
        }
        let word = text.get(at);
        if TYPES.contains(&word) {
            types.insert(text.plain(at + 1));
            parameters(text, at + 2, types);
        }
        match word {
            "func" => {
                members.insert(text.plain(at + 1));
                parameters(text, at + 2, types);
            }
            "let" | "var" => {
                members.insert(text.plain(at + 1));
            }
            "case" => {
                let mut next = at + 1;
                while text.is_word(next) {
                    members.insert(text.plain(next));
                    next += 1;
                    while next < text.len() && !text.is(next, ",") && !text.starts_with_line(next) {
                        next = text.past(next);
                    }
                    next += 1;
                }
            }
            _ => {}
        }
    }
}

/// The names between `<` and `>` behind a declaration's name.
fn parameters<'t>(text: &Text<'t>, at: usize, types: &mut HashSet<&'t str>) {
    if let Some(end) = text.past_generics(at) {
        let starts = (at..end).filter(|&at| text.is(at, "<") || text.is(at, ","));
        types.extend(starts.map(|at| text.plain(at + 1)));
    }
}

impl Text<'_> {
    /// Whether a new line begins here, or a block ends.
    fn starts_with_line(&self, at: usize) -> bool {
        self.starts_line(at) || matches!(self.get(at), "}" | ";" | ":")
    }
}
