//! How long, and for whom, a result of 2026-07-28 stays good: `ttlMs` and `cacheScope`.
//!
//! Six results carry the pair; there it is required. A result built without it says "do not
//! reuse": no time to live, and private.

use super::Revision;
use super::choice::choice;

choice! {
    /// Who may be given a stored copy of a result.
    pub open enum CacheScope {
        /// Only the one who asked, under the same authorization.
        #[default]
        Private = "private",
        /// Anybody.
        Public = "public",
    }
}

/// Fills in the cautious answer where the revision demands one.
pub(super) fn require(
    revision: Revision,
    ttl_ms: &mut Option<u64>,
    cache_scope: &mut Option<CacheScope>,
) {
    if revision.is_modern() {
        ttl_ms.get_or_insert_default();
        match cache_scope {
            Some(CacheScope::Private | CacheScope::Public) => {}
            _ => *cache_scope = Some(CacheScope::Private),
        }
    }
}
