//! Which children of an object or array have been looked at by some keyword.
//!
//! Fed by the object, array, and combining keywords, but only below a schema with
//! `unevaluatedProperties` or `unevaluatedItems`. Read by those two.

/// A set of child positions. Children are counted in document order.
#[derive(Debug)]
pub(super) enum Marks {
    /// Up to 64 children: no allocation.
    Few(u64),
    Many(Vec<u64>),
}

impl Marks {
    /// An empty set for `children` children.
    pub(super) fn new(children: usize) -> Self {
        if children <= 64 { Self::Few(0) } else { Self::Many(vec![0; children.div_ceil(64)]) }
    }

    /// An empty set for as many children as `self` is for.
    pub(super) fn blank(&self) -> Self {
        match self {
            Self::Few(_) => Self::Few(0),
            Self::Many(words) => Self::Many(vec![0; words.len()]),
        }
    }

    /// What copying or merging this set costs, in steps.
    pub(super) fn cost(&self) -> u64 {
        match self {
            Self::Few(_) => 0,
            Self::Many(words) => words.len() as u64 / 8,
        }
    }

    pub(super) fn add(&mut self, index: usize) {
        match self {
            Self::Few(word) => *word |= 1 << index,
            Self::Many(words) => words[index / 64] |= 1 << (index % 64),
        }
    }

    pub(super) fn has(&self, index: usize) -> bool {
        match self {
            Self::Few(word) => word >> index & 1 == 1,
            Self::Many(words) => words[index / 64] >> (index % 64) & 1 == 1,
        }
    }

    /// Adds everything in `other`, a set for the same children.
    pub(super) fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Few(mine), Self::Few(theirs)) => *mine |= theirs,
            (Self::Many(mine), Self::Many(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
            }
            _ => debug_assert!(false, "sets for different children"),
        }
    }
}
