//! JSON, with the comments and trailing commas that some owners of files allow.
//!
//! A reader of our own, because none at hand tells lines. Where the owner of a file would refuse it,
//! it is refused here too, with the line: most clients say nothing at all.

use super::{DEPTH_MAX, Fault, Key, Node, Value};

/// What a reader forgives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leniency {
    pub(crate) comments: bool,
    pub(crate) trailing_commas: bool,
}

impl Leniency {
    pub(crate) const STRICT: Leniency = Leniency { comments: false, trailing_commas: false };
    pub(crate) const COMMENTS: Leniency = Leniency { comments: true, trailing_commas: false };
    pub(crate) const JSONC: Leniency = Leniency { comments: true, trailing_commas: true };
}

pub(super) fn read(text: &str, leniency: Leniency) -> Result<Node, Fault> {
    let mut reader = Reader { text, at: 0, line: 1, leniency };
    reader.space()?;
    let node = reader.value(0)?;
    reader.space()?;
    match reader.peek() {
        None => Ok(node),
        Some(c) => Err(reader.fault(format!("`{c}` after the end of the value"))),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    leniency: Leniency,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.line, message)
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        match self.peek() {
            Some(c) if c.is_control() => {
                self.fault(format!("{wanted} is expected, not `{}`", c.escape_debug()))
            }
            Some(c) => self.fault(format!("{wanted} is expected, not `{c}`")),
            None => self.fault(format!("the file ends where {wanted} is expected")),
        }
    }

    fn space(&mut self) -> Result<(), Fault> {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r' | '\n') => {
                    self.next();
                }
                Some('/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").ok_or_else(|| self.fault("a comment that does not end"))? + 2
        } else {
            return Err(self.unexpected("a value"));
        };
        if !self.leniency.comments {
            return Err(self.fault("a comment, which the owner of this file does not allow"));
        }
        let lines = rest[..length].matches('\n').count();
        self.line += u32::try_from(lines).unwrap_or(u32::MAX);
        self.at += length;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > DEPTH_MAX {
            return Err(self.fault(format!("values are nested more than {DEPTH_MAX} deep")));
        }
        let line = self.line;
        let value = match self.peek() {
            Some('{') => self.table(depth)?,
            Some('[') => self.list(depth)?,
            Some('"') => Value::Text(self.string()?),
            Some('-' | '0'..='9') => self.number()?,
            Some('t' | 'f' | 'n') => self.word()?,
            Some('\'') => return Err(self.fault("a text in single quotes; JSON wants double ones")),
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node { line, value })
    }

    fn table(&mut self, depth: usize) -> Result<Value, Fault> {
        let mut entries = Vec::new();
        self.each('}', |reader| {
            if reader.peek() != Some('"') {
                return Err(reader.unexpected("a key in double quotes"));
            }
            let key = Key { line: reader.line, text: reader.string()? };
            reader.space()?;
            if reader.peek() != Some(':') {
                return Err(reader.unexpected("`:`"));
            }
            reader.next();
            reader.space()?;
            entries.push((key, reader.value(depth + 1)?));
            Ok(())
        })?;
        Ok(Value::Table(entries))
    }

    fn list(&mut self, depth: usize) -> Result<Value, Fault> {
        let mut items = Vec::new();
        self.each(']', |reader| {
            items.push(reader.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Value::List(items))
    }

    /// What stands between brackets, separated by commas.
    fn each(
        &mut self,
        end: char,
        mut item: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.next();
        self.space()?;
        if self.peek() == Some(end) {
            self.next();
            return Ok(());
        }
        loop {
            item(self)?;
            self.space()?;
            match self.peek() {
                Some(',') => {}
                Some(c) if c == end => {
                    self.next();
                    return Ok(());
                }
                _ => return Err(self.unexpected(&format!("`,` or `{end}`"))),
            }
            let comma = self.line;
            self.next();
            self.space()?;
            if self.peek() == Some(end) {
                if !self.leniency.trailing_commas {
                    let what = format!(
                        "a comma before `{end}`, for which the owner of this file drops all of it"
                    );
                    return Err(Fault::new(comma, what));
                }
                self.next();
                return Ok(());
            }
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.line;
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some('\n') | None => return Err(Fault::new(start, "a text that does not end")),
                Some(c) if c < ' ' => {
                    let what = format!("`{}` in a text must be escaped", c.escape_debug());
                    return Err(self.fault(what));
                }
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let c = match self.next() {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode(),
            // The usual cause is a Windows path.
            _ => return Err(self.fault("`\\` before a character that needs none; write `\\\\`")),
        };
        Ok(c)
    }

    fn unicode(&mut self) -> Result<char, Fault> {
        let mut code = self.four_digits()?;
        if (0xd800..0xdc00).contains(&code) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let low = self.four_digits()?;
            if (0xdc00..0xe000).contains(&low) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        char::from_u32(code).ok_or_else(|| self.fault("`\\u` with half of a character"))
    }

    fn four_digits(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4);
        let hex = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = hex.and_then(|text| u32::from_str_radix(text, 16).ok());
        self.at += if code.is_some() { 4 } else { 0 };
        code.ok_or_else(|| self.fault("`\\u` needs four hexadecimal digits"))
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let text = rest[..length].to_owned();
        let valid = serde_json::from_str::<serde_json::Number>(&text).is_ok();
        self.at += length;
        if valid {
            Ok(Value::Number(text))
        } else {
            Err(self.fault(format!("`{text}` is no number")))
        }
    }

    fn word(&mut self) -> Result<Value, Fault> {
        for (word, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }
}
