//! YAML into trees. Only Goose writes it, and only as tables, lists and plain values.
//!
//! The events of a YAML parser are put together on a stack. References to other parts of the file
//! are refused, because a short file could unfold to a long one.

use granit_parser::{Event, Parser, ScalarStyle};

use super::{DEPTH_MAX, Fault, Key, Node, Value};

pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| Fault::new(line(error.marker().line()), error.to_string()))?;
        let line = line(span.start.line());
        let done = match event {
            Event::Scalar(text, style, ..) => Some(Node { line, value: scalar(&text, style) }),
            Event::SequenceStart(..) => {
                open.push(Open { line, list: true, items: Vec::new() });
                None
            }
            Event::MappingStart(..) => {
                open.push(Open { line, list: false, items: Vec::new() });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(ended) => Some(ended.close()?),
                None => None,
            },
            Event::Alias(_) => {
                return Err(Fault::new(line, "a reference to another part of the file"));
            }
            _ => None,
        };
        if open.len() > DEPTH_MAX {
            return Err(Fault::new(line, format!("values are nested more than {DEPTH_MAX} deep")));
        }
        match (done, open.last_mut()) {
            (Some(node), Some(outer)) => outer.items.push(node),
            // The first document is the configuration; nobody writes a second.
            (Some(node), None) => return Ok(node),
            (None, _) => {}
        }
    }
    Ok(Node { line: 1, value: Value::Null })
}

/// A list or a table of which the end was not seen yet; in a table, keys and values alternate.
struct Open {
    line: u32,
    list: bool,
    items: Vec<Node>,
}

impl Open {
    fn close(self) -> Result<Node, Fault> {
        if self.list {
            return Ok(Node { line: self.line, value: Value::List(self.items) });
        }
        let mut entries = Vec::with_capacity(self.items.len() / 2);
        let mut items = self.items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            let text = key.scalar().ok_or_else(|| Fault::new(key.line, "a key that is no text"))?;
            entries.push((Key { line: key.line, text }, value));
        }
        Ok(Node { line: self.line, value: Value::Table(entries) })
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if text.parse::<f64>().is_ok_and(f64::is_finite) => Value::Number(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

fn line(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
