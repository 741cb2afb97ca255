//! From text to a syntax tree, without the bodies of functions.
//!
//! Bodies are most of a file and say nothing about its API, so they are left out before the parser
//! sees them; only their line breaks stay, so that lines count as before. The tree is built here
//! because the parser's own entry point hands trees to a thread of its own when they are dropped, and
//! a worker may not start threads.

use std::ops::Range;

use ra_ap_parser::{LexedStr, StrStep, TopEntryPoint};
use ra_ap_syntax::SyntaxKind::{self, *};
use ra_ap_syntax::{Edition, SyntaxNode};
use rowan::GreenNodeBuilder;

/// The tree of a file, or of the items that a macro stands for.
pub(super) fn parse(text: &str, edition: Edition) -> SyntaxNode {
    parse_strictly(text, edition).0
}

/// The same, and whether it is what the language allows.
pub(super) fn parse_strictly(text: &str, edition: Edition) -> (SyntaxNode, bool) {
    let bodies = bodies(text, edition);
    if bodies.is_empty() {
        return build(text, edition);
    }
    let mut short = String::with_capacity(text.len());
    let mut from = 0;
    for body in bodies {
        short.push_str(&text[from..body.start]);
        short.extend(text[body.clone()].bytes().filter(|&byte| byte == b'\n').map(char::from));
        from = body.end;
    }
    short.push_str(&text[from..]);
    build(&short, edition)
}

/// The tree of a whole text, and whether it is what the language allows.
pub(crate) fn build(text: &str, edition: Edition) -> (SyntaxNode, bool) {
    let lexed = LexedStr::new(edition, text);
    let output = TopEntryPoint::SourceFile.parse(&lexed.to_input(edition));
    let mut builder = GreenNodeBuilder::new();
    let mut is_good = lexed.errors().next().is_none();
    lexed.intersperse_trivia(&output, &mut |step| match step {
        StrStep::Token { kind, text } => builder.token(rowan::SyntaxKind(kind.into()), text),
        StrStep::Enter { kind } => builder.start_node(rowan::SyntaxKind(kind.into())),
        StrStep::Exit => builder.finish_node(),
        StrStep::Error { .. } => is_good = false,
    });
    (SyntaxNode::new_root(builder.finish()), is_good)
}

/// What stands between the braces of each function, macros left alone.
fn bodies(text: &str, edition: Edition) -> Vec<Range<usize>> {
    let lexed = LexedStr::new(edition, text);
    let code: Vec<usize> = (0..lexed.len()).filter(|&at| !lexed.kind(at).is_trivia()).collect();
    let kind = |at: usize| code.get(at).map_or(EOF, |&token| lexed.kind(token));
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.len() {
        if kind(at) == BANG && is_open(after_name(&kind, at)) {
            let open = if kind(at + 1) == IDENT { at + 2 } else { at + 1 };
            at = close(&kind, open, code.len());
        } else if kind(at) == FN_KW && kind(at + 1) == IDENT {
            at += 2;
            let Some(open) = body(&kind, at, code.len()) else { continue };
            let end = close(&kind, open, code.len());
            if end < code.len() {
                found.push(lexed.text_range(code[open]).end..lexed.text_range(code[end]).start);
            }
            at = end;
        }
        at += 1;
    }
    found
}

/// What follows the `!` of `name! (…)` or `macro_rules! name (…)`.
fn after_name(kind: &impl Fn(usize) -> SyntaxKind, at: usize) -> SyntaxKind {
    if kind(at + 1) == IDENT { kind(at + 2) } else { kind(at + 1) }
}

fn is_open(kind: SyntaxKind) -> bool {
    matches!(kind, L_PAREN | L_BRACK | L_CURLY)
}

/// The brace that opens a function's body, from its parameters on; `None` if it has no body.
fn body(kind: &impl Fn(usize) -> SyntaxKind, from: usize, end: usize) -> Option<usize> {
    let (mut at, mut angles) = (from, 0usize);
    while at < end {
        match kind(at) {
            L_CURLY if angles == 0 => return Some(at),
            L_PAREN | L_BRACK | L_CURLY => at = close(kind, at, end),
            L_ANGLE => angles += 1,
            R_ANGLE if !matches!(kind(at - 1), MINUS | EQ) => angles = angles.saturating_sub(1),
            SEMICOLON | R_CURLY | R_PAREN | FN_KW if kind(at) != FN_KW || kind(at + 1) == IDENT => {
                return None;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The bracket that closes one; `end` if none does.
fn close(kind: &impl Fn(usize) -> SyntaxKind, open: usize, end: usize) -> usize {
    let mut depth = 0usize;
    for at in open..end {
        match kind(at) {
            L_PAREN | L_BRACK | L_CURLY => depth += 1,
            R_PAREN | R_BRACK | R_CURLY => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(parse(text, Edition::Edition2021).to_string(), expected);
    }

    #[test]
    fn bodies_are_left_out_and_lines_stay() {
        check("fn a() { if x { 1 } else { 2 } }", "fn a() {}");
        check(
            "fn a()\nwhere T: B,\n{\n  1;\n  2\n}\nfn b();",
            "fn a()\nwhere T: B,\n{\n\n\n}\nfn b();",
        );
        check("fn a() -> X<{ N }> { 1 }", "fn a() -> X<{ N }> {}");
        check(
            "fn a(f: fn(u8) -> [u8; { 1 }]) -> Box<dyn Fn() -> T> { 1 }",
            "fn a(f: fn(u8) -> [u8; { 1 }]) -> Box<dyn Fn() -> T> {}",
        );
        check("type A = fn() -> B; struct C { d: E }", "type A = fn() -> B; struct C { d: E }");
        check(
            "m! { fn a() { 1 } } macro_rules! n { () => { fn a() { 1 } } }",
            "m! { fn a() { 1 } } macro_rules! n { () => { fn a() { 1 } } }",
        );
    }

    #[test]
    fn any_text_is_survived() {
        for text in ["fn a() {", "fn a(", "fn", "}", "m!{", "fn a() }", "'", "r#\"", "fn a<{", "/*"]
        {
            assert_eq!(parse(text, Edition::Edition2021).to_string().len(), text.len(), "{text}");
        }
    }
}
