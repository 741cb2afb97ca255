//! What stands inside a line of Markdown: code, emphasis, links.

use super::{Look, Span};

/// The pieces of a text; `base` is the look of what is nothing special.
pub(crate) fn spans(text: &str, base: Look) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut kept = String::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let found = match c {
            '\\' => escaped(rest),
            '`' => code(rest, base),
            '*' | '_' => emphasis(rest, before, base),
            '!' if rest.starts_with("![") => link(&rest[1..], base).map(|(it, n)| (it, n + 1)),
            '[' => link(rest, base),
            '<' => address(rest, base),
            'h' if !before.is_alphanumeric() => bare_address(rest, base),
            _ => None,
        };
        match found {
            Some((found, length)) if length > 0 => {
                if !kept.is_empty() {
                    spans.push(Span::new(std::mem::take(&mut kept), base));
                }
                spans.extend(found);
                before = rest[..length].chars().next_back().unwrap_or(' ');
                rest = &rest[length..];
            }
            _ => {
                kept.push(c);
                before = c;
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    if !kept.is_empty() {
        spans.push(Span::new(kept, base));
    }
    spans
}

type Found = Option<(Vec<Span>, usize)>;

fn escaped(rest: &str) -> Found {
    let next = rest[1..].chars().next().filter(char::is_ascii_punctuation)?;
    Some((vec![Span::new(next.to_string(), Look::Plain)], 2))
}

fn code(rest: &str, base: Look) -> Found {
    let ticks = rest.len() - rest.trim_start_matches('`').len();
    let fence = &rest[..ticks];
    let inside = &rest[ticks..];
    let mut from = 0;
    // As many backticks as opened it, no more.
    let end = loop {
        let at = from + inside.get(from..)?.find(fence)?;
        let more = inside[at..].len() - inside[at..].trim_start_matches('`').len();
        if more == ticks {
            break at;
        }
        from = at + more;
    };
    let look = if base == Look::Strong { Look::Name } else { Look::Code };
    Some((vec![Span::new(inside[..end].trim(), look)], ticks + end + ticks))
}

fn emphasis(rest: &str, before: char, base: Look) -> Found {
    let mark = &rest[..1];
    let count = (rest.len() - rest.trim_start_matches(mark).len()).min(2);
    let fence = &rest[..count];
    let inside = &rest[count..];
    let opens = inside.chars().next().is_some_and(|c| !c.is_whitespace() && !mark.starts_with(c));
    // Underscores inside a name are part of it.
    if !opens || (mark == "_" && before.is_alphanumeric()) {
        return None;
    }
    let end = inside.find(fence)?;
    let text = &inside[..end];
    let after = inside[end + count..].chars().next().unwrap_or(' ');
    let closes = !text.ends_with(char::is_whitespace) && !text.is_empty();
    if !closes
        || (mark == "_" && after.is_alphanumeric())
        || text.contains('`') && text.matches('`').count() % 2 == 1
    {
        return None;
    }
    let look = if count == 2 || base == Look::Strong { Look::Strong } else { Look::Emphasis };
    // One level is enough: inside, only code is told apart.
    let spans = if text.contains('`') { spans(text, look) } else { vec![Span::new(text, look)] };
    Some((spans, count + end + count))
}

fn link(rest: &str, base: Look) -> Found {
    let close = matching(rest, '[', ']')?;
    let target = rest[close + 1..].strip_prefix('(')?;
    let end = target.find(')')?;
    let address = target[..end].split_whitespace().next().unwrap_or_default();
    let text = &rest[1..close];
    let look = if base == Look::Plain { Look::Link } else { base };
    let shown: String = spans_text(text);
    let spans = vec![Span::new(shown, look).linked(address)];
    Some((spans, close + 2 + end + 1))
}

/// The text of a link without its marks.
fn spans_text(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '`' | '*')).collect()
}

fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

fn address(rest: &str, base: Look) -> Found {
    let end = rest.find('>')?;
    let inside = &rest[1..end];
    let known = inside.starts_with("http://") || inside.starts_with("https://");
    let look = if base == Look::Plain { Look::Link } else { base };
    known.then(|| (vec![Span::new(inside, look).linked(inside)], end + 1))
}

fn bare_address(rest: &str, base: Look) -> Found {
    if !rest.starts_with("http://") && !rest.starts_with("https://") {
        return None;
    }
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | ')' | '`'));
    let text = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let look = if base == Look::Plain { Look::Link } else { base };
    Some((vec![Span::new(text, look).linked(text)], text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, Look)]) {
        let found = spans(text, Look::Plain);
        let found: Vec<(&str, Look)> =
            found.iter().map(|span| (span.text.as_str(), span.look)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn code_emphasis_and_links() {
        check(
            "a `b` **c** *d* e",
            &[
                ("a ", Look::Plain),
                ("b", Look::Code),
                (" ", Look::Plain),
                ("c", Look::Strong),
                (" ", Look::Plain),
                ("d", Look::Emphasis),
                (" e", Look::Plain),
            ],
        );
        check("``a`b``", &[("a`b", Look::Code)]);
        check("[`x`](https://a.example) y", &[("x", Look::Link), (" y", Look::Plain)]);
        check(
            "see https://a.example/b.",
            &[("see ", Look::Plain), ("https://a.example/b", Look::Link), (".", Look::Plain)],
        );
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        for text in
            ["snake_case_name", "2 * 3 * 4", "a `b", "[x] done", "a < b > c", "**", "`", "["]
        {
            let text_found: String =
                spans(text, Look::Plain).iter().map(|span| span.text.as_str()).collect();
            assert_eq!(text_found, text);
        }
    }
}
