//! Paragraphs and the code that they announce, doctests, tables, blocks of lines.
//!
//! Steps of [`super::Reader`].

use super::super::fence;
use super::{Line, Reader, inline, table};

impl Reader<'_> {
    pub(super) fn paragraph(&mut self) -> bool {
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
    pub(super) fn literal_after(&mut self, indent: usize) {
        let next = self.lines[self.at..].iter().find(|line| !line.is_blank());
        if next.is_some_and(|line| line.indent > indent) {
            self.literal(indent, "");
        }
    }

    /// The block indented below `indent`, as code.
    pub(super) fn literal(&mut self, indent: usize, language: &str) {
        let block = self.skip_block(indent);
        let lines = &self.lines[block];
        let Some(first) = lines.iter().find(|line| !line.is_blank()) else { return };
        let number = first.number;
        let margin =
            lines.iter().filter(|line| !line.is_blank()).map(|line| line.indent).min().unwrap_or(0);
        let texts: Vec<&str> =
            lines.iter().map(|line| line.text.get(margin..).unwrap_or_default()).collect();
        let language = match (language, first.content()) {
            ("" | "default", content) if is_python(content) => "python",
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

    pub(super) fn doctest(&mut self) -> bool {
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

    pub(super) fn table(&mut self) -> bool {
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

    pub(super) fn line_block(&mut self) -> bool {
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
}

/// Whether code begins as only Python does.
fn is_python(line: &str) -> bool {
    const STARTS: [&str; 6] = [">>>", "import ", "from ", "def ", "async def ", "@"];
    STARTS.iter().any(|start| line.starts_with(start)) && !line.ends_with([';', '{'])
}
