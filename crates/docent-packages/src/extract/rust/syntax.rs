//! From text to a syntax tree, without what says nothing about an API (`bodies`).
//!
//! Only the line breaks of what is left out stay, so that lines count as before. The tree is built here
//! because the parser's own entry point hands trees to a thread of its own when they are dropped, and
//! a worker may not start threads.

use std::ops::Range;
use std::rc::Rc;

use ra_ap_parser::{LexedStr, StrStep, TopEntryPoint};
use ra_ap_syntax::SyntaxKind::{
    self, ASSOC_ITEM_LIST, ITEM_LIST, MACRO_CALL, SOURCE_FILE, TOKEN_TREE,
};
use ra_ap_syntax::{Edition, SyntaxNode};
use rowan::{GreenNodeBuilder, NodeCache};

use super::bodies;
use crate::nesting;

/// Bytes of text whose tokens are kept for the texts that follow: most are the same everywhere, but to keep all
/// of a large crate would cost more memory than it saves time.
const SHARED_BYTES_MAX: usize = 512 << 10;

/// Makes trees, one after the other.
pub(super) struct Parser {
    edition: Edition,
    nesting_max: usize,
    cache: NodeCache,
    cached_bytes: usize,
}

/// A text that was parsed.
pub(super) struct Parsed {
    /// What the tree is of.
    pub(super) text: Rc<str>,
    /// Nothing, if it nests too deeply.
    pub(super) node: SyntaxNode,
    /// Whether it is what the language allows.
    pub(super) is_good: bool,
    pub(super) is_too_deep: bool,
    left_out: Vec<Range<usize>>,
}

impl Parser {
    pub(super) fn new(edition: Edition, nesting_max: usize) -> Self {
        Self { edition, nesting_max, cache: NodeCache::default(), cached_bytes: 0 }
    }

    /// The tree of a file, or of the items that a macro stands for. `takes_items` says of a macro whether
    /// it takes whole items, and nothing but these.
    pub(super) fn parse(&mut self, text: &str, takes_items: &dyn Fn(&str) -> bool) -> Parsed {
        let left_out = bodies::of_text(text, takes_items);
        let text: Rc<str> = without(text, &left_out).into();
        let lexed = LexedStr::new(self.edition, &text);
        if nesting::too_deep_in_rust(&lexed, self.nesting_max) {
            let (node, _) = build("", self.edition);
            return Parsed {
                text: "".into(),
                node,
                is_good: false,
                is_too_deep: true,
                left_out: Vec::new(),
            };
        }
        self.cached_bytes += text.len();
        if self.cached_bytes > SHARED_BYTES_MAX {
            (self.cache, self.cached_bytes) = (NodeCache::default(), text.len());
        }
        let (node, is_good) = tree(&lexed, self.edition, &mut self.cache, Calls::Text);
        drop(lexed);
        Parsed { text, node, is_good, is_too_deep: false, left_out }
    }
}

impl Parsed {
    /// Brings places in the text before anything was left out, in their order, to where they are now.
    pub(super) fn moved(&self, before: &str, places: &mut [(u32, u32)]) {
        let (mut at, mut less) = (0, 0);
        for (place, _) in places {
            let here = *place as usize;
            while let Some(range) = self.left_out.get(at).filter(|range| range.start < here) {
                less += range.len() - line_breaks(&before[range.clone()]);
                at += 1;
            }
            *place = u32::try_from(here.saturating_sub(less)).unwrap_or(u32::MAX);
        }
    }
}

/// The tree of a whole text, and whether it is what the language allows.
pub(crate) fn build(text: &str, edition: Edition) -> (SyntaxNode, bool) {
    tree(&LexedStr::new(edition, text), edition, &mut NodeCache::default(), Calls::Tokens)
}

/// What stands between the brackets of calls where items stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    Tokens,
    /// One token with all of it: who writes out a call makes tokens of its text anyway.
    Text,
}

