//! The handshake of revisions up to 2025-11-25.

use super::capabilities::{ClientCapabilities, ServerCapabilities};
use super::implementation::Implementation;
use super::meta::Meta;
use super::wire::wire;

wire! {
    /// How a client opens a legacy connection.
    pub struct InitializeRequestParams {
        /// The newest revision that the client speaks. A text, for it may be one nobody here knows.
        req protocol_version: String = "protocolVersion",
        /// What the client can do.
        def capabilities: ClientCapabilities = "capabilities",
        /// Who the client is.
        def client_info: Implementation = "clientInfo",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// How a server answers it.
    pub struct InitializeResult {
        /// The revision both will speak from here on.
        req protocol_version: String = "protocolVersion",
        /// What the server can do.
        def capabilities: ServerCapabilities = "capabilities",
        /// Who the server is.
        def server_info: Implementation = "serverInfo",
        /// How to use the server, for a model to read.
        opt instructions: String = "instructions",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}
