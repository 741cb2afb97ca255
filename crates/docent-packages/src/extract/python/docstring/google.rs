//! Docstrings with sections such as `Args:`, indented below their heading.

use super::indentation;
use super::section::{dedent, entries, entry, heading, prose};

/// Headings of lists of things explained, and what they are called in the result.
const LISTS: &[(&str, &str)] = &[
    ("Args", "Parameters"),
    ("Arguments", "Parameters"),
    ("Attributes", "Attributes"),
    ("Keyword Args", "Keyword parameters"),
    ("Keyword Arguments", "Keyword parameters"),
    ("Other Parameters", "Other parameters"),
    ("Parameters", "Parameters"),
    ("Params", "Parameters"),
    ("Raises", "Raises"),
];

/// Headings of text.
const TEXTS: &[(&str, &str)] = &[
    ("Example", "Example"),
    ("Examples", "Examples"),
    ("Note", "Note"),
    ("Notes", "Notes"),
    ("References", "References"),
    ("Return", "Returns"),
    ("Returns", "Returns"),
    ("See Also", "See also"),
    ("Usage", "Usage"),
    ("Warning", "Warning"),
    ("Yields", "Yields"),
];

/// The section that a line opens, and whether it is a list.
fn section_at(lines: &[&str], at: usize) -> Option<(&'static str, bool)> {
    let name = lines[at].strip_suffix(':')?;
    let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty())?;
    if indentation(next) == 0 {
        return None;
    }
    let find = |table: &[(&str, &'static str)]| {
        table.iter().find(|(written, _)| *written == name).map(|(_, shown)| *shown)
    };
    find(LISTS).map(|shown| (shown, true)).or_else(|| find(TEXTS).map(|shown| (shown, false)))
}

pub(super) fn applies(lines: &[&str]) -> bool {
    (0..lines.len()).any(|at| section_at(lines, at).is_some())
}

pub(super) fn to_markdown(lines: &[&str]) -> String {
    let mut out = String::new();
    let mut text_start = 0;
    let mut at = 0;
    while at < lines.len() {
        let Some((name, is_list)) = section_at(lines, at) else {
            at += 1;
            continue;
        };
        out.push_str(&prose(&lines[text_start..at]));
        let below = lines[at + 1..].iter();
        let length = below.take_while(|line| line.is_empty() || indentation(line) > 0).count();
        let body = dedent(&lines[at + 1..at + 1 + length]);
        out.push('\n');
        out.push_str(&heading(name));
        out.push_str(&if is_list { list(&body) } else { prose(&body) });
        out.truncate(out.trim_end().len());
        out.push_str("\n\n");
        at += 1 + length;
        text_start = at;
    }
    out.push_str(&prose(&lines[text_start..]));
    out
}

/// Entries `name (type): text`, with further lines indented more.
fn list(lines: &[&str]) -> String {
    entries(lines, |line, more| {
        let (name, kind, text) = parts(line);
        let text = if text.is_empty() { more.to_owned() } else { format!("{text}\n{more}") };
        entry(name, kind, &text)
    })
}

/// Name, type and text of an entry; all is text if there is no name.
fn parts(line: &str) -> (&str, &str, &str) {
    let line = line.trim();
    let mut depth = 0usize;
    for (at, character) in line.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                let (head, text) = (line[..at].trim(), line[at + 1..].trim());
                let (name, kind) = match head.split_once('(') {
                    Some((name, kind)) => (name.trim(), kind.trim_end_matches(')').trim()),
                    None => (head, ""),
                };
                if name.is_empty() || name.contains(' ') && !name.contains(',') {
                    break;
                }
                return (name, kind, text);
            }
            _ => {}
        }
    }
    ("", "", line)
}
