//! Declarations as text: the tokens of a node with the spaces that Rust code has, on one line.
//!
//! The source's own layout does not matter, since what comes out of a macro has none. Comments and
//! attributes are left out.

use ra_ap_syntax::SyntaxKind::{self, *};
use ra_ap_syntax::{NodeOrToken, SyntaxNode, SyntaxToken, WalkEvent};

/// One node on one line.
pub(super) fn written(node: &SyntaxNode) -> String {
    let mut line = Line::default();
    line.node(node, &|_| false);
    line.text
}

/// The same without those parts for which `skip` holds.
pub(super) fn written_without(node: &SyntaxNode, skip: &dyn Fn(&SyntaxNode) -> bool) -> String {
    let mut line = Line::default();
    line.node(node, skip);
    line.text
}

/// A line that is being written.
#[derive(Default)]
struct Line {
    text: String,
    last: Option<(SyntaxKind, SyntaxKind)>,
    /// A comma that is written only if something follows it.
    comma: Option<SyntaxToken>,
}

impl Line {
    fn node(&mut self, node: &SyntaxNode, skip: &dyn Fn(&SyntaxNode) -> bool) {
        let mut walk = node.preorder_with_tokens();
        while let Some(event) = walk.next() {
            match event {
                WalkEvent::Enter(NodeOrToken::Node(inner))
                    if inner.kind() == ATTR || (&inner != node && skip(&inner)) =>
                {
                    walk.skip_subtree();
                }
                WalkEvent::Enter(NodeOrToken::Token(token)) if !token.kind().is_trivia() => {
                    self.token(token);
                }
                _ => {}
            }
        }
    }

    fn token(&mut self, token: SyntaxToken) {
        let kind = token.kind();
        let parent = token.parent().map_or(ERROR, |parent| parent.kind());
        if let Some(comma) = self.comma.take() {
            let closes = matches!(kind, R_PAREN | R_ANGLE | R_BRACK | R_CURLY);
            // `(T,)` is not `(T)`.
            let is_single = kind == R_PAREN
                && matches!(parent, TUPLE_TYPE | TUPLE_PAT | TUPLE_EXPR)
                && token.parent().is_some_and(|tuple| tuple.children().count() == 1);
            if !closes || is_single {
                self.push(",", COMMA, comma.parent().map_or(ERROR, |parent| parent.kind()));
            }
        }
        if kind == COMMA {
            self.comma = Some(token);
            return;
        }
        self.push(token.text(), kind, parent);
    }

    fn push(&mut self, text: &str, kind: SyntaxKind, parent: SyntaxKind) {
        if let Some(last) = self.last
            && is_spaced(last, (kind, parent))
        {
            self.text.push(' ');
        }
        self.text.push_str(text);
        self.last = Some((kind, parent));
    }
}

/// Whether two neighbors are kept apart; each is a kind and that of the node it belongs to.
fn is_spaced(before: (SyntaxKind, SyntaxKind), next: (SyntaxKind, SyntaxKind)) -> bool {
    let ends_name = matches!(
        before.0,
        IDENT | R_ANGLE | CRATE_KW | SELF_KW | SELF_TYPE_KW | SUPER_KW | INT_NUMBER
    );
    match next.0 {
        COMMA | SEMICOLON | COLON | R_PAREN | R_BRACK | DOT | DOT2 | DOT2EQ => return false,
        R_ANGLE if next.1 != BIN_EXPR => return false,
        QUESTION if next.1 == TRY_EXPR => return false,
        BANG if matches!(next.1, MACRO_CALL | MACRO_RULES) => return false,
        COLON2 if ends_name => return false,
        L_ANGLE if next.1 != BIN_EXPR => {
            let opens = ends_name || matches!(before.0, COLON2 | FOR_KW | IMPL_KW | FN_KW);
            if opens {
                return false;
            }
        }
        L_PAREN => {
            let calls = ends_name || matches!(before.0, FN_KW | PUB_KW | BANG | R_BRACK | USE_KW);
            if calls && before != (BANG, NEVER_TYPE) {
                return false;
            }
        }
        L_BRACK if ends_name || matches!(before.0, POUND | BANG | R_PAREN | R_BRACK) => {
            return false;
        }
        R_CURLY if before.0 == L_CURLY || next.1 == USE_TREE_LIST => return false,
        _ => {}
    }
    match before.0 {
        L_PAREN | L_BRACK | COLON2 | DOT | DOT2 | DOT2EQ | POUND | DOLLAR | TILDE => false,
        L_CURLY if before.1 == USE_TREE_LIST => false,
        L_ANGLE => before.1 == BIN_EXPR,
        AMP | STAR | MINUS => before.1 == BIN_EXPR,
        BANG => !matches!(before.1, MACRO_CALL | ATTR | PREFIX_EXPR | TYPE_BOUND | MACRO_EXPR),
        QUESTION => before.1 != TYPE_BOUND,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax::parse;
    use super::*;
    use ra_ap_syntax::Edition;

    fn check(text: &str, expected: &str) {
        assert_eq!(written(&parse(text, Edition::Edition2021)), expected);
    }

    #[test]
    fn spaces_are_those_of_rust_code() {
        for text in [
            "pub fn a<'a, T: ?Sized + 'a>(b: &'a mut T, c: [u8; 4]) -> Option<&'a (T, U)>;",
            "pub(crate) unsafe extern \"C\" fn a(b: *const u8, ...) -> !;",
            "fn a(f: impl for<'b> FnOnce(&'b str, u8) -> R + Send) where F: Fn() -> <T as U>::V;",
            "type A = Box<dyn Fn(::std::string::String) -> (T,) + 'static>;",
            "const A: u8 = -1 + 2 * b::<T>(3)[4];",
            "use a::{b, c as d};",
        ] {
            check(text, text);
        }
        check("fn a(\n    b: C,\n    d: E,\n) -> F ;", "fn a(b: C, d: E) -> F;");
        check("type A < T , > = ( T , ) ;", "type A<T> = (T,);");
        check("fn a(#[x] b: C /* d */);", "fn a(b: C);");
    }
}
