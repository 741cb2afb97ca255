//! `server/discover`: what a client of 2026-07-28 may ask first.

use super::Revision;
use super::caching::{self, CacheScope};
use super::capabilities::ServerCapabilities;
use super::meta::Meta;
use super::wire::wire;

wire! {
    /// The versions and capabilities of a server. Its name and version travel in `_meta`.
    pub struct DiscoverResult {
        /// Every stateless revision the server speaks. Required even when decoding, because this
        /// field is what tells a modern server from one that answers anything with an object.
        req supported_versions: Vec<String> = "supportedVersions",
        /// What the server can do.
        def capabilities: ServerCapabilities = "capabilities",
        /// How to use the server, for a model to read.
        opt instructions: String = "instructions",
        /// For how many milliseconds the result stays good.
        opt ttl_ms: u64 = "ttlMs" [since V2026_07_28],
        /// Who may reuse it.
        opt cache_scope: CacheScope = "cacheScope" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }
    adapt adapt_discover;
}

fn adapt_discover(result: &mut DiscoverResult, revision: Revision) {
    caching::require(revision, &mut result.ttl_ms, &mut result.cache_scope);
}
