//! Documentation comments as Markdown: the marks of the comment gone, callouts as lists and
//! paragraphs, links to symbols as code.
//!
//! Fed by [`super::parse`].

use crate::extract::prose::docc::links;

/// What a comment says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Docs {
    pub(super) text: String,
    /// Whether it asks not to be shown.
    pub(super) hidden: bool,
}

/// Callouts that become a heading over a list.
const LISTS: &[&str] = &["Parameters"];

/// Callouts that become a paragraph of their own.
const CALLOUTS: &[&str] = &[
    "Returns",
    "Throws",
    "Note",
    "Warning",
    "Important",
    "Attention",
    "Precondition",
    "Postcondition",
    "Requires",
    "Invariant",
    "Complexity",
    "Remark",
    "SeeAlso",
    "Since",
    "Version",
    "Tip",
    "Bug",
    "Experiment",
    "ToDo",
    "Author",
    "Authors",
    "Copyright",
    "Date",
    "MutatingVariant",
    "NonMutatingVariant",
];

/// Callouts that are about those who write the package.
const UNTOLD: &[&str] = &["ToDo", "Author", "Authors", "Copyright", "Date", "Bug", "Experiment"];

/// Reads the comments in front of a declaration, one text for each `///` line or `/** */` block.
pub(super) fn read(comments: &[&str]) -> Docs {
    let mut lines: Vec<&str> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for comment in comments {
        match comment.strip_prefix("///") {
            Some(line) => run.push(line.trim_end()),
            None => {
                lines.extend(undent(&std::mem::take(&mut run)));
                lines.extend(block(comment));
            }
        }
    }
    lines.extend(undent(&run));
    let hidden = lines.iter().any(|line| matches!(line.trim(), ":nodoc:" | "- Tag: nodoc"));
    Docs { text: to_markdown(&lines), hidden }
}

/// The lines of a `/** */` block, without the stars that some lead them with.
fn block(comment: &str) -> Vec<&str> {
    let inner = comment.strip_prefix("/**").unwrap_or(comment);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let mut lines: Vec<&str> = inner.lines().collect();
    let rest = lines.iter().skip(1).map(|line| line.trim_start()).filter(|line| !line.is_empty());
    let is_starred = rest.clone().count() > 0
        && rest.clone().all(|line| line.starts_with("* ") || line == "*" || line == "**/");
    for line in lines.iter_mut().skip(1) {
        if is_starred {
            let bare = line.trim_start();
            *line = bare.strip_prefix('*').unwrap_or(bare);
        }
    }
    // What follows the opening mark on its own line is not indented like the rest.
    let first = lines.first().map(|line| line.trim()).unwrap_or_default();
    let rest = undent(lines.get(1..).unwrap_or_default());
    let rest = rest.into_iter().map(str::trim_end);
    std::iter::once(first).filter(|line| !line.is_empty()).chain(rest).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Markdown with the callouts of Swift made plain.
fn to_markdown(lines: &[&str]) -> String {
    let mut out = String::new();
    let mut parameters = String::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        if mark.is_some() && (fence.is_none() || fence == mark) {
            fence = if fence.is_some() { None } else { mark };
        }
        let callout = if fence.is_none() { callout(line) } else { None };
        let Some((word, rest)) = callout else {
            let line =
                if fence.is_some() || mark.is_some() { line.to_owned() } else { links(line) };
            out.push_str(&line);
            out.push('\n');
            at += 1;
            continue;
        };
        let length = body(&lines[at + 1..], indent(line));
        let inside = &lines[at + 1..at + 1 + length];
        at += 1 + length;
        match word {
            Word::List => entries(inside, &mut parameters),
            Word::Parameter(name) => parameter(&mut parameters, name, rest, inside),
            Word::Callout(name) if UNTOLD.contains(&name) => {}
            Word::Callout(name) => {
                out.push_str(&format!("\n{name}: {}\n", links(rest)));
                for line in undent(inside) {
                    out.push_str(&links(line));
                    out.push('\n');
                }
            }
        }
    }
    let out = tidy(&out);
    match (parameters.is_empty(), out.split_once("\n\nReturns: ")) {
        (true, _) => out,
        // In the order of the declaration: what goes in, then what comes out.
        (false, Some((before, after))) => {
            format!("{before}\n\nParameters:\n{}\n\nReturns: {after}", parameters.trim_end())
        }
        (false, None) if out.is_empty() => format!("Parameters:\n{}", parameters.trim_end()),
        (false, None) => format!("{out}\n\nParameters:\n{}", parameters.trim_end()),
    }
}

