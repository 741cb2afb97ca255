//! When two signatures say the same.
//!
//! What a reader cannot tell apart is made equal, and nothing else:
//!
//! * White space, and `'` for `"`: how a source is laid out is not part of an API.
//! * A comma or semicolon before a closing bracket or at the end, and the bar that opens a union on a
//!   line of its own: they come and go with the line breaks.
//! * A `namespace` that is merged with something else: it adds names, which are compared as such.
//! * Python's decorators: a tool that looks at the result does not see them. A property may be
//!   written as the method it is or as an attribute of the type it returns. What follows the head
//!   of a class is its members, which are compared as such.
//! * After a value whose type has a name (`const f: typeof g`, `const f: F`) may come what that name
//!   stands for, which says more, not something else.
//! * Go's comments, which its tool prints inside of declarations, and we with each member.
//! * Rust: `pub`; where a name is from (`fmt::Result`, `Result`), since rustdoc links it instead; attributes,
//!   comments and the value of a constant; what is inside the braces of a trait, which is compared as
//!   such, and the braces that stand for a body; `_` for a lifetime that is not written; where the bounds of
//!   a parameter stand, and the order of methods of one name for several type arguments.
//! * Rust, in other crates than the one at hand: what [`crate::inlined`] lists.
//! * A signature of ours that ends in `…` was cut for being too long; what is there must be right.

use std::collections::BTreeSet;

use docent_packages::Ecosystem;

use crate::inlined::{self, Form, Written};

/// The text without what makes no difference.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => continue,
            '\'' => out.push('"'),
            ')' | ']' | '}' | '>' => {
                while out.ends_with([',', ';']) {
                    out.pop();
                }
                out.push(c);
            }
            '|' | '&' if out.ends_with(['=', '(', '<', ':', ',', '[']) && !out.ends_with("=>") => {}
            c => out.push(c),
        }
    }
    out.truncate(out.trim_end_matches([',', ';']).len());
    out
}

/// Whether what we show of something that is written in another crate is right.
pub(crate) fn same_inlined(ours: &str, owner: Option<&str>, right: &[String]) -> bool {
    right.iter().any(|right| {
        let selves = owner.map(|owner| inlined::selves(owner, right)).unwrap_or_default();
        let selves = selves.iter().map(|this| Some(this.as_str())).chain([None]);
        { selves }.map(Written::Elsewhere).any(|by| forms(ours, by) == forms(right, by))
    })
}

/// The forms of declarations; methods of one name for several type arguments are many.
fn forms(text: &str, written: Written<'_>) -> BTreeSet<Form> {
    let starts = text.match_indices("\npub ").map(|(at, _)| at).chain([text.len()]);
    let mut from = 0;
    starts
        .map(|at| {
            let part = &text[from..at];
            from = at;
            inlined::form(part.trim(), written, rust_form)
        })
        .collect()
}

/// Whether what we show is one of the texts that are right.
pub(crate) fn same(ecosystem: Ecosystem, ours: &[&str], right: &[String]) -> bool {
    if ecosystem == Ecosystem::Go {
        let right: Vec<String> = right.iter().map(|right| folded(right)).collect();
        let ours = ours.iter().map(|one| folded(&without_comments(one)));
        return { ours }.any(|one| match one.strip_suffix('…') {
            Some(begin) => right.iter().any(|right| right.starts_with(begin)),
            None => right.contains(&one),
        });
    }
    if ecosystem == Ecosystem::Rust {
        let is_same =
            |one: &str, right: &str| forms(one, Written::Here) == forms(right, Written::Here);
        if right.iter().any(|right| ours.iter().any(|one| is_same(one, right))) {
            return true;
        }
        let ours: Vec<String> = ours.iter().map(|one| rust_form(one)).collect();
        return right.iter().map(|right| rust_form(right)).any(|right| {
            // The fields of a variant have a list of their own on its page.
            let is_variant =
                |one: &String| one.strip_prefix(&right).is_some_and(|rest| rest.starts_with('{'));
            ours.iter().any(|one| *one == right || is_variant(one))
        });
    }
    right.iter().any(|right| {
        let declarations = declarations(ecosystem, right.lines());
        // Several of our items can share a name, where the language merges declarations.
        is_made_of(&shown(ecosystem, ours.iter().copied()), &declarations)
            || ours.iter().any(|one| is_made_of(&shown(ecosystem, [*one]), &declarations))
    })
}

