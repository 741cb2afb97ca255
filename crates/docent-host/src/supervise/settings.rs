//! What all servers of a host share, and what a connection is for.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use docent_mcp::client::{ClientBuilder, ServerEvent, Source};
use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{ClientCapabilities, InputRequest, Tool};
use serde_json::Value;

use super::Kind;
use super::source::Login;
use crate::config::ServerEntry;
use crate::host::PlannedCall;
use crate::limits::HostLimits;

/// What all backends of a host share.
pub(crate) struct Settings {
    pub(crate) limits: HostLimits,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) login: Option<Login>,
    /// Adds what the user of the host answers for all servers.
    pub(crate) configure: Option<Configure>,
    /// Servers that the program has itself, by name.
    pub(crate) connectors: HashMap<String, Connector>,
    /// Gives connections to configured servers in place of their own.
    pub(crate) reach: Option<Reach>,
    /// Says whether a tool of a server may be used, or why not.
    pub(crate) admit: Option<Admit>,
    /// Says whether a call may be made.
    pub(crate) confirm: Option<Confirm>,
    /// Whether nobody asks for anything but tools.
    pub(crate) tools_only: bool,
    /// Told of what happens, with the number of the server.
    pub(crate) events: RwLock<Vec<Listener>>,
}

/// Adds to the connection of a server.
pub(crate) type Configure = Arc<dyn Fn(&str, ClientBuilder) -> ClientBuilder + Send + Sync>;
/// Says why a tool of a server is not offered.
pub(crate) type Admit = Arc<dyn Fn(&str, &Tool) -> Result<(), String> + Send + Sync>;
/// Says whether a call may be made.
pub(crate) type Confirm = Arc<dyn Fn(PlannedCall) -> BoxFuture<'static, bool> + Send + Sync>;
/// Gives a connection to a server that no configuration describes.
pub(crate) type Connector = Arc<dyn Fn() -> Source + Send + Sync>;

/// Gives a connection to a configured server, if it has one.
pub(crate) type Reach = Arc<dyn Fn(&ServerEntry) -> Option<Source> + Send + Sync>;

/// Is told of what happens, with the number of the server.
pub(crate) type Listener = Arc<dyn Fn(usize, &BackendEvent) + Send + Sync>;

/// Something that happened at a server.
#[expect(clippy::large_enum_variant, reason = "told once, and looked at on the spot")]
#[derive(Clone, Debug)]
pub(crate) enum BackendEvent {
    /// One of its lists is another one now, or the server says so: the second part tells which.
    Listed(Kind, bool),
    /// It went from one state to another.
    State,
    /// It told something.
    Told(ServerEvent),
}

/// For whom a connection is: what it declares, who answers, and who hears what the server tells.
#[derive(Clone, Default)]
pub(crate) struct Role {
    pub(crate) questions: Option<(ClientCapabilities, Relay)>,
    pub(crate) events: Option<Hear>,
}

/// Hears what a server tells.
pub(crate) type Hear = Arc<dyn Fn(&ServerEvent) + Send + Sync>;

/// Passes a question on to somebody.
pub(crate) type Relay =
    Arc<dyn Fn(InputRequest) -> BoxFuture<'static, Result<Value, ErrorObject>> + Send + Sync>;
