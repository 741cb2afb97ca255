//! Marks inside a paragraph of reStructuredText: literals, roles, links, substitutions.
//!
//! Goes over the text once; a mark that has no end is remembered, so that its end is not looked for
//! again.

use std::collections::HashMap;

use super::super::is_listed;

/// What the names in a document stand for.
#[derive(Default)]
pub(super) struct Names {
    /// The addresses of `.. _name: address`, by name in lower case.
    targets: HashMap<String, String>,
    /// The texts of `.. |name| replace:: text`; empty for pictures.
    substitutions: HashMap<String, String>,
}

impl Names {
    /// Takes note of a line, if it defines a name.
    pub(super) fn note(&mut self, line: &str) {
        let Some(rest) = line.trim_start().strip_prefix(".. ") else { return };
        let rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix('_') {
            let found = match rest.strip_prefix('`') {
                Some(quoted) => quoted.split_once("`:"),
                None => rest.split_once(": "),
            };
            if let Some((name, target)) = found
                && target.contains(['/', '@', '.'])
            {
                self.targets.insert(name.to_lowercase(), target.trim().to_owned());
            }
        } else if let Some((name, definition)) =
            rest.strip_prefix('|').and_then(|rest| rest.split_once('|'))
        {
            let text = definition.trim().strip_prefix("replace::").map_or("", str::trim);
            self.substitutions.insert(name.to_owned(), text.to_owned());
        }
    }
}

/// The longest name of a role or substitution.
const NAME_BYTES_MAX: usize = 64;

/// A paragraph as Markdown.
pub(super) fn to_markdown(text: &str, names: &Names) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut no_literal_ends, mut no_quote_ends) = (false, false);
    let mut rest = text;
    while let Some(at) = rest.find(['`', ':', '|', '_', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match rest.as_bytes()[0] {
            b'`' if rest.starts_with("``") => {
                let end = if no_literal_ends { None } else { rest[2..].find("``") };
                no_literal_ends = end.is_none();
                end.map(|end| {
                    // A literal may end with a backtick of its own.
                    let more = rest[end + 4..].bytes().take_while(|byte| *byte == b'`').count();
                    push_code(&mut out, rest[2..end + 2 + more].trim());
                    end + 4 + more
                })
            }
            b'`' => {
                let found = if no_quote_ends { None } else { quoted(rest) };
                no_quote_ends = found.is_none();
                found.map(|(content, length)| {
                    let marks =
                        rest[length..].bytes().take(2).take_while(|byte| *byte == b'_').count();
                    if marks > 0 {
                        push_link(&mut out, content, names);
                    } else {
                        push_code(&mut out, content.trim());
                    }
                    length + marks
                })
            }
            b':' => role_name(rest).and_then(|name| {
                let start = name.len() + 2;
                let found = if no_quote_ends { None } else { quoted(&rest[start..]) };
                no_quote_ends |= found.is_none();
                let (content, length) = found?;
                push_role(&mut out, name, content);
                Some(start + length)
            }),
            b'|' => substitution(rest, names).map(|(text, length)| {
                out.push_str(text);
                length + rest[length..].bytes().take(2).take_while(|byte| *byte == b'_').count()
            }),
            b'_' => reference(rest, &mut out, names),
            _ => escaped(rest, &mut out),
        };
        let length = taken.unwrap_or_else(|| {
            out.push_str(&rest[..1]);
            1
        });
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// What is between the backtick here and the next one, and the length of it all.
fn quoted(rest: &str) -> Option<(&str, usize)> {
    let end = rest.strip_prefix('`')?.find('`')?;
    (end > 0).then(|| (&rest[1..=end], end + 2))
}

/// The name in `:name:` before a backtick.
fn role_name(rest: &str) -> Option<&str> {
    let window = &rest.as_bytes()[1..rest.len().min(NAME_BYTES_MAX)];
    let tick = memchr::memchr(b'`', window)?;
    let name = window[..tick].strip_suffix(b":")?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b":+-_.".contains(byte);
    (!name.is_empty() && name.iter().all(is_name)).then(|| &rest[1..=name.len()])
}

/// Roles whose content is read as text; most others name things of the code.
const TEXT_ROLES: &str = "\
    ref, doc, term, abbr, emphasis, strong, title, sup, sub, superscript, subscript, guilabel, \
    menuselection, issue, pr, pull, gh, user, download, numref, dfn, eq, cite, footcite, bpo, cve, \
    cwe, ticket, commit";

pub(in super::super) fn push_role(out: &mut String, role: &str, content: &str) {
    let role = role.rsplit(':').next().unwrap_or(role);
    let content = content.trim();
    let (text, is_titled) = match content.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        Some((text, _)) if !text.trim().is_empty() => (text.trim(), true),
        _ => (content, false),
    };
    match role {
        "index" => {}
        "pep" | "rfc" if !is_titled => {
            out.push_str(&role.to_ascii_uppercase());
            out.push(' ');
            out.push_str(text);
        }
        role if is_listed(TEXT_ROLES, role) => out.push_str(text.trim_start_matches('!')),
        _ => {
            let text = text.trim_start_matches(['!', '+']);
            let text = match text.strip_prefix('~') {
                Some(path) => path.rsplit('.').next().unwrap_or(path),
                None => text,
            };
            push_code(out, text);
        }
    }
}

fn push_code(out: &mut String, code: &str) {
    if code.is_empty() {
        return;
    }
    let code = code.replace('\n', " ");
    let (mut run, mut longest) = (0usize, 0);
    for byte in code.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let mark = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    out.push_str(&format!("{mark}{space}{code}{space}{mark}"));
}

fn push_link(out: &mut String, content: &str, names: &Names) {
    let content = content.trim();
    let embedded = content.strip_suffix('>').and_then(|rest| rest.rsplit_once('<'));
    let (text, target) = match embedded {
        Some((text, target)) => {
            let target: String = target.split_whitespace().collect();
            // `text <name_>` points to a name instead.
            let named =
                target.strip_suffix('_').and_then(|name| names.targets.get(&name.to_lowercase()));
            (text.trim(), named.cloned().or(Some(target)))
        }
        None => (content, names.targets.get(&content.to_lowercase().replace('\n', " ")).cloned()),
    };
    let target = target.filter(|target| {
        !target.contains(['(', ')', '<', '>', ' ']) && target.contains(['/', '@', '.'])
    });
    match target {
        Some(target) if text.is_empty() => {
            out.push_str(&target);
        }
        Some(target) => {
            out.push('[');
            out.push_str(text);
            out.push_str("](");
            out.push_str(&target);
            out.push(')');
        }
        None => out.push_str(text),
    }
}

fn substitution<'n>(rest: &str, names: &'n Names) -> Option<(&'n str, usize)> {
    let window = &rest.as_bytes()[1..rest.len().min(NAME_BYTES_MAX)];
    let end = memchr::memchr(b'|', window)?;
    let text = names.substitutions.get(rest.get(1..=end)?)?;
    Some((text, end + 2))
}

