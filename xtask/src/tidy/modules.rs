//! Modules: none is empty, each opens with `//!`, none is named like a drawer.

use super::Problem;
use super::tree::Tree;
use crate::workspace::Workspace;

/// A thing that only fits one of these has no room yet; find the room instead.
const DRAWERS: &[&str] = &["common", "helper", "helpers", "misc", "util", "utils"];

pub(crate) fn check(tree: &Tree, _: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, text) in tree.ending(".rs") {
        if is_empty(text) {
            problems.push(Problem::new(file, 1, "has no items; delete the module"));
        }
        if file.contains("/src/") && !text.trim_start().starts_with("//!") {
            let what = "must open with `//!`: what it holds, what feeds it, what it feeds";
            problems.push(Problem::new(file, 1, what));
        }
        if let Some(drawer) = file.trim_end_matches(".rs").split('/').find(is_drawer) {
            problems.push(Problem::new(file, 1, no_drawer(drawer)));
        }
        for (number, (name, rest)) in inline_modules(text) {
            if is_drawer(&name) {
                problems.push(Problem::new(file, number, no_drawer(name)));
            }
            if rest == "}" {
                let what = format!("`mod {name}` is empty; delete it");
                problems.push(Problem::new(file, number, what));
            }
        }
    }
    problems
}

fn is_drawer(name: &&str) -> bool {
    DRAWERS.contains(name)
}

fn no_drawer(name: &str) -> String {
    format!("`{name}` says nothing; name the module after what it holds")
}

/// Each `mod name { rest`, with its line.
fn inline_modules(text: &str) -> impl Iterator<Item = (usize, (&str, &str))> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let line = line.trim();
        let start = line.find("mod ").filter(|&at| at == 0 || line.starts_with("pub"))?;
        let (name, rest) = line[start + 4..].split_once('{')?;
        Some((index + 1, (name.trim(), rest.trim())))
    })
}

/// Whether a source text has nothing but white space, comments and attributes.
fn is_empty(text: &str) -> bool {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let after = match rest {
            _ if rest.starts_with("//") => rest.split_once('\n').map_or("", |(_, after)| after),
            _ if rest.starts_with("/*") => rest.split_once("*/").map_or("", |(_, after)| after),
            _ if rest.starts_with("#[") || rest.starts_with("#![") => after_attribute(rest),
            _ => return false,
        };
        rest = after.trim_start();
    }
    true
}

/// What follows an attribute; brackets inside its strings do not count.
fn after_attribute(text: &str) -> &str {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth -= 1,
            _ => continue,
        }
        if c == ']' && depth == 0 && !quoted {
            return &text[at + 1..];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problems_of;

    fn check_file(file: &str, text: &str) -> String {
        problems_of(check, &Workspace::default(), &[(file, text)])
    }

    #[test]
    fn a_module_with_an_item_passes() {
        assert_eq!(check_file("crates/a/src/b.rs", "//! Holds b.\n\nuse c::d;\nmod e {\n}"), "");
    }

    #[test]
    fn an_empty_module_fails() {
        let text = "//! Later.\n#![allow(x, reason = \"]\")]\n/* mod a; */\n// mod b;\n";
        let expected = "crates/a/src/b.rs:1: has no items; delete the module\n";
        assert_eq!(check_file("crates/a/src/b.rs", text), expected);
        let expected = "crates/a/src/b.rs:2: `mod c` is empty; delete it\n";
        assert_eq!(check_file("crates/a/src/b.rs", "//! b\npub(crate) mod c {}\n"), expected);
    }

    #[test]
    fn a_module_without_introduction_fails() {
        let expected = "crates/a/src/b.rs:1: must open with `//!`: what it holds, what feeds it, \
                        what it feeds\n";
        assert_eq!(check_file("crates/a/src/b.rs", "use c::d;"), expected);
        assert_eq!(check_file("crates/a/tests/it/main.rs", "use c::d;"), "");
    }

    #[test]
    fn a_drawer_fails() {
        for (file, line, text) in [
            ("crates/a/src/utils.rs", 1, "//! x\nfn a() {}"),
            ("crates/a/tests/common/mod.rs", 1, "//! x\nfn a() {}"),
            ("crates/a/src/b.rs", 2, "//! x\nmod helpers { fn a() {} }"),
        ] {
            let found = check_file(file, text);
            assert!(found.starts_with(&format!("{file}:{line}: `")), "{found}");
            assert!(found.ends_with("name the module after what it holds\n"), "{found}");
        }
    }
}