/// A Rust declaration without what rustdoc writes otherwise.
fn rust_form(source: &str) -> String {
    let lines = source.lines().filter(|line| {
        let line = line.trim_start();
        !(line.starts_with("#[") && line.ends_with(']') && !line.starts_with("#[derive"))
    });
    let mut text: String = lines.collect::<Vec<_>>().join("\n");
    while let Some(start) = text.find("/*")
        && let Some(end) = text[start..].find("*/")
    {
        text.replace_range(start..start + end + 2, "");
    }
    let text = without_comments(&text.replace('\'', "\u{1}")).replace('\u{1}', "'");
    let is_trait = text.contains("trait ") && !text.contains("fn ") || text.contains(" trait ");
    let text = match text.split_once('{') {
        Some((head, _)) if is_trait || text.contains("fn ") && !text.contains("enum ") => head,
        _ => &text,
    };
    let is_value = text.starts_with("pub const ") && !text.contains("fn ")
        || text.starts_with("const ") && !text.contains("fn ")
        || text.starts_with("pub static ");
    let text = if is_value { text.split(" = ").next().unwrap_or(text) } else { text };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("::") {
            // Only the last name of a path counts.
            let start = out.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
            out.truncate(start);
            rest = after;
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    let out = folded(&out).replace(",{", "{").replace("\"_,", "").replace("<\"_>", "");
    // What returns nothing need not say so.
    let out = out.strip_suffix("->()").map_or(out.clone(), str::to_owned);
    let out = out.replace("\"_", "");
    out.strip_prefix("pub").map_or(out.clone(), str::to_owned)
}

/// Go source without what follows `//` outside of strings.
fn without_comments(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut quote = None;
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        let escaped = c == '\\' && matches!(quote, Some('"' | '\''));
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '`' | '\'') => quote = Some(c),
            _ => {}
        }
        let length =
            if escaped { rest.chars().take(2).map(char::len_utf8).sum() } else { c.len_utf8() };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

fn declarations<'a>(ecosystem: Ecosystem, lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<String> = lines.map(folded).collect();
    if ecosystem == Ecosystem::Npm && all.iter().any(|line| !is_namespace(line)) {
        all.retain(|line| !is_namespace(line));
    }
    // Longest first: one may be the beginning of another.
    all.sort_by_key(|line| std::cmp::Reverse(line.len()));
    all.dedup();
    all
}

fn is_namespace(folded: &str) -> bool {
    folded.starts_with("namespace") || folded.starts_with("module")
}

fn shown<'a>(ecosystem: Ecosystem, ours: impl IntoIterator<Item = &'a str>) -> String {
    let mut lines = ours.into_iter().flat_map(str::lines);
    if ecosystem == Ecosystem::Npm {
        let lines: Vec<&str> = lines.collect();
        let kept = lines.iter().filter(|line| !is_namespace(line) || lines.len() == 1);
        return folded(&kept.copied().collect::<Vec<_>>().join("\n"));
    }
    let mut lines = lines.by_ref().skip_while(|line| line.starts_with('@')).peekable();
    if lines.peek().is_some_and(|line| line.starts_with("class ")) {
        return folded(lines.next().unwrap_or_default());
    }
    let kept: Vec<&str> = lines.filter(|line| !line.starts_with('@')).collect();
    folded(&kept.join("\n"))
}

