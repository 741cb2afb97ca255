//! Markdown as it is written from the tags of HTML, one after the other.
//!
//! Driven by [`super::html`]. Keeps what is open (lists, quotes, links, a table's row) in a few
//! bounded fields instead of a tree, so that nothing can nest too deeply.

use super::clean::visible;
use super::tags::Tag;
use super::{fence, is_listed};

/// What Markdown writes on both sides of a text.
pub(super) const MARKS: [&str; 3] = ["**", "*", "`"];

/// The place in [`MARKS`] of what stands for a tag.
pub(super) fn mark_of(name: &str) -> Option<usize> {
    match name {
        "b" | "strong" | "summary" => Some(0),
        "i" | "em" => Some(1),
        "code" | "kbd" | "samp" | "tt" => Some(2),
        _ => None,
    }
}

/// Lists inside lists that are still indented.
const LISTS_MAX: usize = 4;
/// Quotes inside quotes that are still marked.
const QUOTES_MAX: usize = 3;
/// Links inside links that are still closed.
const LINKS_MAX: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Default)]
pub(super) struct Writer {
    out: String,
    gap: Gap,
    /// Right after a mark (of a list item, a heading, emphasis), where a gap would part it from its text.
    after_mark: bool,
    /// The next number of each open list, or none for bullets.
    lists: Vec<Option<u32>>,
    lists_beyond: usize,
    quotes: usize,
    /// The targets of the open links, for those that get one.
    links: Vec<Option<String>>,
    /// How many of `**`, `*` and `` ` `` are open.
    open_marks: [usize; 3],
    /// The language and the text so far of an open `pre`.
    code: Option<(String, String)>,
    /// The element that is left out, and how many of its name are open.
    skipped: Option<(String, usize)>,
    in_line: bool,
    cells: usize,
    rows: usize,
}

impl Writer {
    fn want(&mut self, gap: Gap) {
        let gap = if self.in_line { gap.min(Gap::Space) } else { gap };
        if !self.after_mark {
            self.gap = self.gap.max(gap);
        }
    }

    fn prefix(&self, lists: usize) -> String {
        let mut prefix = "> ".repeat(self.quotes.min(QUOTES_MAX));
        for list in self.lists.iter().take(lists) {
            prefix.push_str(if list.is_some() { "   " } else { "  " });
        }
        prefix
    }

    fn flush(&mut self, lists: usize) {
        let gap = std::mem::take(&mut self.gap);
        self.after_mark = false;
        if self.out.is_empty() {
            self.out = self.prefix(lists);
            return;
        }
        match gap {
            Gap::None => {}
            Gap::Space => self.out.push(' '),
            Gap::Line | Gap::Paragraph => {
                if gap == Gap::Paragraph {
                    self.out.push('\n');
                    self.out.push_str(self.prefix(0).trim_end());
                }
                self.out.push('\n');
                self.out.push_str(&self.prefix(lists));
            }
        }
    }

    fn mark(&mut self, mark: &str) {
        self.flush(self.lists.len());
        self.out.push_str(mark);
        self.after_mark = true;
    }

