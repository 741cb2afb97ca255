//! The words, signs, literals and comments of a Go source, one after another.
//!
//! Everything that only has to know where a thing ends goes by these: the bodies of functions that
//! are left out before parsing ([`super::bodies`]), comments inside declarations ([`super::text`]),
//! examples, and the check for deep nesting. Total: any text gives tokens, and every token begins and
//! ends between characters.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// The end of a line.
    Newline,
    /// A name, a keyword or a number.
    Word,
    /// An opening bracket of any kind.
    Open,
    /// A closing bracket of any kind.
    Close,
    /// A comment, without the end of its line.
    Comment,
    /// A string or a rune.
    Literal,
    /// Any other sign, one byte.
    Sign,
}

/// The tokens of a text.
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at.saturating_add(ahead)).copied().unwrap_or(0)
    }

    /// Goes on while a byte is of some kind.
    fn skip(&mut self, is_part: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&byte| is_part(byte)) {
            self.at += 1;
        }
    }

    /// Goes on to just after `end`, or to the end of the text.
    fn skip_past(&mut self, end: &[u8]) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = memchr::memmem::find(rest, end);
        self.at = found.map_or(self.bytes.len(), |found| self.at + found + end.len());
    }

    /// A string or rune, which ends at the end of its line if nothing else ends it.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' if !matches!(self.peek(1), 0 | b'\n') => self.at += 2,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
        self.at = self.bytes.len();
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl Iterator for Tokens<'_> {
    type Item = (Token, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        let (start, &first) = (self.at, self.bytes.get(self.at)?);
        let token = match first {
            b'\n' => Token::Newline,
            b'(' | b'[' | b'{' => Token::Open,
            b')' | b']' | b'}' => Token::Close,
            b'"' | b'\'' => {
                self.quoted(first);
                // An escaped character may be longer than one byte.
                self.skip(|byte| (0x80..0xC0).contains(&byte));
                return Some((Token::Literal, start..self.at));
            }
            b'`' => {
                self.at += 1;
                self.skip_past(b"`");
                return Some((Token::Literal, start..self.at));
            }
            b'/' if self.peek(1) == b'/' => {
                self.skip(|byte| byte != b'\n');
                return Some((Token::Comment, start..self.at));
            }
            b'/' if self.peek(1) == b'*' => {
                self.at += 2;
                self.skip_past(b"*/");
                return Some((Token::Comment, start..self.at));
            }
            byte if is_word(byte) => {
                self.skip(is_word);
                return Some((Token::Word, start..self.at));
            }
            _ => Token::Sign,
        };
        self.at += 1;
        Some((token, start..self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Token, &str)]) {
        let found: Vec<(Token, &str)> =
            Tokens::new(text).map(|(token, range)| (token, &text[range])).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_holds_other_signs_is_one_token() {
        use Token::{Close, Comment, Literal, Newline, Open, Sign, Word};
        check("a{'{'}", &[(Word, "a"), (Open, "{"), (Literal, "'{'"), (Close, "}")]);
        check("\"\\\"{\" `{\n`", &[(Literal, "\"\\\"{\""), (Literal, "`{\n`")]);
        check("// {\n*", &[(Comment, "// {"), (Newline, "\n"), (Sign, "*")]);
        check("/* {\n*/é", &[(Comment, "/* {\n*/"), (Word, "é")]);
        check("\"open\n}", &[(Literal, "\"open"), (Newline, "\n"), (Close, "}")]);
    }

    #[test]
    fn any_text_is_survived() {
        for text in ["", "\"", "'\\", "`", "/*", "/", "\\é", "'\\é'", "\"\\\n", "\u{feff}a"] {
            for (_, range) in Tokens::new(text) {
                assert!(text.get(range.clone()).is_some(), "{text:?} {range:?}");
            }
        }
    }
}
