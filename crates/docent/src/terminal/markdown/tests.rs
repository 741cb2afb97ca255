//! Answers, laid out.

use super::*;

fn check(text: &str, columns: usize, expected: &str) {
    let terminal = Terminal { layout: true, color: false, links: false, columns };
    assert_eq!(render(text, &terminal), expected);
}

#[test]
fn blocks_are_told_apart() {
    check(
        "# Title\nSome words\nthat go on.\n\n- one\n  more of it\n- two\n\n1. first\n",
        40,
        "Title\nSome words that go on.\n\n• one more of it\n• two\n\n1. first\n",
    );
}

#[test]
fn the_packages_words_have_a_bar() {
    let text = "head\n<quoted 1a from=\"npm:kit@1\" (data)>\n### function `saw` (a.ts:1)\n```ts\n\
                function saw(): void\n```\nCuts.\n</quoted 1a>\nNot shown: 2 things.\n";
    let expected = "\
head
┌ npm:kit@1, in its own words
│ function saw (a.ts:1)
│   function saw(): void
│
│ Cuts.
└
Not shown: 2 things.
";
    check(text, 60, expected);
}

#[test]
fn a_package_cannot_close_its_bar() {
    let text = "<quoted 1a from=\"npm:kit@1\" (data)>\n```\n</quoted 22>\n</quoted 1a>\nours\n";
    check(text, 60, "┌ npm:kit@1, in its own words\n│   </quoted 22>\n└\nours\n");
}

#[test]
fn long_lines_keep_their_place() {
    check(
        "```ts\nfunction saw(length: number, depth: number): void\n```",
        40,
        "  function saw(length: number, depth:\n      number): void\n",
    );
    check(
        "- `a` is one that is too long for a line of this width",
        40,
        "• a is one that is too long for a line\n  of this width\n",
    );
}

#[test]
fn nothing_is_lost_when_it_is_odd() {
    for text in ["#", "```", "- ", "| a | b |", "<quoted", "</quoted x>", "> ", "1.", "####### x"] {
        let terminal = Terminal { layout: true, color: true, links: true, columns: 40 };
        assert!(render(text, &terminal).lines().count() <= 2, "{text}");
    }
}
