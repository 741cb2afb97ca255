//! What a person sees: color, width, links, tables, and answers laid out for a terminal.
//!
//! Reading order: `detect` (what this terminal can do), `look` and `span` (pieces of text and how
//! they look), `wrap`, then what is built of them: `table`, `inline` and `markdown` (answers),
//! `code` (source in them); `progress` draws on standard error. Where output does not go to a
//! terminal, nothing of this is used and no control code is written.

mod code;
mod detect;
pub(crate) mod inline;
mod look;
pub(crate) mod markdown;
pub(crate) mod progress;
mod span;
mod table;
mod wrap;

pub(crate) use detect::{Color, Terminal};
pub(crate) use look::Look;
pub(crate) use span::{Span, line, plain};
pub(crate) use table::Table;
pub(crate) use wrap::{Indent, wrap};

/// Bytes as people read them: `3.4 MB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// A count with its noun, and commas: `1,204 items`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let mut digits = number.to_string();
    let mut at = digits.len();
    while at > 3 {
        at -= 3;
        digits.insert(at, ',');
    }
    let many = match noun.strip_suffix('y') {
        Some(stem) if !noun.ends_with("ay") => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    format!("{digits} {}", if number == 1 { noun } else { &many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let check = |bytes: u64, expected: &str| assert_eq!(size(bytes), expected);
        check(0, "0 B");
        check(999, "999 B");
        check(1000, "1.0 kB");
        check(9_960, "10 kB");
        check(999_600, "1.0 MB");
        check(5_368_709_120, "5.4 GB");
        check(u64::MAX, "18446744 TB");
        for (number, noun, expected) in [
            (0, "item", "0 items"),
            (1, "package", "1 package"),
            (1_234_567, "entry", "1,234,567 entries"),
            (2, "day", "2 days"),
        ] {
            assert_eq!(count(number, noun), expected);
        }
    }
}
