//! Functions, initializers, subscripts, macros, operators.

use super::{Parser, Pending};
use crate::extract::swift::declaration::{Declaration, What};
use crate::extract::swift::text::plain;

impl Parser<'_> {
    /// Reads what takes arguments; nothing if there is no list of them.
    pub(super) fn function(
        &mut self,
        what: What,
        pending: Pending,
        end: usize,
    ) -> Option<Declaration> {
        let keyword = self.cursor.at;
        let named = matches!(what, What::Function | What::Macro);
        let mut at = if named { keyword + 2 } else { keyword + 1 };
        let mut name = if named {
            plain(self.cursor.text(keyword + 1)).to_owned()
        } else {
            self.cursor.text(keyword).to_owned()
        };
        // `func ==<T>(`: the sign of the generic parameters is not part of the operator.
        let is_operator =
            name.starts_with(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'));
        let mut split = false;
        if is_operator && name.len() > 1 && name.ends_with('<') && self.cursor.is_word(at) {
            name.pop();
            split = true;
        }
        if !named && matches!(self.cursor.text(at), "?" | "!") {
            at += 1;
        }
        if split {
            let mut open = 1;
            while at < end && open > 0 {
                open += self.cursor.angles(at);
                at = self.cursor.past(at);
            }
        } else {
            at = self.cursor.past_generics(at, end);
        }
        let has_list = self.cursor.is(at, "(") && at < end;
        if !has_list && what != What::Macro {
            self.file.problems.push((self.cursor.line(keyword), "a function has no parameters"));
            return None;
        }
        let labels = if has_list { self.labels(at, what) } else { String::new() };
        let after = if has_list { self.cursor.past(at) } else { at };
        let mut header_end = self.cursor.tail(after, end);
        if what == What::Macro
            && let Some(definition) = (after..header_end).find(|&at| self.cursor.is(at, "="))
        {
            header_end = definition;
        }
        let mut signature = self.signature(&pending.prefix, keyword, header_end);
        let has_body = header_end < end && self.cursor.is(header_end, "{");
        if what == What::Subscript && has_body {
            let accessors = self.accessors(header_end, pending.prefix.set_inside);
            signature.push_str(&accessors.unwrap_or_default());
        }
        self.cursor.at = if has_body { self.cursor.past(header_end).min(end) } else { header_end };
        if what == What::Macro && self.cursor.is(header_end, "=") {
            self.cursor.at = header_end;
            self.cursor.skip_statement(end);
        }
        Some(Declaration {
            full_name: format!("{name}{labels}"),
            name,
            signature,
            ..self.begin(what, &pending, keyword)
        })
    }

    /// The labels of the arguments in the list that opens at `open`: `(_:by:)`.
    fn labels(&self, open: usize, what: What) -> String {
        let mut labels = String::from("(");
        for (from, to) in self.cursor.separated(open + 1, self.cursor.partner(open)) {
            let mut at = from;
            while at < to && !self.cursor.is_word(at) {
                let is_attribute = self.cursor.is(at, "@");
                at = if is_attribute { self.cursor.attribute_end(at, to) } else { at + 1 };
            }
            let has_own = self.cursor.is_word(at + 1);
            // A subscript's parameters have no label unless one is written.
            let label =
                if what == What::Subscript && !has_own { "_" } else { self.cursor.text(at) };
            labels.push_str(plain(label));
            labels.push(':');
        }
        labels.push(')');
        labels
    }

    /// `infix operator +++: AdditionPrecedence`.
    pub(super) fn operator(&mut self, pending: Pending, end: usize) -> Option<Declaration> {
        let keyword = self.cursor.at;
        let name = self.cursor.text(keyword + 1).to_owned();
        let after = self.cursor.line_end(keyword, end);
        let stop = (keyword..after).find(|&at| self.cursor.is(at, "{")).unwrap_or(after);
        let signature = self.signature(&pending.prefix, keyword, stop);
        self.cursor.at = if stop < after { self.cursor.past(stop).min(end) } else { after };
        (!name.is_empty()).then(|| Declaration {
            full_name: name.clone(),
            name,
            signature,
            ..self.begin(What::Operator, &pending, keyword)
        })
    }

    /// `typealias` and `associatedtype`.
    pub(super) fn alias(
        &mut self,
        what: What,
        pending: Pending,
        end: usize,
    ) -> Option<Declaration> {
        let keyword = self.cursor.at;
        let name = plain(self.cursor.text(keyword + 1)).to_owned();
        let header_end = self.cursor.tail(keyword + 2, end);
        self.cursor.at = header_end;
        Some(Declaration {
            full_name: name.clone(),
            name,
            signature: self.signature(&pending.prefix, keyword, header_end),
            ..self.begin(what, &pending, keyword)
        })
    }
}
