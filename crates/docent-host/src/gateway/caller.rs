//! Who makes a request, as far as it decides which connection to a server may serve it.

use std::sync::Arc;

use docent_mcp::jsonrpc::RawObject;
use docent_mcp::server::Context;
use docent_mcp::types::{ClientCapabilities, Meta};

/// Tells callers apart. Requests with the same key may share a connection to a server of a legacy
/// era, with everything that such a connection is told and asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    who: Who,
    /// What the caller can be asked, as JSON: a connection declares that once and for all.
    questions: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Who {
    /// Whoever is at the other end of a connection, or has a session.
    Connection(u64),
    /// Whoever was authenticated.
    Principal(Arc<str>),
    /// Nobody knows.
    Anyone,
}

/// Who makes a request, and what they can do.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) key: Key,
    /// Everything that was declared.
    pub(super) capabilities: ClientCapabilities,
    /// What of it can be asked.
    pub(super) questions: ClientCapabilities,
}

impl Caller {
    pub(super) fn of(context: &Context) -> Self {
        let capabilities = context.client_capabilities().clone();
        Caller::new(context.connection(), context.principal(), capabilities)
    }

    pub(super) fn new(
        connection: Option<u64>,
        principal: Option<&str>,
        capabilities: ClientCapabilities,
    ) -> Self {
        let questions = ClientCapabilities {
            roots: capabilities.roots.clone(),
            sampling: capabilities.sampling.clone(),
            elicitation: capabilities.elicitation.clone(),
            ..Default::default()
        };
        let who = match (connection, principal) {
            (Some(number), _) => Who::Connection(number),
            (None, Some(principal)) => Who::Principal(principal.into()),
            (None, None) => Who::Anyone,
        };
        let text = serde_json::to_string(&questions).expect("a wire type is always representable");
        Caller { key: Key { who, questions: text }, capabilities, questions }
    }

    /// Whether a server may ask this caller anything.
    pub(super) fn can_be_asked(&self) -> bool {
        let ClientCapabilities { roots, sampling, elicitation, .. } = &self.questions;
        roots.is_some() || sampling.is_some() || elicitation.is_some()
    }
}

impl Key {
    /// Whether all requests with this key are one caller's.
    pub(super) fn is_one(&self) -> bool {
        self.who != Who::Anyone
    }

    /// Whether it is that of this connection.
    pub(super) fn is_connection(&self, number: u64) -> bool {
        self.who == Who::Connection(number)
    }
}

/// The metadata of a request that goes on to the server: all but what the protocol says about this
/// hop.
pub(super) fn passed_on(meta: &RawObject) -> Meta {
    let ours =
        |key: &str| key.starts_with("io.modelcontextprotocol/") || key == Meta::PROGRESS_TOKEN;
    let passed = meta.iter().filter(|(key, _)| !ours(key));
    passed.filter_map(|(key, value)| Some((key.to_owned(), value.decode().ok()?))).collect()
}
