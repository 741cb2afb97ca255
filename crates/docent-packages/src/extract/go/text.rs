//! Pieces of source as they are shown: without comments, functions on one line.

use std::borrow::Cow;

use super::bodies::ELIDED;
use super::tokens::{Token, Tokens};

/// Bytes of a declaration that are shown.
const SHOWN_BYTES_MAX: usize = 6_000;

/// Bytes and lines of a value that are shown.
const VALUE_BYTES_MAX: usize = 600;
const VALUE_LINES_MAX: usize = 12;

/// Source without its comments, and without the lines that held nothing else.
pub(super) fn without_comments(source: &str) -> Cow<'_, str> {
    if !source.contains("//") && !source.contains("/*") {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    // Where the line begins in `out`, and whether it holds anything yet.
    let (mut line, mut is_blank) = (0, true);
    for (token, range) in Tokens::new(source) {
        if token != Token::Comment {
            out.push_str(source.get(at..range.end).unwrap_or_default());
            at = range.end;
            is_blank = token == Token::Newline;
            if is_blank {
                line = out.len();
            }
            continue;
        }
        out.push_str(source.get(at..range.start).unwrap_or_default());
        at = range.end;
        let rest = source.get(at..).unwrap_or_default();
        let mut rest = rest.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        let ends_line = matches!(rest.next(), None | Some(b'\n'));
        if is_blank && ends_line && line > 0 {
            // The line's end, which comes next, takes the place of the one before.
            out.truncate(line - 1);
        } else if !is_blank {
            out.truncate(out.trim_end_matches([' ', '\t']).len());
        }
    }
    out.push_str(source.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Source on one line, as `go doc` has it in its summaries: no line breaks between brackets, and no
/// comma before a closing one. What holds the body of a type keeps its lines.
pub(super) fn one_line(source: &str) -> String {
    let source = without_comments(source);
    if !source.contains('\n') {
        return source.trim().to_owned();
    }
    let has_body = Tokens::new(&source).any(|(token, range)| {
        token == Token::Open
            && source.get(range.clone()) == Some("{")
            && source.get(range.end..).is_some_and(|rest| !rest.starts_with('}'))
    });
    if has_body {
        return source.trim().to_owned();
    }
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    let mut broke = false;
    for (token, range) in Tokens::new(&source) {
        if token == Token::Newline {
            broke = true;
        } else {
            let word = source.get(range.clone()).unwrap_or_default();
            let space = source.get(at..range.start).unwrap_or_default();
            match broke {
                true if token == Token::Close => {
                    out.truncate(out.trim_end().len());
                    if out.ends_with(',') {
                        out.pop();
                    }
                }
                true if out.ends_with(['(', '[']) => {}
                true => out.push(' '),
                false => out.push_str(space),
            }
            broke = false;
            out.push_str(word);
        }
        at = range.end;
    }
    out.trim().to_owned()
}

/// Lines without `tabs` tabs at their beginnings, except the first.
pub(super) fn dedented(source: &str, tabs: usize) -> Cow<'_, str> {
    if tabs == 0 || !source.contains('\n') {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    for (number, line) in source.split('\n').enumerate() {
        let mut line = line;
        if number > 0 {
            out.push('\n');
            for _ in 0..tabs {
                line = line.strip_prefix('\t').unwrap_or(line);
            }
        }
        out.push_str(line);
    }
    Cow::Owned(out)
}

/// A value as far as it is shown; one that was cut ends in `…`.
pub(super) fn value(source: &str, tabs: usize) -> String {
    let source = without_comments(source);
    let source = dedented(source.trim(), tabs);
    if let Some((begin, _)) = source.split_once(ELIDED) {
        return cut(begin, VALUE_BYTES_MAX);
    }
    if source.len() > VALUE_BYTES_MAX || source.matches('\n').count() >= VALUE_LINES_MAX {
        let lines: Vec<&str> = source.lines().take(VALUE_LINES_MAX / 2).collect();
        return cut(&lines.join("\n"), VALUE_BYTES_MAX / 2);
    }
    source.into_owned()
}

/// A declaration as far as it is shown.
pub(super) fn shown(declaration: String) -> String {
    if declaration.len() > SHOWN_BYTES_MAX {
        cut(&declaration, SHOWN_BYTES_MAX)
    } else {
        declaration
    }
}

fn cut(text: &str, bytes: usize) -> String {
    let end = text.floor_char_boundary(bytes.min(text.len()));
    format!("{}…", text[..end].trim_end())
}

/// Whether every bracket that opens is closed.
pub(super) fn is_balanced(source: &str) -> bool {
    let depth = Tokens::new(source).try_fold(0usize, |depth, (token, _)| match token {
        Token::Open => Some(depth + 1),
        Token::Close => depth.checked_sub(1),
        _ => Some(depth),
    });
    depth == Some(0)
}

/// Whether other packages can name it.
pub(super) fn is_exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_with_their_lines() {
        let source = "a {\n\t// one\n\tb int // two\n\t/* three */ c \"//\"\n}";
        assert_eq!(without_comments(source), "a {\n\tb int\n\t c \"//\"\n}");
    }

    #[test]
    fn functions_fit_on_a_line() {
        let check = |source, expected| assert_eq!(one_line(source), expected);
        check("func f(\n\ta int, // first\n\tb string,\n) error", "func f(a int, b string) error");
        check("func f(a int,\n\tb string) (int,\n\terror)", "func f(a int, b string) (int, error)");
        check("func f(a interface{},\n\tb int)", "func f(a interface{}, b int)");
        check("func f(a struct {\n\tb int\n})", "func f(a struct {\n\tb int\n})");
        check("func F[\n\tT any,\n](t T)", "func F[T any](t T)");
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(value("T{\n\t\ta: 1,\n\t}", 1), "T{\n\ta: 1,\n}");
        assert_eq!(value("T{`…`,\n\n}", 0), "T{…");
        assert!(value(&"é".repeat(1000), 0).ends_with('…'));
        assert!(value(&"a\n".repeat(100), 0).ends_with('…'));
    }
}
