//! What a Swift file declares, read without its bodies.
//!
//! Fed by [`super::lex`]; makes [`Declaration`]s for [`super::link`]. Not a parser of the language:
//! it knows how declarations begin and end, and steps over everything in brackets. So it does not
//! depend on the version of the language that a body is written in, and what it cannot make sense of
//! costs one statement. `cursor` moves over tokens; `function`, `property` and `nominal` read one
//! kind of declaration each.

mod cursor;
mod function;
mod nominal;
mod property;
#[cfg(test)]
mod tests;

pub(super) use self::cursor::Cursor;
use super::attributes::{Prefix, is_modifier};
use super::condition::Conditions;
use super::declaration::{Declaration, File, What};
use super::docs;
use super::lex::Shape;
use super::text::line;

/// Everything that a file declares. Types nest at most that deep.
pub(super) fn file(text: &str, nesting_max: usize) -> File {
    let cursor = Cursor::new(text);
    let end = cursor.len();
    let mut parser =
        Parser { cursor, conditions: Conditions::default(), nesting_max, file: File::default() };
    if let Some(line) = parser.cursor.unbalanced {
        parser.file.problems.push((line, "a bracket has no partner"));
    }
    parser.file.declarations = parser.members(end, Place::Outside, 0);
    parser.file
}

/// What declarations are in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Inside(What),
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    conditions: Conditions,
    nesting_max: usize,
    file: File,
}

/// What was read of a declaration before its keyword.
#[derive(Default)]
struct Pending {
    /// Positions of comments.
    docs: Vec<usize>,
    prefix: Prefix,
}

