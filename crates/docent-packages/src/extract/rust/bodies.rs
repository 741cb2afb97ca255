//! What a file can be read without: the bodies of functions, and modules of tests.
//!
//! They are most of a file and say nothing about its API, so they are left out before the parser sees
//! them. Found among tokens, by the kinds that they have; `scan` says which of a text's tokens count.

use std::ops::Range;

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, strip_shebang, tokenize};
use ra_ap_syntax::SyntaxKind::{self, *};

use crate::hashing::HashSet;

/// What stands between the braces of functions and of modules for tests. Calls of macros are left
/// alone, but for those that are known to take whole items, which they cannot look into.
pub(super) fn of_text(text: &str, takes_items: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    // Nothing else has what can be left out.
    if !text.contains('{') || !(text.contains("fn") || text.contains("test")) {
        return Vec::new();
    }
    let (kinds, places) = scan(text);
    let word = |at: usize| places.get(at).map_or("", |place| &text[place.clone()]);
    let mut defined: HashSet<&str> = HashSet::default();
    let mut is_open_call = |bang: usize| {
        let Some(name) = bang.checked_sub(1).map(word) else { return false };
        // A file may have a macro of its own under a name that others know.
        if name == "macro_rules" {
            defined.insert(word(bang + 1));
        }
        kinds.get(bang + 1) == Some(&L_CURLY) && !defined.contains(name) && takes_items(name)
    };
    let found = of_tokens(&kinds, &word, &mut is_open_call);
    let inside = |(open, close): (usize, usize)| places[open].end..places[close].start;
    found.into_iter().map(inside).collect()
}

