//! Lists without what their reader may not use.
//!
//! A page is filtered as it was encoded, and its cursor stays: a page may be shorter than others,
//! or empty, but none is missed.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::subject::{Kind, Subject};
use crate::jsonrpc::RawJson;
use crate::types::method;

/// What a list is made of.
pub(super) struct ListOf {
    /// The field of the result that holds it.
    field: &'static str,
    /// The field of an entry that names it.
    name: &'static str,
    kind: Kind,
}

/// The list that a method answers with, if it does.
pub(super) fn of(method: &str) -> Option<ListOf> {
    let (field, name, kind) = match method {
        method::TOOLS_LIST => ("tools", "name", Kind::Tool),
        method::PROMPTS_LIST => ("prompts", "name", Kind::Prompt),
        method::RESOURCES_LIST => ("resources", "uri", Kind::Resource),
        method::RESOURCES_TEMPLATES_LIST => ("resourceTemplates", "uriTemplate", Kind::Resource),
        _ => return None,
    };
    Some(ListOf { field, name, kind })
}

/// The fields of an object, in their order, with the text of their values.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl ListOf {
    /// The result with only those entries that may be shown, and for one reader only.
    pub(super) fn filter(
        &self,
        result: &RawJson,
        may_show: impl Fn(&Subject) -> bool,
    ) -> Result<RawJson, serde_json::Error> {
        let Fields(fields) = result.decode_borrowed()?;
        let mut text = String::with_capacity(result.as_bytes().len());
        for (name, value) in fields {
            text.push(if text.is_empty() { '{' } else { ',' });
            text += &serde_json::to_string(&name)?;
            text.push(':');
            match name.as_str() {
                name if name == self.field => self.write_entries(value, &may_show, &mut text)?,
                // Another reader's list may be another one, so nobody may share it.
                "cacheScope" => text += "\"private\"",
                _ => text += value.get(),
            }
        }
        text += if text.is_empty() { "{}" } else { "}" };
        Ok(RawJson::trusted(text.into()))
    }

    fn write_entries(
        &self,
        entries: &RawValue,
        may_show: &impl Fn(&Subject) -> bool,
        text: &mut String,
    ) -> Result<(), serde_json::Error> {
        let entries: Vec<&RawValue> = serde_json::from_str(entries.get())?;
        text.push('[');
        let mut first = true;
        for entry in entries {
            let Fields(fields) = serde_json::from_str(entry.get())?;
            let name = fields.iter().find(|(field, _)| field == self.name);
            let name: Option<String> =
                name.and_then(|(_, value)| serde_json::from_str(value.get()).ok());
            if name.is_some_and(|name| may_show(&Subject::new(self.kind, name))) {
                if !first {
                    text.push(',');
                }
                first = false;
                *text += entry.get();
            }
        }
        text.push(']');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_text_and_their_cursor() {
        let check = |method: &str, text: &'static str, expected: &str| {
            let result = RawJson::trusted(text.into());
            let filtered = of(method).unwrap().filter(&result, |it| !it.name.contains("secret"));
            assert_eq!(std::str::from_utf8(filtered.unwrap().as_bytes()).unwrap(), expected);
        };
        check(
            method::TOOLS_LIST,
            r#"{"ttlMs":5,"cacheScope":"public","tools":[{"name":"a","x":1.50},{"x":{},"name":"secret"},{"name":"b"}],"nextCursor":"Aw"}"#,
            r#"{"ttlMs":5,"cacheScope":"private","tools":[{"name":"a","x":1.50},{"name":"b"}],"nextCursor":"Aw"}"#,
        );
        check(
            method::RESOURCES_TEMPLATES_LIST,
            r#"{"resourceTemplates":[{"uriTemplate":"secret://{x}"}],"nextCursor":"Aw"}"#,
            r#"{"resourceTemplates":[],"nextCursor":"Aw"}"#,
        );
        check(method::PROMPTS_LIST, "{}", "{}");
        assert!(of(method::TOOLS_CALL).is_none());
    }
}
