//! What stands inside `#[…]`: a path, perhaps with a value or with more of its kind in brackets.
//!
//! Attributes are read from their text, since those inside `cfg_attr` are no syntax nodes.

/// One attribute.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Meta {
    pub(super) path: String,
    pub(super) value: Option<Value>,
    pub(super) list: Vec<Meta>,
}

/// What an attribute is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A string, or another literal as it is written.
    Literal(String),
    /// `include_str!("…")`, `concat!(…)`: a macro and what it is given.
    Macro(String, Vec<Value>),
}

/// Brackets inside an attribute.
const DEPTH_MAX: usize = 32;

impl Meta {
    /// An attribute from its text without `#[` and `]`; `None` if it makes no sense.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut scan = Scan { rest: text };
        scan.meta(DEPTH_MAX)
    }

    /// The last part of its path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }

    /// The text it is set to.
    pub(super) fn text(&self) -> Option<&str> {
        match self.value.as_ref()? {
            Value::Literal(text) => Some(text),
            Value::Macro(..) => None,
        }
    }

    /// One of those in its brackets.
    pub(super) fn inner(&self, name: &str) -> Option<&Self> {
        self.list.iter().find(|meta| meta.path == name)
    }
}

struct Scan<'t> {
    rest: &'t str,
}

impl Scan<'_> {
    fn meta(&mut self, depth: usize) -> Option<Meta> {
        let depth = depth.checked_sub(1)?;
        self.space();
        // A literal by itself, as in `repr(align(8))` or `doc(alias("x"))`.
        if self.rest.starts_with(|c: char| c == '"' || c == '\'' || c.is_ascii_digit())
            || is_raw(self.rest)
        {
            let path = String::new();
            return Some(Meta {
                path,
                value: Some(Value::Literal(self.literal()?)),
                list: Vec::new(),
            });
        }
        let path = self.path();
        if path.is_empty() {
            return None;
        }
        let mut meta = Meta { path, ..Meta::default() };
        self.space();
        if self.eat('=') {
            meta.value = Some(self.value(depth)?);
        } else if let Some(close) = self.open() {
            loop {
                self.space();
                if self.eat(close) {
                    break;
                }
                let before = self.rest.len();
                match self.meta(depth) {
                    Some(inner) => meta.list.push(inner),
                    None if self.rest.starts_with(close) => continue,
                    None => self.skip_one()?,
                }
                self.space();
                self.eat(',');
                if self.rest.len() == before {
                    return None;
                }
            }
        }
        Some(meta)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.space();
        let name_ends = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        let name = &self.rest[..name_ends.unwrap_or(0)];
        // What comes out of a macro has spaces everywhere.
        let is_call = self.rest[name.len()..].trim_start().starts_with('!');
        if !name.is_empty() && !is_raw(self.rest) && is_call {
            let name = name.rsplit(':').next().unwrap_or(name).to_owned();
            self.path();
            self.space();
            self.eat('!');
            self.space();
            let close = self.open()?;
            let mut values = Vec::new();
            loop {
                self.space();
                if self.eat(close) {
                    return Some(Value::Macro(name, values));
                }
                let before = self.rest.len();
                values.push(self.value(depth)?);
                self.space();
                self.eat(',');
                if self.rest.len() == before {
                    return None;
                }
            }
        }
        Some(Value::Literal(self.literal()?))
    }

    fn literal(&mut self) -> Option<String> {
        if is_raw(self.rest) {
            let rest = &self.rest[1..];
            let hashes = rest.len() - rest.trim_start_matches('#').len();
            let inner = rest[hashes..].strip_prefix('"')?;
            let end = ["\"", &"#".repeat(hashes)].concat();
            let at = inner.find(&end)?;
            self.rest = &inner[at + end.len()..];
            return Some(inner[..at].to_owned());
        }
        if let Some(inner) = self.rest.strip_prefix('"') {
            let mut escaped = false;
            let end = inner.char_indices().find(|&(_, c)| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            })?;
            self.rest = &inner[end.0 + 1..];
            return Some(unescape(&inner[..end.0]));
        }
        let end = self.rest.find([',', ')', ']', '}']).unwrap_or(self.rest.len());
        let word = self.rest[..end].trim().to_owned();
        self.rest = &self.rest[end..];
        Some(word)
    }

    /// A path, without the spaces inside.
    fn path(&mut self) -> String {
        let mut path = String::new();
        loop {
            let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let end = end.unwrap_or(self.rest.len());
            path.push_str(&self.rest[..end]);
            self.rest = &self.rest[end..];
            let next = self.rest.trim_start();
            let Some(more) = next.strip_prefix("::").or_else(|| next.strip_prefix(": :")) else {
                return path;
            };
            path.push_str("::");
            self.rest = more.trim_start();
        }
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Enters brackets; what closes them.
    fn open(&mut self) -> Option<char> {
        let close = match self.rest.chars().next()? {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            _ => return None,
        };
        self.rest = &self.rest[1..];
        Some(close)
    }

    /// Goes past something that is no attribute; `None` at the end.
    fn skip_one(&mut self) -> Option<()> {
        let mut characters = self.rest.chars();
        characters.next()?;
        self.rest = characters.as_str();
        Some(())
    }
}

