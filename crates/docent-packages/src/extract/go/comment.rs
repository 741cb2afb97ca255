//! Doc comments as Markdown.
//!
//! Go's own syntax: blank lines part paragraphs, `# ` or a line that looks like one is a heading,
//! indented lines are code or, behind a marker, a list; `[Name]` is a link to another declaration,
//! and `[text]: address` says where `[text]` leads.

use crate::extract::prose::fence;

/// Addresses that one comment may define.
const LINKS_MAX: usize = 200;

/// Bytes of what is said on deprecation.
const REASON_BYTES_MAX: usize = 2_000;

/// A comment, taken apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Doc {
    /// As Markdown, without the paragraph on deprecation.
    pub(super) text: String,
    /// What the paragraph on deprecation says.
    pub(super) deprecated: Option<String>,
}

/// Takes comments, each with its marks, apart.
pub(super) fn doc(comments: &[&str]) -> Doc {
    let plain = plain(comments);
    let lines: Vec<&str> = plain.lines().collect();
    let (blocks, links) = blocks(&lines);
    let mut doc = Doc::default();
    let mut parts: Vec<String> = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph(lines) => {
                let text = lines.join("\n");
                match text.strip_prefix("Deprecated: ") {
                    Some(reason) => {
                        let end = reason.floor_char_boundary(REASON_BYTES_MAX.min(reason.len()));
                        let reason = linked(&reason[..end], &links);
                        let words: Vec<&str> = reason.split_whitespace().collect();
                        doc.deprecated.get_or_insert(words.join(" "));
                    }
                    None => parts.push(linked(&text, &links)),
                }
            }
            Block::Heading(text) => parts.push(format!("#### {}", linked(text, &links))),
            Block::Code(lines) => parts.push(fence("", &unindented(&lines))),
            Block::List(lines) => parts.push(list(&lines, &links)),
        }
    }
    doc.text = parts.join("\n\n");
    doc
}