/// The braces of functions and of modules for tests, by their positions. `word` is the text of a token,
/// and `is_open_call` says of the `!` of a call whether to look inside.
pub(super) fn of_tokens<'t>(
    kinds: &[SyntaxKind],
    word: &dyn Fn(usize) -> &'t str,
    is_open_call: &mut dyn FnMut(usize) -> bool,
) -> Vec<(usize, usize)> {
    let kind = |at: usize| kinds.get(at).copied().unwrap_or(EOF);
    let mut found = Vec::new();
    let mut at = 0;
    while at < kinds.len() {
        match kind(at) {
            BANG if is_open(after_name(&kind, at)) => {
                let open = if kind(at + 1) == IDENT { at + 2 } else { at + 1 };
                at = if is_open_call(at) { open } else { close(&kind, open, kinds.len()) };
            }
            FN_KW if kind(at + 1) == IDENT => {
                at += 2;
                let Some(open) = body(&kind, at, kinds.len()) else { continue };
                at = close(&kind, open, kinds.len());
                if at < kinds.len() {
                    found.push((open, at));
                }
            }
            POUND => {
                if let Some(open) = tests(&kind, word, at) {
                    at = close(&kind, open, kinds.len());
                    if at < kinds.len() {
                        found.push((open, at));
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The tokens of a text that count, and where they are. The language's own lexer does without the
/// tables that the parser's has.
fn scan(text: &str) -> (Vec<SyntaxKind>, Vec<Range<usize>>) {
    let (mut kinds, mut places) = (Vec::new(), Vec::new());
    let mut end = strip_shebang(text).unwrap_or(0);
    for token in tokenize(&text[end..], FrontmatterAllowed::No) {
        let start = end;
        end += token.len as usize;
        let kind = match token.kind {
            TokenKind::LineComment { .. }
            | TokenKind::BlockComment { .. }
            | TokenKind::Whitespace => continue,
            TokenKind::Ident if &text[start..end] == "fn" => FN_KW,
            TokenKind::Ident | TokenKind::RawIdent => IDENT,
            TokenKind::OpenParen => L_PAREN,
            TokenKind::CloseParen => R_PAREN,
            TokenKind::OpenBracket => L_BRACK,
            TokenKind::CloseBracket => R_BRACK,
            TokenKind::OpenBrace => L_CURLY,
            TokenKind::CloseBrace => R_CURLY,
            TokenKind::Lt => L_ANGLE,
            TokenKind::Gt => R_ANGLE,
            TokenKind::Minus => MINUS,
            TokenKind::Eq => EQ,
            TokenKind::Bang => BANG,
            TokenKind::Semi => SEMICOLON,
            TokenKind::Pound => POUND,
            // What it is does not matter, but that something stands there does.
            _ => ERROR,
        };
        kinds.push(kind);
        places.push(start..end);
    }
    (kinds, places)
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
            FN_KW if kind(at + 1) == IDENT => return None,
            SEMICOLON | R_CURLY | R_PAREN => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The brace of `#[cfg(test)] mod tests {`, from the first character on.
fn tests<'t>(
    kind: &impl Fn(usize) -> SyntaxKind,
    word: &dyn Fn(usize) -> &'t str,
    from: usize,
) -> Option<usize> {
    let is_for_tests = kind(from + 1) == L_BRACK
        && word(from + 2) == "cfg"
        && word(from + 4) == "test"
        && kind(from + 5) == R_PAREN;
    let mut at = if is_for_tests { from + 7 } else { return None };
    while kind(at) == POUND && kind(at + 1) == L_BRACK {
        at = close_bracket(kind, at + 1)? + 1;
    }
    if word(at) == "pub" {
        at += 1;
        if kind(at) == L_PAREN {
            at = close_bracket(kind, at)? + 1;
        }
    }
    let is_module = word(at) == "mod" && kind(at + 1) == IDENT && kind(at + 2) == L_CURLY;
    is_module.then_some(at + 2)
}

/// The bracket that closes one that is closed soon.
fn close_bracket(kind: &impl Fn(usize) -> SyntaxKind, open: usize) -> Option<usize> {
    /// Longer attributes than anybody writes before a module of tests.
    const TOKENS_MAX: usize = 256;
    let end = open + TOKENS_MAX;
    Some(close(kind, open, end)).filter(|&at| at < end)
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
        let mut short = text.to_owned();
        for body in of_text(text, &|name| name == "items").into_iter().rev() {
            short.replace_range(body, "");
        }
        assert_eq!(short, expected);
    }

    #[test]
    fn bodies_are_found() {
        check("fn a() { if x { 1 } else { 2 } }", "fn a() {}");
        check("fn a() -> X<{ N }> { 1 }", "fn a() -> X<{ N }> {}");
        check("fn r#a<T>() where T: B { '{' } fn b();", "fn r#a<T>() where T: B {} fn b();");
        check(
            "fn a(f: fn(u8) -> [u8; { 1 }]) -> Box<dyn Fn() -> T> { \"}\" }",
            "fn a(f: fn(u8) -> [u8; { 1 }]) -> Box<dyn Fn() -> T> {}",
        );
        check("type A = fn() -> B; struct C { d: E }", "type A = fn() -> B; struct C { d: E }");
        check("#!/usr/bin/env a'b\nfn a() { 1 }", "#!/usr/bin/env a'b\nfn a() {}");
    }

    #[test]
    fn calls_are_left_alone_unless_they_take_items() {
        let text = "m! { fn a() { 1 } } macro_rules! n { () => { fn a() { 1 } } }";
        check(text, text);
        check(
            "items! { fn a() { 1 } } m! { fn a() { 1 } }",
            "items! { fn a() {} } m! { fn a() { 1 } }",
        );
        let text = "macro_rules! items { () => {} } items! { fn a() { 1 } }";
        check(text, text);
        let text = "items!(fn a() { 1 });";
        check(text, text);
    }

    #[test]
    fn modules_of_tests_are_found() {
        check("#[cfg(test)] mod a { struct B; }", "#[cfg(test)] mod a {}");
        check(
            "#[cfg(test)] #[allow(x)] pub(crate) mod a { struct B; }",
            "#[cfg(test)] #[allow(x)] pub(crate) mod a {}",
        );
        for text in [
            "#[cfg(testing)] mod a { struct B; }",
            "#[cfg(not(test))] mod a { struct B; }",
            "#[cfg(test)] mod a; mod b { struct C; }",
            "#[cfg(test)] impl A { const B: u8 = 1; }",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn any_text_is_survived() {
        for text in [
            "fn a() {",
            "fn a(",
            "fn",
            "}",
            "m!{",
            "fn a() }",
            "'",
            "fn { r#\"",
            "fn a<{",
            "fn {/*",
            "#[cfg(test)] mod a {",
            "#[cfg(test)]{",
            "#[cfg(test)] pub(mod a {",
            "items! { fn a() {",
        ] {
            check(text, text);
        }
    }
}
