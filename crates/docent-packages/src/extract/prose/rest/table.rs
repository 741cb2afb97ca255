//! Tables of reStructuredText as tables of Markdown.

use super::inline::{self, Names};

/// Whether a line draws the edge of a table whose columns are parted by spaces.
pub(super) fn is_simple_edge(line: &str) -> bool {
    line.starts_with('=')
        && line.contains(" =")
        && line.bytes().all(|byte| matches!(byte, b'=' | b' '))
}

/// Whether a line draws the edge of a table with lines.
pub(super) fn is_grid_edge(line: &str) -> bool {
    line.len() > 2
        && line.starts_with('+')
        && line.ends_with('+')
        && line.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'='))
}

/// A table with lines; `None` if cells span rows or columns.
pub(super) fn grid(lines: &[&str], names: &Names) -> Option<String> {
    let columns = lines.first()?.matches('+').count() - 1;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut current: Option<Vec<String>> = None;
    for line in lines {
        if is_grid_edge(line) {
            if line.matches('+').count() - 1 != columns {
                return None;
            }
            rows.extend(current.take());
            continue;
        }
        let inner = line.strip_prefix('|')?.strip_suffix('|')?;
        let cells: Vec<&str> = inner.split('|').collect();
        if cells.len() != columns {
            return None;
        }
        let row = current.get_or_insert_with(|| vec![String::new(); columns]);
        for (cell, text) in row.iter_mut().zip(cells) {
            append(cell, text);
        }
    }
    rows.extend(current);
    Some(write(&rows, names))
}

/// A table of columns under `====`; `None` if it does not keep to them.
pub(super) fn simple(lines: &[&str], names: &Names) -> Option<String> {
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, c) in lines.first()?.char_indices() {
        if c == '=' && before == ' ' {
            starts.push(at);
        }
        before = c;
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let is_rule = line.bytes().all(|byte| matches!(byte, b'-' | b' '));
        if is_simple_edge(line) || line.trim().is_empty() || is_rule {
            continue;
        }
        let letters: Vec<char> = line.chars().collect();
        let cell = |number: usize| -> String {
            let from = starts[number].min(letters.len());
            let to = starts.get(number + 1).map_or(letters.len(), |end| (*end).min(letters.len()));
            letters[from..to].iter().collect::<String>().trim().to_owned()
        };
        let cells: Vec<String> = (0..starts.len()).map(cell).collect();
        match rows.last_mut() {
            // Without a first cell it goes on with the row above.
            Some(row) if cells[0].is_empty() => {
                for (cell, text) in row.iter_mut().zip(&cells) {
                    append(cell, text);
                }
            }
            _ => rows.push(cells),
        }
    }
    (!rows.is_empty()).then(|| write(&rows, names))
}

/// A table written as a list of lists; `None` if there is nothing in it.
pub(super) fn listed(lines: &[&str], names: &Names) -> Option<String> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let (line, is_row) =
            line.strip_prefix("* ").map_or((*line, false), |rest| (rest.trim_start(), true));
        if is_row {
            rows.push(Vec::new());
        }
        let Some(row) = rows.last_mut() else { continue };
        match line.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            Some(cell) => row.push(cell.trim().to_owned()),
            None => {
                if let Some(cell) = row.last_mut() {
                    append(cell, line);
                }
            }
        }
    }
    (!rows.is_empty()).then(|| write(&rows, names))
}

fn append(cell: &mut String, text: &str) {
    let text = text.trim();
    if !text.is_empty() {
        cell.push_str(if cell.is_empty() { "" } else { " " });
        cell.push_str(text);
    }
}

fn write(rows: &[Vec<String>], names: &Names) -> String {
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        for cell in row {
            out.push_str("| ");
            out.push_str(&inline::to_markdown(cell, names).replace('|', "\\|"));
            out.push(' ');
        }
        out.push_str("|\n");
        if number == 0 {
            out.push('|');
            out.push_str(&" --- |".repeat(row.len()));
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}