impl Parser<'_> {
    /// The declarations from here to `end`.
    fn members(&mut self, end: usize, place: Place, depth: usize) -> Vec<Declaration> {
        let mut found = Vec::new();
        let mut pending = Pending::default();
        let conditions = self.conditions.depth();
        while self.cursor.at < end {
            let at = self.cursor.at;
            match self.cursor.kind(at) {
                Shape::Doc => {
                    self.comment(&mut pending, at);
                    self.cursor.at += 1;
                }
                Shape::Hash => self.directive(&mut pending, end),
                Shape::Mark if self.cursor.is(at, "@") => {
                    self.cursor.at = self.attribute(&mut pending.prefix, at, end);
                }
                Shape::Mark if self.cursor.is(at, ";") => self.cursor.at += 1,
                Shape::Word if self.is_modifier(at) => self.modifier(&mut pending.prefix),
                Shape::Word => {
                    let taken = std::mem::take(&mut pending);
                    let before = found.len();
                    if !self.declaration(taken, end, place, depth, &mut found) {
                        self.cursor.skip_statement(end);
                    }
                    if self.conditions.is_never() {
                        found.truncate(before);
                    }
                }
                _ => {
                    pending = Pending::default();
                    self.cursor.skip_statement(end);
                }
            }
            // Whatever happens, it goes on.
            self.cursor.at = self.cursor.at.max(at + 1);
        }
        self.conditions.truncate(conditions);
        self.cursor.at = end;
        found
    }

    /// Notes a comment; only those without a gap belong together.
    fn comment(&self, pending: &mut Pending, at: usize) {
        let is_next = pending.docs.last().is_some_and(|&last| {
            let end = self.cursor.end_line(last);
            self.cursor.line(at) <= end.saturating_add(1)
        });
        if !is_next {
            pending.docs.clear();
        }
        pending.docs.push(at);
    }

    /// `#if` and its like; the name of a macro is the start of a statement.
    fn directive(&mut self, pending: &mut Pending, end: usize) {
        let at = self.cursor.at;
        let word = self.cursor.text(at);
        let after = self.cursor.line_end(at, end);
        match word {
            "#if" => match self.attributes_only(after, end) {
                Some(close) => {
                    self.conditional_attributes(&mut pending.prefix, after, close);
                    self.cursor.at = close;
                }
                None => {
                    self.conditions.open(self.cursor.slice(at + 1, after));
                    self.cursor.at = after;
                }
            },
            "#elseif" => {
                self.conditions.next(self.cursor.slice(at + 1, after));
                self.cursor.at = after;
            }
            "#else" => {
                self.conditions.next(String::new());
                self.cursor.at = after;
            }
            "#endif" => {
                self.conditions.close();
                self.cursor.at = at + 1;
            }
            _ => {
                *pending = Pending::default();
                self.cursor.skip_statement(end);
            }
        }
    }

    /// Where the `#endif` ends, if there is nothing but attributes up to it.
    fn attributes_only(&self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        let mut open = 1usize;
        while at < end {
            at = match (self.cursor.kind(at), self.cursor.text(at)) {
                (Shape::Hash, "#if") => {
                    open += 1;
                    self.cursor.line_end(at, end)
                }
                (Shape::Hash, "#else" | "#elseif") => self.cursor.line_end(at, end),
                (Shape::Hash, "#endif") => {
                    open -= 1;
                    if open == 0 {
                        // Without anything, it is no matter of attributes.
                        return (at > from).then_some(at + 1);
                    }
                    at + 1
                }
                (Shape::Mark, "@") => self.cursor.attribute_end(at, end),
                (Shape::Doc, _) => at + 1,
                (Shape::Word, word) if is_modifier(word) => {
                    let next = at + 1;
                    // `#if A public #endif` is one thing, `#if A public func` another.
                    let follows = next < end && self.cursor.starts_line(next);
                    if follows { next } else { return None }
                }
                _ => return None,
            };
        }
        None
    }

    fn conditional_attributes(&mut self, prefix: &mut Prefix, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            at = if self.cursor.is(at, "@") {
                self.attribute(prefix, at, to)
            } else if self.cursor.kind(at) == Shape::Hash {
                self.cursor.line_end(at, to)
            } else {
                if self.cursor.kind(at) == Shape::Word {
                    prefix.modifier(self.cursor.text(at), None);
                }
                at + 1
            };
        }
    }

    /// Takes in the attribute at `at`, and gives the place after it.
    fn attribute(&self, prefix: &mut Prefix, at: usize, end: usize) -> usize {
        let after = self.cursor.attribute_end(at, end);
        let open = (at + 1..after).find(|&at| self.cursor.is(at, "("));
        let name_end = open.unwrap_or(after);
        let name = self.cursor.slice(at + 1, name_end);
        let arguments = match open {
            Some(open) => self.cursor.separated(open + 1, self.cursor.partner(open)),
            None => Vec::new(),
        };
        let arguments: Vec<String> =
            arguments.into_iter().map(|(from, to)| self.cursor.slice(from, to)).collect();
        prefix.attribute(&name, &self.cursor.slice(at, after), &arguments);
        after
    }

    fn is_modifier(&self, at: usize) -> bool {
        let word = self.cursor.text(at);
        if !is_modifier(word) || self.cursor.is(at + 1, ".") || self.cursor.is(at + 1, "=") {
            return false;
        }
        let next = self.cursor.text(at + 1);
        word != "class"
            || matches!(next, "func" | "var" | "let" | "subscript" | "@")
            || (is_modifier(next) && !self.cursor.is(at + 2, "{") && !self.cursor.is(at + 2, ":"))
    }

    fn modifier(&mut self, prefix: &mut Prefix) {
        let at = self.cursor.at;
        let open = at + 1;
        let detail = (self.cursor.is(open, "(") && !self.cursor.spaced(open))
            .then(|| self.cursor.partner(open));
        match detail {
            Some(close) => {
                let detail = self.cursor.slice(open + 1, close);
                prefix.modifier(self.cursor.text(at), Some(&detail));
                self.cursor.at = close + 1;
            }
            None => {
                prefix.modifier(self.cursor.text(at), None);
                self.cursor.at = at + 1;
            }
        }
    }

    /// Reads the declaration that begins with the word here; `false` if none does.
    fn declaration(
        &mut self,
        pending: Pending,
        end: usize,
        place: Place,
        depth: usize,
        found: &mut Vec<Declaration>,
    ) -> bool {
        let at = self.cursor.at;
        let next = self.cursor.text(at + 1);
        let is_name = self.cursor.kind(at + 1) == Shape::Word;
        let one = match self.cursor.text(at) {
            "import" => {
                self.import(&pending.prefix, end);
                return true;
            }
            "struct" if is_name => self.nominal(What::Struct, pending, end, depth),
            "class" if is_name => self.nominal(What::Class, pending, end, depth),
            "actor" if is_name => self.nominal(What::Actor, pending, end, depth),
            "enum" if is_name => self.nominal(What::Enum, pending, end, depth),
            "protocol" if is_name => self.nominal(What::Protocol, pending, end, depth),
            "extension" => self.nominal(What::Extension, pending, end, depth),
            "func" => self.function(What::Function, pending, end),
            "init" if matches!(next, "(" | "?" | "!") || next.starts_with('<') => {
                self.function(What::Initializer, pending, end)
            }
            "subscript" if next == "(" || next.starts_with('<') => {
                self.function(What::Subscript, pending, end)
            }
            "macro" if is_name => self.function(What::Macro, pending, end),
            "typealias" if is_name => self.alias(What::Alias, pending, end),
            "associatedtype" if is_name => self.alias(What::Associated, pending, end),
            "operator" => self.operator(pending, end),
            "var" | "let" => {
                self.property(pending, end, found);
                return true;
            }
            "case" if place == Place::Inside(What::Enum) => {
                self.cases(&pending, end, found);
                return true;
            }
            // Nothing of them is of use to anybody else.
            "deinit" | "precedencegroup" => {
                self.cursor.at = self.cursor.past_block(at + 1, end);
                return true;
            }
            _ => return false,
        };
        match one {
            Some(one) => {
                found.push(one);
                true
            }
            None => false,
        }
    }

    fn import(&mut self, prefix: &Prefix, end: usize) {
        let from = self.cursor.at + 1;
        let to = self.cursor.line_end(self.cursor.at, end);
        const KINDS: &[&str] =
            &["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"];
        let is_part = KINDS.contains(&self.cursor.text(from));
        let name = self.cursor.text(if is_part { from + 1 } else { from }).to_owned();
        if prefix.exported && !is_part {
            self.file.exported.push(self.cursor.slice(from, to));
        }
        if !self.file.imported.contains(&name) {
            self.file.imported.push(name);
        }
        self.cursor.at = to;
    }

    /// A declaration with what stands before it.
    fn begin(&self, what: What, pending: &Pending, keyword: usize) -> Declaration {
        let comments: Vec<&str> = pending.docs.iter().map(|&at| self.cursor.text(at)).collect();
        let docs = docs::read(&comments);
        Declaration {
            what,
            access: pending.prefix.access,
            docs: docs.text,
            availability: pending.prefix.availability.clone(),
            hidden: pending.prefix.hidden || docs.hidden,
            conditions: self.conditions.notes(),
            line: self.cursor.line(keyword),
            ..Declaration::default()
        }
    }

    /// What stands before a declaration and the tokens of it, as a signature.
    fn signature(&self, prefix: &Prefix, from: usize, to: usize) -> String {
        let own = line(self.cursor.source, self.cursor.tokens(from, to));
        let mut parts = prefix.shown.clone();
        parts.push(own);
        parts.join(" ")
    }
}
