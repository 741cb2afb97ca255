//! Character classes, `[…]`: the part of the syntax where the dialects differ most.
//!
//! Fed by `translate` after an opening bracket. In ECMA-262 `[`, `&&`, and `--` inside a
//! class are ordinary characters, `[]` matches nothing, and `[^]` matches anything.

use super::escape::{NOT_SPACE, SPACE, escaped_char, literal};

/// Reads a class up to its closing bracket and writes it; returns how many items it has.
pub(super) fn read(rest: &mut &str, out: &mut String) -> Result<usize, String> {
    let negated = skip(rest, '^');
    if skip(rest, ']') {
        // The first can never match: no place is a word boundary and not one.
        out.push_str(if negated { r"[\x{0}-\x{10ffff}]" } else { r"(?:\b\B)" });
        return Ok(1);
    }
    out.push_str(if negated { "[^" } else { "[" });
    let mut items = 0;
    while !skip(rest, ']') {
        items += 1;
        let Some(first) = item(rest, out)? else { continue };
        let range = rest.strip_prefix('-').filter(|after| !after.starts_with(']'));
        let Some(mut after) = range else {
            literal(first, out);
            continue;
        };
        // `[a-\d]`: with a class at the end it is no range but three items.
        let mut end = String::new();
        match item(&mut after, &mut end)? {
            Some(last) if last < first => {
                return Err(format!("range `{first}-{last}` is reversed"));
            }
            Some(last) => {
                literal(first, out);
                out.push('-');
                literal(last, out);
            }
            None => {
                literal(first, out);
                literal('-', out);
                out.push_str(&end);
            }
        }
        *rest = after;
    }
    out.push(']');
    Ok(items)
}

/// Reads one character, or writes a shorthand class such as `\d` and returns `None`.
fn item(rest: &mut &str, out: &mut String) -> Result<Option<char>, String> {
    let mut chars = rest.chars();
    let c = chars.next().ok_or("unclosed `[`")?;
    *rest = chars.as_str();
    if c != '\\' {
        return Ok(Some(c));
    }
    let shorthand = match rest.chars().next() {
        Some('d') => r"\d",
        Some('D') => r"\D",
        Some('w') => r"\w",
        Some('W') => r"\W",
        Some('s') => SPACE,
        Some('S') => NOT_SPACE,
        Some('b') => r"\x{8}",
        _ => return escaped_char(rest).map(Some),
    };
    *rest = &rest[1..];
    out.push_str(shorthand);
    Ok(None)
}

fn skip(rest: &mut &str, c: char) -> bool {
    match rest.strip_prefix(c) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}
