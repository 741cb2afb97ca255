//! Docstrings with underlined headings, as NumPy has them.

use super::indentation;
use super::section::{dedent, entries, entry, heading, prose};

/// Sections that are lists of things explained.
const LISTS: &[&str] = &[
    "Attributes",
    "Methods",
    "Other Parameters",
    "Parameters",
    "Raises",
    "Receives",
    "Returns",
    "See Also",
    "Warns",
    "Yields",
];

/// Sections of text.
const TEXTS: &[&str] = &[
    "Example",
    "Examples",
    "Extended Summary",
    "Note",
    "Notes",
    "References",
    "Warning",
    "Warnings",
];

/// The heading at a line, if the next one underlines it.
fn heading_at<'a>(lines: &[&'a str], at: usize) -> Option<&'a str> {
    let (name, underline) = (lines.get(at)?.trim_end(), lines.get(at + 1)?.trim());
    let underlined = underline.len() >= 3
        && (underline.bytes().all(|byte| byte == b'-')
            || underline.bytes().all(|byte| byte == b'='));
    (underlined && !name.trim().is_empty() && indentation(name) == 0).then_some(name)
}

pub(super) fn applies(lines: &[&str]) -> bool {
    (0..lines.len()).any(|at| {
        heading_at(lines, at).is_some_and(|name| LISTS.contains(&name) || TEXTS.contains(&name))
    })
}

pub(super) fn to_markdown(lines: &[&str]) -> String {
    let starts: Vec<usize> =
        (0..lines.len()).filter(|&at| heading_at(lines, at).is_some()).collect();
    let first = starts.first().copied().unwrap_or(lines.len());
    let mut out = prose(&lines[..first]);
    for (number, &start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(lines.len());
        let name = lines[start].trim();
        let body = lines.get(start + 2..end).unwrap_or_default();
        out.push('\n');
        out.push_str(&heading(name));
        if LISTS.contains(&name) {
            let unnamed = matches!(name, "Returns" | "Yields" | "Receives");
            out.push_str(&list(body, unnamed));
        } else {
            out.push_str(&prose(&dedent(body)));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

/// Entries that start at the margin, with their explanation indented below them.
fn list(lines: &[&str], unnamed: bool) -> String {
    let list = entries(&dedent(lines), |line, text| match line.split_once(" : ") {
        Some((name, kind)) => entry(name.trim(), kind.trim(), text),
        None if unnamed && !line.trim_end().ends_with(':') => entry("", line.trim(), text),
        None if line.contains(' ') => entry("", "", &format!("{}\n{text}", line.trim())),
        None => entry(line.trim().trim_end_matches(':'), "", text),
    });
    list.trim_start().to_owned()
}
