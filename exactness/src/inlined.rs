//! What rustdoc writes otherwise than the source does.
//!
//! Everywhere: bounds of one parameter stand together, in the `where` clause or with the parameter, and
//! those of a trait in another order.
//!
//! Declarations of a crate other than the one at hand it has from compiled metadata and not from their
//! source, and writes them in another way that says the same. Each difference that follows from that is
//! made equal here, for such items only:
//!
//! * `Self` in a type's own methods is the type of their `impl` block: `Arg`, `Sender<T>`, `Sender<u8>`;
//!   within one declaration it is one type.
//! * `F::Output` is `<F as Future>::Output`.
//! * A `Result` with less than two arguments, which is an alias, has all of them: `Result<u8, Error>`,
//!   `Result<(), Error>`.
//! * Variants have their numbers, which the source need not write: `A = 0`.
//! * `PointeeSized`, which the standard library calls it inside, is `?Sized`.
//! * The parentheses of `*mut (dyn A + 'a)` are left out, and so is `+ '_`.
//! * `for<'a> &'a T: B` is `&'a T: for<'a> B`.

use std::collections::BTreeSet;

/// What two declarations are compared by.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Form {
    text: String,
    bounds: BTreeSet<String>,
}

/// How much is made equal.
#[derive(Clone, Copy)]
pub(crate) enum Written<'t> {
    /// Only where bounds stand.
    Here,
    /// What metadata writes otherwise, where `Self` is that type.
    Elsewhere(Option<&'t str>),
}

/// The form of a declaration; `fold` is what is done to the text of every declaration.
pub(crate) fn form(declaration: &str, written: Written<'_>, fold: impl Fn(&str) -> String) -> Form {
    let (text, clause) = without_clause(declaration);
    let (text, mut bounds) = without_bounds(&text);
    bounds.extend(clause);
    let (text, asked) = without_supertraits(&text);
    bounds.extend(asked);
    let finish = |text: &str| match written {
        Written::Here => fold(text),
        Written::Elsewhere(this) => {
            let text = this.map_or(text.to_owned(), |this| with_self(text, this));
            let text = text.replace(" + '_", "").replace("PointeeSized", "?Sized");
            let text = fold(&without_projections(&without_parentheses(&text)));
            let text = text.replace(",Error>>", ">>").replace(",Error>", ">");
            without_numbers(&text.replace("Result<()>", "Result"))
        }
    };
    let bounds = bounds.iter().flat_map(|(name, all)| {
        let (binder, name) = binder(name);
        let name = finish(name);
        let each = move |bound: &str| (name.clone(), format!("{binder}{bound}"));
        split(all, '+').into_iter().map(each)
    });
    let bounds = bounds.map(|(name, bound)| format!("{name}:{}", finish(&bound)));
    // That is what a trait asks for anyway.
    let bounds = bounds.filter(|bound| bound != "Self:?Sized");
    Form { text: finish(&text), bounds: bounds.collect() }
}

/// The types that `Self` may be in a method of a type: as the type is declared, or as it stands in what
/// rustdoc writes. `owner` is the declaration of the type.
pub(crate) fn selves(owner: &str, right: &str) -> Vec<String> {
    let Some(declared) = type_of(owner) else { return Vec::new() };
    let name = declared.split('<').next().unwrap_or_default().to_owned();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = vec![declared];
    for (at, _) in right.match_indices(&name) {
        let rest = &right[at + name.len()..];
        if right[..at].ends_with(is_word) || rest.starts_with(is_word) {
            continue;
        }
        let end = rest.strip_prefix('<').and_then(|inside| outside(inside, |c| c == '>'));
        let this = &right[at..at + name.len() + end.map_or(0, |end| end + "<>".len())];
        if !found.iter().any(|known| known == this) {
            found.push(this.to_owned());
        }
    }
    found
}

/// What a parameter has to be.
type Bound = (String, String);

/// The declaration without its `where` clause, and what that says.
fn without_clause(declaration: &str) -> (String, Vec<Bound>) {
    // rustdoc writes no space before it, and always a line break after it.
    let Some(start) = declaration.find("where\n") else {
        return (declaration.to_owned(), Vec::new());
    };
    let clause = &declaration[start + "where\n".len()..];
    let end = outside(clause, |c| c == '{' || c == ';').unwrap_or(clause.len());
    let bounds = split(&clause[..end], ',').into_iter().filter_map(bound).collect();
    (format!("{} {}", &declaration[..start], &clause[end..]), bounds)
}

