//! The scan for Go.

use super::chain::Chains;
use crate::extract::go::tokens::{Token, Tokens};

/// Words that a parser calls itself for.
const WORDS: &[&str] = &["chan", "func", "else", "if", "for", "switch", "go", "defer", "map"];

pub(super) fn too_deep(text: &str, limit: usize) -> bool {
    let mut chains = Chains::new(limit);
    // An operator after an operand joins; after anything else it is a link of a chain.
    let mut is_operand = false;
    for (token, range) in Tokens::new(text) {
        let word = text.get(range).unwrap_or_default();
        match token {
            Token::Comment => continue,
            Token::Newline => {
                if is_operand {
                    chains.separate();
                }
                continue;
            }
            Token::Open => {
                chains.open(word.as_bytes().first().copied().unwrap_or_default());
                is_operand = false;
            }
            Token::Close => {
                chains.close();
                // `[]` and `func()` go on; a brace ends.
                if word == "]" || word == ")" {
                    chains.link();
                }
                is_operand = true;
            }
            Token::Word if WORDS.contains(&word) => {
                chains.link();
                is_operand = false;
            }
            Token::Word | Token::Literal => is_operand = true,
            Token::Sign if word == "," || word == ";" => {
                chains.separate();
                is_operand = false;
            }
            Token::Sign => {
                if !is_operand {
                    chains.link();
                }
                chains.part();
                is_operand = false;
            }
        }
        if chains.exceeded() {
            return true;
        }
    }
    chains.exceeded()
}
