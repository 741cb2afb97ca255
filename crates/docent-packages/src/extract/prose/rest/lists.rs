//! Lists: bullets and numbers, definitions, fields.
//!
//! Steps of [`super::Reader`]; what is said of each field is in [`super::field`].

use super::field::{self, Fields};
use super::{LEVELS_MAX, Reader, inline};

impl Reader<'_> {
    pub(super) fn field(&mut self) -> bool {
        let Some((name, text)) = field::split(self.content(0)) else { return false };
        let (name, length) = (name.to_owned(), text.len());
        let indent = self.lines[self.at].indent;
        if self.at >= self.fields.end {
            let contents = self.lines[self.at..].iter().map(|line| (line.indent, line.content()));
            self.fields = Fields::read(contents, indent, self.at);
        }
        let Some(label) = self.fields.label(&name) else {
            self.at += 1;
            self.skip_block(indent);
            return true;
        };
        let prefix = self.prefix().to_owned();
        self.push_level(indent, None, "  ");
        self.mark = Some(format!("{prefix}- {label}"));
        let line = &mut self.lines[self.at];
        line.indent = line.text.len().saturating_sub(length);
        if length == 0 {
            self.at += 1;
            let goes_on = self
                .lines
                .get(self.at)
                .is_some_and(|line| !line.is_blank() && line.indent > indent);
            if !goes_on {
                self.emit("", self.lines[self.at - 1].number);
            }
        } else {
            self.is_hanging = true;
            self.paragraph();
        }
        true
    }

    pub(super) fn item(&mut self) -> bool {
        let line = &self.lines[self.at];
        let content = line.content();
        let digits = content.bytes().take_while(u8::is_ascii_digit).count();
        let (mark, width) = if ["- ", "* ", "+ ", "• "].iter().any(|mark| content.starts_with(mark))
        {
            ("- ".to_owned(), content.chars().next().map_or(1, char::len_utf8))
        } else if content.starts_with("#. ") {
            ("1. ".to_owned(), 2)
        } else if (1..=4).contains(&digits)
            && (content[digits..].starts_with(". ") || content[digits..].starts_with(") "))
        {
            (format!("{}. ", &content[..digits]), digits + 1)
        } else {
            return false;
        };
        if self.levels.len() >= LEVELS_MAX {
            return false;
        }
        let space = content[width..].len() - content[width..].trim_start().len();
        let (indent, inner) = (line.indent, line.indent + width + space);
        let before = self.mark.take().unwrap_or_else(|| self.prefix().to_owned());
        let more = " ".repeat(mark.len());
        self.push_level(indent, Some(inner), &more);
        self.mark = Some(format!("{before}{mark}"));
        self.lines[self.at].indent = inner;
        true
    }

    pub(super) fn definition(&mut self) -> bool {
        let line = &self.lines[self.at];
        let (indent, number) = (line.indent, line.number);
        let is_term = self
            .lines
            .get(self.at + 1)
            .is_some_and(|next| !next.is_blank() && next.indent > indent);
        if !is_term
            || self.is_hanging
            || line.content().ends_with("::")
            || self.levels.len() >= LEVELS_MAX
        {
            return false;
        }
        let term = inline::to_markdown(line.content(), &self.names);
        let term = if term.contains(['`', '*', '[']) { term } else { format!("**{term}**") };
        let prefix = self.mark.take().unwrap_or_else(|| self.prefix().to_owned());
        self.mark = Some(format!("{prefix}- "));
        self.emit(&term, number);
        self.push_level(indent, None, "  ");
        self.at += 1;
        true
    }
}
