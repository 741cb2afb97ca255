//! The description inside the metadata of a Python distribution.
//!
//! A header block as in mail, then the description as the body; older files have it as a folded
//! header. Feeds [`super::extract`] in place of a README.

use super::find::Format;
use super::lined::Lined;

/// The description, and how it is written; `None` if there is none.
pub(super) fn of(metadata: &str) -> Option<(Lined, Format)> {
    let mut folded: Option<(Vec<&str>, u32)> = None;
    let mut format = Format::Rest;
    let mut body = None;
    let mut in_description = false;
    let mut at = 0;
    for (line, number) in metadata.split_inclusive('\n').zip(1u32..) {
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.is_empty() {
            body = Some((&metadata[at..], number + 1));
            break;
        }
        if line.starts_with([' ', '\t', '|']) {
            if let Some((lines, _)) = folded.as_mut().filter(|_| in_description) {
                lines.push(unfold(line));
            }
            continue;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        in_description = key.eq_ignore_ascii_case("description");
        if in_description {
            folded = Some((vec![value.trim()], number));
        } else if key.eq_ignore_ascii_case("description-content-type") {
            format = format_of(value);
        }
    }
    let says_something = |text: &str| !text.trim().is_empty() && text.trim() != "UNKNOWN";
    if let Some((text, line)) = body.filter(|(text, _)| says_something(text)) {
        return Some((Lined::of(text, line), format));
    }
    let (lines, line) = folded?;
    let text = lines.join("\n");
    says_something(&text).then(|| (Lined::of(&text, line), format))
}

/// A folded line is indented by eight spaces, or by seven and a bar.
fn unfold(line: &str) -> &str {
    let marked = line.strip_prefix("        ").or_else(|| line.strip_prefix("       |"));
    marked.or_else(|| line.strip_prefix('|')).unwrap_or(line.trim_start())
}

fn format_of(value: &str) -> Format {
    match value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "text/markdown" => Format::Markdown,
        "text/plain" => Format::Plain,
        "text/html" => Format::Html,
        _ => Format::Rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(metadata: &str, expected: Option<(&str, u32, Format)>) {
        let found = of(metadata);
        let found = found.as_ref().map(|(text, format)| {
            let line = text.lines().next().map_or(0, |row| row.1);
            (text.text().trim_end(), line, *format)
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn the_body_is_the_description() {
        check(
            "Name: x\nDescription-Content-Type: text/markdown; charset=UTF-8\n\n# X\n\ntext\n",
            Some(("# X\n\ntext", 4, Format::Markdown)),
        );
        check("Name: x\n\nX\n=\n", Some(("X\n=", 3, Format::Rest)));
    }

    #[test]
    fn older_metadata_folds_it_into_a_header() {
        check(
            "Name: x\nDescription: X\n        =\n        \n        text\nAuthor: a\n",
            Some(("X\n=\n\ntext", 2, Format::Rest)),
        );
        check("Description: X\n       |  y\n", Some(("X\n  y", 1, Format::Rest)));
    }

    #[test]
    fn nothing_is_no_description() {
        check("Name: x\nDescription: UNKNOWN\n\n\n", None);
        check("", None);
    }
}
