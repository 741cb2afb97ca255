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

    /// All of it, decoded once, but for what no value can hold: a number may be too large.
    pub(crate) fn value(&self) -> &Meta {
        let members = || self.text.iter();
        let decoded =
            || members().filter_map(|(key, text)| Some((key.to_owned(), text.decode().ok()?)));
        self.value.get_or_init(|| decoded().collect())
    }

    pub(crate) fn progress_token(&self) -> Option<ProgressToken> {
        self.text.read(Meta::PROGRESS_TOKEN).ok().flatten()
    }

    pub(crate) fn log_level(&self) -> Option<LoggingLevel> {
        let level: String = self.text.read(Meta::LOG_LEVEL).ok().flatten()?;
        level.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::RawJson;

    #[test]
    fn what_cannot_be_a_value_is_left_out() {
        let text = r#"{"progressToken":"t","large":1e400,"own":{"a":1}}"#;
        let meta = RequestMeta::new(RawObject::of(&RawJson::trusted(text.into())).unwrap());
        assert_eq!(meta.progress_token(), Some("t".into()));
        let keys: Vec<_> = meta.value().iter().map(|(key, _)| &**key).collect();
        assert_eq!(keys, ["progressToken", "own"]);
    }
}
