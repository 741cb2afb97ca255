//! HTML as a row of tags and texts.
//!
//! Feeds [`super::html`]. There is no tree, so there is nothing to nest too deeply, and each byte is
//! looked at a bounded number of times: what turns out to be missing once (the end of a tag, of a
//! quote, of a comment) is not looked for again.

use std::borrow::Cow;

/// A part of an HTML text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Characters, with references such as `&amp;` still in them.
    Text(&'a str),
    /// A start tag.
    Open(Tag<'a>),
    /// An end tag, by its name in lower case.
    Close(String),
    /// A comment, a declaration, or the content of a script or style.
    Hidden,
}

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// Its name in lower case.
    pub(super) name: String,
    attributes: &'a str,
}

/// The tokens of a text, and where each one is.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    no_tag_ends: bool,
    quotes_are_broken: bool,
    inside: Option<String>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, no_tag_ends: false, quotes_are_broken: false, inside: None }
    }

    /// How far the tokens so far reach.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    fn tag(&mut self) -> Option<Token<'a>> {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        match bytes.get(1)? {
            b'!' | b'?' => {
                let (end, length) = if rest.starts_with("<!--") {
                    (rest.find("-->"), 3)
                } else {
                    (rest.find('>'), 1)
                };
                self.at += end.map_or(rest.len(), |end| end + length);
                Some(Token::Hidden)
            }
            b'/' if bytes.get(2).is_some_and(u8::is_ascii_alphabetic) => {
                let end = self.tag_end(2)?;
                self.at += end + 1;
                Some(Token::Close(name_of(&rest[2..end])))
            }
            byte if byte.is_ascii_alphabetic() => {
                let end = self.tag_end(1)?;
                let inner = &rest[1..end];
                let name = name_of(inner);
                self.at += end + 1;
                if matches!(name.as_str(), "script" | "style") {
                    self.inside = Some(name.clone());
                }
                Some(Token::Open(Tag { attributes: &inner[name.len()..], name }))
            }
            _ => None,
        }
    }

    /// Where the tag that starts here ends, counted from here.
    fn tag_end(&mut self, from: usize) -> Option<usize> {
        let rest = &self.text.as_bytes()[self.at..];
        if self.no_tag_ends {
            return None;
        }
        if !self.quotes_are_broken {
            let mut quote = None;
            for (at, &byte) in rest.iter().enumerate().skip(from) {
                match (quote, byte) {
                    (None, b'>') => return Some(at),
                    // Only a value is quoted; an apostrophe elsewhere is one of a text.
                    (None, b'"' | b'\'') if rest[..at].trim_ascii_end().ends_with(b"=") => {
                        quote = Some(byte);
                    }
                    (Some(open), _) if open == byte => quote = None,
                    _ => {}
                }
            }
            self.quotes_are_broken = true;
        }
        let end = memchr::memchr(b'>', &rest[from..]).map(|end| end + from);
        self.no_tag_ends = end.is_none();
        end
    }

    fn raw_content(&mut self, name: &str) {
        let rest = &self.text.as_bytes()[self.at..];
        let ends = memchr::memmem::find_iter(rest, b"</").find(|&at| {
            rest[at + 2..]
                .get(..name.len())
                .is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()))
        });
        self.at += ends.unwrap_or(rest.len());
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(name) = self.inside.take() {
            self.raw_content(&name);
            return Some(Token::Hidden);
        }
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = match rest.find('<') {
            Some(0) => {
                if let Some(token) = self.tag() {
                    return Some(token);
                }
                rest[1..].find('<').map_or(rest.len(), |at| at + 1)
            }
            Some(at) => at,
            None => rest.len(),
        };
        self.at += length;
        Some(Token::Text(&rest[..length]))
    }
}

fn name_of(inner: &str) -> String {
    let end = inner
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | ':' | '.'))
        .unwrap_or(inner.len());
    inner[..end].to_ascii_lowercase()
}

impl Tag<'_> {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '"'));
            let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
            let (key, after) = rest.split_at(end);
            if key.is_empty() && after.is_empty() {
                return None;
            }
            let (value, after) = match after.trim_start().strip_prefix('=') {
                None => ("", after),
                Some(value) => {
                    let value = value.trim_start();
                    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
                    match quote {
                        Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
                        None => {
                            value.split_at(value.find(char::is_whitespace).unwrap_or(value.len()))
                        }
                    }
                }
            };
            if key.eq_ignore_ascii_case(name) {
                return Some(unescape(value));
            }
            rest = after;
        }
    }
}

/// The named references that documentation uses.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("rarr", "→"),
    ("larr", "←"),
    ("uarr", "↑"),
    ("darr", "↓"),
    ("times", "×"),
    ("bull", "•"),
    ("middot", "·"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("check", "✓"),
    ("lbrace", "{"),
    ("rbrace", "}"),
    ("lbrack", "["),
    ("rbrack", "]"),
    ("vert", "|"),
];

/// The longest reference that is looked for.
const REFERENCE_BYTES_MAX: usize = 12;

/// The text with its character references replaced.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let window = &rest.as_bytes()[1..rest.len().min(REFERENCE_BYTES_MAX)];
        let end = memchr::memchr(b';', window).map(|end| end + 1);
        match end.and_then(|end| Some((end, character(&rest[1..end])?))) {
            Some((end, replacement)) => {
                out.push_str(&replacement);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(reference: &str) -> Option<Cow<'static, str>> {
    let Some(number) = reference.strip_prefix('#') else {
        return NAMED.iter().find(|row| row.0 == reference).map(|row| Cow::Borrowed(row.1));
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(Cow::Owned(char::from_u32(code)?.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced() {
        for (text, expected) in [
            ("a &lt; b &amp;&amp; c", "a < b && c"),
            ("&#65;&#x42;", "AB"),
            ("&unknown; & &#xffffffff; &", "&unknown; & &#xffffffff; &"),
        ] {
            assert_eq!(unescape(text), expected);
        }
    }

    #[test]
    fn attributes_are_found() {
        let text = r#"<a data-x name='n' HREF="https://x.example/?a=1&amp;b" open target=_blank/>"#;
        let Some(Token::Open(tag)) = Tokens::new(text).next() else { panic!("a tag") };
        assert_eq!(tag.name, "a");
        assert_eq!(tag.attribute("href").as_deref(), Some("https://x.example/?a=1&b"));
        assert_eq!(tag.attribute("name").as_deref(), Some("n"));
        assert_eq!(tag.attribute("open").as_deref(), Some(""));
        assert_eq!(tag.attribute("class"), None);
    }

    #[test]
    fn what_is_no_tag_is_text() {
        let texts =
            |text| -> Vec<String> { Tokens::new(text).map(|token| format!("{token:?}")).collect() };
        assert_eq!(texts("a < b"), [r#"Text("a ")"#, r#"Text("< b")"#]);
        assert_eq!(texts("<a href=\"x"), [r#"Text("<a href=\"x")"#]);
        assert_eq!(texts("<script>if (a<b) '</'</SCRIPT>x").len(), 4);
    }
}
