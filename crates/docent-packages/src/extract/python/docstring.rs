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
use section::prose;

/// A docstring, read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Docs {
    /// As Markdown.
    pub(super) text: String,
    /// What `.. deprecated::` says.
    pub(super) deprecated: Option<String>,
}

/// The literal at the start of a body.
pub(super) fn raw(body: &[Stmt]) -> Option<String> {
    match body.first()? {
        Stmt::Expr(first) => literal(&first.value).map(str::to_owned),
        _ => None,
    }
}

/// A docstring as Markdown.
pub(super) fn read(raw: &str) -> Docs {
    if is_plain_line(raw) {
        return Docs { text: raw.trim().to_owned(), deprecated: None };
    }
    let cleaned = clean(raw);
    let mut lines: Vec<&str> = cleaned.lines().collect();
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
    Docs { text: tidy(text.trim()), deprecated }
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

/// Adds what annotations say of parameters.
pub(super) fn add_parameters(text: &mut String, parameters: &[(String, String)]) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str("**Parameters**\n");
    for (name, notes) in parameters {
        let lines: Vec<&str> = notes.lines().collect();
        text.push_str(&section::entry(name, "", &prose(&lines)));
    }
    text.truncate(text.trim_end().len());
}

/// Keeps the first paragraph.
pub(super) fn shortened(text: &str) -> &str {
    text.split_once("\n\n").map_or(text, |(first, _)| first)
}

/// Without the indentation that the source gives it, and empty lines around it.
pub(super) fn clean(raw: &str) -> String {
    let raw = match raw.contains('\t') {
        true => Cow::Owned(raw.replace('\t', "        ")),
        false => Cow::Borrowed(raw),
    };
    let indent = raw
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(indentation)
        .min()
        .unwrap_or(0);
    let mut out = String::with_capacity(raw.len());
    for (at, line) in raw.lines().enumerate() {
        let line = if at == 0 { line.trim_start() } else { line.get(indent..).unwrap_or_default() };
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let start = out.len() - out.trim_start_matches('\n').len();
    out[start..].trim_end().to_owned()
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