/// The text of comments without their marks and without directives to tools.
fn plain(comments: &[&str]) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for comment in comments {
        if let Some(block) = comment.strip_prefix("/*") {
            lines.extend(block.strip_suffix("*/").unwrap_or(block).lines());
        } else {
            let line = comment.strip_prefix("//").unwrap_or(comment);
            if !is_directive(line) {
                lines.push(line.strip_prefix(' ').unwrap_or(line));
            }
        }
    }
    let mut text = String::new();
    for line in lines {
        let line = line.trim_end();
        if !(line.is_empty() && (text.is_empty() || text.ends_with("\n\n"))) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Whether what follows `//` is for a tool: `go:generate`, `nolint:all`.
fn is_directive(line: &str) -> bool {
    if ["line ", "extern ", "export "].iter().any(|word| line.starts_with(word)) {
        return true;
    }
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    line.split_once(':').is_some_and(|(tool, rest)| {
        !tool.is_empty() && tool.chars().all(is_part) && rest.starts_with(is_part)
    })
}

enum Block<'a> {
    Paragraph(Vec<&'a str>),
    Heading(&'a str),
    Code(Vec<&'a str>),
    List(Vec<&'a str>),
}

/// The blocks of a text, and where its links lead.
fn blocks<'a>(lines: &[&'a str]) -> (Vec<Block<'a>>, Vec<(&'a str, &'a str)>) {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    let mut links = Vec::new();
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        if line.is_empty() {
            at += 1;
            continue;
        }
        let indented = is_indented(line);
        let mut end = at + 1;
        // Blank lines between indented ones belong to them.
        while let Some(&next) = lines.get(end) {
            let goes_on = match (indented, next.is_empty()) {
                (true, true) => lines[end..]
                    .iter()
                    .find(|line| !line.is_empty())
                    .is_some_and(|line| is_indented(line)),
                (true, false) => is_indented(next),
                (false, true) => false,
                (false, false) => !is_indented(next),
            };
            if !goes_on {
                break;
            }
            end += 1;
        }
        let span = lines[at..end].to_vec();
        at = end;
        if indented {
            let is_list = span.first().is_some_and(|line| marker(line.trim_start()).is_some());
            blocks.push(if is_list { Block::List(span) } else { Block::Code(span) });
            continue;
        }
        let (definitions, text): (Vec<&str>, Vec<&str>) =
            span.into_iter().partition(|line| definition(line).is_some());
        let room = LINKS_MAX.saturating_sub(links.len());
        links.extend(definitions.into_iter().filter_map(definition).take(room));
        match text.as_slice() {
            [] => {}
            [one] if one.strip_prefix("# ").is_some_and(|title| !title.trim().is_empty()) => {
                blocks.push(Block::Heading(one[2..].trim()));
            }
            [one] if is_old_heading(one, &blocks, lines.get(at..).unwrap_or_default()) => {
                blocks.push(Block::Heading(one));
            }
            _ => blocks.push(Block::Paragraph(text)),
        }
    }
    (blocks, links)
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// `[text]: address`.
fn definition(line: &str) -> Option<(&str, &str)> {
    let (text, address) = line.strip_prefix('[')?.split_once("]:")?;
    let address = address.trim();
    (address.contains("://") && !address.contains(char::is_whitespace)).then_some((text, address))
}

/// Whether a line by itself, between other text, is a heading in the style before Go 1.19.
fn is_old_heading(line: &str, before: &[Block<'_>], after: &[&str]) -> bool {
    let is_between =
        matches!(before.last(), Some(Block::Paragraph(_) | Block::Code(_) | Block::List(_)))
            && matches!(after, ["", next, ..] if !is_indented(next) && !next.is_empty());
    let marks = ";:!?+*/=[]{}_^°&§~%#@<\">\\";
    let is_plain = !line.contains(|c| marks.contains(c)) && !line.trim_end().ends_with(['.', ',']);
    let has_capital = line.chars().next().is_some_and(char::is_uppercase);
    let ends_in_word = line.chars().last().is_some_and(|c| c.is_alphanumeric() || c == ')');
    // A full stop inside a line is that of a sentence, unless a name follows.
    let has_sentence = line.match_indices('.').any(|(at, _)| line[at + 1..].starts_with(' '));
    let quotes_fit = line.match_indices('\'').all(|(at, _)| {
        line[at + 1..]
            .strip_prefix('s')
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    is_between && is_plain && has_capital && ends_in_word && !has_sentence && quotes_fit
}

/// The marker that a list item begins with, as Markdown has it, and the rest of the line.
fn marker(line: &str) -> Option<(String, &str)> {
    let bullet = line.strip_prefix(['-', '*', '+', '•']);
    if let Some(rest) = bullet.filter(|rest| rest.starts_with([' ', '\t'])) {
        return Some(("-".to_owned(), rest.trim_start()));
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = line[digits..].strip_prefix(['.', ')'])?;
    let is_item = digits > 0 && rest.starts_with([' ', '\t']);
    is_item.then(|| (format!("{}.", &line[..digits]), rest.trim_start()))
}

fn list(lines: &[&str], links: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for line in lines {
        let line = line.trim();
        match marker(line) {
            Some((mark, rest)) => {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&mark);
                out.push(' ');
                out.push_str(&linked(rest, links));
            }
            None if line.is_empty() => {}
            None => {
                out.push_str("\n  ");
                out.push_str(&linked(line, links));
            }
        }
    }
    out
}

/// Lines without the indentation that all of them have.
fn unindented(lines: &[&str]) -> String {
    let filled = || lines.iter().filter(|line| !line.is_empty());
    let first = filled().next().copied().unwrap_or_default();
    let space = &first[..first.len() - first.trim_start().len()];
    let shared = filled().fold(space, |shared, line| {
        let same = shared.bytes().zip(line.bytes()).take_while(|(one, other)| one == other).count();
        shared.get(..same).unwrap_or_default()
    });
    let lines = lines.iter().map(|line| line.strip_prefix(shared).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Text with its links in Markdown: `[text]` with an address, `[Name]` as code.
fn linked(text: &str, links: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, inside) = rest.split_at(open);
        out.push_str(before);
        let inside = &inside[1..];
        let end = inside.find([']', '[', '\n']).filter(|&end| inside[end..].starts_with(']'));
        let Some(end) = end else {
            out.push('[');
            rest = inside;
            continue;
        };
        let (name, after) = (&inside[..end], &inside[end + 1..]);
        let is_apart = !out
            .ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ']' || c == '`')
            && !after
                .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '(' | '[' | '`'));
        if let Some((_, address)) = links.iter().find(|(text, _)| *text == name) {
            out.push_str(&format!("[{name}]({address})"));
        } else if is_apart && is_name(name) {
            out.push_str(&format!("`{}`", name.trim_start_matches('*')));
        } else {
            out.push_str(&format!("[{name}]"));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether a text is the name of something exported: `Name`, `*Name.Method`, `pkg/path.Name`.
fn is_name(text: &str) -> bool {
    let text = text.strip_prefix('*').unwrap_or(text);
    let last = text.rsplit('/').next().unwrap_or(text);
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let has_capital = last.split('.').any(|word| word.starts_with(char::is_uppercase));
    last.split('.').all(is_word) && (has_capital || text.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(comment: &str, expected: &str) {
        let lines: Vec<&str> = comment.lines().collect();
        assert_eq!(doc(&lines).text, expected);
    }

    #[test]
    fn marks_and_directives_go() {
        check(
            "// One.\n//go:generate x\n//nolint:all\n//\n//\n// Two: three.",
            "One.\n\nTwo: three.",
        );
        assert_eq!(doc(&["/*\nOne.\n\n\tcode\n*/"]).text, "One.\n\n```\ncode\n```");
        check("//line of text:\n//export X", "");
    }

    #[test]
    fn headings_lists_code_and_links() {
        check("// A.\n//\n// # Title\n//\n// B.", "A.\n\n#### Title\n\nB.");
        check("// A.\n//\n// Old Title\n//\n// B.", "A.\n\n#### Old Title\n\nB.");
        check("// A.\n//\n// No title.\n//\n// B.", "A.\n\nNo title.\n\nB.");
        check(
            "// A:\n//\n//\tx := 1\n//\n//\t\ty()\n//\n// B.",
            "A:\n\n```\nx := 1\n\n\ty()\n```\n\nB.",
        );
        check(
            "// A:\n//   - one\n//     more\n//   - two\n//  1. three",
            "A:\n\n- one\n  more\n- two\n1. three",
        );
        check(
            "// See [Client.Do], [*Pool], [net/http.Get] and [RFC 1].\n//\n// [RFC 1]: https://a.example/1",
            "See `Client.Do`, `Pool`, `net/http.Get` and [RFC 1](https://a.example/1).",
        );
        check(
            "// Not a link: a[i], [x], m[Key][B], [A](b), [open",
            "Not a link: a[i], [x], m[Key][B], [A](b), [open",
        );
    }

    #[test]
    fn deprecation_is_a_paragraph() {
        let found = doc(&["// A.", "//", "// Deprecated: use [B]", "// instead.", "//", "// C."]);
        assert_eq!(found.text, "A.\n\nC.");
        assert_eq!(found.deprecated.as_deref(), Some("use `B` instead."));
        assert_eq!(doc(&["// A. Deprecated: no."]).deprecated, None);
    }

    #[test]
    fn any_text_is_survived() {
        for text in [
            "//",
            "/*",
            "//[",
            "//\té\n//\u{3000}x\n// y",
            "//\t \n//  é\n//\u{a0}",
            "// 1.",
            "//  é) a",
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let _ = doc(&lines);
        }
    }
}
