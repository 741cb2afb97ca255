//! The text of a declaration as it is shown: without comments, on one line if it is short.
//!
//! Takes a range of a file and the names to replace in it, from [`super::declare`].

use super::program::Range;

/// Longer signatures keep the line breaks of the source.
const LINE_CHARS_MAX: usize = 120;
/// Longer signatures are cut.
const SIGNATURE_BYTES_MAX: usize = 2000;

/// A range of the text and what to write in its place.
pub(super) type Replacement<'a> = (Range, &'a str);

/// The text at `range`, tidied; `replacements` are in order of position.
pub(super) fn tidy(text: &str, range: Range, replacements: &[Replacement<'_>]) -> String {
    let range = without_keywords(text, range);
    if let Some(whole) = as_it_is(range.of(text)).filter(|_| replacements.is_empty()) {
        return whole.to_owned();
    }
    let one_line = Writer::new(text, range, replacements, false).write();
    let mut result = one_line.unwrap_or_else(|| {
        let lines = Writer::new(text, range, replacements, true).write();
        unindented(&lines.unwrap_or_default())
    });
    cut(&mut result);
    result
}

/// The text, if it is short and has nothing to tidy but its end, as most signatures of members do.
fn as_it_is(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_odd = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'\t' | b'/');
    let is_tidy = bytes.len() <= LINE_CHARS_MAX
        && !bytes.iter().any(is_odd)
        && !bytes.windows(2).any(|pair| pair == b"  ");
    is_tidy.then(|| text.trim_end_matches([';', ',', ' ']))
}

fn cut(text: &mut String) {
    if text.len() > SIGNATURE_BYTES_MAX {
        let end = text.floor_char_boundary(SIGNATURE_BYTES_MAX);
        text.truncate(end);
        text.push('…');
    }
}

/// Leaves out what says how a declaration is exported.
fn without_keywords(text: &str, mut range: Range) -> Range {
    const KEYWORDS: [&str; 4] = ["export", "declare", "default", "public"];
    loop {
        let rest = range.of(text);
        let trimmed = rest.trim_start();
        range.start += u32::try_from(rest.len() - trimmed.len()).unwrap_or(0);
        let followed = |word: &&&str| {
            let after = trimmed.strip_prefix(**word);
            after.and_then(|after| after.trim_start().chars().next()).is_some_and(|next| {
                trimmed[word.len()..].starts_with(char::is_whitespace)
                    && !matches!(next, ':' | '(' | '?' | '=' | ';' | '<')
            })
        };
        match KEYWORDS.iter().find(followed) {
            Some(word) => range.start += u32::try_from(word.len()).unwrap_or(0),
            None => return range,
        }
    }
}

/// Takes away the indentation that all lines but the first have in common.
fn unindented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let Some(least) = text.lines().skip(1).map(indent).min() else { return text.to_owned() };
    let lines = text.lines().enumerate();
    let lines = lines.map(|(at, line)| if at == 0 { line } else { &line[least..] });
    lines.collect::<Vec<_>>().join("\n")
}

struct Writer<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    replacements: &'a [Replacement<'a>],
    keep_lines: bool,
    out: String,
    /// Whitespace seen since the last token, and where its last line starts, if it has several.
    space: bool,
    line_start: Option<usize>,
}

