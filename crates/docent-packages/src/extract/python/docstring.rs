//! Docstrings as Markdown: indentation cleaned, sections and fields as lists, doctests as code.
//!
//! Fed by [`super::declare`] with literals and by [`super::items`] with texts. The three styles in
//! use share one form of result: a bold heading, and a list of names with their explanations.

mod fields;
mod google;
mod numpy;
mod section;

use std::borrow::Cow;

use ruff_python_ast::Stmt;

use super::text::literal;
use crate::Text;
use section::prose;

/// A docstring, read. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Docs {
    /// As Markdown.
    pub(super) text: Text,
    /// What `.. deprecated::` says.
    pub(super) deprecated: Option<Text>,
}

/// The literal at the start of a body.
pub(super) fn raw(body: &[Stmt]) -> Option<&str> {
    match body.first()? {
        Stmt::Expr(first) => literal(&first.value),
        _ => None,
    }
}

/// A docstring as Markdown.
pub(super) fn read(raw: &str) -> Docs {
    if is_plain_line(raw) {
        return Docs { text: raw.trim().into(), deprecated: None };
    }
    let raw = without_tabs(raw);
    let mut lines = clean_lines(&raw);
    let deprecated = take_deprecation(&mut lines);
    let text = if numpy::applies(&lines) {
        numpy::to_markdown(&lines)
    } else if google::applies(&lines) {
        google::to_markdown(&lines)
    } else if fields::applies(&lines) {
        fields::to_markdown(&lines)
    } else {
        prose(&lines)
    };
    Docs { text: tidy(text.trim()).into(), deprecated: deprecated.map(Into::into) }
}

/// Whether a docstring is one line without marks of any kind, as most are.
fn is_plain_line(raw: &str) -> bool {
    let has_marks = raw.bytes().any(|byte| matches!(byte, b'\n' | b'\r' | b'\t' | b'`' | b':'));
    !has_marks && !raw.trim_start().starts_with(['>', '.'])
}

/// At most one empty line at a time, except in code.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty < 2 || fenced {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// A text and what annotations say of parameters.
pub(super) fn with_parameters(text: &str, parameters: &[(String, String)]) -> Text {
    let mut text = text.to_owned();
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str("**Parameters**\n");
    for (name, notes) in parameters {
        let lines: Vec<&str> = notes.lines().collect();
        text.push_str(&section::entry(name, "", &prose(&lines)));
    }
    text.trim_end().into()
}

/// Keeps the first paragraph.
pub(super) fn shortened(text: &str) -> &str {
    text.split_once("\n\n").map_or(text, |(first, _)| first)
}

/// Without the indentation that the source gives it, and empty lines around it.
pub(super) fn clean(raw: &str) -> String {
    clean_lines(&without_tabs(raw)).join("\n")
}

fn without_tabs(raw: &str) -> Cow<'_, str> {
    match raw.contains('\t') {
        true => Cow::Owned(raw.replace('\t', "        ")),
        false => Cow::Borrowed(raw),
    }
}

/// The lines of a cleaned docstring.
fn clean_lines(raw: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = raw.lines().map(str::trim_end).collect();
    let Some((first, others)) = lines.split_first_mut() else { return lines };
    *first = first.trim_start();
    let full = others.iter().filter(|line| !line.is_empty());
    let indent = full.map(|line| indentation(line)).min().unwrap_or(0);
    for line in others {
        *line = line.get(indent..).unwrap_or_default();
    }
    let start = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    lines.drain(..start);
    lines.truncate(lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
    lines
}

/// How many spaces a line starts with.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Takes `.. deprecated:: 1.2` and what is indented below it out of the lines.
fn take_deprecation(lines: &mut Vec<&str>) -> Option<String> {
    let at = lines.iter().position(|line| line.starts_with(".. deprecated::"))?;
    let version = lines[at].trim_start_matches(".. deprecated::").trim();
    let below = lines[at + 1..].iter();
    let length = below.take_while(|line| line.is_empty() || line.starts_with(' ')).count();
    let reason: Vec<&str> = lines[at + 1..at + 1 + length]
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .collect();
    let reason = crate::extract::prose::rest_to_markdown(&reason.join(" ")).trim().to_owned();
    lines.drain(at..=at + length);
    Some(match (version.is_empty(), reason.is_empty()) {
        (true, _) => reason,
        (false, true) => format!("since {version}"),
        (false, false) => format!("since {version}: {reason}"),
    })
}

#[cfg(test)]
mod tests;
