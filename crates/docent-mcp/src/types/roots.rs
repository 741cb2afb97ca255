//! The folders a client works in.

use super::meta::Meta;
use super::wire::wire;

wire! {
    /// A folder or file that the server may concern itself with.
    pub struct Root {
        /// A `file:` URI.
        req uri: String = "uri",
        /// A name for people.
        opt name: String = "name",
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }

    /// The answer to `roots/list`, as a message or inside `inputResponses`.
    pub struct ListRootsResult {
        /// The folders.
        req roots: Vec<Root> = "roots",
        /// Metadata. Answers inside `inputResponses` have none.
        opt meta: Meta = "_meta" [until V2025_11_25],
    }
}

impl Root {
    /// A folder at a URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Root { uri: uri.into(), ..Default::default() }
    }
}
