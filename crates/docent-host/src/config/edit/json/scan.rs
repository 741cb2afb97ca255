//! Where the values of a JSON text stand, comments and trailing commas allowed.

use super::Result;

/// Nesting that nobody's settings have.
const DEPTH_MAX: usize = 200;

/// A value, and where it stands.
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) members: Option<Vec<Member>>,
}

pub(super) struct Member {
    pub(super) key: String,
    /// Where the key begins.
    pub(super) start: usize,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn member(&self, key: &str) -> Option<&Member> {
        // The last one of a name is the one that counts.
        self.members.as_ref()?.iter().rev().find(|member| member.key == key)
    }
}

/// The value that the text is.
pub(super) fn scan(text: &str) -> Result<Node> {
    let mut reader = Reader { text, at: 0 };
    reader.blanks()?;
    let node = reader.value(0)?;
    reader.blanks()?;
    if reader.at < text.len() { Err(reader.wrong()) } else { Ok(node) }
}

/// The text without comments and trailing commas, of the same length so that places agree.
pub(super) fn without_comments(text: &str) -> Result<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut reader = Reader { text, at: 0 };
    let mut comma = None;
    if text.starts_with('\u{feff}') {
        bytes[..3].fill(b' ');
    }
    while reader.at < text.len() {
        let start = reader.at;
        reader.blanks()?;
        for byte in &mut bytes[start..reader.at] {
            *byte = if *byte == b'\n' { b'\n' } else { b' ' };
        }
        match text.as_bytes().get(reader.at) {
            None => break,
            Some(b'"') => {
                reader.string()?;
                comma = None;
            }
            Some(byte) => {
                if let (b'}' | b']', Some(comma)) = (byte, comma) {
                    bytes[comma] = b' ';
                }
                comma = (*byte == b',').then_some(reader.at);
                reader.at += 1;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| "is not text in UTF-8".to_owned())
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self) -> String {
        let line = self.text.as_bytes()[..self.at.min(self.text.len())].iter();
        let line = line.filter(|byte| **byte == b'\n').count() + 1;
        format!("is not JSON at line {line}")
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.wrong())
        }
    }

    /// Past blanks and comments.
    pub(super) fn blanks(&mut self) -> Result<()> {
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            match rest {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => self.at += 1,
                [0xef, 0xbb, 0xbf, ..] if self.at == 0 => self.at += 3,
                [b'/', b'/', ..] => {
                    let end = rest.iter().position(|byte| *byte == b'\n');
                    self.at += end.unwrap_or(rest.len());
                }
                [b'/', b'*', ..] => {
                    let end = rest[2..].windows(2).position(|pair| pair == b"*/");
                    self.at += 4 + end.ok_or_else(|| self.wrong())?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn string(&mut self) -> Result<()> {
        self.expect(b'"')?;
        loop {
            match self.peek().ok_or_else(|| self.wrong())? {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.at += 2,
                b'\n' => return Err(self.wrong()),
                _ => self.at += 1,
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node> {
        if depth > DEPTH_MAX {
            return Err("is nested too deeply".to_owned());
        }
        let start = self.at;
        let members = match self.peek() {
            Some(b'{') => Some(self.members(depth)?),
            Some(b'[') => {
                self.elements(depth)?;
                None
            }
            Some(b'"') => {
                self.string()?;
                None
            }
            Some(_) => {
                let rest = &self.text.as_bytes()[self.at..];
                let word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let length = rest.iter().take_while(|byte| word(byte)).count();
                if length == 0 {
                    return Err(self.wrong());
                }
                self.at += length;
                None
            }
            None => return Err(self.wrong()),
        };
        Ok(Node { start, end: self.at, members })
    }

    fn members(&mut self, depth: usize) -> Result<Vec<Member>> {
        self.expect(b'{')?;
        let mut members = Vec::new();
        loop {
            self.blanks()?;
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(members);
            }
            let start = self.at;
            self.string()?;
            let key = serde_json::from_str(&self.text[start..self.at]).map_err(|_| self.wrong())?;
            self.blanks()?;
            self.expect(b':')?;
            self.blanks()?;
            let value = self.value(depth + 1)?;
            members.push(Member { key, start, value });
            self.blanks()?;
            if self.peek() != Some(b'}') {
                self.expect(b',')?;
            }
        }
    }

    fn elements(&mut self, depth: usize) -> Result<()> {
        self.expect(b'[')?;
        loop {
            self.blanks()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(());
            }
            self.value(depth + 1)?;
            self.blanks()?;
            if self.peek() != Some(b']') {
                self.expect(b',')?;
            }
        }
    }
}
