//! `macro_rules!`: the items that the macros of a crate stand for, where its source shows them.
//!
//! `tokens` are what macros work on, `rules` a macro's definition, `matcher` binds the parts of a
//! call, `transcribe` writes what it stands for. Nothing is known of names: a template that reaches
//! for something at its own place gets what the caller has.

mod matcher;
mod rules;
mod tokens;
mod transcribe;

pub(super) use rules::Rules;
pub(super) use tokens::Tokens;

use ra_ap_syntax::Edition;
use ra_ap_syntax::SyntaxKind::{BANG, IDENT, SEMICOLON};

/// Tokens that one call may stand for.
const EXPANSION_TOKENS_MAX: usize = 400_000;

/// The position after the group that opens at `open`; `None` if none does.
pub(super) fn group_after(tokens: &Tokens, open: usize) -> Option<usize> {
    let opens = tokens.all.get(open).is_some_and(|token| tokens::is_open(token.kind));
    opens.then(|| tokens::after_group(&tokens.all, open)).flatten()
}

/// The calls that some tokens consist of, each with its name and what is between its brackets; `None`
/// if there is anything else.
pub(super) fn calls(tokens: &Tokens) -> Option<Vec<(String, Tokens)>> {
    let all = &tokens.all;
    let mut calls = Vec::new();
    let mut at = 0;
    while let Some(name) = all.get(at) {
        let is_call = name.kind == IDENT && all.get(at + 1).is_some_and(|next| next.kind == BANG);
        let end = group_after(tokens, at + 2).filter(|_| is_call)?;
        let inside = Tokens { all: all[at + 3..end - 1].to_vec() };
        calls.push((name.text.to_string(), inside));
        at = end + usize::from(all.get(end).is_some_and(|next| next.kind == SEMICOLON));
    }
    (!calls.is_empty()).then_some(calls)
}

/// The items that a call stands for; `None` if no rule fits.
pub(super) fn expand(rules: &Rules, call: &Tokens, edition: Edition) -> Option<Tokens> {
    for rule in &rules.all {
        if let Some(bindings) = matcher::matches(&rule.pattern, call, edition) {
            return transcribe::transcribe(&rule.template, &bindings, EXPANSION_TOKENS_MAX);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &str, call: &str, expected: Option<&str>) {
        let edition = Edition::Edition2021;
        let rules = Rules::parse(&Tokens::lex(rules, edition, 1));
        let expanded = expand(&rules, &Tokens::lex(call, edition, 1), edition);
        // How far tokens stand apart is not the macro's to say.
        let text = expanded.map(|tokens| tokens.text().0.replace(' ', ""));
        assert_eq!(text, expected.map(|text| text.replace(' ', "")), "{call}");
    }

    #[test]
    fn a_call_stands_for_what_its_rule_says() {
        check(
            "($($i:item)*) => { $(#[cfg(a)] $i)* }",
            "pub fn b() {} struct C;",
            Some("# [ cfg ( a ) ] pub fn b ( ) { } # [ cfg ( a ) ] struct C ;"),
        );
        check(
            "($n:ident: $t:ty = $v:expr) => { const $n: $t = $v; }",
            "A: Vec<u8> = 1 + 2",
            Some("const A : Vec < u8 > = 1 + 2 ;"),
        );
        check(
            "($($n:ident => [$($v:literal),*]);* $(;)?) => { $(use $n::{ $($v,)* };)* }",
            "a => [1, 2]; b => [];",
            Some("use a :: { 1 , 2 , } ; use b :: { } ;"),
        );
        check(
            "(a) => { one!(); }; ($($t:tt)*) => { two!($($t)*); }",
            "b (c d)",
            Some("two ! ( b ( c d ) ) ;"),
        );
        check(
            "($v:vis struct $n:ident) => { $v struct $n; }",
            "pub(crate) struct A",
            Some("pub ( crate ) struct A ;"),
        );
        check(
            "($(#[$m:meta])* $n:ident) => { $(#[$m])* fn $n(); }",
            "/// Hi.\na",
            Some("# [ doc = \"Hi.\" ] fn a ( ) ;"),
        );
        check(
            "($p:path, $l:lifetime) => { fn a<$l>(b: $p); }",
            "std::fmt::Debug, 'x",
            Some("fn a < 'x > ( b : std :: fmt :: Debug ) ;"),
        );
        check(
            "($n:ident) => { mod a { macro_rules! b { ($$x:ident) => {} } } }",
            "c",
            Some("mod a { macro_rules ! b { ( $ x : ident ) => { } } }"),
        );
    }

    #[test]
    fn bodies_of_templates_are_left_out() {
        check(
            "($n:ident, $($v:expr),*) => { impl A { fn $n(b: C) -> D { $(e($v);)* } } f! { fn g() { 1 } } }",
            "a, 1, 2",
            Some("impl A { fn a(b: C) -> D { } } f! { fn g() { 1 } }"),
        );
        // What is in them says how often they are there.
        let rules = "($n:ident $(, $c:ident)?) => { struct $n; $(impl A { fn b() { $c() } })? }";
        check(rules, "B", Some("struct B;"));
        check(rules, "B, c", Some("struct B; impl A { fn b() { } }"));
    }

    #[test]
    fn macros_that_take_items_are_told_from_others() {
        for (rules, expected) in [
            ("($($i:item)*) => { $($i)* }", true),
            ("(#![$m:meta] $($i:item)*) => { $(#[cfg($m)] $i)* }", true),
            ("($i:item) => {}; ($($i:item)*) => {}", true),
            ("($($i:item)*) => {}; ($($t:tt)*) => {}", false),
            ("(fn a() { $($i:item)* }) => { $($i)* }", false),
            ("($($t:tt)*) => {}", false),
            ("", false),
        ] {
            let rules = Rules::parse(&Tokens::lex(rules, Edition::Edition2021, 1));
            assert_eq!(rules.take_items(), expected, "{rules:?}");
        }
    }

    #[test]
    fn calls_are_told_from_other_items() {
        let check = |text: &str, expected: Option<&[&str]>| {
            let calls = calls(&Tokens::lex(text, Edition::Edition2021, 1));
            let found = calls.map(|calls| {
                let each =
                    calls.iter().map(|(name, inside)| format!("{name} {}", inside.text().0.trim()));
                each.collect::<Vec<_>>()
            });
            let expected = expected.map(|calls| calls.iter().map(ToString::to_string).collect());
            assert_eq!(found, expected, "{text}");
        };
        check("a!(b c); d! { e } f![];", Some(&["a b c", "d e", "f "]));
        check("a!(b); struct C;", None);
        check("#[x] a!(b);", None);
        check("a!(b", None);
        check("a", None);
        check("", None);
    }

    #[test]
    fn a_call_that_no_rule_fits_stands_for_nothing() {
        check("(a) => {}", "b", None);
        check("($x:ident) => {}", "a b", None);
        check("($x:expr) => {}", "", None);
        check("(", "a", None);
        check("($", "a", None);
        check("($x:ident) =>", "a", None);
    }
}
