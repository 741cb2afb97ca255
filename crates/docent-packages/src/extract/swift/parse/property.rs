//! Properties and variables, with what can be done to them.

use super::{Parser, Pending};
use crate::extract::swift::attributes::is_modifier;
use crate::extract::swift::declaration::{Declaration, What};
use crate::extract::swift::lex::Shape;
use crate::extract::swift::text::plain;

/// The longest value that stands in for a type that is not written.
const VALUE_CHARACTERS_MAX: usize = 80;

impl Parser<'_> {
    /// Reads `let a: A, b = 1` and `var c: C { get }`.
    pub(super) fn property(&mut self, pending: Pending, end: usize, found: &mut Vec<Declaration>) {
        let keyword = self.cursor.at;
        let word = self.cursor.text(keyword);
        let what = if word == "let" { What::Constant } else { What::Property };
        let mut at = keyword + 1;
        loop {
            let name_at = at;
            // `let (a, b) = …` declares names too, but nobody does that in public.
            at = self.cursor.past(at);
            let mut type_end = at;
            let is_typed = at < end && self.cursor.is(at, ":");
            if is_typed {
                type_end = self.type_end(at + 1, end);
                at = type_end;
            }
            let mut value = None;
            if at < end && self.is_assignment(at) {
                let to = self.value_end(at + 1, end);
                value = Some((at, to));
                at = to;
            }
            let mut accessors = None;
            if at < end && self.cursor.is(at, "{") {
                accessors = self.accessors(at, pending.prefix.set_inside);
                at = self.cursor.past(at);
            }
            if accessors.is_none() && word == "var" && pending.prefix.set_inside {
                accessors = Some(" { get }".to_owned());
            }
            if self.cursor.is_word(name_at) && name_at < end {
                let mut shown = pending.prefix.shown.clone();
                shown.push(word.to_owned());
                shown.push(self.cursor.slice(name_at, type_end));
                let mut signature = shown.join(" ");
                if let Some((from, to)) = value.filter(|_| !is_typed) {
                    let value = self.cursor.slice(from, to);
                    if value.chars().count() <= VALUE_CHARACTERS_MAX && !value.contains('{') {
                        signature.push(' ');
                        signature.push_str(&value);
                    }
                }
                signature.push_str(&accessors.unwrap_or_default());
                let name = plain(self.cursor.text(name_at)).to_owned();
                found.push(Declaration {
                    full_name: name.clone(),
                    name,
                    signature,
                    line: self.cursor.line(name_at),
                    ..self.begin(what, &pending, keyword)
                });
            }
            if at >= end || !self.cursor.is(at, ",") {
                break;
            }
            at += 1;
        }
        self.cursor.at = at.max(keyword + 1).min(end);
    }

    fn is_assignment(&self, at: usize) -> bool {
        self.cursor.is(at, "=")
    }

    fn type_end(&self, from: usize, end: usize) -> usize {
        let (mut at, mut open) = (from, 0isize);
        while at < end {
            let text = self.cursor.text(at);
            open = (open + self.cursor.angles(at)).max(0);
            let is_end = matches!(text, "{" | "}" | ";" | "=") || (text == "," && open == 0);
            let is_next = self.cursor.starts_line(at) && at > from && !self.cursor.continues(at);
            if is_end || (is_next && open == 0) || text.starts_with("///") || text.starts_with('#')
            {
                break;
            }
            at = self.cursor.past(at);
        }
        at
    }

    /// Where a value ends: what comes next begins a line, and begins a declaration.
    fn value_end(&self, from: usize, end: usize) -> usize {
        let mut at = from;
        while at < end {
            let text = self.cursor.text(at);
            if matches!(text, "}" | ";" | ",") {
                break;
            }
            if self.cursor.starts_line(at) && at > from && self.begins(at) {
                break;
            }
            // `var a = 1 { didSet { … } }`; a closure is part of the value.
            if text == "{" && at > from && self.observes(at) {
                break;
            }
            at = self.cursor.past(at);
        }
        at
    }

    fn observes(&self, block: usize) -> bool {
        matches!(self.cursor.text(block + 1), "willSet" | "didSet")
    }

    /// Whether the first token of a line begins something new.
    fn begins(&self, at: usize) -> bool {
        let text = self.cursor.text(at);
        let is_keyword = matches!(
            text,
            "func"
                | "var"
                | "let"
                | "init"
                | "deinit"
                | "subscript"
                | "struct"
                | "class"
                | "actor"
                | "enum"
                | "protocol"
                | "extension"
                | "typealias"
                | "associatedtype"
                | "import"
                | "case"
                | "macro"
                | "@"
                | "#if"
                | "#else"
                | "#elseif"
                | "#endif"
        );
        is_keyword || is_modifier(text) || text.starts_with("///") || text.starts_with("/**")
    }

    /// What can be done: ` { get set }`. Nothing for what is only watched.
    pub(super) fn accessors(&self, block: usize, set_inside: bool) -> Option<String> {
        let close = self.cursor.partner(block);
        let mut found = Accessors::default();
        let mut at = block + 1;
        while at < close {
            let text = self.cursor.text(at);
            let is_accessor = self.is_accessor(at);
            at = match text {
                "@" => self.cursor.attribute_end(at, close),
                "#if" | "#else" | "#elseif" | "#endif" => self.cursor.line_end(at, close),
                "mutating" | "nonmutating" | "consuming" | "borrowing" => {
                    found.before.push(text);
                    at + 1
                }
                "get" | "_read" | "read" | "unsafeAddress" | "borrow" if is_accessor => {
                    self.getter(at, close, &mut found)
                }
                "set" | "_modify" | "modify" | "unsafeMutableAddress" | "mutate" if is_accessor => {
                    found.before.push("set");
                    let words = std::mem::take(&mut found.before).join(" ");
                    found.setter = found.setter.or(Some(words));
                    at + 1
                }
                "willSet" | "didSet" => {
                    found.is_watched = true;
                    at + 1
                }
                _ if self.cursor.kind(at) == Shape::Doc || text == "yielding" => at + 1,
                // The body of an accessor, or the name of what is set.
                _ if found.is_any() => self.cursor.past(at),
                // Anything else is a getter without its word.
                _ => break,
            };
        }
        found.text(set_inside)
    }

    /// Whether a word is an accessor's, and not a name that a getter without its word begins with.
    fn is_accessor(&self, at: usize) -> bool {
        let next = self.cursor.text(at + 1);
        match next {
            "(" => self.cursor.is(self.cursor.past(at + 1), "{"),
            "{" | "}" | ";" | "@" | "async" | "throws" | "get" | "set" => true,
            _ => {
                self.cursor.starts_line(at + 1)
                    && !matches!(self.cursor.kind(at + 1), Shape::Operator)
                    && next != "."
                    || is_modifier(next)
            }
        }
    }

    fn getter(&self, at: usize, close: usize, found: &mut Accessors<'_>) -> usize {
        found.before.push("get");
        let mut shown = std::mem::take(&mut found.before).join(" ");
        let mut effects = at + 1;
        while effects < close && matches!(self.cursor.text(effects), "async" | "throws") {
            let is_typed = self.cursor.is(effects + 1, "(");
            let to = if is_typed { self.cursor.past(effects + 1) } else { effects + 1 };
            shown = format!("{shown} {}", self.cursor.slice(effects, to));
            effects = to;
        }
        found.getter = found.getter.take().or(Some(shown));
        effects
    }
}

/// What was found in the braces behind a property.
#[derive(Default)]
struct Accessors<'t> {
    getter: Option<String>,
    setter: Option<String>,
    is_watched: bool,
    /// Words that belong to the accessor that comes next.
    before: Vec<&'t str>,
}

impl Accessors<'_> {
    fn is_any(&self) -> bool {
        self.getter.is_some() || self.setter.is_some() || self.is_watched
    }

    fn text(self, set_inside: bool) -> Option<String> {
        if self.is_watched {
            return set_inside.then(|| " { get }".to_owned());
        }
        let getter = self.getter.unwrap_or_else(|| "get".to_owned());
        Some(match self.setter.filter(|_| !set_inside) {
            Some(setter) => format!(" {{ {getter} {setter} }}"),
            None => format!(" {{ {getter} }}"),
        })
    }
}
