//! Tool arguments that are repeated as headers (2026-07-28).
//!
//! Fed by the client when it lists tools; asked when a call goes out.

use std::collections::HashMap;
use std::sync::Mutex;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::schema::{HeaderRuleError, MirroredHeader, mirrored_headers};
use crate::transport::http::headers;

/// What is known of the tools of one server.
#[derive(Default)]
pub(crate) struct Mirrored(Mutex<HashMap<String, Vec<MirroredHeader>>>);

impl Mirrored {
    /// Remembers which arguments of a tool are repeated; at most for `tools_max` tools.
    pub(crate) fn learn(
        &self,
        tool: &str,
        input_schema: &Value,
        tools_max: usize,
    ) -> Result<(), HeaderRuleError> {
        let headers = mirrored_headers(input_schema);
        let mut known = self.0.lock().expect("no panic while locked");
        known.remove(tool);
        let headers = headers?;
        if !headers.is_empty() && known.len() < tools_max {
            known.insert(tool.to_owned(), headers);
        }
        Ok(())
    }

    /// Forgets everything: the tools are listed anew.
    pub(crate) fn clear(&self) {
        self.0.lock().expect("no panic while locked").clear();
    }

    /// Adds the headers of a call.
    pub(super) fn apply(&self, tool: &str, arguments: &Map<String, Value>, to: &mut HeaderMap) {
        let known = self.0.lock().expect("no panic while locked");
        for header in known.get(tool).into_iter().flatten() {
            let Some(text) = header.value(arguments).and_then(headers::argument) else { continue };
            let name = HeaderName::try_from(header.header_name());
            let value = HeaderValue::try_from(&*headers::encode(&text));
            // The rules for annotations leave only names that are headers.
            if let (Ok(name), Ok(value)) = (name, value) {
                to.insert(name, value);
            }
        }
    }

    /// Whether anything of a tool is repeated.
    pub(super) fn knows(&self, tool: &str) -> bool {
        self.0.lock().expect("no panic while locked").contains_key(tool)
    }
}
