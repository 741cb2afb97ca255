//! The signature of a JavaScript function with the types that its comment gives.
//!
//! Fed by [`super::declare`] with the text and by [`super::jsdoc`] with the types.

use super::jsdoc::{Doc, Parameter};

/// `f(a, b = 1)` and `@param {string} a`, `@returns {void}` give `f(a: string, b = 1): void`.
pub(super) fn with_types(signature: &str, doc: &Doc, function: bool) -> String {
    if !function {
        let Some(kind) = &doc.value_type else { return signature.to_owned() };
        let plain = !signature.contains(['=', ':', '\n']);
        return if plain { format!("{signature}: {kind}") } else { signature.to_owned() };
    }
    let Some((open, close)) = parameters(signature) else { return signature.to_owned() };
    let inside = &signature[open + 1..close];
    let typed: Vec<String> = split(inside).into_iter().map(|part| one(part, doc)).collect();
    let typed = typed.join(", ");
    let rest = &signature[close + 1..];
    let result = doc.returns.as_ref().filter(|_| rest.trim().is_empty());
    let result = result.map_or(rest.to_owned(), |kind| format!(": {kind}"));
    format!("{}{typed}){result}", &signature[..=open])
}

/// The type that `@typedef` or `@callback` defines.
pub(super) fn alias(doc: &Doc) -> String {
    let Some((kind, name)) = &doc.typedef else { return String::new() };
    let list = |parts: &[Parameter], separator: &str| {
        let own = parts.iter().filter(|part| !part.name.contains(['.', '[']));
        let own = own.map(|part| {
            let optional = if part.optional { "?" } else { "" };
            let kind = if part.kind.is_empty() { "any" } else { &part.kind };
            format!("{}{optional}: {kind}", part.name)
        });
        own.collect::<Vec<_>>().join(separator)
    };
    match kind.as_str() {
        "Function" => {
            let result = doc.returns.as_deref().unwrap_or("void");
            format!("type {name} = ({}) => {result}", list(&doc.parameters, ", "))
        }
        "Object" | "object" if !doc.properties.is_empty() => {
            format!("type {name} = {{ {} }}", list(&doc.properties, "; "))
        }
        kind => format!("type {name} = {kind}"),
    }
}

fn one(part: &str, doc: &Doc) -> String {
    let part = part.trim();
    let name = part.split('=').next().unwrap_or(part).trim();
    let bare = name.trim_start_matches("...");
    let known = doc.parameters.iter().find(|known| known.name == bare && !known.kind.is_empty());
    match known {
        Some(known) if !name.contains([':', '{', '[']) => {
            let kind = known.kind.trim_start_matches("...");
            let array = if name.starts_with("...") && !kind.ends_with("[]") { "[]" } else { "" };
            let default = part[name.len()..].trim();
            let space = if default.is_empty() { "" } else { " " };
            let optional = if known.optional && default.is_empty() { "?" } else { "" };
            format!("{name}{optional}: {kind}{array}{space}{default}")
        }
        _ => part.to_owned(),
    }
}

/// Where the first list of parameters opens and closes.
fn parameters(signature: &str) -> Option<(usize, usize)> {
    let open = signature.find('(')?;
    let mut depth = 0usize;
    for (at, byte) in signature.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((open, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts between commas that are not inside brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(signature: &str, comment: &str, expected: &str) {
        assert_eq!(with_types(signature, &super::super::jsdoc::parse(comment), true), expected);
    }

    #[test]
    fn types_from_comments() {
        check(
            "function f(a, b)",
            "/** @param {string} a\n@returns {void} */",
            "function f(a: string, b): void",
        );
        check(
            "f(a, ...rest)",
            "/** @param {number} [a]\n@param {...any} rest */",
            "f(a?: number, ...rest: any[])",
        );
        check("f(a = 1, { b })", "/** @param {number} a */", "f(a: number = 1, { b })");
        check("f)(", "/** @param {number} a */", "f)(");
    }
}
