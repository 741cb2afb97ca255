//! Documentation as a reader should see it: Markdown without what only the compiler needs.

/// Comment text as Markdown: indentation that all lines share and hidden lines of examples left out.
pub(super) fn clean(raw: &str) -> String {
    if raw.is_empty() {
        return String::new();
    }
    let written = |line: &&str| !line.trim().is_empty();
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = raw.lines().filter(written).map(indent).min().unwrap_or(0);
    let mut text = String::with_capacity(raw.len());
    let mut fence: Option<(char, usize, bool)> = None;
    for line in raw.lines() {
        let line = line.get(shared..).unwrap_or_default().trim_end();
        let trimmed = line.trim_start();
        match fence {
            Some((mark, length, _)) if closes(trimmed, mark, length) => fence = None,
            Some((_, _, true)) if is_hidden(trimmed) => continue,
            Some((_, _, true)) if trimmed.starts_with("##") => {
                // `##` is how a line that begins with `#` is written in an example.
                text.push_str(&line.replacen("##", "#", 1));
                text.push('\n');
                continue;
            }
            Some(_) => {}
            None => fence = opens(trimmed),
        }
        text.push_str(line);
        text.push('\n');
    }
    text.trim_matches('\n').to_owned()
}

fn is_hidden(line: &str) -> bool {
    line == "#" || line.starts_with("# ")
}

/// What opens a block of code, and whether the block is an example in Rust.
fn opens(line: &str) -> Option<(char, usize, bool)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    if length < 3 {
        return None;
    }
    let is_rust = line[length..].split([',', ' ']).map(str::trim).all(|word| {
        let known =
            ["", "rust", "no_run", "ignore", "should_panic", "compile_fail", "test_harness"];
        known.contains(&word) || word.starts_with("edition") || word.starts_with("ignore-")
    });
    Some((mark, length, is_rust))
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    line.starts_with(mark) && line.trim_end_matches(mark).is_empty() && line.len() >= length
}

/// Puts a note behind the first paragraph, where it is seen though the rest be cut.
pub(super) fn with_note(docs: &mut String, note: &str) {
    if note.is_empty() {
        return;
    }
    let end = if docs.starts_with("```") || docs.starts_with('#') { 0 } else { first_end(docs) };
    let (first, rest) = docs.split_at(end);
    let parts = [first.trim_end(), note, rest.trim_start_matches('\n')];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    *docs = parts.join("\n\n");
}

fn first_end(docs: &str) -> usize {
    docs.find("\n\n").unwrap_or(docs.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_lines_and_indentation_go() {
        let raw =
            " Adds.\n\n ```\n # use a::b;\n #\n ## c\n add(1);\n ```\n ```text\n # kept\n ```\n";
        let expected = "Adds.\n\n```\n# c\nadd(1);\n```\n```text\n# kept\n```";
        assert_eq!(clean(raw), expected);
        assert_eq!(clean(" a\n   b"), "a\n  b");
        assert_eq!(clean("a\n b"), "a\n b");
    }

    #[test]
    fn a_note_stands_behind_the_first_paragraph() {
        let note = |docs: &str| {
            let mut docs = docs.to_owned();
            with_note(&mut docs, "N.");
            docs
        };
        assert_eq!(note("A.\n\nB."), "A.\n\nN.\n\nB.");
        assert_eq!(note("A."), "A.\n\nN.");
        assert_eq!(note(""), "N.");
    }
}
