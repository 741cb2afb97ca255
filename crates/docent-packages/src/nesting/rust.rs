//! The scan for Rust.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::Edition;
use ra_ap_syntax::SyntaxKind::*;

use super::chain::Chains;

pub(super) fn too_deep(text: &str, limit: usize) -> bool {
    too_deep_tokens(&LexedStr::new(Edition::CURRENT, text), limit)
}

/// The same, of a text that is tokens already.
pub(crate) fn too_deep_tokens(lexed: &LexedStr<'_>, limit: usize) -> bool {
    let mut chains = Chains::new(limit);
    // An operator after an operand joins; after anything else it is a link of a chain.
    let mut is_operand = false;
    for at in 0..lexed.len() {
        match lexed.kind(at) {
            WHITESPACE | COMMENT => continue,
            L_PAREN | L_BRACK | L_CURLY => {
                chains.open(0);
                is_operand = false;
            }
            kind @ (R_PAREN | R_BRACK | R_CURLY) => {
                chains.close();
                if kind == R_CURLY {
                    chains.separate();
                }
                is_operand = true;
            }
            COMMA | SEMICOLON => {
                chains.separate();
                is_operand = false;
            }
            // Types nest without brackets: `A<B<C>>`, `&&T`, `fn() -> fn() -> T`, `dyn Fn() -> T`.
            L_ANGLE | FN_KW | DYN_KW | IMPL_KW | IF_KW | ELSE_KW | MATCH_KW | MOVE_KW
            | RETURN_KW | BREAK_KW | UNSAFE_KW | FOR_KW | LET_KW | LOOP_KW | WHILE_KW | AS_KW
            | MUT_KW | CONST_KW | COLON => {
                chains.link();
                is_operand = false;
            }
            IDENT | SELF_KW | SELF_TYPE_KW | CRATE_KW | SUPER_KW | TRUE_KW | FALSE_KW
            | LIFETIME_IDENT => is_operand = true,
            kind if kind.is_literal() => is_operand = true,
            _ => {
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