    /// Ends what a mark began; a mark with nothing after it goes away.
    fn unmark(&mut self, open: &str, close: &str) {
        if self.after_mark && self.out.ends_with(open) {
            self.out.truncate(self.out.len() - open.len());
        } else {
            self.out.push_str(close);
        }
        self.after_mark = false;
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
            return;
        }
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            if number > 0 {
                self.want(Gap::Space);
            }
            if word.is_empty() {
                continue;
            }
            self.flush(self.lists.len());
            if self.cells > 0 {
                self.out.push_str(&word.replace('|', "\\|"));
            } else {
                self.out.push_str(word);
            }
        }
    }

    pub(super) fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped == name);
            return;
        }
        if let Some((language, _)) = &mut self.code {
            if language.is_empty() {
                *language = language_of(tag);
            }
            return;
        }
        match name {
            "head" | "svg" | "template" | "iframe" | "video" | "audio" | "button" | "select" => {
                self.skipped = Some((tag.name.clone(), 1));
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.want(Gap::Paragraph);
                self.mark(&format!("{} ", "#".repeat(usize::from(name.as_bytes()[1] - b'0'))));
                self.in_line = true;
            }
            "ul" | "ol" => self.open_list((name == "ol").then_some(1)),
            "li" | "dt" => self.open_item(),
            "pre" => {
                self.want(Gap::Paragraph);
                self.code = Some((language_of(tag), String::new()));
            }
            "a" if self.links.len() < LINKS_MAX => {
                let target = tag.attribute("href").filter(|target| is_place(target));
                if target.is_some() {
                    self.mark("[");
                }
                self.links.push(target.map(|target| target.trim().replace(' ', "%20")));
            }
            name if mark_of(name).is_some() => {
                if name == "summary" {
                    self.want(Gap::Paragraph);
                }
                if let Some(mark) = mark_of(name) {
                    self.open_marks[mark] += 1;
                    self.mark(MARKS[mark]);
                }
            }
            "br" => self.want(Gap::Line),
            "blockquote" => {
                self.want(Gap::Paragraph);
                self.quotes += 1;
            }
            "table" => {
                self.want(Gap::Paragraph);
                self.rows = 0;
            }
            "tr" => {
                self.end_row();
                self.want(Gap::Line);
            }
            "td" | "th" => {
                self.in_line = false;
                self.after_mark = false;
                self.want(if self.cells > 0 { Gap::Space } else { Gap::None });
                self.mark("| ");
                self.cells += 1;
                self.in_line = true;
            }
            "dd" | "thead" | "tbody" | "figcaption" => self.want(Gap::Line),
            name if is_listed(PARAGRAPHS, name) => self.want(Gap::Paragraph),
            _ => {}
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth -= usize::from(skipped == name);
            if *depth == 0 {
                self.skipped = None;
            }
            return;
        }
        if self.code.is_some() {
            if name == "pre" {
                self.end_code();
            }
            return;
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.in_line = false;
                self.after_mark = false;
                self.want(Gap::Paragraph);
            }
            "ul" | "ol" => self.close_list(),
            "a" => {
                if let Some(Some(target)) = self.links.pop() {
                    self.unmark("[", &format!("]({target})"));
                }
            }
            name if mark_of(name).is_some() => {
                if let Some(mark) = mark_of(name)
                    && self.open_marks[mark] > 0
                {
                    self.open_marks[mark] -= 1;
                    self.unmark(MARKS[mark], MARKS[mark]);
                }
                if name == "summary" {
                    self.want(Gap::Paragraph);
                }
            }
            "blockquote" => {
                self.quotes = self.quotes.saturating_sub(1);
                self.want(Gap::Paragraph);
            }
            "tr" | "table" => {
                self.end_row();
                self.want(if name == "tr" { Gap::Line } else { Gap::Paragraph });
            }
            "td" | "th" => self.after_mark = false,
            name if is_listed(PARAGRAPHS, name) => self.want(Gap::Paragraph),
            _ => {}
        }
    }

    fn open_list(&mut self, number: Option<u32>) {
        self.after_mark = false;
        self.want(if self.lists.is_empty() { Gap::Paragraph } else { Gap::Line });
        if self.lists.len() < LISTS_MAX {
            self.lists.push(number);
        } else {
            self.lists_beyond += 1;
        }
    }

    fn close_list(&mut self) {
        if self.lists_beyond > 0 {
            self.lists_beyond -= 1;
        } else {
            self.lists.pop();
        }
        self.after_mark = false;
        self.want(if self.lists.is_empty() { Gap::Paragraph } else { Gap::Line });
    }

    fn open_item(&mut self) {
        self.after_mark = false;
        self.want(Gap::Line);
        self.flush(self.lists.len().saturating_sub(1));
        match self.lists.last_mut() {
            Some(Some(number)) => {
                self.out.push_str(&format!("{number}. "));
                *number = number.saturating_add(1);
            }
            _ => self.out.push_str("- "),
        }
        self.after_mark = true;
    }

    fn end_row(&mut self) {
        self.in_line = false;
        let cells = std::mem::take(&mut self.cells);
        if cells == 0 {
            return;
        }
        self.after_mark = false;
        self.gap = Gap::None;
        self.out.push_str(" |");
        self.rows += 1;
        if self.rows == 1 {
            self.out.push('\n');
            self.out.push_str(&self.prefix(self.lists.len()));
            self.out.push('|');
            self.out.push_str(&" --- |".repeat(cells));
        }
    }

    fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        if code.trim().is_empty() {
            return;
        }
        let text = fence(&language, &code);
        self.in_line = false;
        for line in text.lines() {
            self.flush(self.lists.len());
            self.out.push_str(line);
            self.gap = Gap::Line;
        }
        self.gap = Gap::Paragraph;
    }

    pub(super) fn finish(mut self) -> String {
        self.end_code();
        self.end_row();
        let mut out = String::with_capacity(self.out.len());
        let (mut in_code, mut dropped) = (false, false);
        for line in self.out.lines() {
            let inner = line.trim_start_matches(['>', ' ']);
            in_code ^= inner.starts_with("```");
            let says_nothing = !line.chars().any(char::is_alphanumeric);
            let is_row = inner.starts_with('|');
            let is_rule = inner.starts_with("| ---");
            // Cells and list items that only held pictures, and the rule under such a header.
            dropped = !in_code
                && says_nothing
                && ((is_row && (!is_rule || dropped))
                    || inner.trim_end().trim_matches('#').is_empty() && inner.starts_with('#')
                    || inner.trim_end() == "-");
            if !dropped {
                out.push_str(line.trim_end());
                out.push('\n');
            }
        }
        visible(out.trim_matches('\n')).into_owned()
    }
}

/// Tags that begin and end a paragraph.
const PARAGRAPHS: &str = "\
    p, div, section, article, header, footer, main, nav, aside, details, figure, center, dl, hr, \
    body, form";

/// Whether a link leads somewhere that is worth writing down.
fn is_place(target: &str) -> bool {
    let target = target.trim();
    let is_word = |c: char| !c.is_control() && !matches!(c, '<' | '>' | '(' | ')');
    !target.is_empty()
        && target.len() <= 300
        && target.chars().all(is_word)
        && !target.starts_with('#')
        && !target.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
}

/// The language that a code element names in its class.
fn language_of(tag: &Tag<'_>) -> String {
    if let Some(language) = tag.attribute("lang") {
        return language.into_owned();
    }
    let class = tag.attribute("class").unwrap_or_default();
    let prefixes = ["language-", "lang-", "highlight-source-", "brush:"];
    let named = class.split_whitespace().find_map(|word| {
        prefixes.iter().find_map(|prefix| word.strip_prefix(prefix)).map(str::to_owned)
    });
    named.unwrap_or_default()
}
