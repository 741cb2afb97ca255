//! Tokens as macros see them: punctuation one character at a time, documentation as attributes.

use ra_ap_parser::{Input, LexedStr};
use ra_ap_syntax::SyntaxKind::{self, *};
use ra_ap_syntax::{Edition, SmolStr};

use crate::extract::rust::attributes::{Side, comment};

/// One token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: SyntaxKind,
    pub(crate) text: SmolStr,
    /// Whether the next token follows at once.
    pub(crate) joint: bool,
    /// Where it is from.
    pub(crate) line: u32,
}

/// A sequence of tokens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) all: Vec<Token>,
}

/// A token that nobody wrote.
pub(crate) fn token_of(kind: SyntaxKind, text: &str, line: u32) -> Token {
    Token { kind, text: SmolStr::new(text), joint: false, line }
}

impl Tokens {
    /// The tokens of a text whose first line has that number.
    pub(crate) fn lex(text: &str, edition: Edition, first_line: u32) -> Self {
        let lexed = LexedStr::new(edition, text);
        let mut all: Vec<Token> = Vec::with_capacity(lexed.len() / 2);
        let mut line = first_line;
        let mut touches = false;
        for at in 0..lexed.len() {
            let (kind, text) = (lexed.kind(at), lexed.text(at));
            let is_punctuation = kind.is_punct();
            if touches
                && is_punctuation
                && let Some(last) = all.last_mut()
            {
                last.joint = true;
            }
            touches = is_punctuation;
            if kind == COMMENT {
                documentation(text, line, &mut all);
            } else if !kind.is_trivia() {
                all.push(Token { kind, text: SmolStr::new(text), joint: false, line });
            }
            line += u32::try_from(text.bytes().filter(|&byte| byte == b'\n').count()).unwrap_or(0);
        }
        Self { all }
    }

    /// The text of it all, and the line that each part of it is from, by where the part begins.
    pub(crate) fn text(&self) -> (String, Vec<(u32, u32)>) {
        let mut text = String::new();
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for token in &self.all {
            if lines.last().is_none_or(|(_, line)| *line != token.line) {
                lines.push((u32::try_from(text.len()).unwrap_or(u32::MAX), token.line));
            }
            text.push_str(&token.text);
            if !token.joint {
                text.push(' ');
            }
        }
        (text, lines)
    }
}

/// A documentation comment is an attribute to a macro.
fn documentation(text: &str, line: u32, all: &mut Vec<Token>) {
    let (side, docs) = match comment(text, Side::Outer) {
        Some(docs) => (Side::Outer, docs),
        None => match comment(text, Side::Inner) {
            Some(docs) => (Side::Inner, docs),
            None => return,
        },
    };
    let escaped = docs.replace('\\', "\\\\").replace('"', "\\\"");
    let mut push = |kind, text: &str| all.push(token_of(kind, text, line));
    push(POUND, "#");
    if side == Side::Inner {
        push(BANG, "!");
    }
    push(L_BRACK, "[");
    push(IDENT, "doc");
    push(EQ, "=");
    push(STRING, &format!("\"{escaped}\""));
    push(R_BRACK, "]");
}

/// The position after the bracket that closes the one at `open`; `None` if none does.
pub(super) fn after_group(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            L_PAREN | L_BRACK | L_CURLY => depth += 1,
            R_PAREN | R_BRACK | R_CURLY => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

pub(super) fn is_open(kind: SyntaxKind) -> bool {
    matches!(kind, L_PAREN | L_BRACK | L_CURLY)
}

/// Tokens as the parser wants them.
pub(super) fn input(tokens: &[Token], edition: Edition) -> Input {
    let mut input = Input::with_capacity(tokens.len());
    for token in tokens {
        match token.kind {
            IDENT => {
                let keyword = SyntaxKind::from_contextual_keyword(&token.text, edition);
                input.push_ident(keyword.unwrap_or(IDENT), edition);
            }
            kind => {
                input.push(kind, edition);
                if token.joint || (kind == FLOAT_NUMBER && !token.text.ends_with('.')) {
                    input.was_joint();
                }
            }
        }
    }
    input
}
