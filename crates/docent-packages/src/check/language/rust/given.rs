//! What macros are given: expressions in the standard library's, most often expressions in others.

use ra_ap_syntax::ast::{self, AstNode as _};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, TextSize};

use super::scopes::{Path, Space};
use super::walk::Walk;
use crate::check::found::Why;
use crate::extract::rust::syntax::build;

/// Macros of the standard library that are given expressions.
const EXPRESSIONS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Macros inside of what macros are given.
const DEPTH_MAX: usize = 16;

/// What expressions are put into to be parsed, before and after them.
const AROUND: &[(&str, &str)] = &[("fn f() { f(", ") }"), ("fn f() { [", "] }"), ("fn f() {", "}")];

impl Walk {
    /// A call of a macro: its name, and what it is given.
    pub(super) fn macro_call(&mut self, call: &ast::MacroCall) {
        let Some(path) = call.path() else { return };
        if let Some(found) = self.path_origin(&path, Space::Macros) {
            self.uses.uses.push(found.used());
        }
        let Some(tree) = call.token_tree() else { return };
        let name = path.as_single_name_ref().map(|name| name.text().to_string());
        let is_standard = name.is_some_and(|name| {
            EXPRESSIONS.contains(&name.as_str())
                && !self.scopes.is_bound(self.scope, &name, Space::Macros)
        });
        self.given(tree.syntax(), is_standard);
    }

    fn given(&mut self, tree: &SyntaxNode, is_standard: bool) {
        let text = tree.to_string();
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        if inner.trim().is_empty() || self.depth > DEPTH_MAX {
            return;
        }
        let parsed = AROUND.iter().find_map(|(before, after)| {
            let (file, is_good) = build(&[before, inner, after].concat(), self.edition);
            is_good.then_some((file, before.len()))
        });
        let Some((file, before)) = parsed else {
            return self.mentioned(tree);
        };
        // Where the text stands in the code, seen from where it stands in what was parsed.
        let start = i64::from(u32::from(tree.text_range().start())) + 1;
        let outer = (self.shift, self.doubt);
        self.shift += start - i64::try_from(before).unwrap_or(0);
        if !is_standard {
            self.doubt = self.doubt.or(Some(Why::Macro));
        }
        self.depth += 1;
        // Only what is inside of the function that was made around it.
        if let Some(body) = file.descendants().find(|node| node.kind() == SyntaxKind::STMT_LIST) {
            self.block(&body);
        }
        self.depth -= 1;
        (self.shift, self.doubt) = outer;
    }

    /// Paths among tokens that are no expressions: nobody can tell what becomes of them.
    fn mentioned(&mut self, tree: &SyntaxNode) {
        let tokens = tree.descendants_with_tokens().filter_map(|element| element.into_token());
        let tokens: Vec<SyntaxToken> = tokens.filter(|token| !token.kind().is_trivia()).collect();
        let is_colon = |at: usize| {
            let kind = tokens.get(at).map(SyntaxToken::kind);
            matches!(kind, Some(SyntaxKind::COLON | SyntaxKind::COLON2))
        };
        for (at, token) in tokens.iter().enumerate() {
            let follows = at.checked_sub(1).is_some_and(is_colon);
            if token.kind() != SyntaxKind::IDENT || follows || !is_colon(at + 1) {
                continue;
            }
            let is_path = tokens.get(at + 1).is_some_and(|it| it.kind() == SyntaxKind::COLON2)
                || is_colon(at + 2);
            let place = self.at(token.text_range().start());
            let segments = vec![(token.text().to_owned(), place), (String::new(), place)];
            let path = Path { segments, is_absolute: false };
            if is_path && let Some(found) = self.scopes.resolve(self.scope, &path, Space::Types) {
                self.uses.doubts.push((Why::Macro, found.module, place));
            }
        }
    }

    /// The place in the code of a place in the text that is being read.
    pub(super) fn at(&self, place: TextSize) -> u32 {
        u32::try_from(i64::from(u32::from(place)) + self.shift).unwrap_or(0)
    }
}
