//! Through a file from top to bottom: binds what is declared, notes what is used.

use super::declared::{self, TYPES};
use super::scopes::{Scopes, Value};
use super::text::Text;
use crate::check::uses::{At, Call, Step, Use, Uses};
use crate::hashing::HashSet;

/// How many steps one use may have.
const STEPS_MAX: usize = 64;

/// Members that every type has.
const UNIVERSAL: &[&str] = &["self", "Type", "Protocol"];

pub(super) struct Walk<'w, 't> {
    text: &'w Text<'t>,
    imports: Vec<(&'t str, At)>,
    /// Types that the file declares, and the parameters of types.
    own: HashSet<&'t str>,
    scopes: Scopes<'t>,
    /// What the next block binds.
    parameters: Vec<(&'t str, Value)>,
    /// Whether the next block is that of a type.
    opens_type: bool,
    pub(super) uses: Uses,
}

/// A chain of members and calls.
struct Chain {
    steps: Vec<Step>,
    /// The token behind it.
    end: usize,
    /// Whether its value is what comes of all steps.
    is_clean: bool,
}

impl<'w, 't> Walk<'w, 't> {
    pub(super) fn new(text: &'w Text<'t>) -> Self {
        let mut scopes = Scopes::default();
        scopes.open(0, false);
        Self {
            text,
            imports: Vec::new(),
            own: HashSet::default(),
            scopes,
            parameters: Vec::new(),
            opens_type: false,
            uses: Uses::default(),
        }
    }

    pub(super) fn file(&mut self) {
        let mut members = HashSet::default();
        declared::collect(self.text, &mut self.own, &mut members);
        // What the file adds to a type is there, whichever type it is.
        let members = members.into_iter().chain(self.own.iter().copied());
        self.uses.guarded = members.map(str::to_owned).collect();
        let text = self.text;
        for at in (0..text.len()).filter(|&at| text.is(at, "import") && text.is_word(at + 1)) {
            self.import(at);
        }
        let mut at = 0;
        while at < text.len() {
            self.scopes.go_to(at);
            at = self.step(at);
        }
    }

    fn import(&mut self, at: usize) {
        const KINDS: &[&str] =
            &["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"];
        let text = self.text;
        // What stands before it on its line may open doors that others do not have.
        let start = (0..=at).rev().find(|&one| text.starts_line(one)).unwrap_or(at);
        let is_special =
            (start..at).any(|one| text.is(one, "testable") || text.get(one).starts_with("_spi"));
        let is_part = KINDS.contains(&text.get(at + 1));
        let name = if is_part { at + 2 } else { at + 1 };
        if is_special || text.before(at) == "." {
            return;
        }
        let module = text.plain(name);
        let place = text.place(name);
        if !self.imports.iter().any(|(known, _)| *known == module) {
            self.imports.push((module, place));
        }
        let mut steps = Vec::new();
        if is_part && text.is(name + 1, ".") && text.is_word(name + 2) {
            steps.push(self.name(name + 2));
        }
        self.uses.uses.push(Use { module: module.to_owned(), at: place, steps, doubt: None });
    }

    /// Takes in what begins at a token, and says where to go on.
    fn step(&mut self, at: usize) -> usize {
        let text = self.text;
        if text.is(at, "{") {
            let is_type = std::mem::take(&mut self.opens_type);
            self.scopes.open(text.partner(at), is_type);
            for (name, value) in std::mem::take(&mut self.parameters) {
                self.scopes.bind(name, value);
            }
            if !is_type {
                self.closure(at);
            }
            return at + 1;
        }
        if !text.is_word(at) || text.before(at) == "." {
            return at + 1;
        }
        let word = text.get(at);
        // A word before a colon is a label, or has been bound by what is before it.
        let is_label = text.is(at + 1, ":") && matches!(text.before(at), "(" | "," | "[");
        match word {
            _ if is_label => {}
            "import" if text.is_word(at + 1) => {
                return (at + 1..text.len())
                    .find(|&one| text.starts_line(one))
                    .unwrap_or(text.len());
            }
            "func" | "init" | "subscript" => self.function(at),
            "let" | "var" => self.variable(at),
            "for" => self.each(at),
            "catch" => self.parameters.push(("error", None)),
            "extension" => self.begin_type(),
            _ if TYPES.contains(&word) && text.is_word(at + 1) => {
                if !matches!(text.get(at + 1), "func" | "var" | "let" | "subscript" | "override") {
                    self.begin_type();
                    return at + 2;
                }
            }
            "self" if text.is(at + 1, ".") && text.is_word(at + 2) => {
                if let Some(steps) = self.scopes.of_self(text.plain(at + 2)) {
                    let steps = steps.to_vec();
                    let chain = self.chain(at + 3, steps);
                    self.used(&chain.steps);
                }
            }
            _ => {
                if let Some(chain) = self.value(at) {
                    self.used(&chain.steps);
                    self.qualified(at, &chain);
                }
            }
        }
        at + 1
    }

    fn begin_type(&mut self) {
        self.opens_type = true;
        self.parameters.clear();
    }

    /// The chain that begins with a type or a variable, if it is known what that is.
    fn value(&self, at: usize) -> Option<Chain> {
        let text = self.text;
        let name = text.plain(at);
        if let Some(steps) = self.scopes.get(name) {
            return Some(self.chain(at + 1, steps.to_vec()));
        }
        if !text.is_capital(at)
            || self.scopes.has(name)
            || self.own.contains(name)
            || name == "Self"
        {
            return None;
        }
        let steps = vec![Step::Owned(name.to_owned()), self.name(at)];
        // An attribute takes arguments in its own way.
        if text.before(at) == "@" {
            return Some(Chain { steps, end: at + 1, is_clean: false });
        }
        Some(self.chain(at + 1, steps))
    }

    fn name(&self, at: usize) -> Step {
        Step::Name { name: self.text.plain(at).to_owned(), at: self.text.place(at) }
    }

    /// Follows members and calls from a token on.
    fn chain(&self, from: usize, mut steps: Vec<Step>) -> Chain {
        let text = self.text;
        let mut at = text.past_generics(from).unwrap_or(from);
        let mut is_clean = true;
        while steps.len() < STEPS_MAX {
            if text.is(at, ".") && text.is_word(at + 1) {
                let name = text.plain(at + 1);
                if UNIVERSAL.contains(&name) || (name == "init" && !text.is(at + 2, "(")) {
                    is_clean = false;
                    break;
                }
                if name != "init" {
                    steps.push(self.name(at + 1));
                }
                at += 2;
                at = text.past_generics(at).filter(|&end| text.is(end, "(")).unwrap_or(at);
            } else if text.is(at, "(") && !text.starts_line(at) && !text.spaced(at) {
                let labels = text.parts(at).into_iter().filter(|(from, to)| {
                    text.is_word(*from) && text.is(from + 1, ":") && from + 1 < *to
                });
                let keywords = labels
                    .filter(|(from, _)| !text.is(*from, "_"))
                    .map(|(from, _)| (text.plain(from).to_owned(), text.place(from)))
                    .collect();
                steps.push(Step::Call(Call { keywords, ..Call::default() }));
                at = text.past(at);
            } else {
                break;
            }
        }
        let ends = text.starts_line(at) || matches!(text.get(at), ")" | "]" | "}" | "," | ";");
        Chain { steps, end: at, is_clean: is_clean && ends && !text.is(at, ".") }
    }

    /// Notes a use, of each module that may be the one.
    fn used(&mut self, steps: &[Step]) {
        for (module, at) in &self.imports {
            let (module, steps) = ((*module).to_owned(), steps.to_vec());
            self.uses.uses.push(Use { module, at: *at, steps, doubt: None });
        }
    }

    /// Notes a use whose first name is that of a module.
    fn qualified(&mut self, at: usize, chain: &Chain) {
        let name = self.text.plain(at);
        let module = self.imports.iter().find(|(module, _)| *module == name);
        let [Step::Owned(_), Step::Name { .. }, rest @ ..] = chain.steps.as_slice() else { return };
        if let (Some((module, place)), Some(Step::Name { .. })) = (module, rest.first()) {
            let (module, steps) = ((*module).to_owned(), rest.to_vec());
            self.uses.uses.push(Use { module, at: *place, steps, doubt: None });
        }
    }

    /// The type that is written somewhere, if it is a plain one; and where it ends.
    fn written(&self, at: usize) -> (Value, usize) {
        let text = self.text;
        let name = text.plain(at);
        let mut end = at + 1;
        if !text.is_capital(at)
            || self.own.contains(name)
            || self.scopes.has(name)
            || name == "Self"
        {
            return (None, end);
        }
        let mut steps = vec![Step::Owned(name.to_owned()), self.name(at)];
        loop {
            end = text.past_generics(end).unwrap_or(end);
            if !(text.is(end, ".") && text.is_word(end + 1)) || steps.len() >= STEPS_MAX {
                break;
            }
            steps.push(self.name(end + 1));
            end += 2;
        }
        steps.push(Step::New(Call::default()));
        let is_plain = text.starts_line(end)
            || matches!(text.get(end), "=" | "{" | "," | ")" | "}" | ";" | "in");
        (is_plain.then_some(steps), end)
    }

    /// The parameters of a function, bound where its body begins.
    fn function(&mut self, at: usize) {
        let text = self.text;
        self.parameters.clear();
        self.opens_type = false;
        let mut open = at + 1;
        while open < text.len() && open < at + 4 && !text.is(open, "(") {
            open = text.past_generics(open).unwrap_or(open + 1);
        }
        if !text.is(open, "(") {
            return;
        }
        for (from, to) in text.parts(open) {
            let Some(colon) = (from..to).find(|&one| text.is(one, ":")) else { continue };
            if !text.is_word(colon - 1) {
                continue;
            }
            let (value, end) = self.written(colon + 1);
            let value = value.filter(|_| end == to || text.is(end, "="));
            self.parameters.push((text.plain(colon - 1), value));
        }
    }

    fn variable(&mut self, at: usize) {
        let text = self.text;
        let first = at + 1;
        self.parameters.clear();
        if !text.is_word(first) {
            // A pattern: all names in it are bound.
            let mut one = first;
            while one < text.len() && one < first + 64 {
                if matches!(text.get(one), "=" | "{" | "in" | "where" | ":") {
                    break;
                }
                if text.is_word(one) && text.before(one) != "." {
                    self.scopes.bind(text.plain(one), None);
                }
                one += 1;
            }
            return;
        }
        let name = text.plain(first);
        if text.is(first + 1, ":") {
            let (value, end) = self.written(first + 2);
            let mut from = end;
            while from < text.len() && !text.starts_line(from) && !text.is(from, "}") {
                from = text.past(from);
            }
            self.scopes.bind_from(from, name, value);
            return;
        }
        let mut start = first + 2;
        while matches!(text.get(start), "try" | "await") {
            start += 1;
        }
        let is_condition = matches!(text.before(at), "if" | "guard" | "while" | "," | "case");
        let chain = self.value(start).filter(|_| text.is(first + 1, "=") && !is_condition);
        let chain = chain
            .filter(|chain| chain.is_clean && chain.end > start + 1 && !text.is(chain.end, ","));
        match chain {
            Some(chain) => self.scopes.bind_from(chain.end, name, Some(chain.steps)),
            None => self.scopes.bind(name, None),
        }
    }

    /// The names that a loop binds.
    fn each(&mut self, at: usize) {
        let text = self.text;
        let names = (at + 1..text.len()).take(64).take_while(|&one| !text.is(one, "in"));
        let names: Vec<usize> = names.filter(|&one| text.is_word(one)).collect();
        names.into_iter().for_each(|one| self.scopes.bind(text.plain(one), None));
    }

    /// The names that a closure binds, if it does.
    fn closure(&mut self, open: usize) {
        let text = self.text;
        let close = text.partner(open);
        let mut at = open + 1;
        let mut names: Vec<usize> = Vec::new();
        while at < close && names.len() < 64 {
            if text.is(at, "in") {
                names.into_iter().for_each(|one| self.scopes.bind(text.plain(one), None));
                return;
            }
            let is_part = text.is_word(at)
                || matches!(
                    text.get(at),
                    "(" | "[" | "," | ":" | "." | "->" | "@" | "?" | "&" | "<" | ">" | "_"
                );
            let is_statement = matches!(
                text.get(at),
                "let" | "var" | "for" | "if" | "return" | "guard" | "case" | "func"
            );
            if !is_part || is_statement {
                return;
            }
            if matches!(text.get(at), "(" | "[") {
                names.extend((at..text.partner(at)).filter(|&one| text.is_word(one)));
            } else if text.is_word(at) {
                names.push(at);
            }
            at = text.past(at);
        }
    }
}
