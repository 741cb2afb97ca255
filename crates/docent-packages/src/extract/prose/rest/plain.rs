//! Texts that are nothing but paragraphs, as most of a docstring is: only their inline marks change.
//!
//! A short way through [`super::convert`], which gives the same.

use super::inline::{self, Names};

/// The paragraphs as Markdown; `None` if there may be anything else.
pub(super) fn paragraphs(text: &str) -> Option<String> {
    let text = text.trim_matches('\n');
    if text.contains('\t') || !text.split('\n').all(is_plain) {
        return None;
    }
    let names = Names::default();
    let mut out = String::with_capacity(text.len());
    let mut paragraph = String::new();
    for line in text.split('\n').map(str::trim_end).chain([""]) {
        if !line.is_empty() {
            if !paragraph.is_empty() {
                paragraph.push('\n');
            }
            paragraph.push_str(line);
            continue;
        }
        if paragraph.is_empty() {
            continue;
        }
        // Code is announced.
        if paragraph.ends_with("::") {
            return None;
        }
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        out.push_str(&inline::to_markdown(&paragraph, &names));
        paragraph.clear();
    }
    Some(out)
}

/// Whether a line can only be blank or a part of a paragraph: it begins with a word, and that is no
/// number of a list.
fn is_plain(line: &str) -> bool {
    let line = line.trim_end();
    let Some(first) = line.as_bytes().first() else { return true };
    match first {
        b'a'..=b'z' | b'A'..=b'Z' => true,
        b'`' => line.bytes().any(|byte| byte != b'`'),
        b'0'..=b'9' => {
            let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
            !rest.starts_with(['.', ')'])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lined, convert};
    use super::*;

    #[track_caller]
    fn check(text: &str, is_short: bool) {
        let long = convert(&Lined::of(text, 1)).into_text().trim_matches('\n').to_owned();
        let short = paragraphs(text);
        assert_eq!(short.is_some(), is_short, "{text}");
        if let Some(short) = short {
            assert_eq!(short, long, "{text}");
        }
    }

    #[test]
    fn the_short_way_leads_to_the_same() {
        check("One ``two`` and :class:`~a.B`.", true);
        check("One\ntwo  \n\n\nthree `four`_\n", true);
        check("``code`` first", true);
        check("2 things\nand 10 more", true);
        check("", true);
    }

    #[test]
    fn all_else_takes_the_long_one() {
        check("Title\n=====\ntext", false);
        check("1. one\n2. two", false);
        check("term\n    definition", false);
        check("code::\n\n    x", false);
        check("code::", false);
        check("* item", false);
        check(".. note:: x", false);
        check("````\ntext", false);
    }
}
