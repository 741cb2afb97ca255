//! Hash tables for what happens once per name of a package, which is often.
//!
//! The standard library's hasher withstands an attacker who sees how long things take. Here the keys
//! come from a package that is read in a process of its own, with a limit on its processor time, so
//! that a quick hasher, seeded at random, is enough.

use std::hash::Hash;

use foldhash::fast::RandomState;

/// A hash map with a quick hasher.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// A hash set with a quick hasher.
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;

/// What an iterator gives, each thing once, in the order in which they first come.
pub(crate) fn each_once<T: Clone + Eq + Hash>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut known: HashSet<T> = HashSet::default();
    all.into_iter().filter(|one| known.insert(one.clone())).collect()
}
