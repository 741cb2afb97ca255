//! What the errors of 2026-07-28 carry in `data`.

use super::capabilities::ClientCapabilities;
use super::wire::wire;

wire! {
    /// With −32022: the revision in the request is not one the server speaks.
    pub struct UnsupportedProtocolVersionData {
        /// Those it does speak.
        def supported: Vec<String> = "supported",
        /// The one that was asked for.
        def requested: String = "requested",
    }

    /// With −32021: the request needs something that its client did not declare.
    pub struct MissingRequiredClientCapabilityData {
        /// What it would have to declare.
        def required_capabilities: ClientCapabilities = "requiredCapabilities",
    }
}
