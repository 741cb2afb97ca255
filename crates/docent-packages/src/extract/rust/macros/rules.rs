//! A macro's definition: patterns and the templates that belong to them.

use ra_ap_syntax::SmolStr;
use ra_ap_syntax::SyntaxKind::{self, *};

use super::super::bodies;
use super::tokens::{Token, Tokens, after_group, is_open};

/// The rules of one macro, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) all: Vec<Rule>,
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) pattern: Vec<Part>,
    pub(crate) template: Vec<Part>,
}

/// One part of a pattern or of a template.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Token(Token),
    /// `$name:kind`, or `$name` in a template.
    Variable(SmolStr, SmolStr),
    Repeat(Box<Repeat>),
}

/// `$(…),*`
#[derive(Clone, Debug)]
pub(crate) struct Repeat {
    pub(crate) parts: Vec<Part>,
    /// All variables in it, those in what was left out included: they say how often it is repeated.
    pub(crate) names: Vec<SmolStr>,
    pub(crate) separator: Vec<Token>,
    pub(crate) is_optional: bool,
    pub(crate) needs_one: bool,
}

/// Repetitions inside repetitions.
const DEPTH_MAX: usize = 16;

impl Rules {
    /// The rules between the braces of a definition; those that make no sense are left out.
    pub(crate) fn parse(tokens: &Tokens) -> Self {
        let (tokens, mut at) = (tokens.all.as_slice(), 0);
        let mut all = Vec::new();
        while at < tokens.len() {
            if !is_open(tokens[at].kind) {
                at += 1;
                continue;
            }
            let Some(end) = after_group(tokens, at) else { break };
            let is_arrow = tokens.get(end).is_some_and(|token| token.kind == EQ)
                && tokens.get(end + 1).is_some_and(|token| token.kind == R_ANGLE);
            let open = end + 2;
            if !is_arrow || tokens.get(open).is_none_or(|token| !is_open(token.kind)) {
                at = end;
                continue;
            }
            let Some(template_end) = after_group(tokens, open) else { break };
            let pattern = parts(&tokens[at + 1..end - 1], true, DEPTH_MAX);
            let template = parts(&tokens[open + 1..template_end - 1], false, DEPTH_MAX);
            if let (Some(pattern), Some(template)) = (pattern, template) {
                all.push(Rule { pattern, template });
            }
            at = template_end;
        }
        Self { all }
    }

    /// Whether the macro takes whole items, and nothing but these: whatever it makes of them, it cannot
    /// look into them.
    pub(crate) fn take_items(&self) -> bool {
        !self.all.is_empty() && self.all.iter().all(|rule| are_items(&rule.pattern))
    }
}

/// Whether a pattern asks for items, and attributes of them all: `#![$a:meta] $($b:item)*`.
fn are_items(pattern: &[Part]) -> bool {
    pattern.iter().all(|part| match part {
        Part::Token(token) => matches!(token.kind, POUND | BANG | L_BRACK | R_BRACK),
        Part::Variable(_, kind) => kind == "item" || kind == "meta",
        Part::Repeat(repeat) => repeat.separator.is_empty() && are_items(&repeat.parts),
    })
}

/// A part of a template without the bodies of its functions, which say nothing about an API however
/// often they are written out.
fn without_bodies(parts: Vec<Part>) -> Vec<Part> {
    let kinds: Vec<SyntaxKind> = parts
        .iter()
        .map(|part| match part {
            Part::Token(token) => token.kind,
            Part::Variable(..) => IDENT,
            Part::Repeat(_) => ERROR,
        })
        .collect();
    let bodies = bodies::of_tokens(&kinds, &|_| "", &mut |_| false);
    let mut bodies = bodies.into_iter().peekable();
    let left = parts.into_iter().enumerate().filter(|(at, _)| {
        while bodies.next_if(|(_, close)| close <= at).is_some() {}
        bodies.peek().is_none_or(|(open, _)| at <= open)
    });
    left.map(|(_, part)| part).collect()
}

fn parts(tokens: &[Token], is_pattern: bool, depth: usize) -> Option<Vec<Part>> {
    let depth = depth.checked_sub(1)?;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1);
        match (token.kind, next.map(|next| next.kind)) {
            (DOLLAR, Some(L_PAREN)) => {
                let end = after_group(tokens, at + 1)?;
                let parts = parts(&tokens[at + 2..end - 1], is_pattern, depth)?;
                let names = variables(&tokens[at + 2..end - 1]);
                let (repeat, after) = repeat(parts, names, tokens, end)?;
                found.push(Part::Repeat(Box::new(repeat)));
                at = after;
                continue;
            }
            // `$$` writes a `$`.
            (DOLLAR, Some(DOLLAR)) => {
                found.push(Part::Token(token.clone()));
                at += 2;
                continue;
            }
            (DOLLAR, Some(CRATE_KW)) => {
                found.push(Part::Token(next?.clone()));
                at += 2;
                continue;
            }
            (DOLLAR, Some(kind)) if kind == IDENT || kind.is_any_identifier() || is_word(next?) => {
                let name = next?.text.clone();
                let is_typed = tokens.get(at + 2).is_some_and(|colon| colon.kind == COLON);
                if is_pattern && is_typed {
                    let kind = tokens.get(at + 3)?.text.clone();
                    found.push(Part::Variable(name, kind));
                    at += 4;
                } else {
                    found.push(Part::Variable(name, SmolStr::default()));
                    at += 2;
                }
                continue;
            }
            _ => {}
        }
        found.push(Part::Token(token.clone()));
        at += 1;
    }
    Some(if is_pattern { found } else { without_bodies(found) })
}

/// The names of all variables among some tokens.
fn variables(tokens: &[Token]) -> Vec<SmolStr> {
    let pairs = tokens.windows(2).filter(|pair| pair[0].kind == DOLLAR && is_word(&pair[1]));
    pairs.map(|pair| pair[1].text.clone()).collect()
}

/// Whether a token is a keyword or a name.
pub(super) fn is_word(token: &Token) -> bool {
    token.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && token.text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The separator and the operator of a repetition, and the position after them.
fn repeat(
    parts: Vec<Part>,
    names: Vec<SmolStr>,
    tokens: &[Token],
    from: usize,
) -> Option<(Repeat, usize)> {
    let mut separator = Vec::new();
    let mut at = from;
    loop {
        let token = tokens.get(at)?;
        let is_operator = matches!(token.kind, STAR | PLUS | QUESTION);
        // `$(…)+*` is separated by `+`.
        let more = tokens.get(at + 1).is_some_and(|next| matches!(next.kind, STAR | PLUS));
        if is_operator && !(more && separator.is_empty() && token.kind != QUESTION && token.joint) {
            let (is_optional, needs_one) = (token.kind == QUESTION, token.kind == PLUS);
            return Some((Repeat { parts, names, separator, is_optional, needs_one }, at + 1));
        }
        if separator.len() >= 3 {
            return None;
        }
        separator.push(token.clone());
        at += 1;
    }
}
