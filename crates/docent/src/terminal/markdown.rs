//! An answer laid out for a terminal: headings, paragraphs, lists, code, and a bar along everything
//! that is the package's own words.
//!
//! Answers are Markdown that the engine wrote or cleaned, so a reader of lines is enough: whatever it
//! does not know is shown as it stands.

use super::{Indent, Look, Span, Table, Terminal, code, inline, line, plain, wrap};

/// The answer for this terminal.
pub(crate) fn render(text: &str, terminal: &Terminal) -> String {
    let mut page = Page { terminal, out: String::new(), bar: Vec::new(), last: Last::Blank };
    let mut lines = text.lines().peekable();
    let mut closing = String::new();
    while let Some(text) = lines.next() {
        if let Some((name, number)) = opens(text) {
            page.open(name);
            closing = format!("</quoted {number}>");
        } else if !closing.is_empty() && text == closing {
            page.close();
            closing.clear();
        } else if let Some((fence, language)) = fence(text) {
            page.before_code();
            while let Some(code) = lines.next_if(|line| *line != closing) {
                if code.trim() == fence {
                    break;
                }
                page.code(code, language);
            }
        } else if text.trim_start().starts_with('|') {
            let mut rows = vec![text];
            while let Some(row) = lines.next_if(|line| line.trim_start().starts_with('|')) {
                rows.push(row);
            }
            page.table(&rows);
        } else {
            // A paragraph or an item goes on until something else begins.
            let mut whole = text.trim_end().to_owned();
            if is_text(text) {
                while let Some(next) = lines.next_if(|next| goes_on(next) && **next != closing) {
                    whole.push(if text.ends_with("  ") { '\n' } else { ' ' });
                    whole.push_str(next.trim());
                }
            }
            page.block(&whole);
        }
    }
    page.out
}

/// One line of code, wrapped under its beginning.
pub(crate) fn code_lines(text: &str, indent: &str, terminal: &Terminal) -> String {
    let indent = Indent { first: vec![plain(indent)], rest: vec![plain(format!("{indent}    "))] };
    let lines = wrap(&code::spans(text, "any"), terminal.columns, &indent);
    lines.iter().map(|spans| line(spans, terminal)).collect()
}

/// The first sentence or line of a text, without marks.
pub(crate) fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    let mut whole = String::new();
    for line in lines.by_ref().take_while(|line| !line.is_empty() && fence(line).is_none()) {
        let line = heading(line).unwrap_or(line).trim_start_matches(['>', '|']).trim();
        if !whole.is_empty() {
            whole.push(' ');
        }
        whole.push_str(line);
        if whole.len() > 400 {
            break;
        }
    }
    let spans = inline::spans(&whole, Look::Plain);
    let text: String = spans.iter().map(|span| span.text.as_str()).collect();
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].to_owned()
}

struct Page<'a> {
    terminal: &'a Terminal,
    out: String,
    /// Before every line inside a quotation.
    bar: Vec<Span>,
    last: Last,
}

/// What the last line was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Blank,
    Title,
    Code,
    Text,
}

