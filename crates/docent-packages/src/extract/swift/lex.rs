//! The words, marks and documentation comments of a Swift text.
//!
//! Feeds [`super::parse`] and [`super::manifest`]. Takes any text: what is open at the end ends
//! there. Loops only, so that nothing in a text can be too deep for it.

use super::literal;

/// One word, mark or comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Shape,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// From 1.
    pub(crate) line: u32,
    /// Whether it is the first on its line; comments do not count.
    pub(crate) starts_line: bool,
    /// Whether anything stands between it and the token before.
    pub(crate) spaced: bool,
}

/// What a [`Token`] looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// A name or keyword, in backticks or not.
    Word,
    Number,
    /// A string or a regular expression.
    Literal,
    /// A bracket, comma, colon, semicolon, dot or `@`.
    Mark,
    /// As many signs of operators as there are in a row.
    Operator,
    /// `#if`, `#available`, the name of a macro.
    Hash,
    /// A documentation comment, one line or one block of it.
    Doc,
}

/// All tokens of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
        starts_line: true,
        spaced: true,
        tokens: Vec::with_capacity(text.len() / 6),
    };
    if text.starts_with("#!") {
        lexer.skip_line();
    }
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    line: u32,
    starts_line: bool,
    spaced: bool,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        match self.peek(0) {
            b'\n' => {
                self.at += 1;
                self.line = self.line.saturating_add(1);
                (self.starts_line, self.spaced) = (true, true);
            }
            b' ' | b'\t' | b'\r' | 0 | 0x0B | 0x0C => {
                self.at += 1;
                self.spaced = true;
            }
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'"' => self.literal(literal::string_end(self.bytes, self.at)),
            b'#' => self.hash(),
            b'`' => self.quoted(),
            b'0'..=b'9' => self.number(),
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b':' | b';' | b'@' | b'\\' => {
                self.push(Shape::Mark, self.at + 1);
            }
            b'.' if self.peek(1) != b'.' => self.push(Shape::Mark, self.at + 1),
            // `Int?` and `Int!`: what follows is not part of the same operator.
            b'?' | b'!' if self.is_postfix() => self.push(Shape::Operator, self.at + 1),
            b'/' => match self.regex() {
                Some(end) => self.literal(end),
                None => self.operator(),
            },
            byte if is_operator_byte(byte) => self.operator(),
            _ => self.word(),
        }
    }

    fn push(&mut self, kind: Shape, end: usize) {
        let (starts_line, spaced) = (self.starts_line, self.spaced);
        let token = Token { kind, start: self.at, end, line: self.line, starts_line, spaced };
        self.tokens.push(token);
        self.at = end;
        // A comment may stand before a declaration on the same line.
        self.starts_line &= kind == Shape::Doc;
        self.spaced = false;
    }

    /// Takes what reaches to `end`, lines and all.
    fn literal(&mut self, end: usize) {
        let lines = newlines(&self.bytes[self.at..end]);
        self.push(Shape::Literal, end);
        self.line = self.line.saturating_add(lines);
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.spaced = true;
    }

    fn line_comment(&mut self) {
        let is_doc = self.peek(2) == b'/' && self.peek(3) != b'/';
        let start = self.at;
        self.skip_line();
        if is_doc {
            let end = std::mem::replace(&mut self.at, start);
            self.push(Shape::Doc, end);
            self.spaced = true;
        }
    }

    fn block_comment(&mut self) {
        let is_doc = self.peek(2) == b'*' && !matches!(self.peek(3), b'*' | b'/');
        let end = literal::comment_end(self.bytes, self.at);
        let lines = newlines(&self.bytes[self.at..end]);
        if is_doc {
            self.push(Shape::Doc, end);
        }
        self.at = end;
        self.line = self.line.saturating_add(lines);
        self.starts_line |= lines > 0;
        self.spaced = true;
    }

    fn hash(&mut self) {
        let hashes = self.bytes[self.at..].iter().take_while(|&&byte| byte == b'#').count();
        match self.peek(hashes) {
            b'"' => self.literal(literal::string_end(self.bytes, self.at)),
            b'/' if self.is_operand_wanted() => {
                self.literal(literal::extended_regex_end(self.bytes, self.at, hashes));
            }
            _ => {
                let end = self.word_end(self.at + 1);
                self.push(Shape::Hash, end);
            }
        }
    }

    fn quoted(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let length = memchr::memchr2(b'`', b'\n', rest).filter(|&length| rest[length] == b'`');
        match length {
            Some(length) => self.push(Shape::Word, self.at + length + 2),
            None => self.push(Shape::Mark, self.at + 1),
        }
    }

    fn number(&mut self) {
        let mut end = self.at;
        while let Some(&byte) = self.bytes.get(end) {
            let is_part = byte.is_ascii_alphanumeric()
                || byte == b'_'
                || (byte == b'.' && self.bytes.get(end + 1).is_some_and(u8::is_ascii_digit));
            if !is_part {
                break;
            }
            end += 1;
        }
        self.push(Shape::Number, end);
    }

    fn word(&mut self) {
        let end = self.word_end(self.at);
        if end > self.at {
            return self.push(Shape::Word, end);
        }
        // A sign of an operator beyond ASCII, or something that no program holds.
        let length = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        if self.text[self.at..].starts_with(is_operator) {
            self.operator();
        } else {
            self.at += length;
            self.spaced = true;
        }
    }

    fn word_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || is_beyond(c);
        from + rest.find(|c| !is_part(c)).unwrap_or(rest.len())
    }

    fn operator(&mut self) {
        let mut end = self.at;
        for c in self.text[self.at..].chars() {
            let rest = &self.bytes[end..];
            let is_comment = rest.starts_with(b"//") || rest.starts_with(b"/*");
            // `Array<Int>?` and `Array<Int>...`: what closes the brackets ends there.
            let is_closed = matches!(c, '?' | '!' | '.')
                && end > self.at
                && self.bytes[self.at..end].iter().all(|&byte| byte == b'>');
            if !is_operator(c) || is_comment || is_closed {
                break;
            }
            end += c.len_utf8();
        }
        self.push(Shape::Operator, end.max(self.at + 1));
    }

    fn is_postfix(&self) -> bool {
        let is_comparison = self.peek(0) == b'!' && self.peek(1) == b'=';
        !self.spaced && !is_comparison && !self.is_operand_wanted()
    }

    /// Whether an operand may begin here, judging by what stands before.
    fn is_operand_wanted(&self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        let text = &self.text[last.start..last.end];
        match last.kind {
            Shape::Number | Shape::Literal | Shape::Hash => false,
            Shape::Word => matches!(text, "return" | "in" | "case" | "try" | "await" | "else"),
            Shape::Mark => !matches!(text, ")" | "]" | "}"),
            // After `Int?` or `Array<Int>` no operand follows at once.
            Shape::Operator => {
                let closes = text.bytes().all(|byte| byte == b'>');
                self.spaced || !(closes || matches!(text, "?" | "!"))
            }
            Shape::Doc => true,
        }
    }

    /// Where a regular expression between slashes ends, if one begins here.
    fn regex(&self) -> Option<usize> {
        let can_begin = self.is_operand_wanted() && !matches!(self.peek(1), b' ' | b'\t');
        let name_of_operator = self.tokens.last().is_some_and(|last| {
            matches!(&self.text[last.start..last.end], "func" | "operator" | "prefix" | "infix")
        });
        let end = literal::regex_end(self.bytes, self.at);
        end.filter(|_| can_begin && !name_of_operator)
    }
}