enum Word<'a> {
    /// `- Parameters:`, with the entries below it.
    List,
    /// `- Parameter name:`
    Parameter(&'a str),
    Callout(&'a str),
}

/// The callout that a line begins, and what follows its colon.
fn callout(line: &str) -> Option<(Word<'_>, &str)> {
    let bare = line.trim_start();
    let item = bare.strip_prefix(['-', '*', '+'])?.trim_start();
    if indent(line) > 3 {
        return None;
    }
    let (word, rest) = item.split_once(':')?;
    let (word, rest) = (word.trim(), rest.trim());
    if LISTS.iter().any(|list| list.eq_ignore_ascii_case(word)) {
        return Some((Word::List, rest));
    }
    if let Some((first, name)) = word.split_once(' ')
        && first.eq_ignore_ascii_case("parameter")
    {
        return Some((Word::Parameter(name.trim()), rest));
    }
    let known = |name: &&&str| {
        name.eq_ignore_ascii_case(word) || word.replace(' ', "").eq_ignore_ascii_case(name)
    };
    CALLOUTS.iter().find(known).map(|name| (Word::Callout(name), rest))
}

/// How many of the lines belong to a list item at that indentation.
fn body(lines: &[&str], outer: usize) -> usize {
    let mut length = 0;
    for (at, line) in lines.iter().enumerate() {
        let is_empty = line.trim().is_empty();
        if !is_empty && (indent(line) <= outer) {
            let is_lazy = at == length
                && !is_item(line)
                && !line.starts_with('#')
                && at > 0
                && !lines[at - 1].trim().is_empty();
            let is_lazy = is_lazy || (at == 0 && !is_item(line) && !line.starts_with(['#', '`']));
            if !is_lazy {
                break;
            }
        }
        if !is_empty {
            length = at + 1;
        }
    }
    length
}

fn is_item(line: &str) -> bool {
    let bare = line.trim_start();
    ["- ", "* ", "+ "].iter().any(|mark| bare.starts_with(mark))
}

/// The entries below `- Parameters:`.
fn entries(lines: &[&str], out: &mut String) {
    let lines = undent(lines);
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let item = line.trim_start().strip_prefix(['-', '*', '+']);
        let Some((name, rest)) = item.and_then(|item| item.split_once(':')) else {
            at += 1;
            continue;
        };
        let length = body(&lines[at + 1..], indent(line));
        parameter(out, name.trim(), rest.trim(), &lines[at + 1..at + 1 + length]);
        at += 1 + length;
    }
}

fn parameter(out: &mut String, name: &str, rest: &str, inside: &[&str]) {
    out.push_str(&format!("- `{}` — {}", name.trim_matches('`'), links(rest)));
    for line in undent(inside) {
        out.push_str("\n  ");
        out.push_str(&links(line));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
}

/// Lines without the indentation that they all have.
fn undent<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let full = lines.iter().filter(|line| !line.trim().is_empty());
    let shared = full.map(|line| indent(line)).min().unwrap_or(0);
    lines.iter().map(|line| line.get(shared..).unwrap_or_default()).collect()
}

/// At most one empty line at a time, except in code.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut empty, mut fenced) = (0, false);
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty < 2 || fenced {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out.trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(comment: &str, expected: &str) {
        let lines: Vec<&str> = if comment.starts_with("/**") {
            vec![comment]
        } else {
            comment.lines().map(str::trim_start).collect()
        };
        assert_eq!(read(&lines).text, expected);
    }

    #[test]
    fn both_kinds_of_comments_are_read() {
        check("/// One.\n///\n/// Two\n/// lines.", "One.\n\nTwo\nlines.");
        check("/** One. */", "One.");
        check("/**\n  One.\n\n      code\n */", "One.\n\n    code");
        check("/**\n * One.\n *\n * - a\n */", "One.\n\n- a");
        check("/// a:\n///\n///     let b = 1\n///\n/// c", "a:\n\n    let b = 1\n\nc");
        check("///", "");
        assert!(read(&["/// :nodoc:"]).hidden);
    }

    #[test]
    fn callouts_become_lists_and_paragraphs() {
        check(
            "/// Adds.\n///\n/// - Parameters:\n///   - a: The first\n///     one.\n///   - b: The ``Second``.\n\
             /// - Returns: The sum.\n/// - Throws: `E`\n///   if not.\n/// - Author: me",
            "Adds.\n\nParameters:\n- `a` — The first\n  one.\n- `b` — The `Second`.\n\n\
             Returns: The sum.\n\nThrows: `E`\nif not.",
        );
        check("/// - Parameter a: x\n/// - parameter b: y", "Parameters:\n- `a` — x\n- `b` — y");
        check("/// - a: x\n/// - Note: n\n///\n/// After.", "- a: x\n\nNote: n\n\nAfter.");
        check("/// ```\n/// - Returns: ``x``\n/// ```", "```\n- Returns: ``x``\n```");
    }

    #[test]
    fn links_are_code() {
        check(
            "/// See ``A/b(c:)-4abcd`` and <doc:Getting-Started>.",
            "See `A.b(c:)` and Getting Started.",
        );
        check("/// ``a b`` ```x``` ``", "``a b`` ```x``` ``");
    }
}
