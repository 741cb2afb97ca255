//! Leaves out what is between the braces of functions, and of very long values, before parsing.
//!
//! Nine tenths of a Go source are bodies, which no documentation needs. Lines stay where they were.
//! The same scan finds the bodies of examples, which are needed.

use std::ops::Range;

use super::tokens::{Token, Tokens};

/// What stands for the elements of a value that are left out: a literal, so that it can be parsed.
pub(super) const ELIDED: &str = "`…`";

/// Bytes of a value's elements that are kept.
const VALUE_BYTES_MAX: usize = 1_000;

/// One function at the top level.
pub(super) struct Function {
    /// From the keyword to just before the body.
    pub(super) head: Range<usize>,
    /// What is between its braces.
    pub(super) body: Range<usize>,
}

/// The text without bodies.
pub(super) fn without(text: &str) -> String {
    let mut cuts: Vec<(Range<usize>, &str)> = Vec::new();
    scan(text, |found| match found {
        Found::Function(function) => cuts.push((function.body, "")),
        Found::Value(range) => cuts.push((range, ELIDED)),
    });
    let mut out = String::with_capacity(text.len() / 2);
    let mut at = 0;
    for (cut, instead) in cuts {
        out.push_str(text.get(at..cut.start).unwrap_or_default());
        out.push_str(instead);
        let inside = text.get(cut.clone()).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', inside.as_bytes()).count();
        // A value that goes on after a line break would end there.
        let comma = if instead.is_empty() || lines == 0 { "" } else { "," };
        out.push_str(comma);
        out.extend(std::iter::repeat_n('\n', lines));
        at = cut.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// The functions with bodies.
pub(super) fn functions(text: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    scan(text, |found| {
        if let Found::Function(function) = found {
            functions.push(function);
        }
    });
    functions
}

enum Found {
    Function(Function),
    /// The elements of a long value.
    Value(Range<usize>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Statement {
    /// Between declarations.
    None,
    /// A function whose body has not begun, and where it begins.
    Function(usize),
    /// Variables, whose values may be long.
    Variables,
    /// Anything else.
    Other,
}

fn scan(text: &str, mut found: impl FnMut(Found)) {
    let mut statement = Statement::None;
    let mut depth = 0usize;
    // The word before, since a brace after `struct` opens a type.
    let mut before = "";
    let mut body: Option<(Range<usize>, usize, usize)> = None;
    let mut value: Option<(usize, usize)> = None;
    for (token, range) in Tokens::new(text) {
        let word = text.get(range.clone()).unwrap_or_default();
        match token {
            Token::Comment => continue,
            Token::Newline if depth == 0 => statement = Statement::None,
            Token::Newline => {}
            Token::Word if depth == 0 && statement == Statement::None => {
                statement = match word {
                    "func" => Statement::Function(range.start),
                    "var" => Statement::Variables,
                    _ => Statement::Other,
                };
            }
            Token::Open => {
                depth += 1;
                let opens_block = word == "{" && !matches!(before, "struct" | "interface");
                match statement {
                    Statement::Function(start) if opens_block && depth == 1 => {
                        body = Some((start..range.start, range.end, depth));
                        statement = Statement::Other;
                    }
                    Statement::Variables if opens_block && value.is_none() => {
                        value = Some((range.end, depth));
                    }
                    _ => {}
                }
            }
            Token::Close => {
                if let Some((head, start, level)) = body.take() {
                    if level == depth {
                        let function = Function { head, body: start..range.start };
                        found(Found::Function(function));
                    } else {
                        body = Some((head, start, level));
                    }
                }
                if let Some((start, level)) = value.filter(|(_, level)| *level == depth) {
                    debug_assert!(level > 0);
                    if range.start - start > VALUE_BYTES_MAX {
                        found(Found::Value(start..range.start));
                    }
                    value = None;
                }
                depth = depth.saturating_sub(1);
            }
            Token::Sign if word == ";" && depth == 0 => statement = Statement::None,
            _ => {}
        }
        if token != Token::Newline {
            before = word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(without(text), expected);
    }

    #[test]
    fn bodies_go_and_lines_stay() {
        check("func f() {\n\tx()\n}\n\nvar a = 1\n", "func f() {\n\n}\n\nvar a = 1\n");
        check(
            "func f(a struct{ b int }) interface{} { g() }",
            "func f(a struct{ b int }) interface{} {}",
        );
        check("func asm(a int) int\nfunc g() {a}", "func asm(a int) int\nfunc g() {}");
        check("func (t T[K]) m() { \"}\" /*}*/ }\n", "func (t T[K]) m() {}\n");
        check("type A struct {\n\tb func() // {\n}\n", "type A struct {\n\tb func() // {\n}\n");
        check("var f = func() { g() }", "var f = func() { g() }");
        check("func f() {\n", "func f() {\n");
        check("}}func f() { a }", "}}func f() {}");
    }

    #[test]
    fn long_values_go_too() {
        let long = "1, ".repeat(600);
        check(&format!("var a = []int{{{long}}}"), "var a = []int{`…`}");
        check(
            &format!("var (\n\ta = T{{\n{long}\n}}\n\tb = 2\n)"),
            "var (\n\ta = T{`…`,\n\n}\n\tb = 2\n)",
        );
        let fields = "a int;".repeat(300);
        let kept = format!("var a struct {{{fields}}}");
        check(&kept, &kept);
    }

    #[test]
    fn functions_are_found() {
        let text = "func A() { a }\nfunc (t T) B() { b }";
        let found: Vec<&str> = functions(text).iter().map(|one| &text[one.body.clone()]).collect();
        assert_eq!(found, [" a ", " b "]);
    }
}
