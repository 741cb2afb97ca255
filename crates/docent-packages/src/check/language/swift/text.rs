//! The words and marks of a file, with the partners of its brackets.

use crate::check::uses::At;
use crate::extract::swift::lex::{Shape, Token, tokens};

pub(super) struct Text<'t> {
    source: &'t str,
    tokens: Vec<Token>,
    /// For each bracket the other one, for everything else itself.
    partners: Vec<usize>,
}

impl<'t> Text<'t> {
    /// The words of a source; nothing if its brackets do not match.
    pub(super) fn of(source: &'t str) -> Option<Self> {
        let mut tokens = tokens(source);
        tokens.retain(|token| token.kind != Shape::Doc);
        let mut partners: Vec<usize> = (0..tokens.len()).collect();
        let mut open: Vec<(usize, &str)> = Vec::new();
        for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Shape::Mark)
        {
            match source.get(token.start..token.end).unwrap_or_default() {
                "(" => open.push((at, ")")),
                "[" => open.push((at, "]")),
                "{" => open.push((at, "}")),
                close @ (")" | "]" | "}") => {
                    let (start, _) = open.pop().filter(|(_, wanted)| *wanted == close)?;
                    partners[start] = at;
                    partners[at] = start;
                }
                _ => {}
            }
        }
        open.is_empty().then_some(Self { source, tokens, partners })
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// What stands somewhere, backticks and all; nothing past the end.
    pub(super) fn get(&self, at: usize) -> &'t str {
        let token = self.tokens.get(at);
        token.and_then(|token| self.source.get(token.start..token.end)).unwrap_or_default()
    }

    /// A name without its backticks.
    pub(super) fn plain(&self, at: usize) -> &'t str {
        self.get(at).trim_matches('`')
    }

    pub(super) fn is(&self, at: usize, text: &str) -> bool {
        self.get(at) == text
    }

    pub(super) fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |before| self.get(before))
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Shape::Word)
    }

    /// A name that begins like a type's.
    pub(super) fn is_capital(&self, at: usize) -> bool {
        self.is_word(at) && self.get(at).starts_with(|c: char| c.is_ascii_uppercase())
    }

    pub(super) fn starts_line(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.starts_line)
    }

    pub(super) fn spaced(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.spaced)
    }

    /// Where a name begins, behind its backtick.
    pub(super) fn place(&self, at: usize) -> At {
        let start = self.tokens.get(at).map_or(0, |token| token.start);
        let tick = usize::from(self.get(at).starts_with('`'));
        u32::try_from(start + tick).unwrap_or(u32::MAX)
    }

    /// The other bracket.
    pub(super) fn partner(&self, at: usize) -> usize {
        self.partners.get(at).copied().unwrap_or(at)
    }

    /// The next token, past what is between brackets.
    pub(super) fn past(&self, at: usize) -> usize {
        self.partner(at).max(at) + 1
    }

    /// The token behind what is between `<` and `>`, if that is what opens here.
    pub(super) fn past_generics(&self, at: usize) -> Option<usize> {
        /// Nobody gives a type more than that.
        const TOKENS_MAX: usize = 128;
        if !self.get(at).starts_with('<') || self.spaced(at) {
            return None;
        }
        let (mut open, mut next) = (0isize, at);
        for _ in 0..TOKENS_MAX {
            let text = self.get(next);
            let is_type = self.is_word(next)
                || matches!(text, "." | "," | "(" | "[" | ":" | "?" | "&" | "->" | "..." | "@");
            let is_angle = !text.is_empty() && text.chars().all(|c| matches!(c, '<' | '>' | '?'));
            if !is_type && !is_angle {
                return None;
            }
            if is_angle {
                open += isize::try_from(text.matches('<').count()).unwrap_or(0);
                open -= isize::try_from(text.matches('>').count()).unwrap_or(0);
            }
            next = self.past(next);
            if open <= 0 {
                return (open == 0).then_some(next);
            }
        }
        None
    }

    /// The parts between the brackets that open here, at their commas: from and to.
    pub(super) fn parts(&self, open: usize) -> Vec<(usize, usize)> {
        let close = self.partner(open);
        let (mut found, mut from, mut at) = (Vec::new(), open + 1, open + 1);
        while at < close {
            if self.is(at, ",") {
                found.push((from, at));
                from = at + 1;
            }
            at = self.past(at);
        }
        if from < close {
            found.push((from, close));
        }
        found
    }
}
