//! Fits a call to a pattern: which tokens each variable stands for.

use std::rc::Rc;

use ra_ap_parser::{PrefixEntryPoint, Step};
use ra_ap_syntax::SyntaxKind::*;
use ra_ap_syntax::{Edition, SmolStr};

use super::rules::{Part, Repeat, is_word};
use super::tokens::{Token, Tokens, after_group, input, is_open};
use crate::hashing::HashMap;

/// What variables stand for.
pub(super) type Bindings = HashMap<SmolStr, Bound>;

/// What one variable stands for.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    One(Rc<[Token]>),
    /// Once for each round of a repetition.
    Many(Vec<Bound>),
}

/// The bindings of a call; `None` if the pattern does not fit all of it.
pub(super) fn matches(pattern: &[Part], call: &Tokens, edition: Edition) -> Option<Bindings> {
    let mut bindings = Bindings::default();
    let mut matcher = Matcher { call: &call.all, at: 0, edition };
    let fits = matcher.parts(pattern, &mut bindings);
    (fits && matcher.at == call.all.len()).then_some(bindings)
}

struct Matcher<'a> {
    call: &'a [Token],
    at: usize,
    edition: Edition,
}

impl Matcher<'_> {
    fn parts(&mut self, parts: &[Part], bindings: &mut Bindings) -> bool {
        parts.iter().all(|part| match part {
            Part::Token(token) => self.token(token),
            Part::Variable(name, kind) => match self.fragment(kind) {
                Some(end) => {
                    bindings.insert(name.clone(), Bound::One(self.call[self.at..end].into()));
                    self.at = end;
                    true
                }
                None => false,
            },
            Part::Repeat(repeat) => self.repeat(repeat, bindings),
        })
    }

    fn token(&mut self, wanted: &Token) -> bool {
        let fits = self
            .call
            .get(self.at)
            .is_some_and(|token| token.kind == wanted.kind && token.text == wanted.text);
        self.at += usize::from(fits);
        fits
    }

    /// As many rounds as fit: real patterns are written so that the first failure is the end.
    fn repeat(&mut self, repeat: &Repeat, bindings: &mut Bindings) -> bool {
        let names = &repeat.names;
        let mut rounds: Vec<Vec<Bound>> = vec![Vec::new(); names.len()];
        let mut count = 0;
        loop {
            let before = self.at;
            let mut round = Bindings::default();
            let separated = count == 0 || repeat.separator.iter().all(|token| self.token(token));
            if !separated || !self.parts(&repeat.parts, &mut round) || self.at == before {
                self.at = before;
                break;
            }
            for (name, found) in names.iter().zip(&mut rounds) {
                found.extend(round.remove(name));
            }
            count += 1;
            if repeat.is_optional {
                break;
            }
        }
        for (name, found) in names.iter().zip(rounds) {
            bindings.insert(name.clone(), Bound::Many(found));
        }
        count > 0 || !repeat.needs_one
    }

    /// The end of what a variable of a kind stands for.
    fn fragment(&self, kind: &str) -> Option<usize> {
        let rest = &self.call[self.at..];
        let first = rest.first();
        let entry = match kind {
            "tt" => {
                return match first?.kind {
                    kind if is_open(kind) => Some(after_group(self.call, self.at)?),
                    R_PAREN | R_BRACK | R_CURLY => None,
                    _ => Some(self.at + 1),
                };
            }
            "ident" => {
                let first = first?;
                let is_name = first.kind == IDENT || (is_word(first) && first.text != "_");
                return is_name.then_some(self.at + 1);
            }
            "lifetime" => return (first?.kind == LIFETIME_IDENT).then_some(self.at + 1),
            "literal" => {
                let minus = usize::from(first?.kind == MINUS);
                let literal = rest.get(minus)?;
                let is_literal =
                    literal.kind.is_literal() || matches!(literal.kind, TRUE_KW | FALSE_KW);
                return is_literal.then_some(self.at + minus + 1);
            }
            // Most often there is none, or a plain one.
            "vis" if first.is_none_or(|first| first.kind != PUB_KW) => return Some(self.at),
            "vis" if rest.get(1).is_none_or(|next| next.kind != L_PAREN) => {
                return Some(self.at + 1);
            }
            "vis" => PrefixEntryPoint::Vis,
            "block" => PrefixEntryPoint::Block,
            "stmt" => PrefixEntryPoint::Stmt,
            "pat" => PrefixEntryPoint::PatTop,
            "pat_param" => PrefixEntryPoint::Pat,
            "ty" => PrefixEntryPoint::Ty,
            "expr" | "expr_2021" => PrefixEntryPoint::Expr,
            "path" => PrefixEntryPoint::Path,
            "item" => PrefixEntryPoint::Item,
            "meta" => PrefixEntryPoint::MetaItem,
            _ => return None,
        };
        let used = self.prefix(entry, rest)?;
        (used > 0 || kind == "vis").then_some(self.at + used)
    }

    /// How many tokens a parser takes; `None` if it finds an error. It is given few at first, since a
    /// call may go on for long, and more as long as it may have wanted them.
    fn prefix(&self, entry: PrefixEntryPoint, rest: &[Token]) -> Option<usize> {
        /// Tokens that the parser looks ahead.
        const AHEAD: usize = 4;
        let mut most = 32;
        loop {
            let window = &rest[..most.min(rest.len())];
            // A group ends where its brackets do.
            let part = &window[..group_end(window)];
            let is_all = part.len() < window.len() || window.len() == rest.len();
            match used(&entry, part, self.edition) {
                Some(used) if is_all || used + AHEAD <= part.len() => {
                    return (used <= part.len()).then_some(used);
                }
                None if is_all => return None,
                _ => most *= 4,
            }
        }
    }
}

fn used(entry: &PrefixEntryPoint, tokens: &[Token], edition: Edition) -> Option<usize> {
    let mut used = 0usize;
    for step in entry.parse(&input(tokens, edition)).iter() {
        match step {
            Step::Token { n_input_tokens, .. } => used += usize::from(n_input_tokens),
            Step::FloatSplit { .. } => used += 1,
            Step::Error { .. } => return None,
            Step::Enter { .. } | Step::Exit => {}
        }
    }
    Some(used)
}

/// Where the group that some tokens are in ends.
fn group_end(tokens: &[Token]) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            L_PAREN | L_BRACK | L_CURLY => depth += 1,
            R_PAREN | R_BRACK | R_CURLY => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return at,
            },
            _ => {}
        }
    }
    tokens.len()
}