fn tree(
    lexed: &LexedStr<'_>,
    edition: Edition,
    cache: &mut NodeCache,
    calls: Calls,
) -> (SyntaxNode, bool) {
    let output = TopEntryPoint::SourceFile.parse(&lexed.to_input(edition));
    let mut builder = GreenNodeBuilder::with_cache(cache);
    let mut is_good = lexed.errors().next().is_none();
    let mut open: Vec<SyntaxKind> = Vec::new();
    // The text of a call, and how many of its brackets are open.
    let (mut inside, mut depth) = (String::new(), 0usize);
    lexed.intersperse_trivia(&output, &mut |step| match step {
        StrStep::Token { text, .. } if depth > 0 => inside.push_str(text),
        StrStep::Token { kind, text } => builder.token(rowan::SyntaxKind(kind.into()), text),
        StrStep::Enter { .. } if depth > 0 => depth += 1,
        StrStep::Enter { kind } => {
            depth = usize::from(calls == Calls::Text && kind == TOKEN_TREE && is_item_call(&open));
            open.push(kind);
            builder.start_node(rowan::SyntaxKind(kind.into()));
        }
        StrStep::Exit if depth > 1 => depth -= 1,
        StrStep::Exit => {
            if depth == 1 {
                builder.token(rowan::SyntaxKind(TOKEN_TREE.into()), &inside);
                inside.clear();
                depth = 0;
            }
            open.pop();
            builder.finish_node();
        }
        StrStep::Error { .. } => is_good = false,
    });
    (SyntaxNode::new_root(builder.finish()), is_good)
}

/// Whether the innermost of some nodes is the call of a macro where items stand.
fn is_item_call(open: &[SyntaxKind]) -> bool {
    matches!(open, [.., SOURCE_FILE | ITEM_LIST | ASSOC_ITEM_LIST, MACRO_CALL])
}

/// A text without parts of it, whose line breaks stay.
fn without(text: &str, parts: &[Range<usize>]) -> String {
    let mut short = String::with_capacity(text.len());
    let mut from = 0;
    for part in parts {
        short.push_str(&text[from..part.start]);
        short.extend(std::iter::repeat_n('\n', line_breaks(&text[part.clone()])));
        from = part.end;
    }
    short.push_str(&text[from..]);
    short
}

fn line_breaks(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Parsed {
        Parser::new(Edition::Edition2021, 10).parse(text, &|_| false)
    }

    #[test]
    fn bodies_are_left_out_and_lines_stay() {
        for (text, expected) in [
            ("fn a() { if x { 1 } else { 2 } }", "fn a() {}"),
            (
                "fn a()\nwhere T: B,\n{\n  1;\n  2\n}\nfn b();",
                "fn a()\nwhere T: B,\n{\n\n\n}\nfn b();",
            ),
        ] {
            let parsed = parse(text);
            assert_eq!(&*parsed.text, expected);
            assert_eq!(parsed.node.to_string(), expected);
            assert!(parsed.is_good);
        }
    }

    #[test]
    fn calls_of_items_are_kept_as_text() {
        let text = "a! { fn b(c: { D }) {} /* } */ } const E: u8 = f!(1); impl G { h!(i); }";
        let parsed = parse(text);
        assert_eq!(parsed.node.to_string(), text);
        let tokens = parsed.node.descendants_with_tokens().filter_map(|it| it.into_token());
        let texts: Vec<String> =
            tokens.filter(|it| it.kind() == TOKEN_TREE).map(|it| it.to_string()).collect();
        assert_eq!(texts, ["{ fn b(c: { D }) {} /* } */ }", "(i)"]);
        assert!(parsed.is_good);
    }

    #[test]
    fn places_move_with_the_text() {
        let text = "fn a() { 1 } fn b() {\n2 } struct C;";
        let parsed = parse(text);
        let mut places: Vec<(u32, u32)> =
            ["fn a", "fn b", "struct"].map(|it| (text.find(it).unwrap_or(0) as u32, 1)).into();
        parsed.moved(text, &mut places);
        let rest = |(at, _): (u32, u32)| &parsed.text[at as usize..];
        let rests: Vec<&str> = places.into_iter().map(rest).collect();
        assert_eq!(
            rests,
            ["fn a() {} fn b() {\n} struct C;", "fn b() {\n} struct C;", "struct C;"]
        );
    }

    #[test]
    fn what_nests_too_deeply_is_not_parsed() {
        let text = |depth| ["mod a {".repeat(depth), "}".repeat(depth)].concat();
        assert!(!parse(&text(10)).is_too_deep);
        let deep = parse(&text(11));
        assert!(deep.is_too_deep && !deep.is_good);
        // What is left out may nest as it likes.
        assert!(!parse(&format!("fn a() {{ {} }}", text(20))).is_too_deep);
    }
}