/// The declaration without the bounds in its list of parameters.
fn without_bounds(declaration: &str) -> (String, Vec<Bound>) {
    let kept = || (declaration.to_owned(), Vec::new());
    let name = ["fn ", "struct ", "enum ", "union ", "trait ", "type "].iter().find_map(|word| {
        let start = declaration.find(word)? + word.len();
        let length = declaration[start..].find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        Some(start + length)
    });
    let Some(open) = name.filter(|&at| declaration[at..].starts_with('<')) else { return kept() };
    let inside = &declaration[open + 1..];
    let Some(close) = outside(inside, |c| c == '>') else { return kept() };
    let mut bounds = Vec::new();
    let parameters = split(&inside[..close], ',').into_iter().map(|parameter| {
        let (head, default) = match outside(parameter, |c| c == '=') {
            Some(at) => (&parameter[..at], &parameter[at..]),
            None => (parameter, ""),
        };
        match bound(head).filter(|_| !head.starts_with("const ")) {
            Some((name, all)) => {
                bounds.push((name.clone(), all));
                format!("{name}{default}")
            }
            None => parameter.to_owned(),
        }
    });
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    (format!("{}<{parameters}{}", &declaration[..open], &inside[close..]), bounds)
}

/// Folded variants without the numbers behind them.
fn without_numbers(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len());
    let mut rest = folded;
    while let Some(at) = rest.find('=') {
        let digits = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = digits.len() < rest.len() - at - 1
            && (digits.is_empty() || digits.starts_with([',', '}']));
        out.push_str(&rest[..at + usize::from(!is_number)]);
        rest = if is_number { digits } else { &rest[at + 1..] };
    }
    out + rest
}

/// What a trait's head asks for, apart from the rest of it.
fn without_supertraits(declaration: &str) -> (String, Vec<Bound>) {
    let end = declaration.find('{').unwrap_or(declaration.len());
    let at = declaration.find("trait ").and_then(|_| outside(&declaration[..end], |c| c == ':'));
    let Some(at) = at else { return (declaration.to_owned(), Vec::new()) };
    let bounds = declaration[at + 1..end].trim().to_owned();
    let text = format!("{} {}", declaration[..at].trim_end(), &declaration[end..]);
    (text, vec![("Self".to_owned(), bounds)])
}

/// `for<'a>` before a bound, and the rest of it.
fn binder(text: &str) -> (&str, &str) {
    let end =
        text.strip_prefix("for<").and_then(|rest| rest.find('>')).map(|at| at + "for<>".len());
    let (binder, name) = text.split_at(end.unwrap_or(0));
    (binder, name.trim_start())
}

fn bound(text: &str) -> Option<Bound> {
    let at = outside(text, |c| c == ':')?;
    Some((text[..at].trim().to_owned(), text[at + 1..].trim().to_owned()))
}

