//! reStructuredText as Markdown.
//!
//! Line by line, with a bounded stack of what the lines are indented under (list items, notes,
//! definitions) in place of a tree. Used for files by [`super::extract`], and for docstrings.

mod blocks;
mod directives;
mod field;
mod inline;
mod lists;
mod plain;
mod table;
#[cfg(test)]
mod tests;
mod treatment;

use std::borrow::Cow;

use self::field::Fields;
use self::inline::Names;
pub(super) use self::inline::push_role;
pub(super) use self::treatment::{Treatment, treatment};
use super::clean::visible;
use super::lined::Lined;

/// The same text as Markdown: headings, lists, code, literal blocks, roles, directives and field
/// lists that documentation uses.
pub(crate) fn to_markdown(text: &str) -> String {
    let text = visible(text);
    let plain = plain::paragraphs(&text);
    plain.unwrap_or_else(|| convert(&Lined::of(&text, 1)).into_text().trim_matches('\n').to_owned())
}

/// The same text as Markdown, each line with where it came from.
pub(super) fn convert(source: &Lined) -> Lined {
    let mut names = Names::default();
    let mut lines = Vec::new();
    for (text, number) in source.lines() {
        let text = text.trim_end();
        let text = if text.contains('\t') {
            Cow::Owned(text.replace('\t', "        "))
        } else {
            Cow::Borrowed(text)
        };
        names.note(&text);
        let indent = text.len() - text.trim_start_matches(' ').len();
        lines.push(Line { text, indent, number });
    }
    let mut reader = Reader { lines, names, ..Reader::default() };
    while reader.at < reader.lines.len() {
        reader.step();
    }
    reader.out
}

/// Whether a text whose format is unknown is reStructuredText.
pub(super) fn is_likely(text: &str) -> bool {
    let (mut rest, mut markdown) = (0, 0);
    for line in text.lines().take(2000) {
        let line = line.trim_end();
        let is_directive =
            line.starts_with(".. ") && (line.contains("::") || line.starts_with(".. _"));
        rest += usize::from(is_directive) * 2
            + usize::from(line.ends_with("::") || line.contains("``"));
        markdown +=
            usize::from(line.starts_with('#') || line.starts_with("```") || line.contains("]("));
    }
    rest > markdown
}

#[derive(Default)]
struct Line<'a> {
    text: Cow<'a, str>,
    /// Where what is left of the line begins.
    indent: usize,
    number: u32,
}

impl Line<'_> {
    fn content(&self) -> &str {
        self.text.get(self.indent..).unwrap_or_default()
    }

    fn is_blank(&self) -> bool {
        self.content().is_empty()
    }
}

/// Something that lines are indented under.
struct Level {
    /// Lines that are not indented more than this are outside.
    owner: usize,
    /// How far its lines are indented, once the first one is seen.
    base: Option<usize>,
    /// What its lines begin with in Markdown.
    prefix: String,
}

/// Levels that are told apart; deeper ones share the last.
const LEVELS_MAX: usize = 16;

#[derive(Default)]
struct Reader<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
    out: Lined,
    levels: Vec<Level>,
    /// What the next line begins with instead of its prefix: the mark of a list item or note.
    mark: Option<String>,
    /// The line here is the rest of one that had a mark, so that what follows is indented otherwise.
    is_hanging: bool,
    /// The kinds of underlines so far, outermost first.
    titles: Vec<(u8, bool)>,
    names: Names,
    fields: Fields,
    language: String,
    no_simple_tables: bool,
}

