//! Tables without lines: a header, and columns as wide as they need to be.

use super::{Indent, Look, Span, Terminal, line, plain, wrap};

/// Rows under a header.
pub(crate) struct Table {
    head: Vec<Vec<Span>>,
    numbers: Vec<bool>,
    rows: Vec<Vec<Vec<Span>>>,
}

const GAP: usize = 2;
const COLUMN_MIN: usize = 8;

impl Table {
    /// A table with these columns; those that begin with `#` hold numbers and are set to the right.
    pub(crate) fn new(head: &[&'static str]) -> Self {
        let numbers = head.iter().map(|title| title.starts_with('#')).collect();
        let title = |title: &&str| vec![Span::new(title.trim_start_matches('#'), Look::Dim)];
        Self { head: head.iter().map(title).collect(), numbers, rows: Vec::new() }
    }

    /// A table of rows that have their looks already; what they have more or less than the header is
    /// cut or left empty.
    pub(crate) fn of_spans(head: Vec<Vec<Span>>, mut rows: Vec<Vec<Vec<Span>>>) -> Self {
        for row in &mut rows {
            row.resize(head.len(), Vec::new());
        }
        let strong = |mut cell: Vec<Span>| {
            cell.iter_mut().for_each(|span| span.look = Look::Strong);
            cell
        };
        let numbers = vec![false; head.len()];
        Self { head: head.into_iter().map(strong).collect(), numbers, rows }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Span>) {
        self.rows.push(cells.into_iter().map(|cell| vec![cell]).collect());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table, as wide as the terminal at most: cells that do not fit are wrapped.
    pub(crate) fn render(&self, terminal: &Terminal) -> String {
        self.lines(terminal).iter().map(|spans| line(spans, terminal)).collect()
    }

    pub(crate) fn lines(&self, terminal: &Terminal) -> Vec<Vec<Span>> {
        let widths = self.widths(terminal.columns);
        std::iter::once(&self.head)
            .chain(&self.rows)
            .flat_map(|row| self.row_lines(row, &widths))
            .collect()
    }

    fn row_lines(&self, row: &[Vec<Span>], widths: &[usize]) -> Vec<Vec<Span>> {
        let cells: Vec<Vec<Vec<Span>>> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| wrap(cell, *width, &Indent::default()))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let one = |number: usize| {
            let mut spans = Vec::new();
            for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                let content = cell.get(number).cloned().unwrap_or_default();
                let used: usize = content.iter().map(Span::width).sum();
                let blank = plain(" ".repeat(width.saturating_sub(used)));
                if self.numbers[column] {
                    spans.push(blank);
                    spans.extend(content);
                } else {
                    spans.extend(content);
                    spans.push(blank);
                }
                spans.push(plain(" ".repeat(GAP)));
            }
            spans
        };
        (0..height).map(one).collect()
    }

    /// As wide as the widest cell; if that is too much, the widest columns give way.
    fn widths(&self, columns: usize) -> Vec<usize> {
        let mut widths = vec![0; self.head.len()];
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (width, cell) in widths.iter_mut().zip(row) {
                let text: String = cell.iter().map(|span| span.text.as_str()).collect();
                let wide = text.lines().map(|line| plain(line).width()).max().unwrap_or(0);
                *width = (*width).max(wide);
            }
        }
        let room = columns.saturating_sub(GAP * widths.len().saturating_sub(1));
        loop {
            let total: usize = widths.iter().sum();
            let Some(widest) = widths.iter_mut().max() else { return widths };
            if total <= room || *widest <= COLUMN_MIN {
                return widths;
            }
            *widest -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_wrap_and_numbers_stand_right() {
        let mut table = Table::new(&["name", "#size", "what"]);
        table.row([plain("one"), plain("9 B"), plain("short")]);
        table.row([plain("another"), plain("12 kB"), plain("longer than there is room for here")]);
        let terminal = Terminal { layout: true, color: false, links: false, columns: 40 };
        let expected = "\
name      size  what
one        9 B  short
another  12 kB  longer than there is
                room for here
";
        assert_eq!(table.render(&terminal), expected);
    }
}
