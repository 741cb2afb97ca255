//! The converters and the whole of prose, on input that nobody meant well with.

use proptest::prelude::*;

use super::*;
use crate::extract::Package;
use crate::tree::Tree;

fn prose(files: &[(&str, &str)]) -> Vec<Chunk> {
    let tree = Tree::in_memory(files.iter().map(|(path, text)| (*path, *text)));
    let package = Package { name: "x".to_owned(), version: "1.0.0".to_owned(), tree };
    extract(Ecosystem::Npm, &Input::new(&package, &[], &Limits::default()))
}

/// What each converter makes of a text.
fn all(text: &str) -> Vec<(&'static str, usize)> {
    let paths = [
        "README.md",
        "README.rst",
        "README.txt",
        "docs/x.mdx",
        "README.html",
        "CHANGELOG.md",
        "examples/x.js",
    ];
    let mut sizes = vec![
        ("visible", visible(text).len()),
        ("html", html_to_markdown(text).len()),
        ("rest", rest_to_markdown(text).len()),
    ];
    for path in paths {
        let chunks = prose(&[(path, text)]);
        for chunk in &chunks {
            assert!(
                chunk.text.len() <= 4 * 6 * 1024 + 64,
                "{path} gives a chunk of {}",
                chunk.text.len()
            );
            assert!(
                !chunk.text.contains(['\0', '\u{1b}', '\u{200b}']),
                "{path} lets through what nobody sees"
            );
        }
        sizes.push((path, chunks.iter().map(|chunk| chunk.text.len()).sum()));
    }
    sizes
}

/// Each output stays within a fixed multiple of the input.
#[track_caller]
fn check_bounded(text: &str) {
    for (converter, size) in all(text) {
        assert!(size <= 64 * text.len() + 64, "{converter} makes {size} of {}", text.len());
    }
}

#[test]
fn hostile_input_stays_bounded() {
    let n = 4_000;
    let lists: String = (0..400).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect();
    let notes: String =
        (0..400).map(|depth| format!("{}.. note::\n\n", "   ".repeat(depth))).collect();
    let fields: String =
        (0..n / 10).map(|number| format!(":param p{number}: x\n:type p{number}: y\n")).collect();
    let references: String =
        (0..n / 10).map(|number| format!("[a{number}]: #x\n\n[a{number}]\n")).collect();
    for text in [
        "[".repeat(n),
        "![".repeat(n),
        "[![x](".repeat(n),
        "<".repeat(n),
        "<b>".repeat(n),
        "<blockquote>".repeat(n),
        "<ul><li>".repeat(n),
        "<p><b id=1></p>".repeat(n),
        "<table><tr><td>".repeat(n),
        "<a \">\" ".repeat(n),
        "<a href='".repeat(n),
        "<!--".repeat(n),
        "<pre>".repeat(n),
        "<script>".repeat(n),
        "<Tab a={".repeat(n),
        "{/*".repeat(n),
        "&".repeat(n),
        "> ".repeat(n) + "x",
        "- ".repeat(n) + "x",
        "```\n".repeat(n),
        "```{note}\n".repeat(n),
        ":::note\n".repeat(n),
        "!!! note\n    ".repeat(n),
        "`".repeat(n),
        "`` ".repeat(n),
        ":a:`".repeat(n),
        "|a".repeat(n),
        "a_ ".repeat(n),
        "x::\n\n  y\n\n".repeat(n / 4),
        "== ==\n".repeat(n),
        "+--+\n".repeat(n),
        "a\n=\n\n".repeat(n / 4),
        "# a\n".repeat(n),
        "|a|b|\n|-|-|\n".repeat(n / 4),
        "\u{1b}]".repeat(n),
        "x".repeat(n * 4),
        lists,
        notes,
        fields,
        references,
    ] {
        check_bounded(&text);
    }
}

