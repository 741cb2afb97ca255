//! Directives: notes, code, declarations, and much that only assembles pages.
//!
//! A step of [`super::Reader`]; what becomes of which directive is in [`mod@super::treatment`].

use super::super::fence;
use super::treatment::{Treatment, treatment};
use super::{Line, Reader, inline, table};

impl Reader<'_> {
    pub(super) fn directive(&mut self) -> bool {
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

    pub(super) fn apply(
        &mut self,
        treatment: Treatment,
        argument: &str,
        indent: usize,
        number: u32,
    ) {
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
            Treatment::ListTable => self.list_table(&code, indent, number),
            Treatment::Plain => self.below(indent),
        }
    }

    /// Whether the next line that is not blank is indented more.
    pub(super) fn has_text_below(&self, indent: usize) -> bool {
        // Few directives are followed by many blank lines, and none needs them.
        let mut next = self.lines[self.at + 1..].iter().take(8).filter(|line| !line.is_blank());
        next.next().is_some_and(|line| line.indent > indent)
    }

    /// Goes on below a directive, after its options.
    pub(super) fn below(&mut self, indent: usize) {
        self.at += 1;
        self.options(indent);
        if self.content(0).is_empty() {
            let number = self.lines.get(self.at).map_or(0, |line| line.number);
            self.out.gap(number);
        }
        self.push_level(indent, None, "");
    }

    pub(super) fn options(&mut self, indent: usize) {
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

    pub(super) fn note(&mut self, word: &str, text: &str, indent: usize) {
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
            if self.lines.get(self.at).is_none_or(|line| line.indent <= indent) {
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

    fn list_table(&mut self, title: &str, indent: usize, number: u32) {
        if !title.is_empty() {
            self.emit(&format!("**{title}**"), number);
            self.out.gap(number);
        }
        self.at += 1;
        self.options(indent);
        let block = self.skip_block(indent);
        let contents: Vec<&str> = self.lines[block].iter().map(Line::content).collect();
        if let Some(table) = table::listed(&contents, &self.names) {
            self.emit(&table, number);
            self.out.gap(number);
        }
    }

    pub(super) fn code(&mut self, indent: usize, language: &str) {
        self.at += 1;
        self.options(indent);
        self.literal(indent, language);
    }
}
