//! The published schemas, read from `$DOCENT_SPEC` or from `shared/spec` beside the repository.

use std::path::PathBuf;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::types::Revision;

/// The folder with the published files, or `None` (said aloud) where there is none.
pub(super) fn folder(test: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/spec");
    let folder = std::env::var_os("DOCENT_SPEC").map_or_else(|| beside.into(), PathBuf::from);
    if folder.join("2026-07-28.schema.json").is_file() {
        return Some(folder);
    }
    eprintln!("skipped {test}: no official schemas; point DOCENT_SPEC at them");
    None
}

/// One revision's schema.
pub(super) struct Schema {
    pub(super) revision: Revision,
    root: Value,
    keyword: &'static str,
}

impl Schema {
    /// The five published schemas.
    pub(super) fn all(test: &str) -> Vec<Schema> {
        let Some(folder) = folder(test) else { return Vec::new() };
        let read = |revision: Revision| {
            let text = std::fs::read_to_string(folder.join(format!("{revision}.schema.json")));
            let root: Value = serde_json::from_str(&text.unwrap()).unwrap();
            let keyword = if root.get("$defs").is_some() { "$defs" } else { "definitions" };
            let mut schema = Schema { revision, root, keyword };
            schema.repair();
            schema
        };
        Revision::ALL.map(read).into()
    }

    pub(super) fn definitions(&self) -> &Map<String, Value> {
        self.root[self.keyword].as_object().unwrap()
    }

    pub(super) fn has(&self, definition: &str) -> bool {
        self.definitions().contains_key(definition)
    }

    /// Checks one definition. The form of a URI or a date is whoever wrote it to answer for: the
    /// types carry those texts as they are.
    pub(super) fn validator(&self, definition: &str) -> Validator {
        let mut root = self.root.clone();
        root["$ref"] = json!(format!("#/{}/{definition}", self.keyword));
        jsonschema::options().should_validate_formats(false).build(&root).unwrap()
    }

    /// Widens what the generator of the schemas narrowed: where the TypeScript original says
    /// `number` it wrote `integer`, and it lost the `null` of a JSON value.
    fn repair(&mut self) {
        let definitions = self.root[self.keyword].as_object_mut().unwrap();
        for name in ["ElicitResult", "JSONValue"] {
            if let Some(definition) = definitions.get_mut(name) {
                widen(definition, name == "JSONValue");
            }
        }
    }

    /// The same schema with every object closed to what it lists. The published schemas allow
    /// unknown fields everywhere; only this form notices a field of another revision.
    pub(super) fn closed(&self) -> Schema {
        let open = self.definitions().clone();
        let mut closed = open.clone();
        for (name, definition) in &mut closed {
            if let Some(parts) = open[name].get("allOf") {
                *definition = merged(parts, &open);
            }
            if name.ends_with("MetaObject") {
                continue;
            }
            // The first three revisions describe messages without their envelope.
            if self.revision < Revision::V2025_11_25
                && (name.ends_with("Request") || name.ends_with("Notification"))
                && let Some(properties) = definition.get_mut("properties")
            {
                properties["jsonrpc"] = json!({});
                properties["id"] = json!({});
            }
            self.close(definition);
        }
        let mut root = self.root.clone();
        root[self.keyword] = Value::Object(closed);
        Schema { revision: self.revision, root, keyword: self.keyword }
    }

    fn close(&self, node: &mut Value) {
        if let Some(alternatives) = node.get_mut("anyOf").and_then(Value::as_array_mut) {
            alternatives.iter_mut().for_each(|alternative| self.close(alternative));
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(inner) = node.get_mut(keyword) {
                self.close(inner);
            }
        }
        let is_open = node.get("additionalProperties").is_some();
        let Some(properties) = node.get_mut("properties").and_then(Value::as_object_mut) else {
            return;
        };
        for (name, property) in properties {
            // JSON Schemas and metadata are open by nature.
            if matches!(name.as_str(), "_meta" | "inputSchema" | "outputSchema") {
                continue;
            }
            self.close(property);
            // Inline parameters do not repeat the metadata that every request has.
            if name == "params"
                && !self.revision.is_modern()
                && let Some(inline) = property.get_mut("properties")
            {
                inline["_meta"] = json!({});
            }
        }
        if !is_open {
            node["additionalProperties"] = json!(false);
        }
    }
}

fn widen(node: &mut Value, with_null: bool) {
    match node {
        Value::Object(fields) => {
            if fields.get("type") == Some(&json!(["string", "integer", "boolean"])) {
                fields["type"] = match with_null {
                    true => json!(["string", "number", "boolean", "null"]),
                    false => json!(["string", "number", "boolean"]),
                };
            }
            fields.values_mut().for_each(|field| widen(field, with_null));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| widen(item, with_null)),
        _ => {}
    }
}

/// `allOf` as one object, which can be closed.
fn merged(parts: &Value, definitions: &Map<String, Value>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for part in parts.as_array().unwrap() {
        let name = part["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        properties.extend(definitions[name]["properties"].as_object().unwrap().clone());
        required.extend(definitions[name]["required"].as_array().cloned().unwrap_or_default());
    }
    json!({ "type": "object", "properties": properties, "required": required })
}
