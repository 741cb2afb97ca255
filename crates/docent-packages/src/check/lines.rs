//! From a place in a text to its line and column.

use super::found::Position;
use super::uses::At;

pub(super) struct Lines<'t> {
    text: &'t str,
    file: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str, file: &'t str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let starts = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
        Self { text, file, starts }
    }

    /// The line and the character in it, both from 1.
    pub(super) fn position(&self, at: At) -> Position {
        let at = (at as usize).min(self.text.len());
        let line = self.starts.partition_point(|&start| start <= at);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(start..at).unwrap_or_default();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position {
            file: self.file.to_owned(),
            line: number(line),
            column: number(before.chars().count().saturating_add(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters() {
        let lines = Lines::of("é = 1\n\nx.y", "a.py");
        let check = |at, line, column| {
            let found = lines.position(at);
            assert_eq!((found.line, found.column), (line, column), "{at}");
        };
        check(0, 1, 1);
        check(3, 1, 3);
        check(7, 2, 1);
        check(10, 3, 3);
        check(1, 1, 1);
        check(99, 3, 4);
    }
}
