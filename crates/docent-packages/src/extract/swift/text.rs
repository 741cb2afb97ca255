//! A piece of a declaration as one line.
//!
//! Used by [`super::parse`]: comments and line breaks go, everything else stays as it was written.

use super::lex::{Shape, Token};

/// The tokens as one line of text.
pub(super) fn line(text: &str, tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut after_open = true;
    for token in tokens.iter().filter(|token| token.kind != Shape::Doc) {
        let word = &text[token.start..token.end];
        let closes = matches!(word, ")" | "]");
        if closes && out.ends_with(',') {
            out.pop();
        }
        if (token.spaced || token.starts_line) && !after_open && !closes {
            out.push(' ');
        }
        push_folded(&mut out, word);
        after_open = matches!(word, "(" | "[");
    }
    out
}

/// A string of many lines as one.
fn push_folded(out: &mut String, word: &str) {
    if word.contains('\n') {
        let words: Vec<&str> = word.split_whitespace().collect();
        out.push_str(&words.join(" "));
    } else {
        out.push_str(word);
    }
}

/// The name without the backticks that let it be a keyword.
pub(super) fn plain(name: &str) -> &str {
    name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::lex::tokens;
    use super::*;

    #[test]
    fn a_declaration_becomes_one_line() {
        let check = |text: &str, expected: &str| {
            assert_eq!(line(text, &tokens(text)), expected);
        };
        check(
            "func f(\n  _ a: A, // why\n  b: B? = nil,\n) -> C",
            "func f(_ a: A, b: B? = nil) -> C",
        );
        check("var a  :  [ Int ]", "var a : [Int]");
        check("case a = \"\"\"\n  x\n  \"\"\"", "case a = \"\"\" x \"\"\"");
    }
}
