//! `_meta`: the object beside every message's own fields, and the keys this crate understands.
//!
//! Up to 2025-11-25 it mostly carries a progress token; from 2026-07-28 on it carries what a
//! handshake used to settle. Keys nobody here knows pass through untouched.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::capabilities::ClientCapabilities;
use super::implementation::Implementation;
use super::logging::LoggingLevel;
use super::tasks::RelatedTaskMetadata;
use super::wire::{Adapt, adapt_unchanged};
use super::{JsonObject, Revision};
use crate::jsonrpc::Id;

/// The token by which progress notifications name the request they belong to.
pub type ProgressToken = Id;

adapt_unchanged!(Id);

/// The `_meta` object of a message or of an entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Meta(JsonObject);

impl Meta {
    /// The revision a modern request is written in.
    pub const PROTOCOL_VERSION: &'static str = "io.modelcontextprotocol/protocolVersion";
    /// What the client of a modern request can do.
    pub const CLIENT_CAPABILITIES: &'static str = "io.modelcontextprotocol/clientCapabilities";
    /// Who sent a modern request.
    pub const CLIENT_INFO: &'static str = "io.modelcontextprotocol/clientInfo";
    /// The least severe log level that a modern request wants to hear of.
    pub const LOG_LEVEL: &'static str = "io.modelcontextprotocol/logLevel";
    /// Who answered a modern request.
    pub const SERVER_INFO: &'static str = "io.modelcontextprotocol/serverInfo";
    /// The id of the `subscriptions/listen` request that a message belongs to.
    pub const SUBSCRIPTION_ID: &'static str = "io.modelcontextprotocol/subscriptionId";
    /// The task a message belongs to (2025-11-25 only).
    pub const RELATED_TASK: &'static str = "io.modelcontextprotocol/related-task";
    /// The token under which the sender wants to hear of progress.
    pub const PROGRESS_TOKEN: &'static str = "progressToken";
    /// The W3C trace context of the sender.
    pub const TRACEPARENT: &'static str = "traceparent";
    /// Vendor data that travels with [`Meta::TRACEPARENT`].
    pub const TRACESTATE: &'static str = "tracestate";
    /// W3C baggage.
    pub const BAGGAGE: &'static str = "baggage";

    /// Keys that only stateless revisions know. A legacy message must not carry them: the
    /// presence of the version is what marks a message as modern.
    const MODERN: [&'static str; 6] = [
        Self::PROTOCOL_VERSION,
        Self::CLIENT_CAPABILITIES,
        Self::CLIENT_INFO,
        Self::LOG_LEVEL,
        Self::SERVER_INFO,
        Self::SUBSCRIPTION_ID,
    ];

    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Sets a key and returns what was there.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(key.into(), value.into())
    }

    /// Removes a key and returns what was there. The order of the others is kept.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.shift_remove(key)
    }

    /// Whether there is a value under a key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// All keys and values, in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    /// Adds every entry of `other`, which wins where both have a key.
    pub fn merge(&mut self, other: Meta) {
        self.0.extend(other.0);
    }

    /// The plain object.
    pub fn into_inner(self) -> JsonObject {
        self.0
    }

    /// Decodes the value under a key: `Ok(None)` when there is none, an error when it is not a `T`.
    pub fn read<T: DeserializeOwned>(&self, key: &str) -> serde_json::Result<Option<T>> {
        self.get(key).map(T::deserialize).transpose()
    }

    fn write(&mut self, key: &str, value: &impl Serialize) {
        let value = serde_json::to_value(value).expect("a wire type is always representable");
        self.0.insert(key.to_owned(), value);
    }

    /// The progress token, if there is one of the right type.
    pub fn progress_token(&self) -> Option<ProgressToken> {
        self.get(Self::PROGRESS_TOKEN).and_then(|token| Id::from_value(token).ok())
    }

    /// Asks for progress under a token.
    pub fn set_progress_token(&mut self, token: ProgressToken) {
        self.write(Self::PROGRESS_TOKEN, &token);
    }

    /// The revision a modern request claims, known to this crate or not.
    pub fn protocol_version(&self) -> Option<&str> {
        self.get(Self::PROTOCOL_VERSION).and_then(Value::as_str)
    }

    /// Claims a revision.
    pub fn set_protocol_version(&mut self, version: impl Into<String>) {
        self.insert(Self::PROTOCOL_VERSION, version.into());
    }

    /// The client's capabilities, if they are present and well-formed.
    pub fn client_capabilities(&self) -> Option<ClientCapabilities> {
        self.read(Self::CLIENT_CAPABILITIES).ok().flatten()
    }

    /// States the client's capabilities.
    pub fn set_client_capabilities(&mut self, capabilities: &ClientCapabilities) {
        self.write(Self::CLIENT_CAPABILITIES, capabilities);
    }

    /// The client's name and version, if they are present and well-formed.
    pub fn client_info(&self) -> Option<Implementation> {
        self.read(Self::CLIENT_INFO).ok().flatten()
    }

    /// States the client's name and version.
    pub fn set_client_info(&mut self, info: &Implementation) {
        self.write(Self::CLIENT_INFO, info);
    }

    /// The server's name and version, if they are present and well-formed.
    pub fn server_info(&self) -> Option<Implementation> {
        self.read(Self::SERVER_INFO).ok().flatten()
    }

    /// States the server's name and version.
    pub fn set_server_info(&mut self, info: &Implementation) {
        self.write(Self::SERVER_INFO, info);
    }

    /// The log level this request asks for, if there is one this crate knows.
    pub fn log_level(&self) -> Option<LoggingLevel> {
        self.get(Self::LOG_LEVEL).and_then(Value::as_str).and_then(|level| level.parse().ok())
    }

    /// Asks for log messages from a level on.
    pub fn set_log_level(&mut self, level: LoggingLevel) {
        self.insert(Self::LOG_LEVEL, level.as_str());
    }

    /// The listen request this message belongs to.
    pub fn subscription_id(&self) -> Option<Id> {
        self.get(Self::SUBSCRIPTION_ID).and_then(|id| Id::from_value(id).ok())
    }

    /// Says which listen request this message belongs to.
    pub fn set_subscription_id(&mut self, id: &Id) {
        self.write(Self::SUBSCRIPTION_ID, id);
    }

    /// The task this message belongs to.
    pub fn related_task(&self) -> Option<RelatedTaskMetadata> {
        self.read(Self::RELATED_TASK).ok().flatten()
    }

    /// Says which task this message belongs to.
    pub fn set_related_task(&mut self, task: &RelatedTaskMetadata) {
        self.write(Self::RELATED_TASK, task);
    }

    /// The trace context, if it has the form that W3C gives it.
    pub fn traceparent(&self) -> Option<&str> {
        let text = self.get(Self::TRACEPARENT)?.as_str()?;
        super::traceparent_is_valid(text).then_some(text)
    }
}

impl From<JsonObject> for Meta {
    fn from(object: JsonObject) -> Self {
        Meta(object)
    }
}

impl FromIterator<(String, Value)> for Meta {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(entries: I) -> Self {
        Meta(entries.into_iter().collect())
    }
}

impl Adapt for Meta {
    fn adapt(&mut self, revision: Revision) {
        if revision.is_modern() {
            self.remove(Self::RELATED_TASK);
        } else if !self.is_empty() {
            self.0.retain(|key, _| !Self::MODERN.contains(&key.as_str()));
        }
    }
}
