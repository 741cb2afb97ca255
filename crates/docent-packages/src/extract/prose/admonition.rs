//! Notes in the ways that documentation generators write them, as Markdown.
//!
//! `:::note` to `:::`, and `!!! note "Title"` or `=== "Tab"` over an indented text, which Markdown
//! would take for code. The result goes to [`super::markdown`].

use super::lined::Lined;

/// The page with plain paragraphs in place of notes.
pub(super) fn to_markdown(page: Lined) -> Lined {
    let is_note = |line: &str| line.starts_with(":::") || indented_note(line).is_some();
    if !page.lines().any(|(line, _)| is_note(line.trim_start())) {
        return page;
    }
    let mut out = Lined::default();
    let mut fence: Option<&str> = None;
    // How far the texts of the open notes are indented.
    let mut open: Vec<usize> = Vec::new();
    for (line, number) in page.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if !trimmed.is_empty() {
            while open.last().is_some_and(|inner| indent < *inner) {
                open.pop();
            }
        }
        let dedent = (open.len() * 4).min(indent);
        let mark = trimmed.get(..3).filter(|mark| matches!(*mark, "```" | "~~~"));
        if fence.is_some() || mark.is_some() {
            fence = match (fence, mark) {
                (None, mark) => mark,
                (Some(open), Some(mark)) if open == mark => None,
                (open, _) => open,
            };
            out.push(&line[dedent..], number);
        } else if let Some(note) = trimmed.strip_prefix(":::") {
            out.gap(number);
            if let Some(label) = label(note.trim_start_matches(':')) {
                out.push(&label, number);
                out.gap(number);
            }
        } else if let Some(note) = indented_note(trimmed).filter(|_| open.len() < 16) {
            out.gap(number);
            if let Some(label) = label(note) {
                out.push(&label, number);
                out.gap(number);
            }
            open.push(indent + 4);
        } else if trimmed.is_empty() {
            out.gap(number);
        } else {
            out.push(&line[dedent..], number);
        }
    }
    out
}

/// What follows the mark of a note whose text is indented.
fn indented_note(line: &str) -> Option<&str> {
    let rest = ["!!! ", "!!!+ ", "??? ", "???+ "].iter().find_map(|mark| line.strip_prefix(mark));
    rest.or_else(|| line.strip_prefix("=== ").filter(|rest| rest.starts_with('"')))
}

/// `tip "Do this"`, `warning[Title]` and `"Tab"` as a bold lead.
fn label(note: &str) -> Option<String> {
    let note = note.trim();
    let quoted = note.split('"').nth(1).or_else(|| note.split(['[', ']']).nth(1));
    let word =
        note.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or_default();
    let title = quoted.or_else(|| note.strip_prefix(word)).map_or("", str::trim);
    if !title.is_empty() && !title.starts_with('{') {
        return Some(format!("**{title}:**"));
    }
    let mut letters = word.chars();
    let first = letters.next()?;
    Some(format!("**{}{}:**", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &str) {
        assert_eq!(to_markdown(Lined::of(page, 1)).text().trim(), expected);
    }

    #[test]
    fn notes_become_paragraphs() {
        check(":::tip Mind\nthis\n:::\nrest", "**Mind:**\n\nthis\n\nrest");
        check("::: warning\nx\n:::", "**Warning:**\n\nx");
        check(
            "!!! note \"Careful\"\n    text\n\n    ```py\n    x\n    ```\nrest",
            "**Careful:**\n\ntext\n\n```py\nx\n```\nrest",
        );
        check("=== \"npm\"\n\n    text", "**npm:**\n\ntext");
    }

    #[test]
    fn code_is_left_alone() {
        check("```\n:::tip\n!!! x\n```", "```\n:::tip\n!!! x\n```");
    }
}