impl Reader<'_> {
    fn step(&mut self) {
        let line = &self.lines[self.at];
        let (indent, number) = (line.indent, line.number);
        if line.is_blank() {
            self.out.gap(number);
            self.at += 1;
            return;
        }
        self.enter(indent);
        let _ = self.title()
            || self.directive()
            || self.doctest()
            || self.table()
            || self.field()
            || self.item()
            || self.line_block()
            || self.definition()
            || self.paragraph();
    }

    /// Leaves the levels that a line so far indented is outside of, and enters a quote if it is
    /// indented for no other reason.
    fn enter(&mut self, indent: usize) {
        let before = self.levels.len();
        while self.levels.last().is_some_and(|level| indent <= level.owner) {
            self.levels.pop();
        }
        if self.levels.len() < before {
            self.mark = None;
        }
        let base = match self.levels.last_mut() {
            Some(level) => *level.base.get_or_insert(indent),
            None => 0,
        };
        if indent > base && !self.is_hanging {
            self.push_level(base, Some(indent), "");
        }
    }

    fn push_level(&mut self, owner: usize, base: Option<usize>, more: &str) {
        if self.levels.len() < LEVELS_MAX {
            let prefix = format!("{}{more}", self.prefix());
            self.levels.push(Level { owner, base, prefix });
        } else if let Some(level) = self.levels.last_mut() {
            level.base = base;
        }
    }

    fn prefix(&self) -> &str {
        self.levels.last().map_or("", |level| &level.prefix)
    }

    fn emit(&mut self, text: &str, number: u32) {
        for (line, number) in text.split('\n').zip(number..) {
            let prefix = match self.mark.take() {
                Some(mark) => mark,
                None => self.prefix().to_owned(),
            };
            self.out.push(format!("{prefix}{line}").trim_end(), number);
        }
    }

    fn content(&self, ahead: usize) -> &str {
        self.lines.get(self.at + ahead).map_or("", Line::content)
    }

    /// The lines here that are blank or indented more than `indent`, without blank ones at the end.
    fn skip_block(&mut self, indent: usize) -> std::ops::Range<usize> {
        let start = self.at;
        let mut end = start;
        while let Some(line) =
            self.lines.get(self.at).filter(|line| line.is_blank() || line.indent > indent)
        {
            self.at += 1;
            if !line.is_blank() {
                end = self.at;
            }
        }
        start..end
    }

    fn title(&mut self) -> bool {
        if !self.levels.is_empty() && self.lines[self.at].indent > 0 {
            return false;
        }
        let over = adornment(self.content(0));
        let (text, kind, length) = match over {
            Some((mark, width)) => {
                let under = adornment(self.content(2));
                let is_title =
                    !self.content(1).is_empty() && under.is_some_and(|under| under.0 == mark);
                if is_title
                    && self
                        .lines
                        .get(self.at + 2)
                        .is_some_and(|line| line.indent == self.lines[self.at].indent)
                {
                    (self.content(1).to_owned(), (mark, true), 3)
                } else if self.content(1).is_empty() && width >= 4 {
                    // A line between paragraphs.
                    self.at += 1;
                    return true;
                } else {
                    return false;
                }
            }
            None => match adornment(self.content(1)) {
                Some((mark, width)) if width >= self.content(0).chars().count().min(4) => {
                    (self.content(0).to_owned(), (mark, false), 2)
                }
                _ => return false,
            },
        };
        if self.lines.get(self.at + 1).is_some_and(|line| line.indent > 0 && !kind.1) {
            return false;
        }
        let level = self.titles.iter().position(|title| *title == kind).unwrap_or_else(|| {
            self.titles.push(kind);
            self.titles.len() - 1
        });
        let number = self.lines[self.at].number;
        let text = inline::to_markdown(&text, &self.names);
        self.levels.clear();
        self.mark = None;
        self.out.gap(number);
        self.emit(&format!("{} {text}", "#".repeat((level + 1).min(6))), number);
        self.at += length;
        self.out.gap(number);
        true
    }
}

/// The mark that a line repeats, and how often.
fn adornment(line: &str) -> Option<(u8, usize)> {
    let mark = *line.as_bytes().first()?;
    let is_mark = b"=-~^\"'`:.*+#_<>!$%&/;?@|".contains(&mark);
    let least = if b"=-~^*+#".contains(&mark) { 2 } else { 4 };
    let repeats = is_mark && line.len() >= least && line.bytes().all(|byte| byte == mark);
    repeats.then_some((mark, line.len()))
}
