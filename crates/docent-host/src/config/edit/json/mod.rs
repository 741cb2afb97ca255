//! Sets or removes one member of a JSON text, and leaves all the rest as it is written: comments,
//! blanks, trailing commas, the order of things.
//!
//! `scan` finds where objects and their members stand; the change is made in the text. What comes
//! out is read again and compared, so that no text is written that means anything else.

mod scan;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::Result;
use scan::{Node, Reader, scan, without_comments};

/// What the text means.
pub(crate) fn value(text: &str) -> Result<Value> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let plain = without_comments(text)?;
    serde_json::from_str(&plain).map_err(|error| format!("is not JSON: {error}"))
}

/// The text with the member at `path` set; objects on the way are made.
pub(crate) fn set(text: &str, path: &[&str], entry: &Value) -> Result<String> {
    keeping_line_ends(text, |text| set_in(text, path, entry))
}

/// The text without the member at `path`; objects that are empty then stay.
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String> {
    keeping_line_ends(text, |text| remove_from(text, path))
}

/// Makes a change in a text whose lines may end as they do on Windows.
fn keeping_line_ends(text: &str, change: impl Fn(&str) -> Result<String>) -> Result<String> {
    let windows = text.matches("\r\n").count();
    if windows == 0 || windows != text.matches('\n').count() {
        return change(text);
    }
    change(&text.replace("\r\n", "\n")).map(|text| text.replace('\n', "\r\n"))
}

fn set_in(text: &str, path: &[&str], entry: &Value) -> Result<String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let mut expected = value(text)?;
    put(&mut expected, path, entry)?;
    let root = scan(text)?;
    let mut node = &root;
    let mut depth = 0;
    while depth < path.len() {
        let Some(member) = node.member(path[depth]) else { break };
        node = &member.value;
        depth += 1;
    }
    let unit = unit(text);
    let new = if depth == path.len() {
        let indent = indent_at(text, node.start);
        let written = pretty(entry, &unit, &indent);
        format!("{}{written}{}", &text[..node.start], &text[node.end..])
    } else {
        if node.members.is_none() {
            return Err(format!(
                "has something else than an object at `{}`",
                path[..depth].join(".")
            ));
        }
        let mut inner = entry.clone();
        for key in path[depth + 1..].iter().rev() {
            inner = serde_json::json!({ *key: inner });
        }
        insert(text, node, path[depth], &inner, &unit)
    };
    agree(&new, &expected)?;
    Ok(new)
}

fn remove_from(text: &str, path: &[&str]) -> Result<String> {
    let mut expected = value(text)?;
    let root = scan(text)?;
    let (last, above) = path.split_last().ok_or("has no such member")?;
    let mut node = &root;
    for key in above {
        match node.member(key) {
            Some(member) => node = &member.value,
            None => return Ok(text.to_owned()),
        }
    }
    let Some(members) = &node.members else { return Ok(text.to_owned()) };
    let Some(position) = members.iter().rposition(|member| member.key == *last) else {
        return Ok(text.to_owned());
    };
    let pointer = format!("/{}", above.join("/"));
    let holder =
        if above.is_empty() { Some(&mut expected) } else { expected.pointer_mut(&pointer) };
    if let Some(Value::Object(object)) = holder {
        object.shift_remove(*last);
    }
    let member = &members[position];
    let own = line_start(text, member.start);
    let end = member.value.end;
    let before = position.checked_sub(1).and_then(|at| comma_after(text, members[at].value.end));
    let new = match (members.get(position + 1), comma_after(text, end), before) {
        // Up to the next key, with the comma and the blanks before it.
        (Some(next), ..) => format!("{}{}", &text[..member.start], &text[next.start..]),
        // A comma at the end is how this text is written, and stays after the one before.
        (None, Some(comma), _) => format!("{}{}", &text[..own], &text[comma + 1..]),
        // The last one goes, and so does the comma before it; what stands between stays.
        (None, None, Some(comma)) => {
            format!("{}{}{}", &text[..comma], &text[comma + 1..own], &text[end..])
        }
        (None, None, None) => {
            format!("{}{}", &text[..=node.start], &text[blank_end(text, end, node.end)..])
        }
    };
    agree(&new, &expected)?;
    Ok(new)
}

/// Adds a member at the end of an object.
fn insert(text: &str, object: &Node, key: &str, inner: &Value, unit: &str) -> String {
    let outer = indent_at(text, object.start);
    let indent = format!("{outer}{unit}");
    let key = Value::String(key.to_owned());
    let line = format!("{indent}{key}: {}", pretty(inner, unit, &indent));
    let close = object.end - 1;
    let last = object.members.as_ref().and_then(|members| members.last());
    let Some(last) = last else {
        // Comments inside an empty object stay.
        let inside = text[object.start + 1..close].trim_end();
        return format!("{}{inside}\n{line}\n{outer}{}", &text[..=object.start], &text[close..]);
    };
    let end = last.value.end;
    match comma_after(text, end) {
        Some(comma) => {
            let rest = text[comma + 1..close].trim_end();
            format!("{}{rest}\n{line},\n{outer}{}", &text[..=comma], &text[close..])
        }
        None => {
            // What stands between the last member and the brace is at most a comment.
            let rest = text[end..close].trim_end();
            format!("{},{rest}\n{line}\n{outer}{}", &text[..end], &text[close..])
        }
    }
}

fn agree(text: &str, expected: &Value) -> Result<()> {
    match value(text) {
        Ok(found) if found == *expected => Ok(()),
        _ => Err("is written in a way that Docent cannot change safely".to_owned()),
    }
}

fn put(value: &mut Value, path: &[&str], entry: &Value) -> Result<()> {
    let mut at = value;
    for key in path {
        let object = at.as_object_mut();
        let object =
            object.ok_or_else(|| format!("has something else than an object above `{key}`"))?;
        at = object.entry(*key).or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    *at = entry.clone();
    Ok(())
}

fn pretty(value: &Value, unit: &str, indent: &str) -> String {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    // A value of this crate always has a form.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    String::from_utf8_lossy(&out).replace('\n', &format!("\n{indent}"))
}

/// What one level is indented by: as the first indented line has it.
fn unit(text: &str) -> String {
    let first = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    let unit = first.map(|line| &line[..line.len() - line.trim_start().len()]);
    match unit {
        Some(unit) if unit.starts_with('\t') => "\t".to_owned(),
        Some(unit) if unit.len() <= 8 => unit.to_owned(),
        _ => "  ".to_owned(),
    }
}

/// The blanks that the line of a place begins with.
fn indent_at(text: &str, at: usize) -> String {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
    line[..line.len() - line.trim_start().len()].to_owned()
}

fn line_start(text: &str, at: usize) -> usize {
    let before = text[..at].trim_end_matches([' ', '\t']);
    if before.ends_with('\n') { before.len() - 1 } else { at }
}

/// The comma that follows, with nothing but blanks and comments before it.
fn comma_after(text: &str, at: usize) -> Option<usize> {
    let mut reader = Reader { text, at };
    reader.blanks().ok()?;
    (text.as_bytes().get(reader.at) == Some(&b',')).then_some(reader.at)
}

/// The end of the blanks of an object that becomes empty.
fn blank_end(text: &str, at: usize, end: usize) -> usize {
    let rest = &text[at..end - 1];
    if rest.trim().is_empty() { end - 1 } else { at }
}
