//! What a stub and its source owe each other: the stub the defaults that it writes as `...`, the source
//! the types that it has not.
//!
//! [`super::signature`] marks the gaps; [`super::modules`] has them filled once both files are read.

use super::scope::{Function, Scope, What};

/// Encloses the name of the parameter whose default is missing. No source has it in a signature.
const MARK: char = '\u{1}';

/// With more overloads than that, a stub has one for each value of an argument, and few are shown.
const OVERLOADS_MAX: usize = 8;
const OVERLOADS_SHOWN: usize = 2;

/// The gap that stands for the default of a parameter.
pub(super) fn gap(parameter: &str) -> String {
    format!("{MARK}{parameter}{MARK}")
}

/// Fills the gaps in all functions of a scope with what the source's functions of the same name say.
pub(super) fn complete(stub: &mut Scope, source: Option<&Scope>, nesting_max: usize) {
    for binding in &mut stub.bindings {
        let source = source.and_then(|source| source.get(&binding.name));
        match (&mut binding.what, source.map(|source| &source.what)) {
            (What::Function(function), Some(What::Function(source))) => {
                fill(function, Some(source))
            }
            (What::Function(function), _) => fill(function, None),
            (What::Class(class), source) if nesting_max > 0 => {
                let source = match source {
                    Some(What::Class(source)) => Some(&source.members),
                    _ => None,
                };
                complete(&mut class.members, source, nesting_max - 1);
            }
            _ => {}
        }
    }
}

/// Adds the types that the stubs of another distribution give to functions and variables without any.
pub(super) fn annotate(source: &mut Scope, stub: &Scope, whose: &str, nesting_max: usize) {
    for binding in &mut source.bindings {
        let Some(stub) = stub.get(&binding.name) else { continue };
        match (&mut binding.what, &stub.what) {
            (What::Function(function), What::Function(typed)) if !function.is_annotated => {
                function.typed = vec![format!("# {whose} declares it as")];
                match typed.overloads.is_empty() {
                    true => function.typed.push(typed.text.clone()),
                    false => {
                        let all = typed.overloads.len();
                        let shown = if all > OVERLOADS_MAX { OVERLOADS_SHOWN } else { all };
                        function.typed.extend(typed.overloads.iter().take(shown).cloned());
                        let more = all - shown;
                        function.typed.extend((more > 0).then(|| format!("# and {more} more")));
                    }
                }
            }
            (What::Variable(variable), What::Variable(typed)) if variable.annotation.is_none() => {
                variable.annotation.clone_from(&typed.annotation);
            }
            (What::Class(class), What::Class(typed)) if nesting_max > 0 => {
                annotate(&mut class.members, &typed.members, whose, nesting_max - 1);
            }
            _ => {}
        }
    }
}

/// A signature in which nothing will fill the gaps.
pub(super) fn without_gaps(text: &str) -> String {
    let mut text = text.to_owned();
    fill_text(&mut text, &[]);
    text
}

fn fill(function: &mut Function, source: Option<&Function>) {
    let defaults = source.map_or(&[][..], |source| source.defaults.as_slice());
    // Which default an overload is about only the stub can say.
    let of_overload = function.overloads.len() > 1;
    for overload in &mut function.overloads {
        fill_text(overload, if of_overload { &[] } else { defaults });
    }
    fill_text(&mut function.text, defaults);
    if let Some(setter) = &mut function.setter {
        fill_text(setter, &[]);
    }
}

fn fill_text(text: &mut String, defaults: &[(String, String)]) {
    if !text.contains(MARK) {
        return;
    }
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split(MARK).enumerate() {
        if at % 2 == 0 {
            out.push_str(part);
            continue;
        }
        let known = defaults.iter().find(|(name, _)| name == part);
        out.push_str(known.map_or("...", |(_, default)| default));
    }
    *text = out;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_by_name() {
        let check = |text: &str, expected: &str| {
            let mut text = text.to_owned();
            fill_text(&mut text, &[("one".to_owned(), "1".to_owned())]);
            assert_eq!(text, expected);
        };
        check(&format!("def f(one: int = {})", gap("one")), "def f(one: int = 1)");
        check(&format!("def f(other: int = {})", gap("other")), "def f(other: int = ...)");
        check("def f()", "def f()");
        check("\u{1}", "...");
    }
}