fn newlines(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

fn is_operator_byte(byte: u8) -> bool {
    matches!(
        byte,
        b'/' | b'='
            | b'-'
            | b'+'
            | b'!'
            | b'*'
            | b'%'
            | b'<'
            | b'>'
            | b'&'
            | b'|'
            | b'^'
            | b'~'
            | b'?'
            | b'.'
    )
}

fn is_operator(c: char) -> bool {
    match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => is_operator_byte(byte),
        _ => is_sign(c),
    }
}

/// The signs beyond ASCII that the language allows in operators.
fn is_sign(c: char) -> bool {
    matches!(
        c,
        '\u{A1}'..='\u{A7}' | '\u{A9}' | '\u{AB}' | '\u{AC}' | '\u{AE}' | '\u{B0}' | '\u{B1}'
            | '\u{B6}' | '\u{BB}' | '\u{BF}' | '\u{D7}' | '\u{F7}' | '\u{2016}' | '\u{2017}'
            | '\u{2020}'..='\u{2027}' | '\u{2030}'..='\u{203E}' | '\u{2041}'..='\u{2053}'
            | '\u{2055}'..='\u{205E}' | '\u{2190}'..='\u{23FF}' | '\u{2500}'..='\u{2775}'
            | '\u{2794}'..='\u{2BFF}' | '\u{2E00}'..='\u{2E7F}' | '\u{3001}'..='\u{3003}'
            | '\u{3008}'..='\u{3020}' | '\u{3030}'
    )
}

