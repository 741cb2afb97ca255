//! Variables of the environment inside configuration: `${NAME}`, `${NAME-default}`, `${NAME?}`.

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
        match before.strip_suffix('\\') {
            Some(before) => {
                expanded.push_str(before);
                expanded.push_str(&from[..inside.len() + 3]);
            }
            None => {
                expanded.push_str(before);
                expanded.push_str(value(inside, environment)?);
            }
        }
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn value<'a>(inside: &'a str, environment: &'a Environment) -> Result<&'a str, String> {
    let (name, default) = match inside.split_once('-') {
        Some((name, default)) => (name.strip_suffix(':').unwrap_or(name), Some(default)),
        None => match inside.strip_suffix('?') {
            Some(name) => (name, Some("")),
            None => (inside, None),
        },
    };
    environment.variable(name).or(default).ok_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn variables_are_put_in() {
        let environment = Environment::isolated(Path::new("/")).with("A", "one").with("B", "t${A}");
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
        check("${", Ok("${"));
        check("${A", Ok("${A"));
        check("${${A}}", Ok("${one}"));
        check("$A", Ok("$A"));
        check("é${A}é", Ok("éoneé"));
    }
}
