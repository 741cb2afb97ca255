//! Pages that show what tools give (MCP Apps): a tool names one by its address, in metadata.
//!
//! They are resources, often of no list. Their addresses keep their scheme when two servers have the
//! same one, because programs that show pages take no other.

use docent_mcp::types::Meta;
use serde_json::Value;

use super::merge::View;

/// The scheme of pages.
const SCHEME: &str = "ui://";
/// Where their addresses stand; the second is how it was written before.
const OBJECT: &str = "ui";
const FIELD: &str = "resourceUri";
const FLAT: &str = "ui/resourceUri";

/// Rewrites the addresses of pages in metadata.
pub(crate) fn rewrite(meta: &mut Option<Meta>, address: impl Fn(&str) -> String) {
    let Some(meta) = meta else { return };
    if let Some(Value::Object(object)) = meta.get(OBJECT)
        && let Some(uri) = object.get(FIELD).and_then(Value::as_str)
    {
        let (uri, mut object) = (address(uri), object.clone());
        object.insert(FIELD.to_owned(), Value::String(uri));
        meta.insert(OBJECT, Value::Object(object));
    }
    if let Some(uri) = meta.get(FLAT).and_then(Value::as_str) {
        let uri = address(uri);
        meta.insert(FLAT, uri);
    }
}

/// The addresses of pages in metadata.
fn named(meta: &Meta) -> impl Iterator<Item = &str> {
    let inside = meta.get(OBJECT).and_then(|object| object.get(FIELD));
    inside.into_iter().chain(meta.get(FLAT)).filter_map(Value::as_str)
}

/// An address with the server's name in it: before its scheme, or behind it if it is that of a page.
pub(super) fn qualify(server: &str, uri: &str) -> String {
    match uri.strip_prefix(SCHEME) {
        Some(rest) => format!("{SCHEME}{server}+{rest}"),
        None => format!("{server}+{uri}"),
    }
}

/// The address without the server's name, if it has that.
pub(super) fn unqualify(server: &str, uri: &str) -> Option<String> {
    let without = |text: &str| -> Option<String> {
        Some(text.strip_prefix(server)?.strip_prefix('+')?.to_owned())
    };
    match uri.strip_prefix(SCHEME) {
        Some(rest) => without(rest).map(|rest| format!("{SCHEME}{rest}")),
        None => without(uri),
    }
}

impl View {
    /// Remembers whose the pages are that tools name and nobody lists. The first to name one has it.
    pub(super) fn find_pages(&mut self) {
        for tool in &self.tools.items {
            for uri in tool.item.meta.iter().flat_map(named) {
                if self.place(uri).is_none() {
                    self.pages.insert(uri.to_owned(), tool.number);
                }
            }
        }
    }
}
