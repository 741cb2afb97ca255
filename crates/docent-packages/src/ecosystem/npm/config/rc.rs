//! The syntax of `.npmrc`: `key = value` lines, `;` and `#` comments, quotes, `key[] = value`.
//!
//! Feeds [`super::layer`] with keys and values as written; variables are put in there.

use std::collections::HashSet;

/// The keys and values of a file in their order; a key that ends in `[]` is one of a list, and comes
/// without the brackets as often as it has values.
pub(super) fn parse(text: &str) -> Vec<(String, String)> {
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut lists = HashSet::new();
    for line in text.lines().map(str::trim) {
        // What follows a section's heading belongs to the section, and npm knows none.
        if line.starts_with('[') && line.ends_with(']') {
            break;
        }
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        let (key, value) = line
            .split_once('=')
            .map_or((line, "true".to_owned()), |(key, value)| (key, plain(value)));
        let key = plain(key);
        let listed = key.strip_suffix("[]").filter(|key| !key.is_empty()).map(str::to_owned);
        let is_list = listed.is_some();
        let key = listed.unwrap_or(key);
        if key.is_empty() {
            continue;
        }
        // Once it is a list, it stays one, even if a later line lacks the brackets.
        lists.extend(is_list.then(|| key.clone()));
        if !lists.contains(&key) {
            entries.retain(|(earlier, _)| *earlier != key);
        }
        entries.push((key, value));
    }
    entries
}

/// A key or value without its quotes, or without the comment behind it.
fn plain(written: &str) -> String {
    let written = written.trim();
    let quoted =
        |quote: char| written.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if quoted('"').is_some() {
        let unquoted = serde_json::from_str::<String>(written);
        return unquoted.unwrap_or_else(|_| written.to_owned());
    }
    if let Some(inside) = quoted('\'') {
        return serde_json::from_str(inside).unwrap_or_else(|_| inside.to_owned());
    }
    let mut value = String::with_capacity(written.len());
    let mut characters = written.chars();
    while let Some(character) = characters.next() {
        match character {
            ';' | '#' => break,
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ';' | '#')) => value.push(escaped),
                Some(other) => value.extend(['\\', other]),
                None => value.push('\\'),
            },
            other => value.push(other),
        }
    }
    value.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let entries = parse(text);
            let entries: Vec<(&str, &str)> =
                entries.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            assert_eq!(entries, expected, "{text}");
        };
        check("", &[]);
        check("a=1\nb = 2\r\n  c  =  3  ", &[("a", "1"), ("b", "2"), ("c", "3")]);
        check("; no\n# no\na=1 ; tail\nb=2 # tail", &[("a", "1"), ("b", "2")]);
        check("a=1\\;2\\#3\\\\4\\5", &[("a", "1;2#3\\4\\5")]);
        check("a=\"x ; y\\n\"\nb='x # y'", &[("a", "x ; y\n"), ("b", "x # y")]);
        check("a=\"broken \\q\"", &[("a", "\"broken \\q\"")]);
        check("flag\na=1\na=2", &[("flag", "true"), ("a", "2")]);
        check("ca[]=one\nca[] = two", &[("ca", "one"), ("ca", "two")]);
        check("ca=zero\nca[]=one", &[("ca", "zero"), ("ca", "one")]);
        check("ca[]=one\nca=two", &[("ca", "one"), ("ca", "two")]);
        check("a='\"x\"'\nb='x'", &[("a", "x"), ("b", "x")]);
        check("a=x=y", &[("a", "x=y")]);
        check(
            "//registry.example/path/:_authToken = abc==\n@scope:registry=https://registry.example",
            &[
                ("//registry.example/path/:_authToken", "abc=="),
                ("@scope:registry", "https://registry.example"),
            ],
        );
        check("a=1\n[section]\nb=2", &[("a", "1")]);
        check("=x\n\"", &[("\"", "true")]);
    }
}
