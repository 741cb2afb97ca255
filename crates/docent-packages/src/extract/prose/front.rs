//! The data that a page begins with, between lines of `---`.
//!
//! Feeds [`super::extract`]: a title there is the page's outermost heading, a description its first
//! paragraph.

use super::lined::Lined;

/// What a page says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Front {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
}

/// The page as Markdown, with what its front matter says at the head of it.
pub(super) fn apply(page: Lined) -> Lined {
    let Some((front, length)) = read(&page) else { return page };
    let mut out = Lined::default();
    let has_own_title =
        page.lines().skip(length).map(|row| row.0.trim()).find(|line| !line.is_empty());
    if let Some(title) = front.title
        && !has_own_title.is_some_and(|line| line.starts_with("# "))
    {
        out.push(&format!("# {}", title.replace('\n', " ")), 1);
        out.gap(1);
    }
    if let Some(description) = front.description {
        out.push(&description, 1);
        out.gap(1);
    }
    for (line, number) in page.lines().skip(length) {
        out.push(line, number);
    }
    out
}

/// The longest front matter, in lines.
const LINES_MAX: usize = 200;

/// The front matter and how many lines it takes, if the page begins with one.
fn read(page: &Lined) -> Option<(Front, usize)> {
    let mut lines = page.lines().map(|row| row.0).take(LINES_MAX);
    let mark = lines.next()?.trim_end();
    if !matches!(mark, "---" | "+++") {
        return None;
    }
    let mut front = Front::default();
    // The key whose value goes on in indented lines.
    let mut open: Option<(&str, String)> = None;
    for (number, line) in lines.enumerate() {
        let is_end = line.trim_end() == mark || line.trim_end() == "...";
        if let Some((_, value)) = &mut open
            && line.starts_with([' ', '\t'])
        {
            value.push_str(if value.is_empty() { "" } else { " " });
            value.push_str(line.trim());
            continue;
        }
        if let Some((key, value)) = open.take() {
            set(&mut front, key, &value);
        }
        if is_end {
            return Some((front, number + 2));
        }
        if let Some((key, value)) = line.split_once([':', '=']) {
            let value = value.trim();
            let is_block = matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+");
            open = Some((key.trim(), if is_block { String::new() } else { value.to_owned() }));
        }
    }
    None
}

fn set(front: &mut Front, key: &str, value: &str) {
    let value = value.trim();
    let unquoted =
        ['"', '\''].iter().find_map(|&quote| value.strip_prefix(quote)?.strip_suffix(quote));
    let value = unquoted.unwrap_or(value).trim();
    if value.is_empty() {
        return;
    }
    match key {
        "title" => front.title = Some(value.to_owned()),
        "name" | "sidebar_label" if front.title.is_none() => front.title = Some(value.to_owned()),
        "description" | "summary" => front.description = Some(value.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &str) {
        assert_eq!(apply(Lined::of(page, 1)).text().trim_end(), expected);
    }

    #[test]
    fn title_and_description_lead_the_page() {
        check(
            "---\ntitle: 'Use: it'\ndescription: >\n  How to\n  use it.\ntags: [a]\n---\n\ntext",
            "# Use: it\n\nHow to use it.\n\n\ntext",
        );
        check("+++\ntitle = \"X\"\n+++\ntext", "# X\n\ntext");
        check("---\ntitle: X\n---\n\n# X itself\n", "\n# X itself");
    }

    #[test]
    fn a_rule_is_no_front_matter() {
        check("---\n\ntext", "---\n\ntext");
        check("text\n---\ntitle: x\n---", "text\n---\ntitle: x\n---");
    }
}
