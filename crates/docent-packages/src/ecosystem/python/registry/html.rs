//! The page of a project as HTML (PEP 503): one anchor for each file.
//!
//! A scanner for tags and attributes, which goes through the text once; a page has no structure that
//! would need a parser.

use url::Url;

use super::Link;
use super::json::digest;

/// The files of a page.
pub(crate) fn links(page: &str, base: &Url) -> Vec<Link> {
    let mut base = base.clone();
    let mut links = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let (name, after) = tag_name(rest);
        rest = after;
        let is_anchor = name.eq_ignore_ascii_case("a");
        if !is_anchor && !name.eq_ignore_ascii_case("base") {
            continue;
        }
        let (attributes, after) = attributes(rest);
        rest = after;
        let get = |name: &str| attributes.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        let target = get("href").and_then(|(_, href)| base.join(&decoded(href)).ok());
        let Some(mut url) = target else { continue };
        if !is_anchor {
            base = url;
            continue;
        }
        let fragment = url.fragment().and_then(|fragment| fragment.split_once('='));
        let digests = fragment.and_then(|(algorithm, value)| digest(algorithm, value));
        url.set_fragment(None);
        let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
        let file = percent_encoding::percent_decode_str(last).decode_utf8_lossy().into_owned();
        if file.is_empty() {
            continue;
        }
        let yanked = get("data-yanked").is_some();
        links.push(Link { file, url, digests: digests.into_iter().collect(), yanked, size: None });
    }
    links
}

/// The name of the tag that has just been opened, and what follows.
fn tag_name(text: &str) -> (&str, &str) {
    let end = text.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(text.len());
    text.split_at(end)
}

/// The attributes up to the end of the tag, and what follows it.
fn attributes(text: &str) -> (Vec<(&str, &str)>, &str) {
    let mut attributes = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_ascii_whitespace() || char == '/');
        if rest.is_empty() {
            return (attributes, rest);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (attributes, after);
        }
        let is_end = |char: char| char.is_ascii_whitespace() || matches!(char, '=' | '>' | '/');
        // An `=` without a name stands for itself, so that every turn goes forward.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(is_end).map_or(rest.len(), |end| first + end);
        let (name, after) = rest.split_at(end);
        let after_name = after.trim_start();
        let Some(value) = after_name.strip_prefix('=') else {
            attributes.push((name, ""));
            rest = after;
            continue;
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => {
                let end = value.find(|char: char| char.is_ascii_whitespace() || char == '>');
                value.split_at(end.unwrap_or(value.len()))
            }
        };
        attributes.push((name, value));
        rest = after;
    }
}

/// Text with its character references replaced: the few that occur in addresses.
fn decoded(text: &str) -> String {
    const NAMES: &[(&str, char)] = &[
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", '\u{a0}'),
    ];
    const REFERENCE_BYTES_MAX: usize = 10;
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        plain.push_str(before);
        let near = reference.bytes().take(REFERENCE_BYTES_MAX).position(|byte| byte == b';');
        let body = near.map(|end| (&reference[1..end], &reference[end + 1..]));
        let char = body.and_then(|(body, _)| match body.strip_prefix('#') {
            None => NAMES.iter().find(|(name, _)| *name == body).map(|(_, char)| *char),
            Some(number) => {
                let hexadecimal = number.strip_prefix(['x', 'X']);
                let code = hexadecimal.map_or_else(
                    || number.parse().ok(),
                    |digits| u32::from_str_radix(digits, 16).ok(),
                );
                code.and_then(char::from_u32)
            }
        });
        match (char, body) {
            (Some(char), Some((_, after))) => {
                plain.push(char);
                rest = after;
            }
            _ => {
                plain.push('&');
                rest = &reference[1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let base = Url::parse("https://registry.example/simple/a/").unwrap();
        let found = links(page, &base);
        let shown = |link: &Link| {
            let yanked = if link.yanked { " yanked" } else { "" };
            format!("{} {} {}{yanked}", link.file, link.url, link.digests.len())
        };
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected, "{page}");
    }

    #[test]
    fn anchors_and_their_attributes() {
        let digest = "a".repeat(64);
        let page = format!(
            "<!DOCTYPE html><html><head><title>a</title></head><body>\n\
             <!-- <a href='no-1.0.zip'>no</a> -->\n\
             <a href=\"../../files/a-1.0.tar.gz#sha256={digest}\" data-requires-python=\"&gt;=3\" >a-1.0.tar.gz</a><br/>\n\
             <A HREF='https://files.example/x/a%2B-1.1.zip?p=1&amp;q=2' data-yanked>x</A>\n\
             <a data-yanked=\"it is > broken\" href = a-1.2.zip#md5=00 class=x>x</a>\n\
             <a name=none>x</a><abbr href=no>"
        );
        check(
            &page,
            &[
                "a-1.0.tar.gz https://registry.example/files/a-1.0.tar.gz 1",
                "a+-1.1.zip https://files.example/x/a%2B-1.1.zip?p=1&q=2 0 yanked",
                "a-1.2.zip https://registry.example/simple/a/a-1.2.zip 0 yanked",
            ],
        );
        check(
            "<base href='https://b.example/f/'><a href=x.zip>",
            &["x.zip https://b.example/f/x.zip 0"],
        );
    }

    #[test]
    fn broken_pages_end() {
        for page in [
            "<",
            "<a",
            "<a ",
            "<a =",
            "<a href",
            "<a href=",
            "<a href='",
            "<!--",
            "<a é=\"",
            "<a = = =>",
            "<a / /",
            "&#x110000;",
            "<é",
        ] {
            check(page, &[]);
        }
        check(
            "<a href='&bogus;&#65;&#x42;&'>",
            &["&bogus;AB& https://registry.example/simple/a/&bogus;AB& 0"],
        );
        // All of these are scanned once.
        for page in ["<a ".repeat(200_000), "<a =".repeat(200_000), "<".repeat(500_000)] {
            check(&page, &[]);
        }
        let many = "&".repeat(500_000);
        assert_eq!(decoded(&many), many);
    }
}
