//! reStructuredText as Markdown.
//!
//! Line by line, with a bounded stack of what the lines are indented under (list items, notes,
//! definitions) in place of a tree. Used for files by [`super::extract`], and for docstrings.

mod directive;
mod field;
mod inline;
mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub(super) use self::directive::{Treatment, treatment};
use self::field::Fields;
use self::inline::Names;
pub(super) use self::inline::push_role;
use super::clean::visible;
use super::fence;
use super::lined::Lined;

/// The same text as Markdown: headings, lists, code, literal blocks, roles, directives and field
/// lists that documentation uses.
pub(crate) fn to_markdown(text: &str) -> String {
    convert(&Lined::of(&visible(text), 1)).into_text().trim_matches('\n').to_owned()
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

    fn directive(&mut self) -> bool {
        let line = &self.lines[self.at];
        let content = line.content();
        let (indent, number) = (line.indent, line.number);
        let is_anonymous_target = content.starts_with("__ ") && content.contains("://");
        let Some(rest) =
            content.strip_prefix("..").filter(|rest| rest.is_empty() || rest.starts_with(' '))
        else {
            self.at += usize::from(is_anonymous_target);
            return is_anonymous_target;
        };
        let rest = rest.trim_start();
        if let Some((label, text)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            let text = format!("[{label}] {}", inline::to_markdown(text, &self.names));
            self.emit(&text, number);
            self.push_level(indent, None, "");
            self.at += 1;
            return true;
        }
        let is_name = |name: &str| {
            !name.is_empty()
                && name.len() <= 64
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:+.".contains(&byte))
        };
        let found = rest.find("::").filter(|&at| is_name(&rest[..at]));
        // A target, a substitution or a comment, with all that belongs to it.
        let Some(end) = found else {
            self.at += 1;
            self.skip_block(indent);
            return true;
        };
        let name = rest[..end].to_owned();
        let argument = rest[end + 2..].trim().to_owned();
        self.out.gap(number);
        self.apply(treatment(&name), &argument, indent, number);
        true
    }

    fn apply(&mut self, treatment: Treatment, argument: &str, indent: usize, number: u32) {
        let code = inline::to_markdown(argument, &self.names);
        match treatment {
            Treatment::Drop => {
                self.at += 1;
                self.skip_block(indent);
            }
            Treatment::Language => {
                argument.clone_into(&mut self.language);
                self.at += 1;
            }
            Treatment::Code => self.code(indent, argument),
            Treatment::CodeIn(language) if language == "math" && !argument.is_empty() => {
                self.emit(&fence("math", argument), number);
                self.at += 1;
            }
            Treatment::CodeIn(language) => self.code(indent, language),
            Treatment::Note(word) => self.note(word, argument, indent),
            Treatment::TitledNote => self.note(argument, "", indent),
            Treatment::Version(word) => {
                let (version, text) = argument.split_once(' ').unwrap_or((argument, ""));
                self.note(&format!("{word} {version}"), text, indent);
            }
            Treatment::Declaration => {
                // A name alone, with nothing below it, is a mark for an index.
                if argument.contains('(') || self.has_text_below(indent) {
                    self.emit(&format!("**`{}`**", argument.replace('`', "")), number);
                }
                self.below(indent);
            }
            Treatment::Titled | Treatment::Unknown => {
                let is_shown = treatment == Treatment::Titled || self.has_text_below(indent);
                if !argument.is_empty() && is_shown {
                    let is_marked = code.contains(['*', '`', '[']);
                    self.emit(&if is_marked { code } else { format!("**{code}**") }, number);
                }
                self.below(indent);
            }
            Treatment::Plain => self.below(indent),
        }
    }

    /// Whether the next line that is not blank is indented more.
    fn has_text_below(&self, indent: usize) -> bool {
        // Few directives are followed by many blank lines, and none needs them.
        let mut next = self.lines[self.at + 1..].iter().take(8).filter(|line| !line.is_blank());
        next.next().is_some_and(|line| line.indent > indent)
    }

    /// Goes on below a directive, after its options.
    fn below(&mut self, indent: usize) {
        self.at += 1;
        self.options(indent);
        if self.content(0).is_empty() {
            let number = self.lines.get(self.at).map_or(0, |line| line.number);
            self.out.gap(number);
        }
        self.push_level(indent, None, "");
    }

    fn options(&mut self, indent: usize) {
        while let Some(line) = self.lines.get(self.at) {
            let name = line.content().strip_prefix(':').and_then(|rest| rest.split_once(':'));
            if line.indent <= indent
                || !name.is_some_and(|(name, _)| !name.contains(' ') && !name.is_empty())
            {
                break;
            }
            self.at += 1;
        }
    }

    fn note(&mut self, word: &str, text: &str, indent: usize) {
        let word = inline::to_markdown(word.trim(), &self.names);
        let prefix = format!("{}> ", self.prefix());
        self.push_level(indent, None, "> ");
        let label = if word.is_empty() { String::new() } else { format!("**{word}:** ") };
        self.mark = Some(format!("{prefix}{label}"));
        if text.is_empty() {
            self.at += 1;
            self.options(indent);
            while self.lines.get(self.at).is_some_and(Line::is_blank) {
                self.at += 1;
            }
            // Nothing below it: the label is all there is.
            if !self.lines.get(self.at).is_some_and(|line| line.indent > indent) {
                self.emit(
                    "",
                    self.lines.get(self.at.saturating_sub(1)).map_or(1, |line| line.number),
                );
                self.levels.pop();
            }
        } else {
            let line = &mut self.lines[self.at];
            line.indent = line.text.len().saturating_sub(text.len());
            self.is_hanging = true;
            self.paragraph();
        }
    }

    fn code(&mut self, indent: usize, language: &str) {
        self.at += 1;
        self.options(indent);
        self.literal(indent, language);
    }

    /// The block indented below `indent`, as code.
    fn literal(&mut self, indent: usize, language: &str) {
        let block = self.skip_block(indent);
        let lines = &self.lines[block];
        let Some(first) = lines.iter().find(|line| !line.is_blank()) else { return };
        let number = first.number;
        let margin =
            lines.iter().filter(|line| !line.is_blank()).map(|line| line.indent).min().unwrap_or(0);
        let texts: Vec<&str> =
            lines.iter().map(|line| line.text.get(margin..).unwrap_or_default()).collect();
        let language = match (language, first.content()) {
            ("" | "default", content) if content.starts_with(">>>") => "python",
            ("" | "default", content) if content.starts_with("$ ") => "console",
            ("", _) => self.language.as_str(),
            ("default" | "none", _) => "",
            ("python3" | "pycon" | "py" | "pycon3", _) => "python",
            (language, _) => language,
        };
        let code = fence(language, &texts.join("\n"));
        self.out.gap(number);
        self.emit(&code, number);
        self.out.gap(number);
    }

    fn doctest(&mut self) -> bool {
        if !self.content(0).starts_with(">>>") {
            return false;
        }
        let (indent, number) = (self.lines[self.at].indent, self.lines[self.at].number);
        let mut texts: Vec<&str> = Vec::new();
        let mut at = self.at;
        while let Some(line) = self.lines.get(at) {
            let goes_on = self
                .lines
                .get(at + 1)
                .is_some_and(|next| next.indent == indent && next.content().starts_with(">>>"));
            if (line.is_blank() && !goes_on) || (!line.is_blank() && line.indent < indent) {
                break;
            }
            texts.push(line.text.get(indent..).unwrap_or_default());
            at += 1;
        }
        let code = fence("python", &texts.join("\n"));
        self.at = at;
        self.emit(&code, number);
        self.out.gap(number);
        true
    }

    fn table(&mut self) -> bool {
        let line = &self.lines[self.at];
        let (indent, number) = (line.indent, line.number);
        let rest = self.lines[self.at..].iter();
        let length = if table::is_grid_edge(line.content()) {
            rest.take_while(|line| line.content().starts_with(['+', '|'])).count()
        } else if table::is_simple_edge(line.content()) && !self.no_simple_tables {
            // It ends with an edge that nothing follows.
            let mut ends =
                rest.zip(self.lines[self.at + 1..].iter().map(Line::is_blank).chain([true]));
            let end =
                ends.position(|(line, is_last)| is_last && table::is_simple_edge(line.content()));
            self.no_simple_tables = end.is_none();
            match end {
                Some(end) => end + 1,
                None => return false,
            }
        } else {
            return false;
        };
        let lines = &self.lines[self.at..self.at + length];
        let texts: Vec<&str> =
            lines.iter().map(|line| line.text.get(indent..).unwrap_or_default()).collect();
        let converted = if texts[0].starts_with('+') {
            table::grid(&texts, &self.names)
        } else {
            table::simple(&texts, &self.names)
        };
        let text = converted.unwrap_or_else(|| fence("text", &texts.join("\n")));
        self.at += length;
        self.emit(&text, number);
        self.out.gap(number);
        true
    }

    fn field(&mut self) -> bool {
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

    fn item(&mut self) -> bool {
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

    fn line_block(&mut self) -> bool {
        if !self.content(0).starts_with("| ") {
            return false;
        }
        while let Some(text) = self.content(0).strip_prefix('|') {
            let text = inline::to_markdown(text.trim(), &self.names);
            self.emit(&text, self.lines[self.at].number);
            self.at += 1;
        }
        true
    }

    fn definition(&mut self) -> bool {
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

    fn paragraph(&mut self) -> bool {
        let first = &self.lines[self.at];
        let (number, mut indent) = (first.number, first.indent);
        let owner = self.levels.last().map_or(0, |level| level.owner);
        let mut texts = vec![first.content()];
        let mut at = self.at + 1;
        let mut is_hanging = std::mem::take(&mut self.is_hanging);
        while let Some(line) = self.lines.get(at).filter(|line| !line.is_blank()) {
            if is_hanging && line.indent > owner {
                indent = line.indent;
            }
            is_hanging = false;
            if line.indent != indent || line.content().starts_with(".. ") {
                break;
            }
            texts.push(line.content());
            at += 1;
        }
        let mut text = texts.join("\n");
        let is_code_next = text.ends_with("::");
        if is_code_next {
            text.truncate(text.len() - 1);
            if text == ":" || text.ends_with(" :") || text.ends_with("\n:") {
                text.truncate(text.len() - 1);
            }
        }
        let text = inline::to_markdown(text.trim_end(), &self.names);
        self.at = at;
        if let Some(level) = self.levels.last_mut() {
            level.base = Some(indent);
        }
        if !text.is_empty() {
            self.emit(&text, number);
        }
        if is_code_next {
            let owner = if indent > 0 {
                self.levels.last().map_or(0, |level| level.base.unwrap_or(0))
            } else {
                0
            };
            self.literal_after(owner);
        }
        true
    }

    /// The code that a paragraph ending in `::` announces.
    fn literal_after(&mut self, indent: usize) {
        let next = self.lines[self.at..].iter().find(|line| !line.is_blank());
        if next.is_some_and(|line| line.indent > indent) {
            self.literal(indent, "");
        }
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
