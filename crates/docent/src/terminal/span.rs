//! Pieces of text with a look, and how they are written out.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{Look, Terminal};

/// A piece of text that looks one way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) look: Look,
    /// Where a click leads.
    pub(crate) link: Option<String>,
}

impl Span {
    /// A piece without the characters that a terminal would obey.
    pub(crate) fn new(text: impl AsRef<str>, look: Look) -> Self {
        let text = text.as_ref().chars().filter_map(|c| match c {
            '\t' => Some(' '),
            '\n' => Some('\n'),
            c if c.is_control() => None,
            c => Some(c),
        });
        Self { text: text.collect(), look, link: None }
    }

    pub(crate) fn linked(mut self, address: &str) -> Self {
        let safe = |c: char| c.is_ascii_graphic();
        let known = ["https://", "http://", "file://"];
        if known.iter().any(|scheme| address.starts_with(scheme)) && address.chars().all(safe) {
            self.link = Some(address.to_owned());
        }
        self
    }

    pub(crate) fn width(&self) -> usize {
        self.text.as_str().width()
    }
}

/// A piece without any look.
pub(crate) fn plain(text: impl AsRef<str>) -> Span {
    Span::new(text, Look::Plain)
}

pub(crate) fn width_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The pieces as they are written to this terminal.
fn paint(spans: &[Span], terminal: &Terminal) -> String {
    let mut out = String::new();
    for span in spans {
        let style = span.look.style();
        let link = span.link.as_ref().filter(|_| terminal.links);
        if let Some(address) = link {
            let _ = write!(out, "\u{1b}]8;;{address}\u{1b}\\");
        }
        // Blanks look like nothing, unless they are underlined.
        let visible = !span.text.trim().is_empty();
        if terminal.color && span.look != Look::Plain && visible {
            let _ = write!(out, "{style}{}{style:#}", span.text);
        } else {
            out.push_str(&span.text);
        }
        if link.is_some() {
            out.push_str("\u{1b}]8;;\u{1b}\\");
        }
    }
    out
}

/// One line, painted, without blanks at its end.
pub(crate) fn line(spans: &[Span], terminal: &Terminal) -> String {
    let mut painted = paint(spans, terminal);
    painted.truncate(painted.trim_end_matches(' ').len());
    painted.push('\n');
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        let terminal = Terminal { layout: true, color: true, links: true, columns: 80 };
        let spans = [Span::new("a\u{1b}[2Jb\rc\u{9b}d", Look::Plain)];
        assert_eq!(paint(&spans, &terminal), "a[2Jbcd");
        let spans = [plain("x").linked("https://a.example/\u{1b}]8;;")];
        assert_eq!(paint(&spans, &terminal), "x");
        let spans = [plain("x").linked("javascript:alert(1)")];
        assert_eq!(paint(&spans, &terminal), "x");
        let spans = [plain("x").linked("https://a.example/b")];
        let linked = "\u{1b}]8;;https://a.example/b\u{1b}\\x\u{1b}]8;;\u{1b}\\";
        assert_eq!(paint(&spans, &terminal), linked);
    }

    #[test]
    fn without_color_there_is_no_control_code() {
        let terminal = Terminal { layout: true, color: false, links: false, columns: 80 };
        let spans = [Span::new("bold", Look::Strong), plain(" x").linked("https://a.example/")];
        assert_eq!(paint(&spans, &terminal), "bold x");
    }
}
