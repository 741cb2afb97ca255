//! What a package says in prose: README, guides, examples, changes.
//!
//! Read as: [`find`] the files, make Markdown of each, cut it into sections ([`markdown`]), leave
//! out what does not help ([`filter`], [`changelog`]), pack the rest into chunks ([`chunk`]). Total
//! like all of extraction: a file that cannot be made sense of gives no chunks.

mod admonition;
mod changelog;
mod chunk;
mod clean;
mod description;
pub(crate) mod docc;
mod filter;
mod find;
mod front;
mod html;
mod inline;
mod language;
mod lined;
mod markdown;
mod mdx;
mod myst;
mod rest;
mod tags;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use clean::visible;
pub(crate) use html::to_markdown as html_to_markdown;
pub(crate) use rest::to_markdown as rest_to_markdown;

use self::filter::Rules;
use self::find::{Format, Source};
use self::lined::Lined;
use self::markdown::{Block, Section, Shape};
use super::Input;
use crate::hashing::HashSet;
use crate::{Chunk, ChunkKind, Ecosystem, Limits};

/// Chunks of a changelog.
const CHANGES_MAX: usize = 8;

/// All prose of a package: README, guides, examples, changes, in this order.
pub(super) fn extract(ecosystem: Ecosystem, input: &Input<'_>) -> Vec<Chunk> {
    let Limits { prose_files_max, prose_bytes_max, chunk_bytes_max, .. } = *input.limits;
    let package = input.package;
    let mut sources = find::sources(ecosystem, &package.name, &package.tree);
    sources.retain(|source| {
        source.kind != ChunkKind::Changelog
            || changelog::may_be_about(source.path, &package.version)
    });
    let mut room = usize::try_from(prose_bytes_max).unwrap_or(usize::MAX);
    let mut seen = HashSet::default();
    let mut chunks: Vec<Chunk> = Vec::new();
    if sources.len() > prose_files_max {
        let left = sources.len() - prose_files_max;
        input.problem("", None, format!("{left} files of prose not read: there are too many"));
        sources.truncate(prose_files_max);
    }
    for source in &sources {
        if is_answered(source, &chunks) {
            continue;
        }
        let full = format!("{}:{}", package.name, source.path);
        if input.skip.contains(&full) {
            input.problem(source.path, None, "not read: its parser failed on it");
            continue;
        }
        let Some(mut text) = package.tree.text(source.path) else { continue };
        if text.len() > room {
            input.problem(source.path, None, "not read to its end: there is too much prose");
            text.truncate(text.floor_char_boundary(room));
        }
        room -= text.len();
        (input.before)(&full);
        let before = chunks.len();
        for (headings, section) in sections(source, &visible(&text), &package.version) {
            let mut heading_line = (section.level > 0).then_some(section.line);
            for (text, line) in chunk::pack(&section.blocks, chunk_bytes_max) {
                let line = heading_line.take().unwrap_or(line);
                let is_enough =
                    source.kind == ChunkKind::Changelog && chunks.len() - before >= CHANGES_MAX;
                // The same page is often there twice, by itself and as a part of a larger one.
                if !is_enough && seen.insert((headings.last().cloned(), text.clone())) {
                    chunks.push(Chunk {
                        kind: source.kind,
                        headings: headings.clone(),
                        text,
                        file: source.path.to_owned(),
                        line,
                        language: source.language.clone(),
                    });
                }
            }
        }
        if room == 0 {
            break;
        }
    }
    chunks
}

/// Whether a file has nothing to add: there is a description in place of the README, or another
/// changelog that knows the version.
fn is_answered(source: &Source<'_>, chunks: &[Chunk]) -> bool {
    let has =
        |kind| chunks.iter().any(|chunk| chunk.kind == kind && chunk.language == source.language);
    match source.kind {
        ChunkKind::Changelog => has(ChunkKind::Changelog),
        ChunkKind::Readme => has(ChunkKind::Readme),
        _ => false,
    }
}

/// The sections of a file that are worth keeping, each with its headings.
fn sections(source: &Source<'_>, text: &str, version: &str) -> Vec<(Vec<String>, Section)> {
    let (text, format) = match source.format {
        Format::Code(language) => return example(source.path, language, text),
        Format::Metadata => match description::of(text) {
            Some(found) => found,
            None => return Vec::new(),
        },
        format => (Lined::of(text, 1), format),
    };
    let page = match format {
        Format::Markdown | Format::Plain if docc::is_in_catalog(source.path) => {
            admonition::to_markdown(docc::to_markdown(&text))
        }
        Format::Rest => rest::convert(&text),
        Format::Plain if rest::is_likely(text.text()) => rest::convert(&text),
        Format::Html => Lined::of(&html_to_markdown(text.text()), 1),
        Format::Mdx => admonition::to_markdown(mdx::to_markdown(&front::apply(text))),
        Format::Markdown | Format::Plain | Format::Metadata | Format::Code(_) => {
            admonition::to_markdown(myst::to_markdown(front::apply(text)))
        }
    };
    let sections = markdown::sections(&page);
    match source.kind {
        ChunkKind::Changelog => changelog::about(version, source.path, sections),
        ChunkKind::Readme => filter::filter(sections, Rules::Readme),
        _ => filter::filter(sections, Rules::Guide),
    }
}

/// A file of code, whole, under its path.
fn example(path: &str, language: &str, code: &str) -> Vec<(Vec<String>, Section)> {
    if code.trim().is_empty() {
        return Vec::new();
    }
    let block = Block {
        shape: Shape::Code,
        text: fence(language, code),
        line: 1,
        code: vec![language.to_owned()],
        ..Block::default()
    };
    vec![(vec![path.to_owned()], Section { blocks: vec![block], line: 1, ..Section::default() })]
}

/// Whether a word is in a list of words parted by commas.
fn is_listed(list: &str, word: &str) -> bool {
    if word.is_empty() || word.contains(',') {
        return false;
    }
    let mut places = memchr::memmem::find_iter(list.as_bytes(), word);
    places.any(|start| {
        let (before, after) = (list[..start].trim_end(), list[start + word.len()..].trim_start());
        (before.is_empty() || before.ends_with(',')) && (after.is_empty() || after.starts_with(','))
    })
}

/// The longest run of backticks that code may hold; no code does, but a hostile file may.
const MARKS_MAX: usize = 32;

/// Code as a block of Markdown that nothing inside can end.
pub(super) fn fence(language: &str, code: &str) -> String {
    let (mut run, mut longest) = (0usize, 0);
    for byte in code.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    if longest > MARKS_MAX {
        return fence(language, &code.replace(&"`".repeat(MARKS_MAX), ""));
    }
    let mark = "`".repeat(longest.saturating_add(1).max(3));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-_#.".contains(c);
    let language = if language.chars().all(is_plain) { language } else { "" };
    let code = code.trim_end();
    let code = code.trim_start_matches('\n');
    format!("{mark}{language}\n{code}\n{mark}")
}
