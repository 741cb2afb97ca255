//! The parameters that every list request shares.

use super::meta::Meta;
use super::wire::wire;

wire! {
    /// Which page of a list is wanted.
    pub struct PaginatedRequestParams {
        /// Where the previous page ended, as the server put it; the first page without.
        opt cursor: String = "cursor",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}

impl PaginatedRequestParams {
    /// The page that starts at a cursor.
    pub fn after(cursor: impl Into<String>) -> Self {
        PaginatedRequestParams { cursor: Some(cursor.into()), ..Default::default() }
    }
}
