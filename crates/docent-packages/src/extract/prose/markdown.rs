//! Markdown as sections of clean blocks.
//!
//! Fed with text from [`super::find`], converted before if it was something else; feeds
//! [`super::filter`]. Blocks are slices of the source in which [`super::inline`] has replaced what
//! only decorates; code and HTML are written anew.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::inline::Edits;
use super::lined::Lined;
use super::{fence, html};

/// A heading and what is under it, up to the next heading.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    /// 1 to 6; 0 for what comes before the first heading.
    pub(super) level: usize,
    /// The heading as plain text.
    pub(super) title: String,
    /// The line of the heading in its file.
    pub(super) line: u32,
    pub(super) blocks: Vec<Block>,
}

/// A paragraph, list, table, quote or code block, without decoration.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) shape: Shape,
    pub(super) text: String,
    /// Its line in the file.
    pub(super) line: u32,
    /// How many words it has that are not part of a link.
    pub(super) words: usize,
    /// How many links it has, and how many of them lead to another place of the same page.
    pub(super) links: usize,
    pub(super) links_in_page: usize,
    /// The languages of the code blocks in it.
    pub(super) code: Vec<String>,
}

/// What a [`Block`] is, as far as it matters for splitting and filtering.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Shape {
    #[default]
    Text,
    List,
    Table,
    Code,
}

/// The longest heading that is kept whole.
const TITLE_BYTES_MAX: usize = 200;

/// The sections of a text, in order; the first one has no heading.
pub(super) fn sections(source: &Lined) -> Vec<Section> {
    let text = source.text();
    let mut line_at = source.positions();
    let mut sections = vec![Section { line: line_at(0), ..Section::default() }];
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut events = Parser::new_ext(text, options).into_offset_iter();
    while let Some((event, range)) = events.next() {
        let Event::Start(tag) = event else { continue };
        let line = line_at(range.start);
        let end = tag.to_end();
        match tag {
            Tag::Heading { level, .. } => {
                let mut title = String::new();
                let mut pictures = 0usize;
                for (event, _) in until(&mut events, end) {
                    match event {
                        Event::Start(Tag::Image { .. }) => pictures += 1,
                        Event::End(TagEnd::Image) => pictures = pictures.saturating_sub(1),
                        event if pictures == 0 => push_plain(&mut title, &event),
                        _ => {}
                    }
                }
                start(&mut sections, level as usize, &title, line);
            }
            Tag::HtmlBlock => {
                until(&mut events, end).for_each(drop);
                for (heading, block) in html_blocks(&text[range], line) {
                    match heading {
                        Some((level, title)) => start(&mut sections, level, &title, line),
                        None => add(&mut sections, block),
                    }
                }
            }
            Tag::CodeBlock(kind) => {
                let mut code = String::new();
                for (event, _) in until(&mut events, end) {
                    if let Event::Text(text) = event {
                        code.push_str(&text);
                    }
                }
                add(&mut sections, code_block(&kind, &code, line));
            }
            Tag::MetadataBlock(_) => until(&mut events, end).for_each(drop),
            tag => {
                let shape = match tag {
                    Tag::List(_) => Shape::List,
                    Tag::Table(_) => Shape::Table,
                    _ => Shape::Text,
                };
                let inner = until(&mut events, end);
                add(&mut sections, text_block(shape, text, range, line, inner));
            }
        }
    }
    sections
}

/// The events up to the end of a block that has just begun.
fn until<'a, 'e>(
    events: &'e mut impl Iterator<Item = (Event<'a>, Range<usize>)>,
    end: TagEnd,
) -> impl Iterator<Item = (Event<'a>, Range<usize>)> + 'e {
    let mut depth = 1usize;
    events.take_while(move |(event, _)| {
        match event {
            Event::Start(tag) if tag.to_end() == end => depth += 1,
            Event::End(tag) if *tag == end => depth -= 1,
            _ => {}
        }
        depth > 0
    })
}

fn start(sections: &mut Vec<Section>, level: usize, title: &str, line: u32) {
    let title = tidy_title(title);
    // A heading of nothing but a picture is decoration.
    if !title.is_empty() {
        sections.push(Section { level, title, line, blocks: Vec::new() });
    }
}

fn add(sections: &mut [Section], block: Block) {
    if !block.text.is_empty()
        && let Some(section) = sections.last_mut()
    {
        section.blocks.push(block);
    }
}

fn push_plain(out: &mut String, event: &Event<'_>) {
    match event {
        Event::Text(text) | Event::Code(text) => out.push_str(text),
        Event::SoftBreak | Event::HardBreak => out.push(' '),
        Event::InlineHtml(tag) => out.push_str(&html::inline(tag).replace(['*', '`'], "")),
        _ => {}
    }
}

/// A heading without explicit anchors, emoji codes and stray space.
fn tidy_title(title: &str) -> String {
    let title = title.trim();
    let title = match title.rfind("{#") {
        Some(at) if title.ends_with('}') => &title[..at],
        _ => title,
    };
    let is_emoji = |word: &&str| {
        word.len() > 2
            && word.starts_with(':')
            && word.ends_with(':')
            && word[1..word.len() - 1]
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'+' | b'-'))
    };
    let words: Vec<&str> = title.split_whitespace().filter(|word| !is_emoji(word)).collect();
    let mut title = words.join(" ");
    let end = title.floor_char_boundary(TITLE_BYTES_MAX.min(title.len()));
    title.truncate(end);
    title
}

