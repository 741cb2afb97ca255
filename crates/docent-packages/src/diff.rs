//! What changed in the public API between two versions of a package.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use crate::engine::Loaded;
use crate::index::symbols::segments;
use crate::render::budget::Block;
use crate::render::entry::folded;
use crate::render::{Answer, Draft, Receipt};
use crate::{Extent, Extraction};

/// The differences between two versions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Diff {
    /// The older version.
    pub old: Receipt,
    /// The newer version.
    pub new: Receipt,
    /// What is different.
    #[serde(flatten)]
    pub changes: Changes,
}

/// What is different, each list in the order of names.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Changes {
    /// In the newer version only.
    pub added: Vec<Change>,
    /// In the older version only.
    pub removed: Vec<Change>,
    /// In both, with another signature.
    pub changed: Vec<Change>,
    /// Deprecated in the newer version, not in the older one.
    pub deprecated: Vec<Change>,
    /// The same thing at another public path.
    pub moved: Vec<Change>,
}

/// One difference.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Change {
    /// The public path, with its module; the new one if it moved.
    pub name: String,
    /// The signature, or the path, in the older version.
    pub before: Option<String>,
    /// The signature, or the reason of the deprecation, in the newer version.
    pub after: Option<String>,
}

pub(crate) fn diff(old: &Loaded, new: &Loaded) -> Diff {
    let changes = compare(old.extraction(), new.extraction());
    Diff { old: old.receipt().clone(), new: new.receipt().clone(), changes }
}

fn compare(old: &Extraction, new: &Extraction) -> Changes {
    let (before, after) = (by_path(old), by_path(new));
    let mut diff = Changes::default();
    for (name, was) in &before {
        let Some(is) = after.get(name) else {
            diff.removed.push(change(name, Some(&was.signature), None));
            continue;
        };
        if !same(&was.signature, &is.signature) {
            diff.changed.push(change(name, Some(&was.signature), Some(&is.signature)));
        }
        if let (None, Some(reason)) = (&was.deprecated, &is.deprecated) {
            diff.deprecated.push(change(name, None, Some(reason)));
        }
    }
    for (name, is) in &after {
        if !before.contains_key(name) {
            diff.added.push(change(name, None, Some(&is.signature)));
        }
    }
    find_moves(&mut diff);
    diff
}

/// What is known under one path.
struct Known {
    /// Those of all items with that path: functions that differ in their labels only.
    signature: String,
    /// If all of them are.
    deprecated: Option<String>,
}

/// Each item under its path and under each alias, so that a thing that can still be reached the old
/// way has not been removed.
fn by_path(extraction: &Extraction) -> BTreeMap<String, Known> {
    let mut names: BTreeMap<String, Known> = BTreeMap::new();
    for item in extraction.items.iter().filter(|item| !item.path.is_empty()) {
        let aliases = item.aliases.iter().map(|(module, path)| (module.as_str(), path, false));
        let places = std::iter::once((item.module.as_str(), &item.path, true)).chain(aliases);
        for (module, path, is_own) in places {
            match names.entry(format!("{module} · {path}")) {
                Entry::Vacant(place) => {
                    let signature = item.signature.to_string();
                    let deprecated = item.deprecated.clone().map(String::from);
                    place.insert(Known { signature, deprecated });
                }
                Entry::Occupied(mut known) if is_own => {
                    let known = known.get_mut();
                    if !known.signature.lines().any(|line| item.signature == line) {
                        known.signature.push('\n');
                        known.signature.push_str(&item.signature);
                    }
                    known.deprecated =
                        known.deprecated.take().filter(|_| item.deprecated.is_some());
                }
                Entry::Occupied(_) => {}
            }
        }
    }
    names
}

/// Something removed and something added of the same name and signature is one thing that moved.
fn find_moves(diff: &mut Changes) {
    let name_of =
        |change: &Change| change.name.rsplit(['.', ' ']).next().unwrap_or_default().to_owned();
    let key = |change: &Change, signature: &Option<String>| {
        (name_of(change), signature.as_deref().map(squeezed).unwrap_or_default())
    };
    let mut gone: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (position, change) in diff.removed.iter().enumerate() {
        gone.entry(key(change, &change.before)).or_default().push(position);
    }
    let mut moved_from = Vec::new();
    diff.added.retain(|change| {
        let from = gone.get_mut(&key(change, &change.after)).and_then(Vec::pop);
        let Some(from) = from else { return true };
        moved_from.push(from);
        let before = Some(diff.removed[from].name.clone());
        diff.moved.push(Change { name: change.name.clone(), before, after: change.after.clone() });
        false
    });
    let mut position = 0;
    diff.removed.retain(|_| {
        position += 1;
        !moved_from.contains(&(position - 1))
    });
    diff.moved.sort();
}

fn change(name: &str, before: Option<&str>, after: Option<&str>) -> Change {
    Change {
        name: name.to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    }
}

