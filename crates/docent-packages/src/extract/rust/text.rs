//! Declarations as text: the tokens of a node with the spaces that Rust code has, on one line.
//!
//! The source's own layout does not matter, since what comes out of a macro has none. Comments and
//! attributes are left out, and so is what bounds say about constants (`T: [const] A`): only the
//! standard library may write it, and only nightly compilers heed it.

use ra_ap_syntax::SyntaxKind::{self, *};
use ra_ap_syntax::{Direction, NodeOrToken, SyntaxNode, SyntaxToken, WalkEvent};

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
                    if inner.kind() == ATTR
                        || (&inner != node && skip(&inner))
                        || is_for_constants(&inner) =>
                {
                    walk.skip_subtree();
                }
                WalkEvent::Enter(NodeOrToken::Token(token))
                    if !token.kind().is_trivia() && !is_about_constants(&token) =>
                {
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

/// Whether a list of bounds says nothing but what is left out.
pub(super) fn is_without_bounds(list: &SyntaxNode) -> bool {
    list.children().next().is_some() && list.children().all(|bound| is_for_constants(&bound))
}

/// `[const] Destruct`: whether values may be dropped in constants, which says nothing elsewhere.
fn is_for_constants(bound: &SyntaxNode) -> bool {
    bound.kind() == TYPE_BOUND
        && bound.children_with_tokens().any(|it| it.kind() == CONST_KW)
        && bound.children().any(|ty| {
            ty.kind() == PATH_TYPE && ty.text().to_string().rsplit("::").next() == Some("Destruct")
        })
}

/// Whether a token belongs to a bound that is left out, or to the `[const]` before one that is not.
fn is_about_constants(token: &SyntaxToken) -> bool {
    let Some(parent) = token.parent() else { return false };
    let follows = |kind: SyntaxKind| {
        token
            .siblings_with_tokens(Direction::Next)
            .filter_map(NodeOrToken::into_node)
            .find(|node| node.kind() == kind)
    };
    match (token.kind(), parent.kind()) {
        (CONST_KW | L_BRACK | R_BRACK | TILDE, TYPE_BOUND) => {
            parent.children_with_tokens().any(|it| it.kind() == CONST_KW)
        }
        (PLUS, TYPE_BOUND_LIST) => {
            let before = token.siblings_with_tokens(Direction::Prev);
            let mut before = before.filter_map(NodeOrToken::into_node);
            follows(TYPE_BOUND).is_some_and(|next| is_for_constants(&next))
                || before.all(|bound| is_for_constants(&bound))
        }
        (COLON, TYPE_PARAM | ASSOC_TYPE_ARG) => {
            follows(TYPE_BOUND_LIST).is_some_and(|list| is_without_bounds(&list))
        }
        _ => false,
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
    use super::super::syntax::build;
    use super::*;
    use ra_ap_syntax::Edition;

    fn check(text: &str, expected: &str) {
        assert_eq!(written(&build(text, Edition::Edition2021).0), expected);
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
        check(
            "fn a<T: [const] Destruct, U: [const] B + [const] Destruct>(c: impl [const] D<[u8]>);",
            "fn a<T, U: B>(c: impl D<[u8]>);",
        );
        check("trait A: [const] Destruct + [const] B + ?Sized {}", "trait A: B + ?Sized {}");
    }
}