impl Page<'_> {
    /// The quotation begins.
    fn open(&mut self, name: &str) {
        let spans =
            [Span::new("┌ ", Look::Dim), Span::new(format!("{name}, in its own words"), Look::Dim)];
        self.out.push_str(&line(&spans, self.terminal));
        self.bar = vec![Span::new("│", Look::Dim), plain(" ")];
        self.last = Last::Blank;
    }

    fn close(&mut self) {
        self.bar.clear();
        self.out.push_str(&line(&[Span::new("└", Look::Dim)], self.terminal));
        self.last = Last::Blank;
    }

    /// An empty line, unless there is one.
    fn space(&mut self) {
        if self.last != Last::Blank {
            let bar = self.bar.clone();
            self.out.push_str(&line(&bar, self.terminal));
            self.last = Last::Blank;
        }
    }

    /// A declaration stands right under its title; other code has air around it.
    fn before_code(&mut self) {
        if self.last != Last::Title {
            self.space();
        }
    }

    fn lines(&mut self, spans: &[Span], first: &str, rest: &str, look: Look, width: usize) {
        let before = |text: &str| {
            let mut bar = self.bar.clone();
            bar.extend((!text.is_empty()).then(|| Span::new(text, look)));
            bar
        };
        let indent = Indent { first: before(first), rest: before(rest) };
        for spans in wrap(spans, width, &indent) {
            self.out.push_str(&line(&spans, self.terminal));
        }
        self.last = Last::Text;
    }

    fn code(&mut self, text: &str, language: &str) {
        let inside = text.trim_start_matches(' ');
        let indent = " ".repeat(2 + text.len() - inside.len());
        let rest = format!("{indent}    ");
        self.lines(
            &code::spans(inside, language),
            &indent,
            &rest,
            Look::Plain,
            self.terminal.columns,
        );
        self.last = Last::Code;
    }

    fn table(&mut self, rows: &[&str]) {
        let split = |row: &str| -> Vec<Vec<Span>> {
            let inside = row.trim().trim_start_matches('|').trim_end_matches('|');
            inside.split('|').map(|cell| inline::spans(cell.trim(), Look::Plain)).collect()
        };
        let rule = |row: &str| row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
        self.space();
        match rows {
            [head, second, rest @ ..] if rule(second.trim()) => {
                let table =
                    Table::of_spans(split(head), rest.iter().map(|row| split(row)).collect());
                let bar: usize = self.bar.iter().map(Span::width).sum();
                let narrow = Terminal {
                    columns: self.terminal.columns.saturating_sub(bar),
                    ..*self.terminal
                };
                for row in table.lines(&narrow) {
                    let spans: Vec<Span> = self.bar.iter().cloned().chain(row).collect();
                    self.out.push_str(&line(&spans, self.terminal));
                }
                self.last = Last::Text;
            }
            // Not a table after all.
            rows => rows.iter().for_each(|row| {
                self.lines(&[plain(row)], "", "  ", Look::Plain, self.terminal.columns);
            }),
        }
    }

    fn block(&mut self, text: &str) {
        let width = self.terminal.measure();
        let trimmed = text.trim_start();
        if self.last == Last::Code {
            self.space();
        }
        if trimmed.is_empty() {
            self.space();
        } else if let Some(title) = heading(text) {
            self.space();
            self.lines(&title_spans(title), "", "", Look::Plain, width);
            self.last = Last::Title;
        } else if let Some((marker, item)) = item(text) {
            let indent = " ".repeat(text.len() - trimmed.len());
            let bullet = if marker.len() == 1 { "•" } else { marker };
            let first = format!("{indent}{bullet} ");
            let rest = " ".repeat(plain(&first).width());
            // Items of code are as wide as the window, those of prose as wide as prose.
            let wide = if item.starts_with('`') { self.terminal.columns } else { width };
            self.lines(&inline::spans(item, Look::Plain), &first, &rest, Look::Dim, wide);
        } else if let Some(quoted) = trimmed.strip_prefix('>') {
            let quoted = quoted.replace(" > ", " ");
            self.lines(&inline::spans(quoted.trim(), Look::Plain), "▏ ", "▏ ", Look::Dim, width);
        } else {
            self.lines(&inline::spans(trimmed, Look::Plain), "", "", Look::Plain, width);
        }
    }
}

/// The package and the number of a quotation that begins here.
fn opens(text: &str) -> Option<(&str, &str)> {
    let (number, rest) = text.strip_prefix("<quoted ")?.split_once(" from=\"")?;
    let (name, _) = rest.split_once('"')?;
    Some((name, number))
}

/// What closes a block of code that begins here, and its language.
fn fence(text: &str) -> Option<(&str, &str)> {
    let trimmed = text.trim();
    let mark = ['`', '~'].into_iter().find(|mark| trimmed.starts_with(*mark))?;
    let info = trimmed.trim_start_matches(mark);
    let fence = &trimmed[..trimmed.len() - info.len()];
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    (fence.len() >= 3 && !info.contains('`')).then_some((fence, language))
}

fn heading(text: &str) -> Option<&str> {
    let title = text.trim_start_matches('#');
    let level = text.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| title.trim())
}

/// A title, with the place in parentheses at its end less loud.
fn title_spans(title: &str) -> Vec<Span> {
    let place = title.ends_with(')').then(|| title.rfind(" (")).flatten();
    let (name, place) = title.split_at(place.unwrap_or(title.len()));
    let mut spans = match name.split_once(" `") {
        // `function `confirm`` begins with what it is.
        Some((kind, _)) if kind.chars().all(|c| c.is_ascii_lowercase()) => {
            let mut spans = vec![Span::new(kind, Look::Kind)];
            spans.extend(inline::spans(&name[kind.len()..], Look::Strong));
            spans
        }
        _ => inline::spans(name, Look::Strong),
    };
    spans.push(Span::new(place, Look::Dim));
    spans
}

fn item(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (marker, rest) = text.split_once(' ')?;
    let bullet = matches!(marker, "-" | "*" | "+");
    let number = marker.strip_suffix(['.', ')']);
    let number = number.is_some_and(|number| {
        (1..=3).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit())
    });
    (bullet || number).then(|| (marker, rest.trim_start()))
}

/// Whether the next lines may belong to this one.
fn is_text(text: &str) -> bool {
    let trimmed = text.trim();
    !trimmed.is_empty() && heading(text).is_none() && !trimmed.starts_with('|')
}

/// Whether a line can only be the rest of what came before it.
fn goes_on(text: &str) -> bool {
    is_text(text)
        && item(text).is_none()
        && fence(text).is_none()
        && opens(text).is_none()
        && !text.starts_with("</quoted ")
        && !text.starts_with("    ")
        && !text.starts_with("**")
}

#[cfg(test)]
mod tests;
