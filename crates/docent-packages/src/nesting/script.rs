//! The scan for JavaScript and TypeScript.

use super::chain::Chains;

/// Words that a parser calls itself for.
const WORDS: &[&str] = &[
    "typeof", "void", "delete", "await", "yield", "new", "keyof", "infer", "unique", "readonly",
    "asserts", "extends", "if", "else", "for", "while", "do", "with", "async", "function",
];

/// Words after which an expression begins, so that a slash opens a pattern.
const BEFORE_OPERAND: &[&str] = &[
    "return", "typeof", "case", "in", "of", "new", "void", "delete", "throw", "else", "do",
    "await", "yield",
];

/// Words that go on with what a closing brace seems to end.
const GO_ON: &[&str] = &[
    "else",
    "catch",
    "finally",
    "while",
    "as",
    "satisfies",
    "from",
    "extends",
    "in",
    "of",
    "instanceof",
];

/// The longest of these words.
const WORD_BYTES_MAX: usize = 10;

/// The opening of a `${`, whose end returns to the template.
const TEMPLATE: u8 = b'$';

/// What came before, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// An operator, an opening bracket, or nothing: an operand comes next.
    Operator,
    /// A word, a string, a closing bracket: an operand has ended.
    Operand,
    /// A closing brace, which may have ended a statement.
    Brace,
}

pub(super) fn too_deep(text: &str, limit: usize) -> bool {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        chains: Chains::new(limit),
        before: Before::Operator,
        new_line: false,
    };
    while scan.at < scan.bytes.len() && !scan.chains.exceeded() {
        scan.token();
    }
    scan.chains.exceeded()
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    chains: Chains,
    before: Before,
    new_line: bool,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn token(&mut self) {
        let byte = self.peek(0);
        match byte {
            b'\n' => {
                self.new_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' => {
                let rest = &self.bytes[self.at..];
                let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
                self.at += rest.iter().position(|byte| !is_space(byte)).unwrap_or(rest.len());
            }
            b'/' if self.peek(1) == b'/' => self.skip_line(),
            b'/' if self.peek(1) == b'*' => {
                let end = memchr::memmem::find(&self.bytes[self.at + 2..], b"*/");
                self.at = end.map_or(self.bytes.len(), |end| self.at + end + 4);
            }
            b'\'' | b'"' => {
                self.operand();
                self.string(byte);
            }
            b'`' => {
                self.operand();
                self.at += 1;
                self.template();
            }
            b'(' | b'[' | b'{' => {
                self.line_may_begin_here(byte != b'(');
                self.chains.open(byte);
                self.after(Before::Operator, 1);
            }
            b')' | b']' => {
                self.chains.close();
                self.after(Before::Operand, 1);
            }
            b'}' => {
                let opened = self.chains.close();
                self.after(Before::Brace, 1);
                if opened == Some(TEMPLATE) {
                    self.template();
                }
            }
            b',' | b';' => {
                self.chains.separate();
                self.after(Before::Operator, 1);
            }
            byte if is_word(byte) => self.word(),
            _ => self.operator(byte),
        }
    }

    fn after(&mut self, before: Before, length: usize) {
        self.before = before;
        self.new_line = false;
        self.at += length;
    }

    /// An operand begins: where the last one has ended and a line too, so has a statement.
    fn operand(&mut self) {
        self.line_may_begin_here(true);
        self.before = Before::Operand;
        self.new_line = false;
        self.chains.part();
    }

    fn line_may_begin_here(&mut self, may: bool) {
        if may && self.new_line && self.before != Before::Operator {
            self.chains.separate();
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn string(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' => return,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    /// The text of a template, to its end or the next expression in it.
    fn template(&mut self) {
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'`' => return self.after(Before::Operand, 1),
                b'$' if self.peek(1) == b'{' => {
                    self.chains.open(TEMPLATE);
                    return self.after(Before::Operator, 2);
                }
                _ => self.at += 1,
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..];
        self.at += rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        let word = &self.bytes[start..self.at];
        // All words that matter are short and in lower case.
        let may_matter = word.len() <= WORD_BYTES_MAX && word[0].is_ascii_lowercase();
        let word = std::str::from_utf8(if may_matter { word } else { b"" }).unwrap_or_default();
        let goes_on = may_matter && GO_ON.contains(&word);
        if self.before == Before::Brace && !goes_on {
            self.chains.separate();
        }
        self.line_may_begin_here(!goes_on);
        if may_matter && WORDS.contains(&word) {
            self.chains.link();
        }
        self.chains.part();
        let operand_next = may_matter && BEFORE_OPERAND.contains(&word);
        self.before = if operand_next { Before::Operator } else { Before::Operand };
        self.new_line = false;
    }

    fn operator(&mut self, byte: u8) {
        let next = self.peek(1);
        match byte {
            b'/' if self.before == Before::Operator && self.pattern() => {}
            b'<' => {
                // Elements, one below the other.
                self.line_may_begin_here(true);
                self.chains.link();
                // The slash of `</a>` opens no pattern.
                self.after(Before::Operator, if next == b'/' { 2 } else { 1 });
            }
            b'>' => self.after(Before::Operand, 1),
            b'=' if next == b'>' => {
                self.chains.link();
                self.after(Before::Operator, 2);
            }
            b'*' if next == b'*' => {
                self.chains.link();
                self.after(Before::Operator, 2);
            }
            b'=' | b'!' if next == b'=' => self.after(Before::Operator, 2),
            b'?' | b':' | b'=' | b'!' | b'~' => {
                self.chains.link();
                self.after(Before::Operator, 1);
            }
            b'+' | b'-' if self.before == Before::Operator => {
                self.chains.link();
                self.after(Before::Operator, 1);
            }
            // Alternatives of a type, however many, are no chain.
            b'|' | b'&' if next != byte => {
                self.chains.separate();
                self.after(Before::Operator, 1);
            }
            _ => {
                self.chains.part();
                self.after(Before::Operator, 1);
            }
        }
    }

    /// Skips a pattern, if one ends on this line.
    fn pattern(&mut self) -> bool {
        let mut at = self.at + 1;
        let mut in_class = false;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\n' => return false,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at = at + 1;
                    self.before = Before::Operand;
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }
}

static IS_WORD: [bool; 256] = super::words(b'$');

fn is_word(byte: u8) -> bool {
    IS_WORD[usize::from(byte)]
}
