//! Variables of the environment inside configuration: `${NAME}` and `${NAME?}` as npm has them,
//! `${NAME-default}` and `${NAME:-default}` as pnpm and Yarn have them.

use crate::Environment;

/// The text with its variables put in; the name of one that is not set, which npm would leave as it
/// is written, and which must not be sent to anybody like that.
pub(super) fn expand(text: &str, environment: &Environment) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        let inside = from[2..].split_once('}').filter(|(name, _)| !name.contains(['$', '{']));
        let Some((inside, after)) = inside else {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = &from[2..];
            continue;
        };
        // Two backslashes stand for one; one that is left over takes the variable's meaning away.
        let text = before.trim_end_matches('\\');
        let escapes = before.len() - text.len();
        expanded.push_str(text);
        expanded.push_str(&before[text.len()..][..escapes / 2]);
        if escapes % 2 == 1 {
            expanded.push_str(&from[..inside.len() + 3]);
        } else {
            expanded.push_str(value(inside, environment)?);
        }
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn value<'a>(inside: &'a str, environment: &'a Environment) -> Result<&'a str, String> {
    // An empty variable is a value to npm; only `:-` takes it for none.
    let get = |name: &str| environment.variables().find(|(one, _)| *one == name).map(|(_, it)| it);
    match inside.split_once('-') {
        Some((name, default)) => Ok(match name.strip_suffix(':') {
            Some(name) => environment.variable(name).unwrap_or(default),
            None => get(name).unwrap_or(default),
        }),
        None => match inside.strip_suffix('?') {
            Some(name) => Ok(get(name).unwrap_or_default()),
            None => get(inside).ok_or_else(|| inside.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn variables_are_put_in() {
        let environment =
            Environment::isolated(Path::new("/")).with("A", "one").with("B", "t${A}").with("E", "");
        let check = |text: &str, expected: Result<&str, &str>| {
            let expanded = expand(text, &environment);
            assert_eq!(expanded.as_deref().map_err(String::as_str), expected, "{text}");
        };
        check("plain", Ok("plain"));
        check("${A}", Ok("one"));
        check("<${A}${A}>", Ok("<oneone>"));
        check("${B}", Ok("t${A}"));
        check("${C}", Err("C"));
        check("x${C}y${A}", Err("C"));
        check("${C?}", Ok(""));
        check("${A?}", Ok("one"));
        check("${C-two}", Ok("two"));
        check("${C:-two-three}", Ok("two-three"));
        check("${A-two}", Ok("one"));
        check("\\${C}", Ok("${C}"));
        check("\\\\${A}", Ok("\\one"));
        check("\\\\\\${A}", Ok("\\${A}"));
        check("<${E}>", Ok("<>"));
        check("${E-two}", Ok(""));
        check("${E:-two}", Ok("two"));
        check("${", Ok("${"));
        check("${A", Ok("${A"));
        check("${${A}}", Ok("${one}"));
        check("$A", Ok("$A"));
        check("é${A}é", Ok("éoneé"));
    }
}
