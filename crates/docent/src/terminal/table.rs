//! Tables without lines: a header, and columns as wide as they need to be.

use super::{Indent, Look, Span, Terminal, line, plain, wrap};

/// Rows under a header.
pub(crate) struct Table {
    head: Vec<&'static str>,
    numbers: Vec<bool>,
    rows: Vec<Vec<Vec<Span>>>,
}

const GAP: usize = 2;
const COLUMN_MIN: usize = 8;

impl Table {
    /// A table with these columns; those that begin with `#` hold numbers and are set to the right.
    pub(crate) fn new(head: &[&'static str]) -> Self {
        let numbers = head.iter().map(|title| title.starts_with('#')).collect();
        let head = head.iter().map(|title| title.trim_start_matches('#')).collect();
        Self { head, numbers, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Span>) {
        self.rows.push(cells.into_iter().map(|cell| vec![cell]).collect());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table, as wide as the terminal at most: cells that do not fit are wrapped.
    pub(crate) fn render(&self, terminal: &Terminal) -> String {
        let widths = self.widths(terminal.columns);
        let mut out = String::new();
        if self.head.iter().any(|title| !title.is_empty()) {
            let head = self.head.iter().map(|title| vec![Span::new(title, Look::Dim)]).collect();
            self.write_row(&head, &widths, terminal, &mut out);
        }
        for row in &self.rows {
            self.write_row(row, &widths, terminal, &mut out);
        }
        out
    }

    fn write_row(
        &self,
        row: &Vec<Vec<Span>>,
        widths: &[usize],
        terminal: &Terminal,
        out: &mut String,
    ) {
        let cells: Vec<Vec<Vec<Span>>> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| wrap(cell, *width, &Indent::default()))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..height {
            let mut spans = Vec::new();
            for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                let content = cell.get(number).cloned().unwrap_or_default();
                let used: usize = content.iter().map(Span::width).sum();
                let blank = plain(" ".repeat(width.saturating_sub(used)));
                let gap = plain(" ".repeat(GAP));
                if self.numbers[column] {
                    spans.push(blank);
                    spans.extend(content);
                } else {
                    spans.extend(content);
                    spans.push(blank);
                }
                spans.push(gap);
            }
            out.push_str(&line(&spans, terminal));
        }
    }

    /// As wide as the widest cell; if that is too much, the widest columns give way.
    fn widths(&self, columns: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = self.head.iter().map(|title| plain(title).width()).collect();
        for row in &self.rows {
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
