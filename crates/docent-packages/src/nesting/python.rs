//! The scan for Python.

use super::chain::Chains;

/// Whether a word is one that a parser calls itself for.
fn is_link(word: &[u8]) -> bool {
    matches!(word, b"not" | b"lambda" | b"if" | b"else" | b"await" | b"yield" | b"for")
}

static IS_WORD: [bool; 256] = super::words(b'_');

fn is_word(byte: u8) -> bool {
    IS_WORD[usize::from(byte)]
}

pub(super) fn too_deep(text: &str, limit: usize) -> bool {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        chains: Chains::new(limit),
        operand: false,
        indents: vec![0],
    };
    while scan.at < scan.bytes.len() && !scan.chains.exceeded() {
        if scan.starts_line() {
            scan.indent();
            // The first level is none.
            if scan.indents.len() > limit.saturating_add(1) {
                return true;
            }
        }
        scan.token();
    }
    scan.chains.exceeded()
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    chains: Chains,
    /// Whether an operand has just ended.
    operand: bool,
    /// The columns at which open blocks begin.
    indents: Vec<usize>,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts_line(&self) -> bool {
        self.chains.is_outside() && (self.at == 0 || self.bytes.get(self.at - 1) == Some(&b'\n'))
    }

    /// Takes in the indentation of a line that is neither empty nor a comment.
    fn indent(&mut self) {
        let start = self.at;
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        if self.at >= self.bytes.len() || matches!(self.peek(0), b'#' | b'\n' | b'\r') {
            return;
        }
        let column = self.at - start;
        while self.indents.last().is_some_and(|&open| open > column) {
            self.indents.pop();
        }
        if self.indents.last().is_none_or(|&open| open < column) {
            self.indents.push(column);
        }
    }

    fn token(&mut self) {
        let byte = self.peek(0);
        match byte {
            b'\n' => {
                if self.chains.is_outside() {
                    self.chains.separate();
                    self.operand = false;
                }
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' => self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\r')),
            b'\\' => self.at += 2,
            b'#' => {
                let rest = &self.bytes[self.at..];
                self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
            b'\'' | b'"' => self.string(byte),
            b'(' | b'[' | b'{' => {
                self.chains.open(byte);
                self.next(false);
            }
            b')' | b']' | b'}' => {
                self.chains.close();
                self.next(true);
            }
            b',' | b';' => {
                self.chains.separate();
                self.next(false);
            }
            b'*' if self.peek(1) == b'*' => {
                self.chains.link();
                self.at += 1;
                self.next(false);
            }
            b'+' | b'-' | b'~' if !self.operand => {
                self.chains.link();
                self.next(false);
            }
            byte if is_word(byte) => self.word(),
            _ => {
                self.chains.part();
                self.next(false);
            }
        }
    }

    /// Goes on to the first byte that is something else.
    fn skip(&mut self, same: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| !same(byte)).unwrap_or(rest.len());
    }

    fn next(&mut self, operand: bool) {
        self.operand = operand;
        self.at += 1;
    }

    fn word(&mut self) {
        let start = self.at;
        self.skip(is_word);
        let word = &self.bytes[start..self.at];
        let links = is_link(word);
        if links {
            self.chains.link();
        }
        self.chains.part();
        self.operand = !links && !matches!(word, b"and" | b"or" | b"in" | b"is" | b"return");
    }

    /// A string with one or three quotes. A backslash keeps a quote from ending it, in raw strings
    /// too.
    fn string(&mut self, quote: u8) {
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        self.at += if triple { 3 } else { 1 };
        while let Some(rest) = self.bytes.get(self.at..).filter(|rest| !rest.is_empty()) {
            // Most of a module is its docstrings.
            let length = if triple {
                memchr::memchr2(quote, b'\\', rest)
            } else {
                memchr::memchr3(quote, b'\\', b'\n', rest)
            };
            self.at += length.unwrap_or(rest.len());
            match self.peek(0) {
                b'\\' => self.at += 2,
                byte if byte != quote => break,
                _ if !triple => {
                    self.at += 1;
                    break;
                }
                _ if self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 3;
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.chains.part();
        self.operand = true;
    }
}
