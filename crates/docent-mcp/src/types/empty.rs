//! Parameters and results that carry nothing but metadata.

use super::meta::Meta;
use super::wire::wire;

wire! {
    /// A result that only says the request was done.
    pub struct EmptyResult {
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// The parameters of a request that needs none: `ping`, `server/discover`, `roots/list`.
    pub struct RequestParams {
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// The parameters of a notification that needs none: the three `list_changed`, `initialized`.
    pub struct NotificationParams {
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}
