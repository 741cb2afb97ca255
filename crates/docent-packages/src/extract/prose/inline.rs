//! What is replaced inside a block of Markdown: pictures, HTML, links that lead nowhere.
//!
//! Told of each event of a block by [`super::markdown`]; gives the source of the block with the
//! replacements made.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::html;

/// Stands where something was taken out, until [`Edits::finish`]. Cleaned text has none of its own.
const GONE: char = '\0';

/// The replacements in one block.
pub(super) struct Edits<'a> {
    text: &'a str,
    block: Range<usize>,
    edits: Vec<(Range<usize>, String)>,
    link: Option<Link>,
    picture: Option<(usize, Range<usize>)>,
    links: usize,
    links_in_page: usize,
}

/// An open link.
struct Link {
    range: Range<usize>,
    /// Where the text of the link is.
    inner: Option<Range<usize>>,
    has_text: bool,
    /// What to write after the text, if the source cannot stay as it is.
    ending: Option<String>,
}

impl<'a> Edits<'a> {
    pub(super) fn new(text: &'a str, block: Range<usize>) -> Self {
        Self {
            text,
            block,
            edits: Vec::new(),
            link: None,
            picture: None,
            links: 0,
            links_in_page: 0,
        }
    }

    pub(super) fn in_link(&self) -> bool {
        self.link.is_some()
    }

    pub(super) fn links(&self) -> usize {
        self.links
    }

    pub(super) fn links_in_page(&self) -> usize {
        self.links_in_page
    }

    pub(super) fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        // The text of a picture goes with it.
        if let Some((depth, picture)) = &mut self.picture {
            match event {
                Event::Start(Tag::Image { .. }) => *depth += 1,
                Event::End(TagEnd::Image) if *depth > 0 => *depth -= 1,
                Event::End(TagEnd::Image) => {
                    let picture = picture.clone();
                    self.picture = None;
                    self.extend_link(&picture);
                    self.edits.push((picture, GONE.to_string()));
                }
                _ => {}
            }
            return;
        }
        match event {
            Event::Start(Tag::Image { .. }) => self.picture = Some((0, range)),
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                let ending = ending(*link_type, dest_url);
                self.link = Some(Link { range, inner: None, has_text: false, ending });
                self.links_in_page += usize::from(dest_url.starts_with('#'));
            }
            Event::End(TagEnd::Link) => self.end_link(),
            Event::InlineHtml(_) | Event::Html(_) => {
                self.extend_link(&range);
                let replacement = html::inline(&self.text[range.clone()]);
                if replacement != self.text[range.clone()] {
                    self.edits.push((range, format!("{GONE}{replacement}")));
                }
            }
            Event::Text(text) | Event::Code(text) => {
                self.extend_link(&range);
                if let Some(link) = &mut self.link {
                    link.has_text |= !text.trim().is_empty();
                }
            }
            _ => self.extend_link(&range),
        }
    }

    fn extend_link(&mut self, range: &Range<usize>) {
        if let Some(link) = &mut self.link {
            let inner = link.inner.get_or_insert_with(|| range.clone());
            inner.start = inner.start.min(range.start);
            inner.end = inner.end.max(range.end);
        }
    }

    fn end_link(&mut self) {
        let Some(link) = self.link.take() else { return };
        let Some(inner) = link.inner.filter(|_| link.has_text) else {
            self.edits.push((link.range, GONE.to_string()));
            return;
        };
        self.links += 1;
        if let Some(ending) = link.ending {
            let opening = if ending.is_empty() { String::new() } else { "[".to_owned() };
            self.edits.push((link.range.start..inner.start, opening));
            self.edits.push((inner.end..link.range.end, ending));
        }
    }

    /// The source of the block with the replacements made, without the lines that became empty.
    pub(super) fn finish(mut self) -> String {
        // A picture inside a link that went away is under an edit that starts before it.
        self.edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut out = String::with_capacity(self.block.len());
        let mut at = self.block.start;
        for (range, replacement) in &self.edits {
            if range.start < at || range.end > self.block.end {
                continue;
            }
            out.push_str(self.text.get(at..range.start).unwrap_or_default());
            out.push_str(replacement);
            at = range.end;
        }
        out.push_str(self.text.get(at..self.block.end).unwrap_or_default());
        tidy_lines(&out)
    }
}

/// What ends a link whose source cannot stay: one in the page becomes plain text, one by reference
/// takes its target along.
fn ending(kind: LinkType, target: &str) -> Option<String> {
    match kind {
        LinkType::Autolink | LinkType::Email => None,
        _ if target.starts_with('#') || target.is_empty() => Some(String::new()),
        LinkType::Inline => None,
        _ if target.contains(['(', ')', ' ', '<', '>']) => Some(format!("](<{target}>)")),
        _ => Some(format!("]({target})")),
    }
}

fn tidy_lines(text: &str) -> String {
    let text = text.trim_end();
    if !text.contains(GONE) {
        return text.to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        if !line.contains(GONE) {
            lines.push(line.to_owned());
            continue;
        }
        let line = line.replace(GONE, "");
        if line.chars().any(char::is_alphanumeric) {
            let indent = line.len() - line.trim_start().len();
            let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
            lines.push(format!("{}{}", &line[..indent], words.join(" ").trim_start()));
        }
    }
    let is_empty = !lines.iter().any(|line| line.chars().any(char::is_alphanumeric));
    if is_empty { String::new() } else { lines.join("\n").trim_matches('\n').to_owned() }
}