/// An underscore after a word that has a target, or after a footnote's mark.
fn reference(rest: &str, out: &mut String, names: &Names) -> Option<usize> {
    let marks = rest.bytes().take(2).take_while(|byte| *byte == b'_').count();
    if rest[marks..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    if out.ends_with(']') {
        return Some(marks);
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
    let from =
        out.char_indices().rev().take(NAME_BYTES_MAX).take_while(|(_, c)| is_part(*c)).last()?.0;
    let word = out[from..].to_owned();
    let target = names.targets.get(&word.to_lowercase())?;
    out.truncate(from);
    out.push_str(&format!("[{word}]({target})"));
    Some(marks)
}

/// A backslash and what it protects; before a space it only parts words from marks.
fn escaped(rest: &str, out: &mut String) -> Option<usize> {
    let next = rest[1..].chars().next()?;
    // What means nothing in Markdown needs no protection there.
    if next.is_ascii_punctuation() {
        out.push('\\');
    }
    if !next.is_whitespace() {
        out.push(next);
    }
    Some(1 + next.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut names = Names::default();
        names.note(".. _Home: https://x.example/");
        names.note(".. _`two words`: https://y.example/");
        names.note(".. |v| replace:: 2.1");
        names.note(".. |badge| image:: https://z.example/b.svg");
        assert_eq!(to_markdown(text, &names), expected, "{text}");
    }

    #[test]
    fn literals_and_roles() {
        check("``x`` and `y`", "`x` and `y`");
        check("``a`b``", "`` a`b ``");
        check(":class:`~a.b.C`, :py:func:`a.f`, :meth:`!m`", "`C`, `a.f`, `m`");
        check(":ref:`the text <label>` :doc:`page` :pep:`8`", "the text page PEP 8");
        check(":class:`text <a.B>`", "`text`");
    }

    #[test]
    fn links() {
        check(
            "`text <https://a.example>`_ and `text\n<https://b.example>`__.",
            "[text](https://a.example) and [text](https://b.example).",
        );
        check(
            "Home_ and `two words`_ and `other`_",
            "[Home](https://x.example/) and [two words](https://y.example/) and other",
        );
        check(
            "snake_case_ and _private and __init__ [1]_",
            "snake_case_ and _private and __init__ [1]",
        );
        check("`<https://a.example>`_", "https://a.example");
    }

    #[test]
    fn substitutions_and_escapes() {
        check("|v| |badge|_ |other| a\\ b \\*c ``x``\\s", "2.1  |other| ab \\*c `x`s");
    }

    #[test]
    fn marks_without_an_end_stay() {
        check("``x", "``x");
        check("`x and :role:`y", "`x and :role:`y");
        check(":", ":");
    }
}