fn code_block(kind: &CodeBlockKind<'_>, code: &str, line: u32) -> Block {
    let language = match kind {
        CodeBlockKind::Fenced(info) => language_of(info),
        CodeBlockKind::Indented => String::new(),
    };
    if code.trim().is_empty() {
        return Block::default();
    }
    let is_session = language.is_empty() && code.starts_with(">>> ");
    let language = if is_session { "python".to_owned() } else { language };
    let text = fence(&language, code);
    Block { shape: Shape::Code, text, line, code: vec![language], ..Block::default() }
}

/// The language of a fence: `js {1,3} title="x"` and `{.js}` are both JavaScript.
pub(super) fn language_of(info: &str) -> String {
    let word = info.trim_start_matches(['{', '.', ' ']);
    let end = word.find(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | ':' | '='));
    word[..end.unwrap_or(word.len())].to_owned()
}

fn text_block<'a>(
    shape: Shape,
    text: &'a str,
    range: Range<usize>,
    line: u32,
    inner: impl Iterator<Item = (Event<'a>, Range<usize>)>,
) -> Block {
    let mut block = Block { shape, line, ..Block::default() };
    let mut edits = Edits::new(text, range);
    for (event, range) in inner {
        match &event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                block.code.push(language_of(info));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => block.code.push(String::new()),
            Event::Text(text) if !edits.in_link() => {
                block.words += text.split_whitespace().filter(|word| is_word(word)).count();
            }
            Event::Code(_) if !edits.in_link() => block.words += 1,
            _ => {}
        }
        edits.event(&event, range);
    }
    block.links = edits.links();
    block.links_in_page = edits.links_in_page();
    block.text = edits.finish();
    block
}

pub(super) fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

/// A block of HTML as headings and blocks.
fn html_blocks(source: &str, line: u32) -> Vec<(Option<(usize, String)>, Block)> {
    let markdown = html::to_markdown(source);
    let mut blocks: Vec<(Option<(usize, String)>, Block)> = Vec::new();
    let mut fence_open: Option<&str> = None;
    let mut is_new = true;
    for text in markdown.lines() {
        if fence_open.is_none() {
            let marks = text.len() - text.trim_start_matches('#').len();
            if (1..=6).contains(&marks) && text[marks..].starts_with(' ') {
                let title = text[marks..].replace(['*', '`'], "");
                blocks.push((Some((marks, title)), Block::default()));
                is_new = true;
                continue;
            }
            if text.is_empty() {
                is_new = true;
                continue;
            }
        }
        if is_new {
            blocks.push((None, Block { line, ..Block::default() }));
            is_new = false;
        }
        let Some((_, block)) = blocks.last_mut() else { continue };
        let ticks = text.len() - text.trim_start_matches('`').len();
        match fence_open {
            None if ticks >= 3 => {
                fence_open = Some(&text[..ticks]);
                block.shape = Shape::Code;
                block.code.push(language_of(&text[ticks..]));
            }
            Some(open) if text == open => fence_open = None,
            Some(_) => {}
            None => {
                let words = text.split_whitespace().filter(|word| is_word(word));
                block.words += words.filter(|word| !word.contains("](")).count();
                block.links += text.matches("](").count();
                block.shape = match text.as_bytes().first() {
                    Some(b'|') => Shape::Table,
                    Some(b'-') => Shape::List,
                    _ => block.shape,
                };
            }
        }
        if !block.text.is_empty() {
            block.text.push('\n');
        }
        block.text.push_str(text);
    }
    blocks
}
