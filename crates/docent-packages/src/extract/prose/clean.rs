//! Text without the characters that nobody sees.
//!
//! Package text is shown to people and to models; what one of them cannot see could tell the other
//! something else. Every text of a package goes through [`visible`] before anything reads it.

use std::borrow::Cow;

/// The text without invisible characters, terminal escapes and control characters, with line ends
/// as `\n`. Borrowed if there was nothing to do.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if plain_bytes(text) == text.len() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut escape = Escape::None;
    let mut before = '\0';
    let mut rest = text;
    loop {
        if matches!(escape, Escape::None) && before != '\r' {
            let plain = plain_bytes(rest);
            out.push_str(&rest[..plain]);
            rest = &rest[plain..];
        }
        let Some(c) = rest.chars().next() else { break };
        rest = &rest[c.len_utf8()..];
        escape = match (escape, c) {
            (Escape::None | Escape::Start, '\u{1b}') => Escape::Start,
            (Escape::None, _) => {
                push(&mut out, before, c);
                Escape::None
            }
            (Escape::Start, '[') => Escape::Control,
            (Escape::Start, ']' | 'P' | 'X' | '^' | '_') => Escape::Text,
            (Escape::Start, ' '..='/') => Escape::Start,
            (Escape::Start, '0'..='~') => Escape::None,
            (Escape::Control, ' '..='?') => Escape::Control,
            (Escape::Control, '@'..='~') => Escape::None,
            // A terminal command as text ends with a bell or with an escape and a backslash.
            (Escape::Text, '\u{7}') => Escape::None,
            (Escape::Text, '\u{1b}') => Escape::Start,
            (Escape::Text, c) if c != '\n' => Escape::Text,
            // Not an escape after all, or one that is cut off by the end of its line.
            _ => {
                push(&mut out, before, c);
                Escape::None
            }
        };
        before = c;
    }
    Cow::Owned(out)
}

/// The bytes that a text begins with and that stay as they are.
fn plain_bytes(text: &str) -> usize {
    let is_plain = |byte: u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len())
}

/// Where in a terminal escape we are.
#[derive(Clone, Copy)]
enum Escape {
    None,
    Start,
    Control,
    Text,
}

fn push(out: &mut String, before: char, c: char) {
    match c {
        '\n' if before == '\r' => {}
        '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => out.push('\n'),
        c if is_invisible(c) => {}
        c => out.push(c),
    }
}

fn is_invisible(c: char) -> bool {
    if matches!(c, '\n' | '\t') {
        return false;
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(visible(text), expected);
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        assert!(matches!(visible("a\tb\nc"), Cow::Borrowed(_)));
        check("é 漢字 🚀 — “x”", "é 漢字 🚀 — “x”");
    }

    #[test]
    fn invisible_characters_are_removed() {
        check("a\u{200b}b\u{202e}c\u{2066}d\u{feff}e\u{ad}f", "abcdef");
        check("x\u{e0041}\u{e0042}\u{e007f}y", "xy");
        check("☕\u{fe0f}", "☕");
        check("a\0b\u{8}c\u{7f}d\u{9b}e", "abcde");
    }

    #[test]
    fn line_ends_are_one_character() {
        check("a\r\nb\rc\u{2028}d\n", "a\nb\nc\nd\n");
    }

    #[test]
    fn terminal_escapes_are_removed() {
        check("\u{1b}[1;31mred\u{1b}[0m", "red");
        check("\u{1b}]8;;https://x.example\u{7}link\u{1b}]8;;\u{1b}\\!", "link!");
        check("\u{1b}]never closed\nnext", "\nnext");
        check("\u{1b}(Bx\u{1b}", "x");
    }
}
