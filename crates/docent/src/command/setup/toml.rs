//! Sets or removes one table of a TOML text, and leaves the rest as it is written.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::json::Result;

fn parsed(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        format!("is not TOML at line {line}: {}", error.message())
    })
}

/// Whether the table at `path` says what the entry says.
pub(crate) fn has(text: &str, path: &[&str], entry: &Value) -> Result<bool> {
    let document = parsed(text)?;
    let Some(found) = find(&document, path) else { return Ok(false) };
    let Some(entry) = entry.as_object() else { return Ok(false) };
    Ok(entry.iter().all(|(key, wanted)| {
        let found = found.get(key);
        match wanted {
            Value::Array(list) => {
                let array = found.and_then(Item::as_array);
                array.is_some_and(|array| {
                    array.iter().map(|item| item.as_str()).eq(list.iter().map(Value::as_str))
                })
            }
            wanted => found.and_then(Item::as_str) == wanted.as_str(),
        }
    }))
}

fn find<'a>(document: &'a DocumentMut, path: &[&str]) -> Option<&'a Item> {
    path.iter().try_fold(document.as_item(), |item, key| item.get(key))
}

/// The text with the table at `path` set to the entry.
pub(crate) fn set(text: &str, path: &[&str], entry: &Value) -> Result<String> {
    let mut document = parsed(text)?;
    let (last, above) = path.split_last().ok_or("has no such table")?;
    let mut table = document.as_table_mut();
    for key in above {
        let implicit = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        let item = table.entry(key).or_insert_with(implicit);
        table = item
            .as_table_mut()
            .ok_or_else(|| format!("has something else than a table at `{key}`"))?;
    }
    let mut own = Table::new();
    for (key, wanted) in entry.as_object().into_iter().flatten() {
        let item = match wanted {
            Value::Array(list) => value(list.iter().filter_map(Value::as_str).collect::<Array>()),
            wanted => value(wanted.as_str().unwrap_or_default()),
        };
        own.insert(key, item);
    }
    table.insert(last, Item::Table(own));
    Ok(document.to_string())
}

/// The text without the table at `path`.
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String> {
    let mut document = parsed(text)?;
    let (last, above) = path.split_last().ok_or("has no such table")?;
    let mut table = document.as_table_mut();
    for key in above {
        match table.get_mut(key).and_then(Item::as_table_mut) {
            Some(next) => table = next,
            None => return Ok(text.to_owned()),
        }
    }
    if table.remove(last).is_none() {
        return Ok(text.to_owned());
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tables_come_and_go() {
        let entry = json!({ "command": "/bin/docent", "args": ["serve"] });
        let path = ["mcp_servers", "docent"];
        let expected = "[mcp_servers.docent]\ncommand = \"/bin/docent\"\nargs = [\"serve\"]\n";
        assert_eq!(set("", &path, &entry).expect("set"), expected);
        let before = "# mine\nmodel = \"x\" # keep\n\n[mcp_servers.other]\ncommand = \"y\"\n";
        let after = set(before, &path, &entry).expect("set");
        assert!(after.starts_with(before), "{after}");
        assert!(has(&after, &path, &entry).expect("TOML"));
        assert!(!has(before, &path, &entry).expect("TOML"));
        assert_eq!(remove(&after, &path).expect("removed"), before);
        assert_eq!(remove(before, &path).expect("nothing to do"), before);
    }

    #[test]
    fn what_is_broken_is_left_alone() {
        let entry = json!({ "command": "x" });
        assert!(set("a = ", &["b", "c"], &entry).is_err());
        assert!(set("b = 1", &["b", "c"], &entry).is_err());
    }
}
