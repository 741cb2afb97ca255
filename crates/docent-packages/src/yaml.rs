//! YAML within limits: lockfiles and configuration, which anybody may have written.
//!
//! Fed by the adapters in [`crate::ecosystem`]. A message never quotes the text, since it may hold
//! credentials.

use serde::de::DeserializeOwned;

use crate::Limits;

/// The documents of a YAML text.
pub(crate) fn documents<T: DeserializeOwned>(
    text: &str,
    limits: &Limits,
) -> Result<Vec<T>, String> {
    let bytes_max = usize::try_from(limits.config_bytes_max).unwrap_or(usize::MAX);
    let options = serde_saphyr::options! {
        // A lockfile of a large monorepo has some 10⁵ entries of ten nodes each, and no aliases.
        budget: serde_saphyr::budget! {
            max_events: 8_000_000,
            max_nodes: 4_000_000,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_recorded_anchor_events: 100_000,
            max_total_scalar_bytes: bytes_max,
            max_documents: 8,
            max_depth: limits.nesting_max.min(64),
            flow_nesting_limit: limits.nesting_max.min(64),
        },
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
        with_snippet: false,
    };
    serde_saphyr::from_multiple_with_options(text, options).map_err(|error| {
        match error.location() {
            Some(location) => format!("is not as expected at line {}", location.line()),
            None => "is not as expected".to_owned(),
        }
    })
}
