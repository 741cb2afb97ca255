//! What was found in many packages at once: a little of each.

use super::budget::Block;
use super::{Answer, Draft, Receipt, Shown, entry};
use crate::{Chunk, Ecosystem, Item, Style};

/// Something that was found, and where.
pub(crate) struct Passage {
    pub(crate) ecosystem: Ecosystem,
    /// The package with its version: `npm:zod@4.1.12`.
    pub(crate) package: String,
    pub(crate) content: Content,
    pub(crate) score: f32,
}

pub(crate) enum Content {
    Item(Item),
    Section(Chunk),
}

/// Renders what was found in the packages of a project, best first; `coverage` is how many of them
/// were looked through and how many could not be.
pub(crate) fn passages(
    passages: &[Passage],
    receipts: Vec<Receipt>,
    (ready, unread): (usize, usize),
    question: &str,
    style: &Style,
) -> Answer {
    let mut head = match unread {
        0 if ready == 1 => "Searched the one package of this project.\n".to_owned(),
        0 => format!("Searched all {ready} packages of this project.\n"),
        unread => format!(
            "Searched {ready} of {} packages of this project; the others have not been read: \
             `docent index` reads them.\n",
            ready + unread
        ),
    };
    if passages.is_empty() {
        head.push_str(&format!(
            "Nothing found for “{}”. Try other words, or the name of a symbol.\n",
            question.escape_debug()
        ));
    }
    let large = style.max_tokens / 5;
    let blocks = passages.iter().enumerate().map(|(rank, passage)| {
        let large = if rank == 0 { large } else { large / 2 };
        block(passage, style.examples, large)
    });
    let draft = Draft {
        head,
        blocks: blocks.collect(),
        lead_share: 30,
        found: !passages.is_empty(),
        results: passages.iter().map(shown).collect(),
        ask: "Ask with a larger `maxTokens`, or search one of the packages.".to_owned(),
    };
    draft.finish(receipts, style.max_tokens)
}

fn block(passage: &Passage, examples: bool, large: usize) -> Block {
    let Passage { ecosystem, package, content, .. } = passage;
    let forms = match content {
        Content::Item(item) => {
            let full = |docs| titled(&entry::full(*ecosystem, item, docs), package);
            vec![format!("{} (in {package})", entry::line(item)), full(0), full(40), full(large)]
        }
        Content::Section(chunk) => {
            let section = |tokens| titled(&entry::section(chunk, examples, tokens), package);
            vec![section(40), section(100), section(large)]
        }
    };
    Block { forms, missed: "more results" }
}

/// A text whose first line says which package it is from.
fn titled(text: &str, package: &str) -> String {
    match text.split_once('\n') {
        Some((title, rest)) => format!("{title} in {package}\n{rest}"),
        None => format!("{text} in {package}"),
    }
}

fn shown(passage: &Passage) -> Shown {
    let Passage { ecosystem, package, content, score } = passage;
    match content {
        Content::Item(item) => Shown {
            name: entry::address(*ecosystem, item),
            kind: entry::word(*ecosystem, item.kind).to_owned(),
            text: entry::folded(&item.signature, 400),
            place: format!("{package}: {}:{}", item.file, item.line),
            score: *score,
        },
        Content::Section(chunk) => Shown {
            name: chunk.headings.join(" › "),
            kind: "prose".to_owned(),
            text: entry::folded(&chunk.text, 200),
            place: format!("{package}: {}:{}", chunk.file, chunk.line),
            score: *score,
        },
    }
}
