//! One document of a package as a whole: the README or a section of it, a guide, the changelog.

use super::budget::Block;
use super::{Answer, Draft, Page, entry};
use crate::index::tokenize::whole;
use crate::{Chunk, ChunkKind, Document};

/// The document's sections in their order, as many as fit.
pub(crate) fn document(
    page: &Page<'_>,
    package: &str,
    document: &Document,
    languages: &[String],
) -> Answer {
    let prose = &page.extraction.prose;
    let of_kind = |kind: ChunkKind| prose.iter().filter(move |chunk| chunk.kind == kind);
    let (chunks, name): (Vec<&Chunk>, String) = match document {
        Document::Readme { section: None } => {
            (in_language(of_kind(ChunkKind::Readme).collect(), languages), "README".to_owned())
        }
        Document::Readme { section: Some(section) } => {
            let readme = in_language(of_kind(ChunkKind::Readme).collect(), languages);
            let mut found = under(&readme, section, package);
            if found.is_empty() {
                found = under(&of_kind(ChunkKind::Guide).collect::<Vec<_>>(), section, package);
            }
            (found, format!("section `{}`", entry::folded(section, 80)))
        }
        Document::Guide { file } => {
            let chunks = prose.iter().filter(|chunk| chunk.file == *file).collect();
            (chunks, format!("guide `{}`", entry::folded(file, 120)))
        }
        Document::Changelog => (of_kind(ChunkKind::Changelog).collect(), "changelog".to_owned()),
    };
    if chunks.is_empty() {
        return missing(page, &name, document);
    }
    // Each section may take all the room that is left: a document is read from its top.
    let blocks = chunks.iter().map(|chunk| Block {
        forms: vec![entry::chunk(page, chunk, 60), entry::chunk(page, chunk, page.max_tokens)],
        missed: "sections",
    });
    let draft = Draft {
        head: String::new(),
        blocks: blocks.collect(),
        lead_share: 100,
        found: true,
        results: Vec::new(),
        ask: "Ask for one by its heading, or for more at once.".to_owned(),
    };
    draft.finish(vec![page.receipt.clone()], page.max_tokens)
}

/// The sections in the language of the reader, or else in the package's main one.
fn in_language<'a>(chunks: Vec<&'a Chunk>, languages: &[String]) -> Vec<&'a Chunk> {
    for wanted in languages {
        let fits = |chunk: &&&Chunk| {
            chunk.language.as_ref().is_some_and(|tag| tag.starts_with(wanted.as_str()))
        };
        let found: Vec<&Chunk> = chunks.iter().filter(fits).copied().collect();
        if !found.is_empty() {
            return found;
        }
    }
    chunks.into_iter().filter(|chunk| chunk.language.is_none()).collect()
}

/// The sections under a heading, which people write in several ways: `Options`, `options api`,
/// `zod options`.
fn under<'a>(chunks: &[&'a Chunk], section: &str, package: &str) -> Vec<&'a Chunk> {
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        let own: Vec<String> =
            package.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
        let telling: Vec<String> =
            words.iter().filter(|word| *word != "api" && !own.contains(word)).cloned().collect();
        if telling.is_empty() { words.concat() } else { telling.concat() }
    };
    let wanted = plain(section);
    let exact = whole(section);
    let by = |fits: &dyn Fn(&str) -> bool| -> Vec<&'a Chunk> {
        let found = chunks.iter().filter(|chunk| chunk.headings.iter().any(|title| fits(title)));
        found.copied().collect()
    };
    let ways: [&dyn Fn(&str) -> bool; 3] =
        [&|title| whole(title) == exact, &|title| plain(title) == wanted, &|title| {
            wanted.len() > 3 && plain(title).contains(&wanted)
        }];
    ways.iter().map(|way| by(way)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Says that there is no such document, and which there are.
fn missing(page: &Page<'_>, name: &str, document: &Document) -> Answer {
    let package = &page.receipt.package;
    let mut head = format!("{package} has no {name}: not found.\n");
    let mut there: Vec<String> = match document {
        Document::Guide { .. } => guides(page).map(str::to_owned).collect(),
        _ => {
            let readme =
                page.extraction.prose.iter().filter(|chunk| chunk.kind == ChunkKind::Readme);
            readme.filter_map(|chunk| chunk.headings.last().cloned()).collect()
        }
    };
    there.dedup();
    let blocks = there.iter().map(|title| Block {
        forms: vec![format!("- {}", entry::folded(title, 120))],
        missed: "more",
    });
    if !there.is_empty() {
        head.push_str("There are:\n");
    }
    let ask = "Ask for one of them, or search for words.".to_owned();
    let blocks = blocks.collect();
    let draft = Draft { head, blocks, lead_share: 50, found: false, results: Vec::new(), ask };
    draft.finish(vec![page.receipt.clone()], page.max_tokens)
}

/// The files of the guides, in their order.
fn guides<'a>(page: &'a Page<'_>) -> impl Iterator<Item = &'a str> {
    let mut last = "";
    page.extraction.prose.iter().filter_map(move |chunk| {
        let file = chunk.file.as_str();
        let is_new = chunk.kind == ChunkKind::Guide && file != last;
        last = if chunk.kind == ChunkKind::Guide { file } else { last };
        is_new.then_some(file)
    })
}
