//! Markdown with components, as Markdown.
//!
//! Imports, exports and the tags of components go; what is between the tags stays, and so does code.
//! The result goes to [`super::markdown`].

use super::lined::Lined;

/// The page without its components.
pub(super) fn to_markdown(page: &Lined) -> Lined {
    let mut out = Lined::default();
    let mut fence: Option<Fence> = None;
    let mut in_statement = false;
    let mut text = Text::default();
    // How far the tags that are open are indented.
    let mut open: Vec<usize> = Vec::new();
    for (line, number) in page.lines() {
        let indent = line.len() - line.trim_start().len();
        let trimmed = &line[indent..];
        if let Some(current) = &fence {
            out.push(&line[indent.min(current.indent)..], number);
            if current.is_closed_by(trimmed) {
                fence = None;
            }
            continue;
        }
        if text.is_idle() {
            if let Some(opened) = Fence::open(trimmed, indent) {
                out.push(trimmed, number);
                fence = Some(opened);
                continue;
            }
            in_statement = (in_statement && !trimmed.is_empty())
                || (indent == 0 && (line.starts_with("import ") || line.starts_with("export ")));
            if in_statement {
                continue;
            }
        }
        let was_idle = text.is_idle();
        let outer = open.last().map_or(0, |indent| indent + 1);
        let converted = text.line(line, &mut open);
        let converted = if outer == 0 || converted.trim().is_empty() {
            converted.as_str()
        } else {
            // Inside a component, indentation is the component's, up to what a list may need.
            let inner = converted.len() - converted.trim_start().len();
            &converted[inner.min(outer + 3).min(inner)..]
        };
        if !converted.trim().is_empty() || trimmed.is_empty() {
            out.push(converted.trim_end(), number);
        } else if was_idle && text.is_idle() {
            out.gap(number);
        }
    }
    out
}

/// An open code block.
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

impl Fence {
    fn open(line: &str, indent: usize) -> Option<Self> {
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = line.len() - line.trim_start_matches(mark).len();
        (length >= 3 && !line[length..].contains(mark)).then_some(Self { mark, length, indent })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let rest = line.trim_start_matches(self.mark);
        line.len() - rest.len() >= self.length && rest.trim().is_empty()
    }
}

/// Where in a tag or comment a line ended.
#[derive(Default)]
struct Text {
    state: State,
    /// What the open tag has said so far, for its title.
    tag: String,
    lines: usize,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Comment,
    Tag {
        braces: usize,
        quote: Option<char>,
    },
}

/// How much of a tag is looked at for a title.
const TAG_BYTES_MAX: usize = 2000;
/// The longest tag; what is longer was not one.
const TAG_LINES_MAX: usize = 400;
/// Components inside components whose indentation is remembered.
const OPEN_MAX: usize = 64;

impl Text {
    fn is_idle(&self) -> bool {
        self.state == State::Text
    }

    /// A line without tags and comments.
    fn line(&mut self, line: &str, open: &mut Vec<usize>) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        let indent = line.len() - line.trim_start().len();
        self.lines = if self.is_idle() { 0 } else { self.lines + 1 };
        if self.lines > TAG_LINES_MAX {
            self.state = State::Text;
        }
        while !rest.is_empty() {
            match &mut self.state {
                State::Comment => match rest.find("*/}") {
                    Some(end) => {
                        rest = &rest[end + 3..];
                        self.state = State::Text;
                    }
                    None => break,
                },
                State::Tag { braces, quote } => {
                    let Some(c) = rest.chars().next() else { break };
                    rest = &rest[c.len_utf8()..];
                    if self.tag.len() < TAG_BYTES_MAX {
                        self.tag.push(c);
                    }
                    match (*quote, c) {
                        (Some(open), c) if open == c => *quote = None,
                        (Some(_), _) => {}
                        (None, '"' | '\'' | '`') => *quote = Some(c),
                        (None, '{') => *braces += 1,
                        (None, '}') => *braces = braces.saturating_sub(1),
                        (None, '>') if *braces == 0 && !self.tag.ends_with("=>") => {
                            self.state = State::Text;
                            self.end_tag(&mut out, indent, open);
                        }
                        _ => {}
                    }
                }
                State::Text => rest = self.text(rest, &mut out),
            }
        }
        // A string does not go over the end of its line; a template may.
        if let State::Tag { quote: quote @ Some('\''), .. } = &mut self.state {
            *quote = None;
        }
        if matches!(self.state, State::Tag { .. }) {
            self.tag.push(' ');
        }
        out
    }

    fn text<'a>(&mut self, rest: &'a str, out: &mut String) -> &'a str {
        let Some(at) = rest.find(['<', '{', '`', '\\']) else {
            out.push_str(rest);
            return "";
        };
        out.push_str(&rest[..at]);
        let rest = &rest[at..];
        if rest.starts_with('`') {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            let end = rest[ticks..].find(&rest[..ticks]).map_or(ticks, |end| ticks + end + ticks);
            out.push_str(&rest[..end]);
            return &rest[end..];
        }
        if let Some(comment) = rest.strip_prefix("{/*") {
            self.state = State::Comment;
            return comment;
        }
        if let Some(after) = rest.strip_prefix("{\" \"}").or_else(|| rest.strip_prefix("{' '}")) {
            out.push(' ');
            return after;
        }
        let name = rest.strip_prefix("</").or_else(|| rest.strip_prefix('<'));
        if name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase() || c == '>')) {
            self.state = State::Tag { braces: 0, quote: None };
            self.tag.clear();
            return &rest[1..];
        }
        let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
        let length = 1 + escaped.map_or(0, char::len_utf8);
        out.push_str(&rest[..length]);
        &rest[length..]
    }

    fn end_tag(&mut self, out: &mut String, indent: usize, open: &mut Vec<usize>) {
        let is_close = self.tag.starts_with('/');
        let is_whole = self.tag.ends_with("/>");
        if is_close {
            open.pop();
        } else if !is_whole && open.len() < OPEN_MAX {
            open.push(indent);
        }
        if let Some(title) = title(&self.tag) {
            out.push_str(&format!("**{title}** "));
        }
    }
}

/// What a component shows above its content.
fn title(tag: &str) -> Option<&str> {
    ["title=", "label=", "summary="].iter().find_map(|key| {
        let at = tag.find(&format!(" {key}"))? + 1 + key.len();
        let value = tag[at..].trim_start_matches('{');
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let value = value[1..].split(quote).next()?.trim();
        (!value.is_empty() && value.len() <= 120).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &str) {
        let converted = to_markdown(&Lined::of(page, 1));
        assert_eq!(converted.text().trim(), expected.trim());
    }

    #[test]
    fn components_go_and_their_text_stays() {
        check(
            "import X from 'x'\nimport {\n  Y\n} from 'y'\n\n# T\n\n<X a={{b: '>'}}>text</X>\n<Y />",
            "# T\n\ntext",
        );
        check(
            "<Tabs>\n  <Tab title=\"npm\">\n    ```sh\n    npm i\n    ```\n  </Tab>\n</Tabs>",
            "**npm**\n```sh\nnpm i\n```",
        );
        check("a <Link\n  href=\"/x\"\n  onClick={() => go()}\n>b</Link> c", "a\nb c");
        check("{/* note\nmore */}\nkept{' '}here <>x</>", "kept here x");
    }

    #[test]
    fn code_is_left_alone() {
        check("```jsx\nimport X from 'x'\n<X />\n```", "```jsx\nimport X from 'x'\n<X />\n```");
        check("use `<X />` or `Map<K, V>` and a < b", "use `<X />` or `Map<K, V>` and a < b");
    }
}
