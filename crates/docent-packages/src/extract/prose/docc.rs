//! Pages of DocC catalogs as Markdown: directives resolved or dropped, links to symbols as code.
//!
//! Feeds [`super::extract`] with articles and tutorials of Swift packages; comments in Swift code
//! have the same links.

use super::lined::Lined;

/// Directives that hold nothing for a reader, with all that is in them.
const DROPPED: &[&str] = &["Comment", "Metadata", "Options", "Redirected", "DeprecationSummary"];

/// Directives whose title is a heading, and how deep it is.
const TITLED: &[(&str, &str)] = &[
    ("Tutorials", "#"),
    ("Article", "#"),
    ("Intro", "#"),
    ("Chapter", "##"),
    ("Volume", "##"),
    ("Section", "##"),
    ("Assessments", "##"),
    ("MultipleChoice", "###"),
    ("Tab", "###"),
    ("Small", "###"),
];

/// Whether a file is part of a catalog.
pub(super) fn is_in_catalog(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|folder| folder.ends_with(".docc"))
}

/// The page as Markdown.
pub(super) fn to_markdown(page: &Lined) -> Lined {
    let mut out = Lined::default();
    let mut fenced = false;
    // Braces of directives that are open, and of those how many were when a dropped one began.
    let (mut open, mut dropped) = (0usize, None::<usize>);
    let mut in_topics = false;
    for (line, number) in page.lines() {
        let bare = line.trim();
        let is_fence = bare.starts_with("```");
        fenced ^= is_fence;
        if fenced || is_fence {
            if dropped.is_none() && !in_topics {
                out.push(unindented(line, open), number);
            }
            continue;
        }
        if let Some((name, title, opens)) = directive(bare) {
            if opens && dropped.is_none() && DROPPED.contains(&name) {
                dropped = Some(open);
            }
            open += usize::from(opens);
            let heading = TITLED.iter().find(|row| row.0 == name);
            if let (Some((_, marks)), Some(title), None) = (heading, title, dropped) {
                out.gap(number);
                out.push(&format!("{marks} {}", links(title)), number);
                out.gap(number);
            }
            continue;
        }
        if bare == "}" && open > 0 {
            open -= 1;
            if dropped.is_some_and(|since| open <= since) {
                dropped = None;
            }
            continue;
        }
        // A list of links to everything says nothing that the items do not.
        if let Some(heading) = bare.strip_prefix('#') {
            let level = 1 + heading.bytes().take_while(|&byte| byte == b'#').count();
            if level <= 2 {
                in_topics = heading.trim_matches(['#', ' ']).eq_ignore_ascii_case("topics");
            }
        }
        if dropped.is_none() && !in_topics {
            out.push(&links(unindented(line, open)), number);
        }
    }
    out
}

/// The name of a directive, its title, and whether it opens a block.
fn directive(line: &str) -> Option<(&str, Option<&str>, bool)> {
    let rest = line.strip_prefix('@')?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let after = rest.trim_start();
    let is_directive = name.starts_with(|c: char| c.is_ascii_uppercase())
        && (after.is_empty() || after.starts_with(['(', '{']));
    if !is_directive {
        return None;
    }
    let title = ["title:", "name:"].iter().find_map(|key| {
        let (_, value) = rest.split_once(key)?;
        value.trim_start().strip_prefix('"')?.split('"').next()
    });
    let title = title.or_else(|| after.strip_prefix("(\"")?.split('"').next());
    let balance = rest.matches('{').count() > rest.matches('}').count();
    Some((name, title, balance))
}

/// A line without the indentation of the directives that it is in, which would make code of it.
fn unindented(line: &str, open: usize) -> &str {
    let spaces = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(spaces.min(open.saturating_mul(4))..).unwrap_or(line)
}

/// A line with DocC's links to symbols as code: ` ``Type/member`` ` as `` `Type.member` ``.
pub(crate) fn links(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("``") {
        let (before, from) = rest.split_at(at);
        let run = from.bytes().take_while(|&byte| byte == b'`').count();
        let inner = &from[run..];
        let end = (run == 2).then(|| inner.find("``")).flatten();
        let is_link = |text: &str| !text.is_empty() && !text.contains([' ', '`']);
        match end.filter(|&end| is_link(&inner[..end])) {
            Some(end) => {
                out.push_str(before);
                out.push('`');
                out.push_str(&symbol(&inner[..end]));
                out.push('`');
                rest = &inner[end + 2..];
            }
            None => {
                out.push_str(before);
                out.push_str(&from[..run]);
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    articles(&out)
}

/// The symbol of a link, without what tells overloads apart.
fn symbol(link: &str) -> String {
    let parts = link.split('/').map(|part| {
        let bare = part.rsplit_once('-').filter(|(name, hash)| {
            name.ends_with(')')
                || (hash.len() >= 4 && hash.chars().all(|c| c.is_ascii_alphanumeric()))
        });
        bare.map_or(part, |(name, _)| name)
    });
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

/// `<doc:Getting-Started>` as its title, more or less.
fn articles(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("<doc:") {
        let Some(end) = rest[at..].find('>') else { break };
        out.push_str(&rest[..at]);
        let name = &rest[at + "<doc:".len()..at + end];
        let name = name.rsplit(['/', '#']).next().unwrap_or(name);
        out.push_str(&name.replace('-', " "));
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &str) {
        let out = to_markdown(&Lined::of(page, 1));
        let lines: Vec<&str> =
            out.text().lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn directives_are_resolved() {
        check(
            "@Tutorial(time: 5) {\n  @Intro(title: \"Begin\") {\n    Hello.\n    @Image(source: a)\n  }\n\
             \n  @Section(title: \"One\") {\n    @Steps {\n      @Step {\n        Do ``X/y()``.\n      }\n    }\n  }\n}\nEnd.",
            "# Begin\nHello.\n## One\nDo `X.y()`.\nEnd.",
        );
        check("# ``A``\n\n@Metadata {\n  @X(y)\n  z\n}\n\ntext", "# `A`\ntext");
        check("mail me @home\n@MainActor func", "mail me @home\n@MainActor func");
        check("}\n@Comment {", "}");
    }

    #[test]
    fn topics_are_left_out() {
        check("# A\n## Topics\n### B\n- ``c``\n## D\ne", "# A\n## D\ne");
    }

    #[test]
    fn code_stays_as_it_is() {
        check("```swift\n@State var a\n}\n``x``\n```", "```swift\n@State var a\n}\n``x``\n```");
    }
}
