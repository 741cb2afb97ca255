//! Writes what a call stands for, from a template and what its variables are bound to.

use ra_ap_syntax::SmolStr;
use ra_ap_syntax::SyntaxKind::{DOLLAR, IDENT, L_PAREN, PLUS, QUESTION, R_PAREN, STAR};

use super::matcher::{Bindings, Bound};
use super::rules::{Part, Repeat};
use super::tokens::{Tokens, token_of};

/// The tokens of a template; `None` if they are too many, or the rounds do not agree.
pub(super) fn transcribe(template: &[Part], bindings: &Bindings, most: usize) -> Option<Tokens> {
    let mut writer = Writer { all: Tokens::default(), most };
    writer.parts(template, bindings)?;
    Some(writer.all)
}

struct Writer {
    all: Tokens,
    most: usize,
}

impl Writer {
    fn parts(&mut self, parts: &[Part], bindings: &Bindings) -> Option<()> {
        for part in parts {
            match part {
                Part::Token(token) => self.all.all.push(token.clone()),
                Part::Variable(name, _) => match bindings.get(name) {
                    Some(Bound::One(tokens)) => self.all.all.extend_from_slice(tokens),
                    Some(Bound::Many(_)) => return None,
                    // A variable of a macro that the template defines.
                    None => self.unknown(name),
                },
                Part::Repeat(repeat) => self.repeat(repeat, bindings)?,
            }
            if self.all.all.len() > self.most {
                return None;
            }
        }
        Some(())
    }

    fn unknown(&mut self, name: &SmolStr) {
        let line = self.all.all.last().map_or(0, |last| last.line);
        self.all.all.push(token_of(DOLLAR, "$", line));
        self.all.all.push(token_of(IDENT, name, line));
    }

    /// A repetition of a macro that the template defines: written as it is.
    fn foreign(&mut self, repeat: &Repeat, bindings: &Bindings) -> Option<()> {
        let line = self.all.all.last().map_or(0, |last| last.line);
        self.all.all.push(token_of(DOLLAR, "$", line));
        self.all.all.push(token_of(L_PAREN, "(", line));
        self.parts(&repeat.parts, bindings)?;
        self.all.all.push(token_of(R_PAREN, ")", line));
        self.all.all.extend(repeat.separator.iter().cloned());
        let (kind, operator) = match (repeat.is_optional, repeat.needs_one) {
            (true, _) => (QUESTION, "?"),
            (_, true) => (PLUS, "+"),
            _ => (STAR, "*"),
        };
        self.all.all.push(token_of(kind, operator, line));
        Some(())
    }

    fn repeat(&mut self, repeat: &Repeat, bindings: &Bindings) -> Option<()> {
        let names = &repeat.names;
        let many = |name: &SmolStr| match bindings.get(name) {
            Some(Bound::Many(rounds)) => Some(rounds.len()),
            _ => None,
        };
        let Some(rounds) = names.iter().filter_map(many).min() else {
            return self.foreign(repeat, bindings);
        };
        let mut round = bindings.clone();
        for at in 0..rounds {
            for name in names {
                if let Some(Bound::Many(all)) = bindings.get(name) {
                    round.insert(name.clone(), all.get(at)?.clone());
                }
            }
            if at > 0 {
                self.all.all.extend(repeat.separator.iter().cloned());
            }
            self.parts(&repeat.parts, &round)?;
        }
        Some(())
    }
}