#[test]
fn the_work_grows_with_the_input_and_no_faster() {
    for unit in [
        "<p><b id=1>x</p>",
        "- a\n  - b\n",
        ".. note:: x\n\n",
        "[x](#y) ![z](w) ",
        "```js\nx\n```\n\n",
        "x\n  y\n\n",
    ] {
        let once: Vec<usize> = all(&unit.repeat(300)).into_iter().map(|row| row.1).collect();
        let twice = all(&unit.repeat(600));
        for ((converter, size), before) in twice.into_iter().zip(once) {
            assert!(size <= 2 * before + 4096, "{converter}: {before} becomes {size} for {unit:?}");
        }
    }
}

#[test]
fn limits_hold_and_are_told() {
    let tree = Tree::in_memory(
        (0..5).map(|number| (format!("docs/{number}.md"), format!("# {number}\n\nSome text."))),
    );
    let package = Package { name: "x".to_owned(), version: "1.0.0".to_owned(), tree };
    let few = Limits { prose_files_max: 2, ..Limits::default() };
    let input = Input::new(&package, &[], &few);
    assert_eq!(extract(Ecosystem::Npm, &input).len(), 2);
    assert_eq!(input.problems.borrow().len(), 1);
    let small = Limits { prose_bytes_max: 22, ..Limits::default() };
    let input = Input::new(&package, &[], &small);
    let chunks = extract(Ecosystem::Npm, &input);
    assert_eq!(
        chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>(),
        ["Some text.", "So"]
    );
    assert_eq!(input.problems.borrow()[0].file, "docs/1.md");
}

#[test]
fn a_file_that_failed_before_is_left_alone() {
    let tree = Tree::in_memory([("README.md", "Some text here.")]);
    let package = Package { name: "x".to_owned(), version: "1.0.0".to_owned(), tree };
    let limits = Limits::default();
    let skip = ["x:README.md".to_owned()];
    let input = Input { skip: &skip, ..Input::new(&package, &[], &limits) };
    assert!(extract(Ecosystem::Npm, &input).is_empty());
    assert_eq!(input.problems.borrow().len(), 1);
}

/// Pieces that mean something to one converter or another.
const PIECES: &[&str] = &[
    "a",
    "é",
    "漢",
    " ",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "\t",
    "-",
    "- ",
    "* ",
    "1. ",
    "#",
    "## ",
    "=",
    "====",
    "----",
    "`",
    "``",
    "```",
    "```{note}\n",
    "~~~",
    "::",
    "::\n\n    ",
    ".. ",
    ".. note:: ",
    ".. code-block:: js\n\n   ",
    ":param x: ",
    ":type x: ",
    ":class:`~",
    "`_",
    "_",
    "__",
    "|",
    "| a | b |",
    "+--+--+",
    "== ==",
    "[",
    "]",
    "](",
    "(#",
    ")",
    "![",
    "<",
    ">",
    "</",
    "<b>",
    "</b>",
    "<pre>",
    "</pre>",
    "<table>",
    "<tr>",
    "<td>",
    "<!--",
    "-->",
    "<h2>",
    "</h2>",
    "<a href=\"",
    "\"",
    "'",
    "&lt;",
    "&#x",
    ";",
    "{",
    "}",
    "{/*",
    "*/}",
    "<Tab title=\"x\">",
    "</Tab>",
    "import x",
    "export ",
    "---\n",
    "title: x\n",
    ":::",
    ":::note ",
    "!!! note \"x\"",
    "=== \"x\"",
    ">>> ",
    "\\",
    "\u{200b}",
    "\u{1b}[1m",
    "\0",
    "1.0.0",
    "Description: ",
    "(a)=",
    "{ref}`",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn any_text_is_converted(text in "\\PC{0,200}") {
        check_bounded(&text);
    }

    #[test]
    fn any_mixture_of_marks_is_converted(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        check_bounded(&pieces.concat());
    }

    #[test]
    fn any_metadata_is_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        let text = pieces.concat();
        if let Some((description, _)) = description::of(&text) {
            prop_assert!(description.text().len() <= text.len() + 2);
        }
    }
}
