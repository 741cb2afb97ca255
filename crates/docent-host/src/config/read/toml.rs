//! TOML into trees, by the `toml` crate, which knows where everything stands.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Fault, Key, Node, Value};

pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| lines.at(span.start));
        Fault::new(line, error.message().to_owned())
    })?;
    Ok(Node { line: 1, value: lines.table(table.into_inner()) })
}

/// The offsets at which lines start.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines(std::iter::once(0).chain(after).collect())
    }

    fn at(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    fn node(&self, value: Spanned<DeValue<'_>>) -> Node {
        let line = self.at(value.span().start);
        let value = match value.into_inner() {
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Integer(number) => Value::Number(number.to_string()),
            DeValue::Float(number) => Value::Number(number.to_string()),
            DeValue::Boolean(value) => Value::Bool(value),
            DeValue::Datetime(time) => Value::Text(time.to_string()),
            DeValue::Array(items) => {
                Value::List(items.into_iter().map(|item| self.node(item)).collect())
            }
            DeValue::Table(table) => self.table(table),
        };
        Node { line, value }
    }

    fn table(&self, table: DeTable<'_>) -> Value {
        let mut entries: Vec<_> = table.into_iter().collect();
        // The crate sorts by name; the file's own order is what people expect to see.
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (Spanned<_>, _)| {
            let line = self.at(key.span().start);
            let text: std::borrow::Cow<'_, str> = key.into_inner();
            let mut node = self.node(value);
            // A table of `[a.b]` has its span there, one that is only implied has none.
            node.line = node.line.max(line);
            (Key { line, text: text.into_owned() }, node)
        };
        Value::Table(entries.into_iter().map(entry).collect())
    }
}