/// Signs that names may have though they are no letters: pictures, mostly.
fn is_beyond(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !c.is_control() && !is_sign(c) && c != '\u{FEFF}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = tokens(text);
        let found: Vec<&str> = found.iter().map(|token| &text[token.start..token.end]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_text_is_words_and_marks() {
        check("var a:Int?=nil", &["var", "a", ":", "Int", "?", "=", "nil"]);
        check("x: [A<B?>]??", &["x", ":", "[", "A", "<", "B", "?", ">", "]", "?", "?"]);
        check("f(a: Int...) -> B.C", &["f", "(", "a", ":", "Int", "...", ")", "->", "B", ".", "C"]);
        check(
            "A<B<C>>?\nD<E>...",
            &["A", "<", "B", "<", "C", ">>", "?", "D", "<", "E", ">", "..."],
        );
        check("a != b; 1.5e3..<2", &["a", "!=", "b", ";", "1.5e3", "..<", "2"]);
        check("`default` $0 _$id é≠ö", &["`default`", "$0", "_$id", "é", "≠", "ö"]);
        check("#if os(Linux)\n#endif", &["#if", "os", "(", "Linux", ")", "#endif"]);
        check("a // b\n/* c /* d */ e */ f /**/ g", &["a", "f", "g"]);
        check("/// a\n//// b\n/** c */ d", &["/// a", "/** c */", "d"]);
    }

    #[test]
    fn strings_and_patterns_hide_what_is_in_them() {
        check(r#"a "{\"\(b("}"))" c"#, &["a", r#""{\"\(b("}"))""#, "c"]);
        check(
            "a \"\"\"\n{ \"x\" \\(\"}\")\n\"\"\" c",
            &["a", "\"\"\"\n{ \"x\" \\(\"}\")\n\"\"\"", "c"],
        );
        check(r##"a #"{\("# c"##, &["a", r##"#"{\("#"##, "c"]);
        check("let r = /[\"({]/ ;a", &["let", "r", "=", "/[\"({]/", ";", "a"]);
        check("a / b / c", &["a", "/", "b", "/", "c"]);
        check("f(/A.b) ", &["f", "(", "/", "A", ".", "b", ")"]);
        check("func / (a: A)", &["func", "/", "(", "a", ":", "A", ")"]);
        check("a = #/ { \" /#\nb", &["a", "=", "#/ { \" /#", "b"]);
    }

    #[test]
    fn lines_are_counted() {
        let text = "a\n/* \n */ b \"\"\"\n\n\"\"\"\nc";
        let found: Vec<(u32, bool)> =
            tokens(text).iter().map(|token| (token.line, token.starts_line)).collect();
        assert_eq!(found, [(1, true), (3, true), (3, false), (6, true)]);
    }

    #[test]
    fn any_text_is_survived() {
        for text in [
            "", "\"", "\"\\(", "#", "##", "#\"", "/*", "`", "\"\"\"", "/", "#/", "\\", "é(",
            "\u{FEFF}",
        ] {
            let _ = tokens(text);
        }
        let deep = "\"\\(".repeat(100_000);
        assert_eq!(tokens(&deep).len(), 1);
    }
}
