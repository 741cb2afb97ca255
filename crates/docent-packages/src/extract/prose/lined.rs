//! Text that knows which line of its file each of its lines came from.
//!
//! The converters ([`super::rest`], [`super::mdx`]) write it, [`super::markdown`] reads it, so that
//! a chunk can say where it is in the file that a person would open.

/// Lines of text, each with the line of the file it stands for.
#[derive(Clone, Debug, Default)]
pub(super) struct Lined {
    text: String,
    origins: Vec<u32>,
}

impl Lined {
    /// The text as it is, its first line being `first` in the file.
    pub(super) fn of(text: &str, first: u32) -> Self {
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
        Self { text: [text, "\n"].concat(), origins: (first..).take(lines).collect() }
    }

    /// Adds a line; a text of several lines counts on from `origin`.
    pub(super) fn push(&mut self, text: &str, origin: u32) {
        for (line, number) in text.split('\n').zip(origin..) {
            self.text.push_str(line);
            self.text.push('\n');
            self.origins.push(number);
        }
    }

    /// Adds an empty line, unless there is one.
    pub(super) fn gap(&mut self, origin: u32) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.push("", origin);
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Each line with its line in the file.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&str, u32)> {
        self.text.split('\n').zip(self.origins.iter().copied())
    }

    /// The line in the file for a position of the text; positions must come in ascending order.
    pub(super) fn positions(&self) -> impl FnMut(usize) -> u32 + '_ {
        let (mut at, mut line) = (0, 0);
        move |position| {
            let end = position.min(self.text.len());
            if end > at {
                line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[at..end]).count();
                at = end;
            }
            self.origins.get(line).or(self.origins.last()).copied().unwrap_or(1)
        }
    }
}
