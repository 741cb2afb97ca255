//! What each revision allows as the schema of a tool.
//!
//! Up to 2025-11-25 the root must say `"type": "object"` and each entry of `properties` must be an
//! object, so the boolean schemas that 2020-12 has (and that derived schemas use for "anything")
//! are written out. 2026-07-28 takes any keyword, and any root for the output.

use serde_json::{Value, json};

use super::Revision;

/// Arguments are always an object; a schema that does not say so is made to.
pub(super) fn adapt_input(schema: &mut Value, revision: Revision) {
    match schema.as_object_mut() {
        Some(root) if root.get("type").is_some_and(|kind| kind == "object") => {}
        Some(root) => {
            root.insert("type".to_owned(), "object".into());
        }
        None => *schema = json!({ "type": "object" }),
    }
    if !revision.is_modern() {
        spell_out_booleans(schema);
    }
}

/// An output schema that the revision cannot express is left out, which is always allowed.
pub(super) fn adapt_output(schema: &mut Option<Value>, revision: Revision) {
    schema.take_if(|schema| {
        !schema.is_object()
            || (!revision.is_modern() && schema.get("type") != Some(&json!("object")))
    });
    if let Some(schema) = schema
        && !revision.is_modern()
    {
        spell_out_booleans(schema);
    }
}

fn spell_out_booleans(schema: &mut Value) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for property in properties.values_mut() {
        match property {
            Value::Bool(true) => *property = json!({}),
            Value::Bool(false) => *property = json!({ "not": {} }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_input(mut schema: Value, revision: Revision, expected: Value) {
        adapt_input(&mut schema, revision);
        assert_eq!(schema, expected);
    }

    #[test]
    fn the_root_is_an_object() {
        for revision in Revision::ALL {
            check_input(json!(null), revision, json!({ "type": "object" }));
            check_input(json!({}), revision, json!({ "type": "object" }));
            check_input(json!({ "type": "string" }), revision, json!({ "type": "object" }));
            let whole = json!({ "$defs": {}, "type": "object", "if": true, "x": [1] });
            check_input(whole.clone(), revision, whole);
        }
    }

    #[test]
    fn boolean_properties_are_spelled_out_for_legacy_peers() {
        let schema = json!({ "type": "object", "properties": { "any": true, "none": false } });
        let spelled =
            json!({ "type": "object", "properties": { "any": {}, "none": { "not": {} } } });
        check_input(schema.clone(), Revision::V2025_11_25, spelled);
        check_input(schema.clone(), Revision::V2026_07_28, schema);
    }

    /// [BOTH-TOOLS-09] only 2026-07-28 has output schemas whose root is not an object
    #[test]
    fn output_schemas_the_revision_cannot_express_are_left_out() {
        let check = |schema: Value, revision: Revision, kept: bool| {
            let mut adapted = Some(schema.clone());
            adapt_output(&mut adapted, revision);
            assert_eq!(adapted, kept.then_some(schema), "{revision}");
        };
        check(json!({ "type": "object" }), Revision::V2025_06_18, true);
        check(json!({ "type": "array" }), Revision::V2025_06_18, false);
        check(json!({ "type": "array" }), Revision::V2025_11_25, false);
        check(json!({ "anyOf": [] }), Revision::V2025_11_25, false);
        check(json!({ "type": "array" }), Revision::V2026_07_28, true);
        check(json!(true), Revision::V2026_07_28, false);
    }
}