/// Whether a text is these declarations, in any order.
fn is_made_of(text: &str, declarations: &[String]) -> bool {
    if let Some(begin) = text.strip_suffix('…') {
        return declarations.iter().any(|right| right.starts_with(begin));
    }
    let mut left: Vec<&String> = declarations.iter().collect();
    let mut rest = text;
    while !left.is_empty() {
        // A separator that stood between two declarations is at the end of neither.
        rest = rest.trim_start_matches([';', ',']);
        let Some(next) = left.iter().position(|right| rest.starts_with(right.as_str())) else {
            return is_property(text, declarations);
        };
        rest = &rest[left.remove(next).len()..];
    }
    rest.is_empty() || matches!(declarations, [one] if is_named_value(one))
}

fn is_named_value(folded: &str) -> bool {
    let is_path = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_$.".contains(c));
    folded.starts_with("const") && folded.split_once(':').is_some_and(|(_, named)| is_path(named))
}

/// `name:T` for `defname(self)->T`.
fn is_property(text: &str, declarations: &[String]) -> bool {
    let Some((name, kind)) = text.split_once(':') else { return false };
    let [declaration] = declarations else { return false };
    let getter = declaration.strip_prefix("def").and_then(|rest| rest.strip_prefix(name));
    getter.and_then(|rest| rest.split_once(")->")).is_some_and(|(_, returned)| returned == kind)
}

/// Whether all parameters of a runtime signature occur in ours.
pub(crate) fn has_parameters(ours: &[&str], parameters: &[String]) -> bool {
    let text = ours.join("\n");
    let words: std::collections::HashSet<&str> =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    // Stubs write what is only positional with two underscores.
    parameters
        .iter()
        .all(|name| words.contains(name.as_str()) || words.contains(format!("__{name}").as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_makes_no_difference() {
        let check = |one, other| assert_eq!(folded(one), folded(other));
        check("type A =\n  | 'a'\n  | 'b';", "type A = \"a\" | \"b\"");
        check("f(\n  a: string,\n  b: number,\n): void", "f(a: string, b: number): void");
        check("{ a: 1; b: 2; }", "{ a: 1; b: 2 }");
        assert_ne!(folded("f(a: string)"), folded("f(a?: string)"));
        assert_ne!(folded("() => | A"), folded("() => A"), "not a place where a union begins");
    }

    #[test]
    fn what_is_shown_is_one_of_the_right_texts() {
        let check = |ecosystem, ours: &[&str], right: &str, expected| {
            assert_eq!(same(ecosystem, ours, &[right.to_owned()]), expected, "{ours:?} {right}");
        };
        let npm = Ecosystem::Npm;
        check(npm, &["f(a: 1): 1;\nf(a: 2): 2"], "f(a: 2): 2\nf(a: 1): 1", true);
        check(npm, &["f(a: 1): 1"], "f(a: 2): 2\nf(a: 1): 1", false);
        check(npm, &["interface A", "const A: B"], "const A: B\ninterface A", true);
        check(npm, &["function f(): void"], "function f(): void\nnamespace f", true);
        check(npm, &["const f: typeof g\nfunction g(): void"], "const f: typeof g", true);
        check(npm, &["const f: A | B\nfunction g(): void"], "const f: A | B", false);
        check(npm, &["type A = 'long…"], "type A = 'longer'", true);
        let python = Ecosystem::Python;
        check(python, &["@property\ndef x(self) -> int"], "def x(self) -> int", true);
        check(python, &["x: int"], "def x(self) -> int", true);
        check(python, &["x: str"], "def x(self) -> int", false);
        let go = Ecosystem::Go;
        check(go, &["func f(a int)"], "func f(\n\ta int,\n)", true);
        check(go, &["func f(a int)"], "func f(b int)", false);
        check(go, &["const A K = iota // 2"], "const A K = iota", true);
        check(go, &["const A = \"//\\\"\" // 2"], "const A = \"//\\\"\"", true);
        check(
            go,
            &["type A struct {\n\tB int\n\n\t// Has unexported fields.\n}"],
            "type A struct {\n\tB int\n}",
            true,
        );
        check(go, &["var A = T{…"], "var A = T{1, 2}", true);
        check(python, &["@dataclass\nclass A(B)\nx: int"], "class A(B)", true);
    }
}