fn is_raw(text: &str) -> bool {
    text.strip_prefix('r').is_some_and(|rest| rest.trim_start_matches('#').starts_with('"'))
}

/// The text that a string literal stands for.
fn unescape(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    let mut rest = literal;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let mut after = rest[at + 1..].chars();
        match after.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('0') => text.push('\0'),
            Some('x') => {
                let digits: String = after.by_ref().take(2).collect();
                text.extend(u8::from_str_radix(&digits, 16).ok().map(char::from));
            }
            Some('u') => {
                let code: String = after.by_ref().take_while(|&c| c != '}').collect();
                let code = code.trim_start_matches('{').replace('_', "");
                text.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            }
            Some('\n') => {
                rest = after.as_str().trim_start();
                continue;
            }
            Some(other) => text.push(other),
            None => {}
        }
        rest = after.as_str();
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_taken_apart() {
        let meta = Meta::parse("cfg_attr(all(a, not(feature = \"b\")), doc = \"c\\n\\u{41}\")");
        let meta = meta.expect("an attribute");
        assert_eq!(meta.list[0].list[1].list[0].text(), Some("b"));
        assert_eq!(meta.inner("doc").and_then(Meta::text), Some("c\nA"));
        let meta = Meta::parse(r##"doc = r#"a "b""#"##).expect("an attribute");
        assert_eq!(meta.text(), Some("a \"b\""));
        let meta = Meta::parse("doc = concat!(\"a\", include_str!(\"b\"))").expect("an attribute");
        let include = Value::Macro("include_str".into(), vec![Value::Literal("b".into())]);
        let expected = Value::Macro("concat".into(), vec![Value::Literal("a".into()), include]);
        assert_eq!(meta.value, Some(expected));
        let meta =
            Meta::parse("doc = concat ! ( \"a\" , stringify ! (- 1) )").expect("an attribute");
        let minus = Value::Macro("stringify".into(), vec![Value::Literal("- 1".into())]);
        let expected = Value::Macro("concat".into(), vec![Value::Literal("a".into()), minus]);
        assert_eq!(meta.value, Some(expected));
        assert_eq!(Meta::parse("a :: b").map(|meta| meta.path), Some("a::b".to_owned()));
        assert_eq!(Meta::parse("repr(align(8), C)").map(|meta| meta.list.len()), Some(2));
    }

    #[test]
    fn any_text_is_survived() {
        for text in ["", "(", "a(", "a(b", "a = ", "a = \"", "a(=)", "a = b!(", "a = \"\\", "é(é"]
        {
            let _ = Meta::parse(text);
        }
        assert_eq!(Meta::parse(&"a(".repeat(1000)), None);
    }
}
