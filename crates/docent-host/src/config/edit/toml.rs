//! Sets or removes one member of a TOML text, and leaves the rest as it is written.

use serde_json::Value;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike};

use super::Result;

fn parsed(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        format!("is not TOML at line {line}: {}", error.message())
    })
}

/// What the text means.
pub(super) fn value(text: &str) -> Result<Value> {
    parsed(text)?;
    // Dates have no form in JSON; no client has any in its entries.
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("is not TOML: {}", error.message()))?;
    serde_json::to_value(table).map_err(|error| format!("is not TOML: {error}"))
}

/// The text with the member at `path` set; tables on the way are made.
pub(super) fn set(text: &str, path: &[&str], entry: &Value) -> Result<String> {
    let mut document = parsed(text)?;
    let (last, above) = path.split_last().ok_or("has no such table")?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in above {
        let mut made = Table::new();
        made.set_implicit(true);
        table = table
            .entry(key)
            .or_insert(Item::Table(made))
            .as_table_like_mut()
            .ok_or_else(|| format!("has something else than a table at `{key}`"))?;
    }
    table.insert(last, item(entry));
    // What cannot be read back must not take the place of what could.
    let changed = document.to_string();
    parsed(&changed).map_err(|_| "is written in a way that Docent cannot change safely")?;
    Ok(changed)
}

/// The text without the member at `path`.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String> {
    let mut document = parsed(text)?;
    let (last, above) = path.split_last().ok_or("has no such table")?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in above {
        match table.get_mut(key).and_then(Item::as_table_like_mut) {
            Some(next) => table = next,
            None => return Ok(text.to_owned()),
        }
    }
    if table.remove(last).is_none() {
        return Ok(text.to_owned());
    }
    Ok(document.to_string())
}

/// A value as people write it: tables with headers, lists of tables too, everything else in a line.
fn item(value: &Value) -> Item {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            Item::Table(members.map(|(key, value)| (key.as_str(), item(value))).collect())
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => {
            let tables = items.iter().filter_map(|value| item(value).into_table().ok());
            Item::ArrayOfTables(tables.collect::<ArrayOfTables>())
        }
        value => Item::Value(inline(value)),
    }
}

fn inline(value: &Value) -> toml_edit::Value {
    match value {
        Value::Null => "".into(),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.into(),
        Value::Array(items) => items.iter().map(inline).collect::<Array>().into(),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (key.as_str(), inline(value)));
            members.collect::<InlineTable>().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tables_come_and_go() {
        let entry = json!({ "command": "/bin/docent", "args": ["serve"], "env": { "A": "b" } });
        let path = ["mcp_servers", "docent"];
        let expected = "[mcp_servers.docent]\ncommand = \"/bin/docent\"\nargs = [\"serve\"]\n\n\
                        [mcp_servers.docent.env]\nA = \"b\"\n";
        assert_eq!(set("", &path, &entry).expect("set"), expected);
        let before = "# mine\nmodel = \"x\" # keep\n\n[mcp_servers.other]\ncommand = \"y\"\n";
        let after = set(before, &path, &entry).expect("set");
        assert!(after.starts_with(before), "{after}");
        assert_eq!(value(&after).expect("TOML")["mcp_servers"]["docent"], entry);
        assert_eq!(remove(&after, &path).expect("removed"), before);
        assert_eq!(remove(before, &path).expect("nothing to do"), before);
    }

    #[test]
    fn tables_in_one_line_are_extended() {
        let after = set("b = { x = 1 }\n", &["b", "c"], &json!({ "command": "y" })).expect("set");
        assert_eq!(value(&after).expect("TOML")["b"]["c"]["command"], "y");
    }

    #[test]
    fn what_is_broken_is_left_alone() {
        let entry = json!({ "command": "x" });
        assert!(set("a = ", &["b", "c"], &entry).is_err());
        assert!(set("b = 1", &["b", "c"], &entry).is_err());
    }
}