fn squeezed(signature: &str) -> String {
    signature.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

impl Diff {
    /// Only what concerns these symbols: the symbols themselves and their members.
    #[must_use]
    pub fn only(mut self, symbols: &[String]) -> Self {
        if symbols.is_empty() {
            return self;
        }
        let wanted: Vec<Vec<&str>> = symbols.iter().map(|symbol| segments(symbol)).collect();
        let concerns = |change: &Change| {
            let path = change.name.rsplit(" · ").next().unwrap_or_default();
            let path: Vec<&str> = path.split('.').collect();
            wanted.iter().any(|symbol| {
                let symbol = symbol.as_slice();
                !symbol.is_empty() && path.windows(symbol.len()).any(|part| part == symbol)
            })
        };
        let Changes { added, removed, changed, deprecated, moved } = &mut self.changes;
        for list in [added, removed, changed, deprecated, moved] {
            list.retain(concerns);
        }
        self
    }

    /// The differences as an answer, at most that many tokens long: what breaks callers first.
    #[must_use]
    pub fn answer(&self, max_tokens: usize) -> Answer {
        let sections = [
            ("Removed", "removed", &self.changes.removed),
            ("Changed", "changed", &self.changes.changed),
            ("Moved", "moved", &self.changes.moved),
            ("Deprecated", "deprecated", &self.changes.deprecated),
            ("Added", "added", &self.changes.added),
        ];
        let counts = sections.iter().map(|(_, word, changes)| format!("{} {word}", changes.len()));
        let mut head = format!("{}\n", counts.collect::<Vec<_>>().join(", "));
        if [&self.old, &self.new].iter().any(|receipt| receipt.extent == Extent::Listed) {
            head.push_str(
                "Only what is at its root was compared; compare one package at a time.\n",
            );
        }
        let mut blocks = Vec::new();
        for (title, word, changes) in sections {
            for (position, change) in changes.iter().enumerate() {
                let title = if position == 0 { format!("## {title}\n") } else { String::new() };
                let forms = vec![
                    format!("{title}- `{}`", folded(&change.name, 200)),
                    format!("{title}{}", change.text()),
                ];
                blocks.push(Block { forms, missed: word });
            }
        }
        let ask = "Ask for some `symbols` only, or with a larger `maxTokens`.".to_owned();
        let draft = Draft { head, blocks, lead_share: 50, found: true, results: Vec::new(), ask };
        draft.finish(vec![self.old.clone(), self.new.clone()], max_tokens)
    }
}

impl Change {
    fn text(&self) -> String {
        let mut text = format!("- `{}`", self.name);
        for (word, signature) in [("before", &self.before), ("after", &self.after)] {
            if let Some(signature) = signature.as_ref().filter(|text| !text.is_empty()) {
                text.push_str(&format!("\n  {word}: `{}`", folded(signature, 300)));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Item;

    fn extraction(items: &[(&str, &str, &str, Option<&str>)]) -> Extraction {
        let items = items.iter().map(|(module, path, signature, deprecated)| Item {
            module: (*module).into(),
            path: (*path).to_owned(),
            signature: (*signature).into(),
            deprecated: deprecated.map(Into::into),
            ..Item::default()
        });
        Extraction { items: items.collect(), ..Extraction::default() }
    }

    #[test]
    fn each_kind_of_change_is_told_apart() {
        let old = extraction(&[
            ("x", "same", "same(): void", None),
            ("x", "gone", "gone(): void", None),
            ("x", "other", "other(a: string): void", None),
            ("x", "old", "old(): void", None),
            ("x", "wanders", "wanders(deep: boolean): void", None),
        ]);
        let new = extraction(&[
            ("x", "same", "same():   void", None),
            ("x", "other", "other(a: number): void", None),
            ("x", "old", "old(): void", Some("use same")),
            ("x/sub", "wanders", "wanders(deep: boolean): void", None),
            ("x", "fresh", "fresh(): void", None),
        ]);
        let changes = compare(&old, &new);
        let names = |changes: &[Change]| {
            changes.iter().map(|change| change.name.clone()).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(names(&changes.removed), "x · gone");
        assert_eq!(names(&changes.changed), "x · other");
        assert_eq!(names(&changes.deprecated), "x · old");
        assert_eq!(names(&changes.added), "x · fresh");
        assert_eq!(names(&changes.moved), "x/sub · wanders");
        assert_eq!(changes.moved[0].before.as_deref(), Some("x · wanders"));
    }

    #[test]
    fn functions_of_one_name_count_together() {
        let old = extraction(&[("x", "f", "f(a:)", None), ("x", "f", "f(b:)", None)]);
        let new = extraction(&[("x", "f", "f(a:)", None), ("x", "f", "f(c:)", None)]);
        let changes = compare(&old, &new);
        assert_eq!(changes.changed.len(), 1);
        assert_eq!(changes.changed[0].after.as_deref(), Some("f(a:)\nf(c:)"));
        assert!(compare(&old, &old).changed.is_empty());
    }
}
