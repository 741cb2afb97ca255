//! The protocol revisions and what tells the two eras apart.

use std::fmt;
use std::str::FromStr;

/// A published revision of the Model Context Protocol, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// The first one.
    V2024_11_05,
    /// Streamable HTTP, tool annotations, audio; the only one with JSON-RPC batches.
    V2025_03_26,
    /// Elicitation, structured output, resource links.
    V2025_06_18,
    /// URL elicitation, sampling with tools, icons, experimental tasks.
    V2025_11_25,
    /// Stateless: no handshake, no requests from the server.
    V2026_07_28,
}

/// How a connection is held together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// A two-way session opened by `initialize` (revisions up to 2025-11-25).
    Legacy,
    /// Every request stands alone and carries its own version and capabilities (2026-07-28 on).
    Modern,
}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Revision; 5] = [
        Revision::V2024_11_05,
        Revision::V2025_03_26,
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::V2026_07_28,
    ];
    /// The newest revision that opens with a handshake.
    pub const NEWEST_LEGACY: Revision = Revision::V2025_11_25;
    /// The newest stateless revision.
    pub const NEWEST_MODERN: Revision = Revision::V2026_07_28;

    /// The revision as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// The era this revision belongs to.
    pub const fn era(self) -> Era {
        match self {
            Revision::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }

    /// Whether this revision is stateless.
    pub const fn is_modern(self) -> bool {
        matches!(self.era(), Era::Modern)
    }

    /// Whether a frame may hold an array of messages.
    pub const fn has_batches(self) -> bool {
        matches!(self, Revision::V2025_03_26)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not a revision this crate knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRevision(pub String);

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown protocol revision `{}`", self.0)
    }
}

impl std::error::Error for UnknownRevision {}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Revision::ALL
            .into_iter()
            .find(|revision| revision.as_str() == text)
            .ok_or_else(|| UnknownRevision(text.to_owned()))
    }
}

/// The revisions that one side speaks, oldest first, so that those of an era stand together.
#[derive(Clone, Debug)]
pub(crate) struct Revisions(Vec<Revision>);

impl Revisions {
    /// Every revision there is.
    pub(crate) fn all() -> Self {
        Revisions(Revision::ALL.to_vec())
    }

    /// Those that open with a handshake.
    pub(crate) fn legacy(&self) -> &[Revision] {
        &self.0[..self.first_modern()]
    }

    /// Those that are stateless.
    pub(crate) fn modern(&self) -> &[Revision] {
        &self.0[self.first_modern()..]
    }

    fn first_modern(&self) -> usize {
        self.0.partition_point(|revision| !revision.is_modern())
    }
}

impl FromIterator<Revision> for Revisions {
    fn from_iter<I: IntoIterator<Item = Revision>>(revisions: I) -> Self {
        let mut revisions: Vec<_> = revisions.into_iter().collect();
        revisions.sort_unstable();
        revisions.dedup();
        Revisions(revisions)
    }
}

impl fmt::Display for Revisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(|revision| revision.as_str()).collect();
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_kept_in_order_and_apart_by_era() {
        let mixed = [
            Revision::V2026_07_28,
            Revision::V2025_06_18,
            Revision::V2024_11_05,
            Revision::V2025_06_18,
        ];
        let revisions: Revisions = mixed.into_iter().collect();
        assert_eq!(revisions.legacy(), [Revision::V2024_11_05, Revision::V2025_06_18]);
        assert_eq!(revisions.modern(), [Revision::V2026_07_28]);
        assert_eq!(revisions.to_string(), "2024-11-05, 2025-06-18, 2026-07-28");
        let none: Revisions = [].into_iter().collect();
        assert!(none.legacy().is_empty() && none.modern().is_empty());
    }
}
