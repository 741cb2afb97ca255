//! Moves over the tokens of a file, and knows which bracket closes which.

use crate::extract::swift::lex::{self, Shape, Token};
use crate::extract::swift::text;

/// The tokens of a file, and a place among them.
pub(in crate::extract::swift) struct Cursor<'t> {
    pub(in crate::extract::swift) source: &'t str,
    tokens: Vec<Token>,
    /// For each bracket that opens, the position of the one that closes it.
    partners: Vec<usize>,
    pub(in crate::extract::swift) at: usize,
    /// The line of the first bracket without a partner.
    pub(in crate::extract::swift) unbalanced: Option<u32>,
}

impl<'t> Cursor<'t> {
    pub(in crate::extract::swift) fn new(source: &'t str) -> Self {
        let tokens = lex::tokens(source);
        let mut partners = vec![tokens.len(); tokens.len()];
        let mut open: Vec<(usize, &str)> = Vec::new();
        let mut unbalanced = None;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != Shape::Mark {
                continue;
            }
            let opener = match &source[token.start..token.end] {
                mark @ ("(" | "[" | "{") => {
                    open.push((at, mark));
                    continue;
                }
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => continue,
            };
            // A bracket that does not fit closes what was opened inside of its partner, if it has
            // one. Not far back: a file of nothing but such brackets would take for ever.
            let near = open.len().saturating_sub(64);
            match open[near..].iter().rposition(|(_, mark)| *mark == opener) {
                Some(found) => {
                    if near + found + 1 < open.len() {
                        unbalanced = unbalanced.or(Some(token.line));
                    }
                    for (inner, _) in open.drain(near + found..) {
                        partners[inner] = at;
                    }
                }
                None => unbalanced = unbalanced.or(Some(token.line)),
            }
        }
        if let Some((first, _)) = open.first() {
            unbalanced = unbalanced.or(Some(tokens[*first].line));
        }
        Self { source, tokens, partners, at: 0, unbalanced }
    }

    pub(in crate::extract::swift) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn kind(&self, at: usize) -> Shape {
        self.tokens.get(at).map_or(Shape::Mark, |token| token.kind)
    }

    /// The text of a token; nothing after the last.
    pub(in crate::extract::swift) fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.source[token.start..token.end])
    }

    pub(in crate::extract::swift) fn is(&self, at: usize, text: &str) -> bool {
        self.text(at) == text
    }

    pub(in crate::extract::swift) fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Shape::Word && at < self.len()
    }

    pub(in crate::extract::swift) fn is_literal(&self, at: usize) -> bool {
        self.kind(at) == Shape::Literal
    }

    pub(super) fn line(&self, at: usize) -> u32 {
        self.tokens.get(at).map_or(0, |token| token.line)
    }

    /// The line that a token ends at.
    pub(super) fn end_line(&self, at: usize) -> u32 {
        let lines = self.text(at).bytes().filter(|&byte| byte == b'\n').count();
        self.line(at).saturating_add(u32::try_from(lines).unwrap_or(u32::MAX))
    }

    pub(super) fn starts_line(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.starts_line)
    }

    pub(super) fn spaced(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.spaced || token.starts_line)
    }

    /// The bracket that closes the one at `at`; the end, if there is none.
    pub(in crate::extract::swift) fn partner(&self, at: usize) -> usize {
        self.partners.get(at).copied().unwrap_or(self.tokens.len()).max(at)
    }

    pub(super) fn is_open(&self, at: usize) -> bool {
        self.kind(at) == Shape::Mark && matches!(self.text(at), "(" | "[" | "{")
    }

    /// The place after a token, or after what it opens.
    pub(in crate::extract::swift) fn past(&self, at: usize) -> usize {
        let last = if self.is_open(at) { self.partner(at) } else { at };
        last.saturating_add(1)
    }

    pub(super) fn tokens(&self, from: usize, to: usize) -> &[Token] {
        let to = to.min(self.tokens.len());
        self.tokens.get(from..to).unwrap_or_default()
    }

    /// The tokens as one line.
    pub(in crate::extract::swift) fn slice(&self, from: usize, to: usize) -> String {
        text::line(self.source, self.tokens(from, to))
    }

    /// The first token of the next line.
    pub(super) fn line_end(&self, at: usize, end: usize) -> usize {
        (at + 1..end).find(|&at| self.starts_line(at)).unwrap_or(end)
    }

    /// Steps over a statement that is no declaration.
    pub(super) fn skip_statement(&mut self, end: usize) {
        let mut at = self.past(self.at);
        while at < end && !self.starts_line(at) && !self.is(at, ";") {
            at = self.past(at);
        }
        self.at = at.min(end);
    }

    /// The place after the next block in braces, if one begins on this line or the next.
    pub(super) fn past_block(&self, from: usize, end: usize) -> usize {
        let mut at = from;
        while at < end && !self.is(at, "{") {
            if self.starts_line(at) {
                return at;
            }
            at = self.past(at);
        }
        self.past(at).min(end)
    }

    /// How many angle brackets a token opens more than it closes.
    pub(super) fn angles(&self, at: usize) -> isize {
        if self.kind(at) != Shape::Operator {
            return 0;
        }
        let mut count = 0;
        let mut before = 0;
        for byte in self.text(at).bytes() {
            match byte {
                b'<' => count += 1,
                b'>' if before != b'-' => count -= 1,
                _ => {}
            }
            before = byte;
        }
        count
    }

    /// The place after the generic parameters that begin here, if some do.
    pub(super) fn past_generics(&self, from: usize, end: usize) -> usize {
        if !self.text(from).starts_with('<') || self.kind(from) != Shape::Operator {
            return from;
        }
        let (mut at, mut open) = (from, 0);
        while at < end {
            open += self.angles(at);
            at = self.past(at);
            if open <= 0 {
                return at;
            }
        }
        end
    }

    /// The place after the attribute whose `@` is at `at`.
    pub(super) fn attribute_end(&self, at: usize, end: usize) -> usize {
        let mut after = at + 2;
        while self.is(after, ".") && after + 1 < end {
            after += 2;
        }
        let is_available = self.is(at + 1, "available");
        if self.kind(after) == Shape::Operator && !self.spaced(after) {
            after = self.past_generics(after, end);
        }
        if self.is(after, "(") && (is_available || !self.spaced(after)) {
            after = self.past(after);
        }
        after.min(end)
    }

    /// What is between the commas from `from` to `to`, brackets of all kinds left whole.
    pub(in crate::extract::swift) fn separated(
        &self,
        from: usize,
        to: usize,
    ) -> Vec<(usize, usize)> {
        let to = to.min(self.len());
        let mut parts = Vec::new();
        let (mut at, mut start, mut open) = (from, from, 0isize);
        while at < to {
            open = (open + self.angles(at)).max(0);
            if open == 0 && self.is(at, ",") {
                parts.push((start, at));
                start = at + 1;
            }
            at = self.past(at);
        }
        if start < to {
            parts.push((start, to));
        }
        parts
    }

    /// Where the part of a declaration that is not its body ends: before `{`, or with the line,
    /// unless it goes on in the next.
    pub(super) fn tail(&self, from: usize, end: usize) -> usize {
        let mut at = from;
        while at < end && !self.is_end(at) {
            if self.starts_line(at) && !self.continues(at) {
                break;
            }
            at = self.past(at);
        }
        at.min(end)
    }

    fn is_end(&self, at: usize) -> bool {
        self.kind(at) == Shape::Mark && matches!(self.text(at), "{" | "}" | ";")
            || matches!(self.kind(at), Shape::Hash | Shape::Doc)
    }

    /// Whether the first token of a line carries on what the line before has begun.
    pub(super) fn continues(&self, at: usize) -> bool {
        let next = self.text(at);
        let goes_on = match self.kind(at) {
            Shape::Word => matches!(next, "where" | "async" | "throws" | "rethrows" | "reasync"),
            Shape::Operator => true,
            Shape::Mark => matches!(next, "." | "," | ":"),
            _ => false,
        };
        let Some(before) = at.checked_sub(1) else { return false };
        let last = self.text(before);
        let is_open = match self.kind(before) {
            Shape::Operator => {
                !matches!(last, "?" | "!" | "...") && !last.ends_with('>') || last.ends_with("->")
            }
            Shape::Mark => matches!(last, "," | ":" | "."),
            Shape::Word => matches!(last, "where" | "any" | "some" | "inout" | "each" | "repeat"),
            _ => false,
        };
        goes_on || is_open
    }
}