impl<'a> Writer<'a> {
    fn new(
        text: &'a str,
        range: Range,
        replacements: &'a [Replacement<'a>],
        keep_lines: bool,
    ) -> Self {
        let skipped = replacements.partition_point(|(place, _)| place.start < range.start);
        Self {
            text,
            at: range.start as usize,
            end: (range.end as usize).min(text.len()),
            replacements: &replacements[skipped..],
            keep_lines,
            out: String::new(),
            space: false,
            line_start: None,
        }
    }

    /// The text; `None` if it is to be one line and is too long for that.
    fn write(mut self) -> Option<String> {
        // Somewhat more than what is shown, so that what is cut off does not cost.
        while self.at < self.end && self.out.len() < 2 * SIGNATURE_BYTES_MAX {
            self.step();
            if self.is_too_long() {
                return None;
            }
        }
        let length = self.written().len();
        self.out.truncate(length);
        Some(self.out)
    }

    /// What is written so far and will stay.
    fn written(&self) -> &str {
        self.out.trim_end_matches([';', ',', ' ', '\n'])
    }

    fn is_too_long(&self) -> bool {
        !self.keep_lines
            && self.out.len() > LINE_CHARS_MAX
            && self.written().chars().count() > LINE_CHARS_MAX
    }

    fn step(&mut self) {
        let bytes = self.text.as_bytes();
        if let Some(((place, with), rest)) = self.replacements.split_first()
            && place.start as usize <= self.at
        {
            self.replacements = rest;
            if place.start as usize == self.at && place.end > place.start {
                self.separate();
                self.out.push_str(with);
                self.at = place.end as usize;
                return;
            }
        }
        let next = bytes.get(self.at + 1).copied();
        match bytes[self.at] {
            b'\n' => {
                self.space = true;
                self.line_start = Some(self.at + 1);
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' => {
                self.space = true;
                self.at += 1;
            }
            b'/' if next == Some(b'/') => {
                self.at = memchr::memchr(b'\n', &bytes[self.at..self.end])
                    .map_or(self.end, |length| self.at + length);
                self.space = true;
            }
            b'/' if next == Some(b'*') => {
                self.at = memchr::memmem::find(&bytes[self.at + 2..self.end], b"*/")
                    .map_or(self.end, |length| self.at + length + 4);
                self.space = true;
            }
            quote @ (b'"' | b'\'' | b'`') => {
                let start = self.at;
                self.at += 1;
                while self.at < self.end && bytes[self.at] != quote {
                    self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
                }
                self.at = (self.at + 1).min(self.end);
                self.separate();
                self.out.push_str(self.text.get(start..self.at).unwrap_or_default());
            }
            _ => {
                let start = self.at;
                self.at += 1;
                while self.at < self.end && !is_special(bytes[self.at]) && !self.at_replacement() {
                    self.at += 1;
                }
                // One symbol at a time where spaces around it may go.
                if is_symbol(bytes[start]) {
                    self.at = start + 1;
                }
                let Some(token) = self.text.get(start..self.at) else { return };
                // The bar that opens a union on a line of its own is there for the lines only.
                let opens =
                    self.line_start.is_some() && self.out.ends_with(['=', '(', '<', ':', ',']);
                if matches!(token, "|" | "&") && opens && !self.keep_lines {
                    return;
                }
                self.separate_from(token);
                self.out.push_str(token);
            }
        }
    }

    fn at_replacement(&self) -> bool {
        self.replacements.first().is_some_and(|(place, _)| place.start as usize == self.at)
    }

    fn separate(&mut self) {
        self.separate_from("x");
    }

    /// Writes the space between the last token and the next one, as the style at hand wants it.
    fn separate_from(&mut self, token: &str) {
        let space = std::mem::take(&mut self.space);
        let line_start = std::mem::take(&mut self.line_start);
        if !space || self.out.is_empty() {
            return;
        }
        let last = self.out.chars().next_back().unwrap_or(' ');
        if let Some(start) = line_start {
            if self.keep_lines {
                let line = &self.text[start.min(self.at)..];
                let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
                self.out.push('\n');
                self.out.push_str(&line[..indent]);
                return;
            }
            if token.starts_with([')', ']', '>']) {
                if last == ',' {
                    self.out.pop();
                }
                return;
            }
            if matches!(last, '(' | '[' | '<') {
                return;
            }
        }
        self.out.push(' ');
    }
}

fn is_symbol(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'[' | b']' | b'<' | b'>' | b',' | b'|' | b'&')
}

fn is_special(byte: u8) -> bool {
    is_symbol(byte) || matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'"' | b'\'' | b'`')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let range = Range::new(0, u32::try_from(text.len()).unwrap());
        assert_eq!(tidy(text, range, &[]), expected);
    }

    #[test]
    fn one_line_without_comments() {
        check(
            "export declare function f( a: string ,\n  // why\n  b: number,\n): void;",
            "function f( a: string , b: number): void",
        );
        check("a /* x */: 'it''s // not'", "a : 'it''s // not'");
        check("type A =\n  | 'a'\n  | 'b';", "type A = 'a' | 'b'");
        check("default: string", "default: string");
        check("public static x: 1", "static x: 1");
        check("export default class A", "class A");
        check("x: /", "x: /");
        check("日本: 'x", "日本: 'x");
        check("`\\", "`\\");
    }

    #[test]
    fn long_ones_keep_their_lines() {
        let long = "x".repeat(120);
        check(
            &format!("type A = {{\n    /** doc */\n    {long}: 1;\n\n    b: 2;\n  }};"),
            &format!("type A = {{\n  {long}: 1;\n  b: 2;\n}}"),
        );
    }

    #[test]
    fn names_are_replaced_where_they_are() {
        let text = "type Foo$1 = Foo$1 | 'Foo$1'";
        let places = [(Range::new(5, 10), "Foo"), (Range::new(13, 18), "Foo")];
        assert_eq!(tidy(text, Range::new(0, 28), &places), "type Foo = Foo | 'Foo$1'");
    }
}
