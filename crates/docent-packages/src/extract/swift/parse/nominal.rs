//! Types and extensions, and the cases of enumerations.

use super::{Parser, Pending, Place};
use crate::extract::swift::declaration::{Declaration, What};
use crate::extract::swift::text::plain;

impl Parser<'_> {
    /// Reads a type or an extension with its members; nothing if it has no body.
    pub(super) fn nominal(
        &mut self,
        what: What,
        pending: Pending,
        end: usize,
        depth: usize,
    ) -> Option<Declaration> {
        let keyword = self.cursor.at;
        let mut at = keyword + 1;
        while at < end && !self.cursor.is(at, "{") && !self.cursor.is(at, "}") {
            at = self.cursor.past(at);
        }
        if at >= end || !self.cursor.is(at, "{") {
            self.file.problems.push((self.cursor.line(keyword), "a type has no body"));
            return None;
        }
        let body = at;
        let header = self.header(keyword + 1, body);
        let signature = self.signature(&pending.prefix, keyword, body);
        let close = self.cursor.partner(body).min(end);
        let mut one = Declaration {
            full_name: header.name.clone(),
            name: header.name,
            bases: header.bases,
            constraint: header.constraint,
            signature,
            ..self.begin(what, &pending, keyword)
        };
        if depth < self.nesting_max {
            self.cursor.at = body + 1;
            one.members = self.members(close, Place::Inside(what), depth + 1);
        } else {
            self.file.problems.push((one.line, "it nests deeper than the limit"));
        }
        self.cursor.at = (close + 1).min(end);
        Some(one)
    }

    fn header(&self, from: usize, to: usize) -> Header {
        let mut header = Header::default();
        let (mut at, mut open) = (from, 0isize);
        let (mut colon, mut filter) = (None, None);
        while at < to {
            open = (open + self.cursor.angles(at)).max(0);
            let text = self.cursor.text(at);
            let is_name = colon.is_none() && filter.is_none() && open == 0;
            match text {
                ":" if open == 0 && colon.is_none() => colon = Some(at),
                "where" if open == 0 && filter.is_none() => filter = Some(at),
                "." if is_name => header.name.push('.'),
                _ if is_name
                    && self.cursor.is_word(at)
                    && (header.name.is_empty() || header.name.ends_with('.')) =>
                {
                    header.name.push_str(plain(text));
                }
                _ => {}
            }
            at = self.cursor.past(at);
        }
        if let Some(colon) = colon {
            let parts = self.cursor.separated(colon + 1, filter.unwrap_or(to));
            for (mut from, to) in parts {
                while self.cursor.is(from, "@") {
                    from = self.cursor.attribute_end(from, to);
                }
                header.bases.push(self.cursor.slice(from, to));
            }
        }
        if let Some(filter) = filter {
            header.constraint = self.cursor.slice(filter + 1, to);
        }
        header
    }

    /// `case a, b(Int)`, `case c = 1`.
    pub(super) fn cases(&mut self, pending: &Pending, end: usize, found: &mut Vec<Declaration>) {
        let keyword = self.cursor.at;
        let mut at = keyword + 1;
        loop {
            let name_at = at;
            if !self.cursor.is_word(at) || at >= end {
                break;
            }
            let name = plain(self.cursor.text(at)).to_owned();
            at += 1;
            let mut labels = String::new();
            if at < end && self.cursor.is(at, "(") && !self.cursor.starts_line(at) {
                labels = self.case_labels(at);
                at = self.cursor.past(at);
            }
            if at < end && self.cursor.is(at, "=") {
                at += 1;
                while at < end && !self.cursor.is(at, ",") && !self.cursor.is(at, ";") {
                    if self.cursor.starts_line(at) && !self.cursor.continues(at) {
                        break;
                    }
                    at = self.cursor.past(at);
                }
            }
            let mut shown = pending.prefix.shown.clone();
            shown.push(format!("case {}", self.cursor.slice(name_at, at)));
            found.push(Declaration {
                full_name: format!("{name}{labels}"),
                name,
                signature: shown.join(" "),
                line: self.cursor.line(name_at),
                ..self.begin(What::Case, pending, keyword)
            });
            if at >= end || !self.cursor.is(at, ",") {
                break;
            }
            at += 1;
            while at < end && self.cursor.text(at).starts_with("//") {
                at += 1;
            }
        }
        self.cursor.at = at.max(keyword + 1).min(end);
    }

    fn case_labels(&self, open: usize) -> String {
        let mut labels = String::from("(");
        for (from, _) in self.cursor.separated(open + 1, self.cursor.partner(open)) {
            let is_label = self.cursor.is_word(from) && self.cursor.is(from + 1, ":");
            labels.push_str(if is_label { plain(self.cursor.text(from)) } else { "_" });
            labels.push(':');
        }
        labels.push(')');
        labels
    }
}

/// What stands between the keyword of a type and its body.
#[derive(Default)]
struct Header {
    name: String,
    bases: Vec<String>,
    constraint: String,
}
