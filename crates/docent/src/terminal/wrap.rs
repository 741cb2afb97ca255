//! Breaks pieces of text into lines of a width.

use super::Span;
use super::span::width_of;

/// What stands before the first line, and before the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indent {
    pub(crate) first: Vec<Span>,
    pub(crate) rest: Vec<Span>,
}

impl Indent {
    fn width(spans: &[Span]) -> usize {
        spans.iter().map(Span::width).sum()
    }
}

/// Lines that are at most `width` columns wide, broken at blanks where there are some; newlines in
/// the text are kept.
pub(crate) fn wrap(spans: &[Span], width: usize, indent: &Indent) -> Vec<Vec<Span>> {
    let room = |lines: &[Vec<Span>]| {
        let indent = if lines.len() > 1 { &indent.rest } else { &indent.first };
        width.saturating_sub(Indent::width(indent)).max(10)
    };
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    for word in words(spans) {
        let wide = word.width();
        let blank = word.text.trim().is_empty();
        if word.text == "\n" {
            lines.push(Vec::new());
            used = 0;
            continue;
        }
        if used + wide > room(&lines) && used > 0 {
            lines.push(Vec::new());
            used = 0;
            // A blank where the line breaks is not needed.
            if blank {
                continue;
            }
        }
        for piece in pieces(&word, room(&lines)) {
            let wide = piece.width();
            if used + wide > room(&lines) && used > 0 {
                lines.push(Vec::new());
                used = 0;
            }
            used += wide;
            push(&mut lines, piece);
        }
    }
    for (number, line) in lines.iter_mut().enumerate() {
        trim_end(line);
        let before = if number == 0 { &indent.first } else { &indent.rest };
        line.splice(0..0, before.iter().cloned());
    }
    lines
}

fn push(lines: &mut [Vec<Span>], piece: Span) {
    let Some(line) = lines.last_mut() else { return };
    match line.last_mut() {
        Some(last) if last.look == piece.look && last.link == piece.link => {
            last.text.push_str(&piece.text);
        }
        _ => line.push(piece),
    }
}

fn trim_end(line: &mut Vec<Span>) {
    while let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end_matches(' ').len());
        if !last.text.is_empty() {
            break;
        }
        line.pop();
    }
}

/// The words of all spans, the blanks between them, and line ends, each by itself. A word that
/// changes its look in the middle stays together as long as its parts fit.
fn words(spans: &[Span]) -> Vec<Span> {
    let mut words = Vec::new();
    for span in spans {
        let mut rest = span.text.as_str();
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '\n' => 1,
                ' ' => rest.find(|c| c != ' ').unwrap_or(rest.len()),
                _ => rest.find([' ', '\n']).unwrap_or(rest.len()),
            };
            let (word, after) = rest.split_at(end);
            words.push(Span { text: word.to_owned(), ..span.clone() });
            rest = after;
        }
    }
    words
}

/// A word in pieces that fit into a line by themselves.
fn pieces(word: &Span, room: usize) -> Vec<Span> {
    if word.width() <= room {
        return vec![word.clone()];
    }
    let mut pieces = Vec::new();
    let (mut text, mut used) = (String::new(), 0);
    for c in word.text.chars() {
        let wide = width_of(c);
        if used + wide > room && !text.is_empty() {
            pieces.push(Span { text: std::mem::take(&mut text), ..word.clone() });
            used = 0;
        }
        text.push(c);
        used += wide;
    }
    pieces.push(Span { text, ..word.clone() });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::{Look, plain};

    fn check(text: &str, width: usize, expected: &[&str]) {
        let indent = Indent { first: vec![plain("- ")], rest: vec![plain("  ")] };
        let lines = wrap(&[plain(text)], width, &indent);
        let lines: Vec<String> =
            lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn lines_break_at_blanks() {
        check("one two three", 12, &["- one two", "  three"]);
        check("one\ntwo", 40, &["- one", "  two"]);
        check("  kept in front", 40, &["-   kept in front"]);
        check("", 40, &["- "]);
    }

    #[test]
    fn what_has_no_blank_is_cut() {
        check("abcdefghijklmnop", 12, &["- abcdefghij", "  klmnop"]);
        check("日本語日本語日本語", 14, &["- 日本語日本語", "  日本語"]);
    }

    #[test]
    fn looks_survive() {
        let spans = [plain("a "), Span::new("bold words", Look::Strong), plain(" b")];
        let lines = wrap(&spans, 10, &Indent::default());
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1], [Span::new("words", Look::Strong), plain(" b")]);
    }
}