/// The first place outside of all brackets for which something holds.
fn outside(text: &str, holds: impl Fn(char) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let is_arrow = c == '>' && matches!(last, '-' | '=');
        let is_path = c == ':' && (last == ':' || text[at + 1..].starts_with(':'));
        last = c;
        if is_arrow || is_path {
            continue;
        }
        if depth == 0 && holds(c) {
            return Some(at);
        }
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The parts between separators that are outside of all brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = outside(rest, |c| c == separator) {
        parts.push(rest[..at].trim());
        rest = &rest[at + separator.len_utf8()..];
    }
    parts.push(rest.trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// `Output` for `<F as Future>::Output`, as other paths are compared by their last name.
fn without_projections(text: &str) -> String {
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(open) = text[from..].find('<').map(|at| from + at) {
        from = open + 1;
        let Some(close) = outside(&text[from..], |c| c == '>').map(|at| from + at) else {
            continue;
        };
        let inside = &text[from..close];
        if text[close..].starts_with(">::") && inside.contains(" as ") {
            text.replace_range(open..close + ">::".len(), "");
            from = open;
        }
    }
    text
}

fn without_parentheses(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(open) = text.find("(dyn ")
        && let Some(close) = outside(&text[open + 1..], |c| c == ')')
    {
        text.remove(open + 1 + close);
        text.remove(open);
    }
    text
}

/// The type that a declaration declares, with its parameters: `Sender<T>`.
fn type_of(declaration: &str) -> Option<String> {
    let (declaration, _) = without_bounds(declaration);
    // Types of the language have no declaration, only a name.
    if !declaration.is_empty() && declaration.chars().all(|c| c.is_alphanumeric()) {
        return Some(declaration);
    }
    let words = ["struct ", "enum ", "union "];
    let start = words.iter().find_map(|word| Some(declaration.find(word)? + word.len()))?;
    let rest = &declaration[start..];
    let name = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    if !rest[name..].starts_with('<') {
        return Some(rest[..name].to_owned());
    }
    let close = outside(&rest[name + 1..], |c| c == '>')?;
    let parameters = split(&rest[name + 1..name + 1 + close], ',');
    let names = parameters.iter().map(|parameter| {
        let parameter = parameter.trim_start_matches("const ");
        parameter.split([':', '=']).next().unwrap_or(parameter).trim()
    });
    Some(format!("{}<{}>", &rest[..name], names.collect::<Vec<_>>().join(", ")))
}

/// `Self` in the place of the type.
fn with_self(text: &str, this: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(this) {
        let (before, after) = (&rest[..at], &rest[at + this.len()..]);
        let begins = !before.chars().next_back().is_some_and(is_word);
        let ends = !after.starts_with(|c: char| is_word(c) || (c == '<' && !this.ends_with('>')));
        out.push_str(before);
        out.push_str(if begins && ends { "Self" } else { this });
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.split_whitespace().collect()
    }

    fn check(ours: &str, right: &str, owner: Option<&str>, expected: bool) {
        let selves = owner.map(|owner| selves(owner, right)).unwrap_or_default();
        let selves = selves.iter().map(|this| Some(this.as_str())).chain([None]);
        let form = |text, this| form(text, Written::Elsewhere(this), plain);
        let same = { selves }.any(|this| form(ours, this) == form(right, this));
        assert_eq!(same, expected, "{ours} / {right}");
    }

    #[test]
    fn what_metadata_writes_otherwise_is_the_same() {
        check("fn a<F: B + C>(f: F)", "fn a<F>(f: F)where\n    F: C + B,", None, true);
        check("fn a<F: B>(f: F)", "fn a<F>(f: F)", None, false);
        check("fn a<F: B>(f: F)", "fn a<F>(f: F) where\n    F: C,", None, false);
        check(
            "struct A<S: B>(S)\nwhere\n    S: C;",
            "struct A<S>(S)\nwhere\n    S: B + C;",
            None,
            true,
        );
        let arg = Some("pub struct Arg { /* private fields */ }");
        check("fn new() -> Self", "fn new() -> Arg", arg, true);
        check("fn new() -> Self", "fn new() -> Args", arg, false);
        check("fn new() -> Self", "fn new() -> ArgId", arg, false);
        let sender = Some("pub struct Sender<T: Send = u8> { /* private fields */ }");
        check("fn a(&self, o: &Self)", "fn a(&self, o: &Sender<T>)", sender, true);
        check("fn a(&self, o: &Self)", "fn a(&self, o: &Sender<u8>)", sender, true);
        check(
            "fn a(&self, o: &Self) -> Self",
            "fn a(&self, o: &Sender<u8>) -> Sender<T>",
            sender,
            false,
        );
        check("fn a(&self, o: &Sender<T>)", "fn a(&self, o: &Sender<u8>)", sender, false);
        check("fn a(self) -> Option<Self>", "fn a(self) -> Option<i32>", Some("i32"), true);
        check("trait A: B + C + PointeeSized {}", "trait A:\n    C\n    + B {}", None, true);
        check("trait A: B + C {}", "trait A: B {}", None, false);
        check("enum A {\n    B,\n}", "enum A {\n    B = 0,\n}", None, true);
        check("fn a(self) -> Result", "fn a(self) -> Result<(), Error>", None, true);
        check("struct A<T: PointeeSized>(T)", "struct A<T>(T) where\n    T: ?Sized,", None, true);
        check("fn a<F: B>() -> Output", "fn a<F>() -> <F as B>::Output where\n F: B", None, true);
        check("fn a() -> P<Result<u8>>", "fn a() -> P<Result<u8, Error>>", None, true);
        check("fn a() -> P<Result<u8>>", "fn a() -> P<Result<u8, Other>>", None, false);
        check("fn a(b: *mut (dyn A + 'a))", "fn a(b: *mut dyn A + 'a)", None, true);
        check("fn a(self: Pin<&mut Self>)", "fn a(self: Pin<&mut Arg>)", arg, true);
        check("fn a() -> impl B<C> + '_", "fn a() -> impl B<C>", None, true);
        check(
            "fn a()\nwhere\n    for<'a> &'a T: B",
            "fn a()where\n    &'a T: for<'a> B,",
            None,
            true,
        );
        check("fn a(f: impl Fn(u8) -> u8)", "fn a(f: impl Fn(u8) -> u8)", None, true);
    }
}
