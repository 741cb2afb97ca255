//! Examples: the bodies of `ExampleName` functions in test files.

use std::collections::BTreeMap;

use super::bodies::{Function, functions};
use super::comment::doc;
use super::constraint::header;
use super::text::is_exported;
use super::tokens::{Token, Tokens};
use crate::extract::Input;
use crate::extract::prose::fence;

/// An example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Example {
    /// What follows the name, if there are several for one: `second` in `ExampleName_second`.
    pub(super) suffix: String,
    /// Its documentation and its code, as Markdown.
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) file: String,
    pub(super) line: u32,
}

/// The examples of a package by what they are about; the empty name is the package.
pub(super) type Examples = BTreeMap<String, Vec<Example>>;

/// Reads the examples in test files.
pub(super) fn read(input: &Input<'_>, tests: &[String]) -> Examples {
    let mut found = Examples::new();
    for file in tests {
        // Most test files have none, and are not worth noting as read.
        let text = input.package.tree.text_of(file);
        if !text.is_some_and(|text| text.contains("func Example")) {
            continue;
        }
        let Some(text) = input.source(input.package, file) else { continue };
        if header(&text).is_some_and(|header| header.constraint == "ignore") {
            continue;
        }
        in_file(file, &text, &mut found);
    }
    found
}

fn in_file(file: &str, text: &str, found: &mut Examples) {
    let all = functions(text);
    let head = |function: &Function| text.get(function.head.clone()).unwrap_or_default();
    let named: Vec<(&Function, &str)> = all
        .iter()
        .filter_map(|function| {
            let rest = head(function).strip_prefix("func Example")?.trim_end();
            let name = rest.strip_suffix("()")?;
            let is_name = !name.starts_with(char::is_lowercase)
                && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            is_name.then_some((function, name))
        })
        .collect();
    // One example with declarations of its own, and no tests: the file is the example.
    let is_test = |function: &Function| {
        let head = head(function);
        ["func Test", "func Benchmark", "func Fuzz"].iter().any(|begin| head.starts_with(begin))
    };
    let whole = match named.as_slice() {
        [_] if !all.iter().any(is_test) => {
            after_imports(text).filter(|_| all.len() > 1 || has_others(text))
        }
        _ => None,
    };
    // Lines are counted on from the example before.
    let (mut counted, mut lines) = (0, 0);
    for (function, name) in named {
        let code = match whole {
            Some(whole) => whole.trim().to_owned(),
            None => unindented(text.get(function.body.clone()).unwrap_or_default()),
        };
        let above = text.get(..function.head.start).unwrap_or_default();
        let comments: Vec<&str> = {
            let mut lines: Vec<&str> =
                above.lines().rev().take_while(|line| line.starts_with("//")).collect();
            lines.reverse();
            lines
        };
        lines += text.get(counted..function.head.start).unwrap_or_default().matches('\n').count();
        counted = function.head.start;
        let about = doc(&comments).text;
        let separator = if about.is_empty() { "" } else { "\n\n" };
        let (subject, suffix) = subject(name);
        found.entry(subject).or_default().push(Example {
            suffix,
            lines: code.lines().count(),
            text: format!("{about}{separator}{}", fence("go", &code)),
            file: file.to_owned(),
            line: u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1),
        });
    }
}

/// What an example is about, and which of several it is: `Type_Method_suffix`.
fn subject(name: &str) -> (String, String) {
    let mut parts: Vec<&str> = name.split('_').collect();
    let mut suffix = Vec::new();
    while parts.len() > 1 && parts.last().is_some_and(|last| !is_exported(last)) {
        suffix.extend(parts.pop());
    }
    suffix.reverse();
    // More than a type and a method is a name with an underscore in it.
    let subject = if parts.len() == 2 { parts.join(".") } else { parts.join("_") };
    (subject, suffix.join(" "))
}

/// What follows the imports of a file.
fn after_imports(text: &str) -> Option<&str> {
    let mut end = None;
    let mut depth = 0usize;
    let mut in_header = false;
    for (token, range) in Tokens::new(text) {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Word
                if depth == 0 && matches!(text.get(range.clone())?, "package" | "import") =>
            {
                in_header = true;
            }
            Token::Newline if depth == 0 && in_header => {
                end = Some(range.end);
                in_header = false;
            }
            Token::Word if depth == 0 && !in_header => break,
            _ => {}
        }
    }
    text.get(end?..)
}

/// Whether a file declares types, variables or constants.
fn has_others(text: &str) -> bool {
    text.lines().any(|line| ["type ", "var ", "const "].iter().any(|begin| line.starts_with(begin)))
}

/// A body without its indentation.
fn unindented(body: &str) -> String {
    let lines = body.trim_matches('\n').lines();
    let lines = lines.map(|line| line.strip_prefix('\t').unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_an_example_is_about() {
        let check = |name, about: &str, suffix: &str| {
            assert_eq!(subject(name), (about.to_owned(), suffix.to_owned()), "{name}");
        };
        check("", "", "");
        check("_second", "", "second");
        check("New", "New", "");
        check("New_withOptions", "New", "withOptions");
        check("Client_Do", "Client.Do", "");
        check("Client_Do_twice", "Client.Do", "twice");
    }

    #[test]
    fn bodies_are_code() {
        let text = "package a\n\n// Adds.\nfunc ExampleAdd() {\n\tAdd(1)\n\t// Output: 1\n}\n\nfunc TestX(t *T) { x }\nfunc Exampleless() { }\n";
        let mut found = Examples::new();
        in_file("a_test.go", text, &mut found);
        let example = &found["Add"][0];
        assert_eq!(example.text, "Adds.\n\n```go\nAdd(1)\n// Output: 1\n```");
        assert_eq!((example.line, found.len()), (4, 1));
    }

    #[test]
    fn a_file_may_be_one_example() {
        let text =
            "package a\n\nimport (\n\t\"b\"\n)\n\ntype T int\n\nfunc Example() {\n\tT(1)\n}\n";
        let mut found = Examples::new();
        in_file("a_test.go", text, &mut found);
        assert_eq!(found[""][0].text, "```go\ntype T int\n\nfunc Example() {\n\tT(1)\n}\n```");
    }
}
