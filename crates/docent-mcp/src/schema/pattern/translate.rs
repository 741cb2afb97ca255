//! ECMA-262 regular expressions rewritten in the syntax of the engine.
//!
//! Fed by `pattern`, feeds the engine. One pass from left to right; groups become
//! non-capturing, because a schema only asks whether the text matches. The pass also counts
//! the states that counted repetition writes out: `(?:a{99}){99}` is 13 characters and 9,801
//! states.

use super::super::preview;
use super::class;
use super::escape::{NOT_SPACE, SPACE, escaped_char, literal};
use std::fmt::Write as _;

/// A pattern for the engine.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) main: String,
    /// Patterns from leading look-ahead, and whether each must match.
    pub(super) also: Vec<(String, bool)>,
    pub(super) states: usize,
}

pub(super) fn translate(pattern: &str) -> Result<Translated, String> {
    let mut also = Vec::new();
    let mut states = 0;
    let mut main = String::new();
    let mut rest = pattern;
    if let Some(mut after) = pattern.strip_prefix('^') {
        while let Some((inner, wanted, behind)) = lookahead(after) {
            let mut text = String::from("^(?:");
            states += Reader::new(inner).read(&mut text)?.states;
            text.push(')');
            also.push((text, wanted));
            after = behind;
        }
        if !also.is_empty() {
            main.push('^');
            rest = after;
        }
    }
    let read = Reader::new(rest).read(&mut main)?;
    if read.alternation && !also.is_empty() {
        // `^(?=a)b|c` asks for the look-ahead on one side only.
        return Err(LOOK_AROUND.to_owned());
    }
    Ok(Translated { main, also, states: states + read.states })
}

const LOOK_AROUND: &str = "look-around is supported only right after a leading `^`, \
                           because matching must take linear time";
const BACK_REFERENCE: &str =
    "back-references are not supported, because matching must take linear time";

/// Splits `(?=inner)behind` or `(?!inner)behind`.
fn lookahead(text: &str) -> Option<(&str, bool, &str)> {
    let (body, wanted) = match (text.strip_prefix("(?="), text.strip_prefix("(?!")) {
        (Some(body), _) => (body, true),
        (_, Some(body)) => (body, false),
        _ => return None,
    };
    let (mut depth, mut escaped, mut in_class) = (0usize, false, false);
    for (index, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => in_class = false,
            '[' => in_class = true,
            '(' if !in_class => depth += 1,
            ')' if !in_class && depth == 0 => {
                return Some((&body[..index], wanted, &body[index + 1..]));
            }
            ')' if !in_class => depth -= 1,
            _ => {}
        }
    }
    None
}

/// What reading a pattern found out.
struct Read {
    states: usize,
    /// Whether `|` stands outside all groups.
    alternation: bool,
}

struct Reader<'p> {
    rest: &'p str,
    /// States of each open group; the first is the whole pattern.
    groups: Vec<usize>,
    /// States of the last atom, which a quantifier repeats.
    last: usize,
    alternation: bool,
}

impl<'p> Reader<'p> {
    fn new(pattern: &'p str) -> Self {
        Self { rest: pattern, groups: vec![0], last: 0, alternation: false }
    }

    fn read(mut self, out: &mut String) -> Result<Read, String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape(out)?,
                '.' => {
                    out.push_str(r"[^\n\r\x{2028}\x{2029}]");
                    self.atom(1);
                }
                '[' => {
                    let items = class::read(&mut self.rest, out)?;
                    self.atom(1 + items / 4);
                }
                '(' => self.open(out)?,
                ')' => {
                    let inner = self.groups.pop().unwrap_or_default();
                    if self.groups.is_empty() {
                        return Err("unmatched `)`".to_owned());
                    }
                    out.push(')');
                    self.atom(inner + 1);
                }
                '{' => self.repeat(out),
                '*' | '+' | '?' => {
                    out.push(c);
                    self.add(1);
                }
                '|' => {
                    self.alternation |= self.groups.len() == 1;
                    out.push(c);
                    self.add(1);
                }
                '^' | '$' => {
                    out.push(c);
                    self.atom(1);
                }
                _ => {
                    literal(c, out);
                    self.atom(1);
                }
            }
        }
        let states = self.groups.iter().fold(0, |sum: usize, group| sum.saturating_add(*group));
        Ok(Read { states: states.saturating_add(1), alternation: self.alternation })
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn atom(&mut self, states: usize) {
        self.last = states;
        self.add(states);
    }

    fn add(&mut self, states: usize) {
        if let Some(group) = self.groups.last_mut() {
            *group = group.saturating_add(states);
        }
    }

    /// `(` and what follows it: `?:`, a name, flags.
    fn open(&mut self, out: &mut String) -> Result<(), String> {
        self.groups.push(0);
        let Some(special) = self.rest.strip_prefix('?') else {
            out.push_str("(?:");
            return Ok(());
        };
        if special.starts_with(['=', '!']) || special.starts_with("<=") || special.starts_with("<!")
        {
            return Err(LOOK_AROUND.to_owned());
        }
        if let Some(name) = special.strip_prefix('<').or_else(|| special.strip_prefix("P<")) {
            let end = name.find('>').ok_or("group name without `>`")?;
            self.rest = &name[end + 1..];
            out.push_str("(?:");
            return Ok(());
        }
        let flags = special.find([':', ')']).map(|end| special.split_at(end));
        let flags = flags.filter(|(flags, _)| flags.chars().all(|c| matches!(c, 'i' | 'm' | '-')));
        let Some((flags, rest)) = flags else {
            return Err(format!("unknown group {}", preview::quoted(&format!("(?{special}"))));
        };
        out.push_str("(?");
        out.push_str(flags);
        // The parenthesis of `(?i)` is read in its turn, and closes this group.
        self.rest = rest;
        if let Some(rest) = rest.strip_prefix(':') {
            out.push(':');
            self.rest = rest;
        }
        Ok(())
    }

    /// `{2}`, `{2,}`, `{2,5}`, or else an ordinary brace.
    fn repeat(&mut self, out: &mut String) {
        let counts = self.rest.find('}').and_then(|end| {
            let (min, max) = match self.rest[..end].split_once(',') {
                Some((min, max)) => (min, Some(max)),
                None => (&self.rest[..end], None),
            };
            let min: u32 = min.parse().ok()?;
            let most = match max {
                None => min,
                Some("") => min.saturating_add(1),
                Some(max) => max.parse().ok()?,
            };
            Some((end, most))
        });
        let Some((end, most)) = counts else {
            literal('{', out);
            self.atom(1);
            return;
        };
        let _ = write!(out, "{{{}}}", &self.rest[..end]);
        self.rest = &self.rest[end + 1..];
        let copies = (most as usize).saturating_sub(1);
        self.add(self.last.saturating_mul(copies).saturating_add(1));
        self.last = self.last.saturating_mul(most as usize);
    }

    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        match self.rest.chars().next() {
            Some(c @ ('d' | 'D' | 'w' | 'W' | 'b' | 'B')) => {
                self.next();
                out.push('\\');
                out.push(c);
                self.atom(2);
            }
            Some(c @ ('s' | 'S')) => {
                self.next();
                let _ = write!(out, "[{}]", if c == 's' { SPACE } else { NOT_SPACE });
                self.atom(4);
            }
            Some('1'..='9' | 'k') => return Err(BACK_REFERENCE.to_owned()),
            _ => {
                literal(escaped_char(&mut self.rest)?, out);
                self.atom(1);
            }
        }
        Ok(())
    }
}
