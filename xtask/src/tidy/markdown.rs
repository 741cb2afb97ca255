//! As much Markdown as the checks need: fenced blocks and inline code, with line numbers.

/// A line of a document.
#[derive(Debug, PartialEq)]
pub(crate) enum Line<'a> {
    /// Outside fences.
    Prose(&'a str),
    /// Inside a fence that was opened with this language (empty when none was named).
    Fenced { language: &'a str, text: &'a str },
}

/// The lines of a document with their numbers; the fences themselves are left out.
pub(crate) fn lines(text: &str) -> Vec<(usize, Line<'_>)> {
    let mut fence = None;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), fence) {
            (Some(language), None) => fence = Some(language.trim()),
            (Some(_), Some(_)) => fence = None,
            (None, None) => found.push((index + 1, Line::Prose(line))),
            (None, Some(language)) => {
                found.push((index + 1, Line::Fenced { language, text: line }));
            }
        }
    }
    found
}

/// The inline code of a line of prose.
pub(crate) fn code(line: &str) -> impl Iterator<Item = &str> {
    // Backticks alternate between opening and closing, so every second piece is code; the last
    // piece has no closing backtick.
    let pieces = line.split('`').count();
    line.split('`')
        .enumerate()
        .filter(move |(index, _)| index % 2 == 1 && index + 1 < pieces)
        .map(|(_, code)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_told_from_prose() {
        let text = "a\n```sh\nb\n```\nc";
        let expected = [
            (1, Line::Prose("a")),
            (3, Line::Fenced { language: "sh", text: "b" }),
            (5, Line::Prose("c")),
        ];
        assert_eq!(lines(text), expected);
    }

    #[test]
    fn inline_code_needs_both_backticks() {
        assert_eq!(code("x `a` y `b` z `c").collect::<Vec<_>>(), ["a", "b"]);
    }
}
