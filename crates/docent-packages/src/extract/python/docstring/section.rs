//! The parts that all docstring styles come to: headings, entries of lists, and prose in between.

use super::indentation;
use crate::extract::prose::rest_to_markdown;

/// A heading of a section.
pub(super) fn heading(name: &str) -> String {
    format!("\n**{name}**\n\n")
}

/// One thing explained: `- `name` (type): text`, with further lines indented below it.
pub(super) fn entry(name: &str, kind: &str, text: &str) -> String {
    let mut out = String::from("\n- ");
    match (name.is_empty(), kind.is_empty()) {
        (false, false) => out.push_str(&format!("`{name}` ({kind})")),
        (false, true) => out.push_str(&format!("`{name}`")),
        (true, false) => out.push_str(kind),
        (true, true) => {}
    }
    let text = text.trim();
    if !text.is_empty() {
        if out.len() > "\n- ".len() {
            out.push_str(": ");
        }
        for (at, line) in text.lines().enumerate() {
            if at > 0 {
                out.push('\n');
                if !line.is_empty() {
                    out.push_str("  ");
                }
            }
            out.push_str(line);
        }
    }
    out
}

/// Writes the entries that start at the margin: `write` gets the line of each, and what is indented
/// below it as prose.
pub(super) fn entries(lines: &[&str], write: impl Fn(&str, &str) -> String) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if line.trim().is_empty() {
            at += 1;
            continue;
        }
        let below = lines[at + 1..].iter();
        let length = below.take_while(|line| line.is_empty() || indentation(line) > 0).count();
        out.push_str(&write(line, &prose(&dedent(&lines[at + 1..at + 1 + length]))));
        at += 1 + length;
    }
    out
}

/// Lines without the indentation that they all have.
pub(super) fn dedent<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let full = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = full.map(|line| indentation(line)).min().unwrap_or(0);
    lines.iter().map(|line| line.get(indent..).unwrap_or_default()).collect()
}

/// Text between sections: doctests become code, and reStructuredText becomes Markdown.
pub(super) fn prose(lines: &[&str]) -> String {
    let mut out = String::new();
    let mut text: Vec<&str> = Vec::new();
    let mut at = 0;
    let mut fenced = false;
    while at < lines.len() {
        let line = lines[at];
        fenced ^= line.trim_start().starts_with("```");
        if fenced || !line.trim_start().starts_with(">>>") {
            text.push(line);
            at += 1;
            continue;
        }
        flush(&mut text, &mut out);
        let end = doctest_end(lines, at);
        out.push_str("```pycon\n");
        for line in dedent(&lines[at..end]) {
            out.push_str(line);
            out.push('\n');
        }
        out.push_str("```\n");
        at = end;
    }
    flush(&mut text, &mut out);
    out.truncate(out.trim_end().len());
    out
}

/// Where a doctest ends that starts at a line: at an empty line with no prompt after it.
fn doctest_end(lines: &[&str], start: usize) -> usize {
    let indent = indentation(lines[start]);
    let mut end = start;
    while end < lines.len() {
        let line = lines[end];
        if line.trim().is_empty() {
            let next = lines.get(end + 1).is_some_and(|next| next.trim_start().starts_with(">>>"));
            if !next {
                break;
            }
        } else if indentation(line) < indent {
            break;
        }
        end += 1;
    }
    end
}

fn flush(text: &mut Vec<&str>, out: &mut String) {
    let block = text.join("\n");
    text.clear();
    if block.trim().is_empty() {
        if !out.is_empty() {
            out.push('\n');
        }
        return;
    }
    let converted = if is_rest(&block) { rest_to_markdown(&block) } else { block };
    out.push_str(converted.trim_end());
    out.push_str("\n\n");
}

/// Whether a text has marks that only reStructuredText has.
fn is_rest(text: &str) -> bool {
    if memchr::memchr3(b'`', b':', b'.', text.as_bytes()).is_none() || text.contains("```") {
        return false;
    }
    let has_role = text
        .match_indices(":`")
        .any(|(at, _)| text[..at].ends_with(|before: char| before.is_ascii_alphanumeric()));
    has_role
        || text.contains("``")
        || text.contains("`_")
        || text.lines().any(|line| {
            let line = line.trim();
            line.ends_with("::") || line.starts_with(".. ")
        })
}
