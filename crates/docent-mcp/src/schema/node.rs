//! The compiled form of a schema: nodes in one flat list that name each other by number.
//!
//! Fed by `compile`. Read by `walk`. A flat list makes loops through `$ref` ordinary.

use super::keywords::Keyword;
use super::keywords::types::Types;

/// The position of a node in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// The schema itself: it is compiled first.
    pub(super) const ROOT: Self = Self(0);

    /// The limits on schema size keep positions far below `u32::MAX`.
    pub(super) fn new(position: usize) -> Self {
        Self(u32::try_from(position).expect("a schema has fewer than 2^32 nodes"))
    }

    pub(super) fn position(self) -> usize {
        self.0 as usize
    }
}

/// One schema, ready to be applied.
#[derive(Debug)]
pub(super) struct Node {
    /// The `type` keyword, all types when absent, no types for the schema `false`.
    pub(super) types: Types,
    /// The resource it stands in: the dynamic scope that entering it adds.
    pub(super) resource: u32,
    /// Whether it has `unevaluatedProperties` or `unevaluatedItems`.
    pub(super) marks_children: bool,
    /// Everything else, in the order of checking.
    pub(super) keywords: Box<[Keyword]>,
}

impl Node {
    /// Whether no value fits: the schema `false`.
    pub(super) fn is_never(&self) -> bool {
        self.types.is_empty()
    }
}
