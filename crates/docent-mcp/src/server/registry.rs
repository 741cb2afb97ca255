//! What a server offers, in the order it was added, and how lists of it are paged.
//!
//! Every entry has a number that never changes and is never used again. A cursor is the number of
//! the last entry on the page before, so entries may come and go between two pages without one
//! being shown twice or skipped.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::jsonrpc::ErrorObject;

pub(crate) struct Registry<E>(RwLock<Entries<E>>);

struct Entries<E> {
    by_key: HashMap<String, (u64, Arc<E>)>,
    by_number: BTreeMap<u64, Arc<E>>,
    next: u64,
}

impl<E> Default for Registry<E> {
    fn default() -> Self {
        let entries = Entries { by_key: HashMap::new(), by_number: BTreeMap::new(), next: 1 };
        Registry(RwLock::new(entries))
    }
}

impl<E> Registry<E> {
    /// Adds an entry, or replaces the one with the same key in its place.
    pub(crate) fn insert(&self, key: &str, entry: E) {
        let mut entries = self.0.write().expect("no panic while locked");
        let entry = Arc::new(entry);
        let number = entries.by_key.get(key).map_or(entries.next, |(number, _)| *number);
        entries.next = entries.next.max(number + 1);
        entries.by_key.insert(key.to_owned(), (number, entry.clone()));
        entries.by_number.insert(number, entry);
    }

    /// Removes an entry. Returns whether it was there.
    pub(crate) fn remove(&self, key: &str) -> bool {
        let mut entries = self.0.write().expect("no panic while locked");
        let Some((number, _)) = entries.by_key.remove(key) else { return false };
        entries.by_number.remove(&number);
        true
    }

    pub(crate) fn get(&self, key: &str) -> Option<Arc<E>> {
        let entries = self.0.read().expect("no panic while locked");
        entries.by_key.get(key).map(|(_, entry)| entry.clone())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.read().expect("no panic while locked").by_key.is_empty()
    }

    pub(crate) fn any(&self, holds: impl Fn(&E) -> bool) -> bool {
        let entries = self.0.read().expect("no panic while locked");
        entries.by_number.values().any(|entry| holds(entry))
    }

    /// Every entry, in order.
    pub(crate) fn all(&self) -> Vec<Arc<E>> {
        self.0.read().expect("no panic while locked").by_number.values().cloned().collect()
    }

    /// The names, nearest first, that could have been meant by `key`.
    pub(crate) fn similar(&self, key: &str) -> Vec<String> {
        let entries = self.0.read().expect("no panic while locked");
        let wanted = key.to_lowercase();
        let mut names: Vec<_> = entries
            .by_key
            .keys()
            .map(|name| (edits(&wanted, &name.to_lowercase()), name))
            .filter(|(edits, name)| *edits <= 2.max(name.len() / 3))
            .collect();
        names.sort();
        names.into_iter().take(3).map(|(_, name)| name.clone()).collect()
    }

    /// One page of at most `size` entries after `cursor`, and the cursor of the next page.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        size: usize,
    ) -> Result<(Vec<Arc<E>>, Option<String>), ErrorObject> {
        let after = cursor.map_or(Ok(0), read_cursor)?;
        let entries = self.0.read().expect("no panic while locked");
        let mut rest = entries.by_number.range(after + 1..);
        let page: Vec<_> = rest.by_ref().take(size.max(1)).collect();
        let last = page.last().map_or(after, |(number, _)| **number);
        let next = rest.next().map(|_| write_cursor(last));
        Ok((page.into_iter().map(|(_, entry)| entry.clone()).collect(), next))
    }
}

pub(super) fn write_cursor(number: u64) -> String {
    URL_SAFE_NO_PAD.encode(format!("after {number}"))
}

pub(super) fn read_cursor(cursor: &str) -> Result<u64, ErrorObject> {
    URL_SAFE_NO_PAD
        .decode(cursor)
        .ok()
        .and_then(|text| std::str::from_utf8(&text).ok()?.strip_prefix("after ")?.parse().ok())
        .filter(|number| *number < u64::MAX)
        .ok_or_else(|| {
            ErrorObject::invalid_params("unknown cursor: start the list from the beginning")
        })
}

/// How many single-character edits lie between two short names.
fn edits(left: &str, right: &str) -> usize {
    if left.len() > 128 || right.len() > 128 {
        return usize::MAX;
    }
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: u32) -> Registry<u32> {
        let registry = Registry::default();
        for n in 0..count {
            registry.insert(&format!("key {n}"), n);
        }
        registry
    }

    /// [SRV-PAGE-02] cursors stay good while entries come and go; a bad one is refused.
    #[test]
    fn pages_neither_repeat_nor_skip_while_entries_change() {
        let registry = filled(10);
        let (page, cursor) = registry.page(None, 4).unwrap();
        assert_eq!(page.iter().map(|n| **n).collect::<Vec<_>>(), [0, 1, 2, 3]);
        registry.remove("key 3");
        registry.remove("key 5");
        registry.insert("key 11", 11);
        registry.insert("key 6", 66);
        let (page, cursor) = registry.page(cursor.as_deref(), 4).unwrap();
        assert_eq!(page.iter().map(|n| **n).collect::<Vec<_>>(), [4, 66, 7, 8]);
        let (page, cursor) = registry.page(cursor.as_deref(), 4).unwrap();
        assert_eq!(page.iter().map(|n| **n).collect::<Vec<_>>(), [9, 11]);
        assert_eq!(cursor, None);
        for bad in ["", "nonsense", "YWZ0ZXIgLTE", &URL_SAFE_NO_PAD.encode("after x")] {
            assert_eq!(registry.page(Some(bad), 4).unwrap_err().code, -32602, "{bad:?}");
        }
    }

    #[test]
    fn a_page_size_at_and_past_the_number_of_entries() {
        assert!(filled(4).page(None, 4).unwrap().1.is_none());
        assert!(filled(5).page(None, 4).unwrap().1.is_some());
    }

    #[test]
    fn near_names_are_suggested() {
        assert_eq!(filled(3).similar("kye 1"), ["key 1"]);
        assert_eq!(filled(3).similar("something else"), Vec::<String>::new());
    }
}
