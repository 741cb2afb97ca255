//! The `_meta` of a request: text, until somebody wants it as a value.

use std::sync::OnceLock;

use crate::jsonrpc::RawObject;
use crate::types::{LoggingLevel, Meta, ProgressToken};

#[derive(Clone, Default)]
pub(crate) struct RequestMeta {
    text: RawObject,
    value: OnceLock<Meta>,
}

impl RequestMeta {
    pub(crate) fn new(text: RawObject) -> Self {
        RequestMeta { text, value: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &RawObject {
        &self.text
    }

    /// All of it, decoded once.
    pub(crate) fn value(&self) -> &Meta {
        self.value.get_or_init(|| self.text.encode().decode().expect("members were JSON before"))
    }

    pub(crate) fn progress_token(&self) -> Option<ProgressToken> {
        self.text.read(Meta::PROGRESS_TOKEN).ok().flatten()
    }

    pub(crate) fn log_level(&self) -> Option<LoggingLevel> {
        let level: String = self.text.read(Meta::LOG_LEVEL).ok().flatten()?;
        level.parse().ok()
    }
}
