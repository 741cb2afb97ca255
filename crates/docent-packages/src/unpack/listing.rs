//! The entries of one archive as they are read, and what they must not do to each other.
//!
//! Filled by [`super::tar`] and [`super::zip`]; becomes the files of a tree. Links are noted, never
//! followed: an entry that lies behind one, or has the name of one, is refused, because unpacking
//! it would write through the link.

use std::collections::BTreeMap;

use super::fault::Fault;
use super::path;
use crate::Limits;
use crate::tree::Content;

/// What the name of an entry stands for.
enum Entry {
    File(Content),
    Folder,
    Link,
}

/// What a second entry of the same name means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// A later file takes the place of an earlier one, as all readers of tar archives have it.
    Replaces,
    /// Readers disagree, so it is refused.
    Refused,
}

pub(crate) struct Listing<'a> {
    entries: BTreeMap<String, Entry>,
    count: u64,
    repeat: Repeat,
    limits: &'a Limits,
}

const TWICE: Fault = Fault::Rule("an earlier entry has the same path");
const CLASH: Fault = Fault::Rule("an earlier entry of another type has the same path");
const BEHIND: &str = "it lies behind a link or a file of that path";

impl<'a> Listing<'a> {
    pub(crate) fn new(repeat: Repeat, limits: &'a Limits) -> Self {
        Self { entries: BTreeMap::new(), count: 0, repeat, limits }
    }

    /// Counts an entry of any type, and gives the normal form of its path.
    pub(crate) fn admit(&mut self, path: &str) -> Result<String, Fault> {
        self.count();
        if self.count > self.limits.entries_max {
            return Err(Fault::Entries);
        }
        path::normal(path, self.limits.path_bytes_max).map_err(Fault::Path)
    }

    /// Counts something that takes work to read but is no entry, such as an extension header.
    pub(crate) fn admit_extension(&mut self) -> Result<(), Fault> {
        self.count();
        // An entry may have one of each kind.
        let most = self.limits.entries_max.saturating_mul(4);
        if self.count > most { Err(Fault::Entries) } else { Ok(()) }
    }

    fn count(&mut self) {
        self.count = self.count.saturating_add(1);
    }

    pub(crate) fn file(&mut self, path: String, content: Content) -> Result<(), Fault> {
        if path.is_empty() {
            return Err(Fault::Path(path::Fault::Empty));
        }
        match self.entries.get(&path) {
            Some(Entry::File(_)) if self.repeat == Repeat::Refused => return Err(TWICE),
            Some(Entry::Folder | Entry::Link) => return Err(CLASH),
            _ => {}
        }
        self.entries.insert(path, Entry::File(content));
        Ok(())
    }

    pub(crate) fn folder(&mut self, path: String) -> Result<(), Fault> {
        self.other(path, Entry::Folder)
    }

    pub(crate) fn link(&mut self, path: String) -> Result<(), Fault> {
        self.other(path, Entry::Link)
    }

    fn other(&mut self, path: String, entry: Entry) -> Result<(), Fault> {
        if let Some(earlier) = self.entries.get(&path) {
            let same = std::mem::discriminant(earlier) == std::mem::discriminant(&entry);
            if !same {
                return Err(CLASH);
            }
            if self.repeat == Repeat::Refused {
                return Err(TWICE);
            }
        }
        self.entries.insert(path, entry);
        Ok(())
    }

    /// The files, once no entry lies behind another; else the entry that does.
    pub(crate) fn files(self) -> Result<BTreeMap<String, Content>, (String, Fault)> {
        // With a separator that sorts before everything else, what lies behind an entry comes
        // directly after it. No path contains a control character.
        let mut sorted: Vec<(String, bool)> = self.entries.iter().map(sort_key).collect();
        sorted.sort_unstable();
        for pair in sorted.windows(2) {
            let [(path, is_folder), (next, _)] = pair else { continue };
            let behind =
                next.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('\u{1}'));
            if behind && !is_folder {
                return Err((next.replace('\u{1}', "/"), Fault::Rule(BEHIND)));
            }
        }
        let files = self.entries.into_iter().filter_map(|(path, entry)| match entry {
            Entry::File(content) => Some((path, content)),
            Entry::Folder | Entry::Link => None,
        });
        Ok(files.collect())
    }
}

fn sort_key((path, entry): (&String, &Entry)) -> (String, bool) {
    (path.replace('/', "\u{1}"), matches!(entry, Entry::Folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries as words: `a` a file, `a/` a folder, `a@` a link; gives the files or the fault.
    fn check(repeat: Repeat, entries: &str, expected: Result<&str, Fault>) {
        let limits = Limits { entries_max: 6, ..Limits::default() };
        let mut listing = Listing::new(repeat, &limits);
        let fill = |listing: &mut Listing<'_>| -> Result<(), Fault> {
            for word in entries.split_whitespace() {
                let path = listing.admit(word.trim_end_matches('@'))?;
                match word.chars().last() {
                    Some('/') => listing.folder(path)?,
                    Some('@') => listing.link(path)?,
                    _ => listing.file(path, Content::Skipped)?,
                }
            }
            Ok(())
        };
        let found = fill(&mut listing)
            .and_then(|()| listing.files().map_err(|(_, fault)| fault))
            .map(|files| files.into_keys().collect::<Vec<_>>().join(" "));
        assert_eq!(found, expected.map(str::to_owned), "{entries}");
    }

    #[test]
    fn entries_may_not_get_in_each_others_way() {
        let behind = || Err(Fault::Rule(BEHIND));
        check(Repeat::Replaces, "a/ a/b c", Ok("a/b c"));
        check(Repeat::Replaces, "a a b/ b/", Ok("a"));
        check(Repeat::Refused, "a a", Err(TWICE));
        check(Repeat::Refused, "b/ b/", Err(TWICE));
        check(Repeat::Replaces, "a a/", Err(CLASH));
        check(Repeat::Replaces, "a@ a", Err(CLASH));
        check(Repeat::Replaces, "a a@", Err(CLASH));
        check(Repeat::Replaces, "a@ a/", Err(CLASH));
        check(Repeat::Replaces, "a@ b", Ok("b"));
        check(Repeat::Replaces, "a@ a/b", behind());
        check(Repeat::Replaces, "a/b a", behind());
        check(Repeat::Replaces, "a a-b a/b/c", behind());
        check(Repeat::Replaces, "a a-b a0/c", Ok("a a-b a0/c"));
        check(Repeat::Replaces, "A a", Ok("A a"));
    }

    #[test]
    fn entries_are_counted() {
        check(Repeat::Replaces, "a b c d e f", Ok("a b c d e f"));
        check(Repeat::Replaces, "a b c d e f g", Err(Fault::Entries));
    }
}
