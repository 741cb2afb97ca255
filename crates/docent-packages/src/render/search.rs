//! What was found for a question.

use super::budget::Block;
use super::{Draft, Page, Receipt, Shown, entry, excerpt};
use crate::Extent;
use crate::index::Found;
use crate::rank::{Hit, Ranking};

/// Renders the hits of one or several packages: hits are `(page, hit)`, best first.
pub(crate) fn found(
    pages: &[Page<'_>],
    hits: &[(usize, Hit)],
    missing: &[String],
    question: &str,
    max_tokens: usize,
) -> super::Answer {
    let mut head = String::new();
    for name in missing {
        let receipts: Vec<Receipt> = pages.iter().map(|page| page.receipt.clone()).collect();
        head.push_str(&not_found(name, &receipts));
        let near = nearest(pages, name);
        if near.is_empty() {
            head.push('\n');
        } else {
            head.push_str(&format!(" Nearest names: {}\n", near.join(", ")));
        }
    }
    if hits.is_empty() && missing.is_empty() {
        head.push_str(&format!(
            "Nothing found for “{}”. Try other words, or the name of a symbol.\n",
            question.escape_debug()
        ));
    }
    let mut blocks = Vec::new();
    let mut results = Vec::new();
    for (rank, (page, hit)) in hits.iter().enumerate() {
        let page = &pages[*page];
        results.push(shown(page, *hit));
        blocks.push(block(page, *hit, rank, question, max_tokens));
    }
    let ask = "Ask with a larger `maxTokens`, or describe one of the symbols.".to_owned();
    let draft = Draft {
        head,
        blocks,
        lead_share: 50,
        found: !hits.is_empty() && missing.is_empty(),
        results,
        ask,
    };
    draft.finish(pages.iter().map(|page| page.receipt.clone()).collect(), max_tokens)
}

/// Says that a name is not there, as far as the packages were read.
pub(super) fn not_found(name: &str, receipts: &[Receipt]) -> String {
    let packages: Vec<&str> = receipts.iter().map(|receipt| receipt.package.as_str()).collect();
    let packages = packages.join(", ");
    match receipts.iter().map(|receipt| &receipt.extent).find(|extent| !extent.is_whole()) {
        Some(Extent::Module(module)) => {
            format!("`{name}` does not exist in {module} of {packages}: not found in this version.")
        }
        Some(_) => format!(
            "`{name}` is not among what was read of {packages}, which is too large to be read at \
             once: name the package it is in."
        ),
        None => format!("`{name}` does not exist in {packages}: not found in this version."),
    }
}

fn block(page: &Page<'_>, hit: Hit, rank: usize, question: &str, max_tokens: usize) -> Block {
    let large = if rank == 0 { max_tokens / 3 } else { max_tokens / 10 };
    match hit.found {
        Found::Item(position) => {
            let item = &page.extraction.items[position as usize];
            // The best is told in full, the others as far as they go.
            let said = if rank == 0 { entry::docs(page, item) } else { item.docs.as_str() };
            let full = |tokens| {
                let docs = excerpt::of(said, &item.path, question, tokens);
                entry::with_docs(page.ecosystem, item, &docs)
            };
            let mut forms = vec![entry::line(item), full(0)];
            let mut types = entry::mentioned(page, &item.signature, position, false);
            // What it belongs to, a method of Go names in its signature; nobody asks for that.
            types.retain(|at| item.parent != Some(*at));
            let fields: Vec<String> =
                types.iter().filter_map(|&at| entry::fields(page, at)).take(2).collect();
            // What it says of itself comes before what its types have.
            if !fields.is_empty() {
                forms.push(full(40));
            }
            let fields: String = fields.iter().map(|line| format!("\n{line}")).collect();
            forms.push(format!("{}{fields}", full(40)));
            forms.push(format!("{}{fields}", full(large)));
            Block { forms, missed: "more results" }
        }
        Found::Chunk(position) => {
            let chunk = &page.extraction.prose[position as usize];
            let large = if rank == 0 { max_tokens / 2 } else { max_tokens / 5 };
            Block {
                forms: vec![
                    entry::chunk(page, chunk, 60),
                    entry::chunk(page, chunk, 160),
                    entry::chunk(page, chunk, large),
                ],
                missed: "more results",
            }
        }
    }
}

pub(super) fn shown(page: &Page<'_>, hit: Hit) -> Shown {
    match hit.found {
        Found::Item(position) => {
            let item = &page.extraction.items[position as usize];
            Shown {
                name: entry::address(page.ecosystem, item),
                kind: entry::word(page.ecosystem, item.kind).to_owned(),
                text: entry::folded(&item.signature, 400),
                place: format!("{}:{}", item.file, item.line),
                score: hit.score,
            }
        }
        Found::Chunk(position) => {
            let chunk = &page.extraction.prose[position as usize];
            Shown {
                name: chunk.headings.join(" › "),
                kind: "prose".to_owned(),
                text: entry::folded(&chunk.text, 200),
                place: format!("{}:{}", chunk.file, chunk.line),
                score: hit.score,
            }
        }
    }
}

/// The names nearest to one that is not there.
pub(super) fn nearest(pages: &[Page<'_>], name: &str) -> Vec<String> {
    let near = pages.iter().flat_map(|page| {
        let items = &page.extraction.items;
        let near = page.index.symbols.nearest(name, items, 6);
        near.into_iter().map(|position| {
            format!("`{}`", entry::address(page.ecosystem, &items[position as usize]))
        })
    });
    let mut near: Vec<String> = near.collect();
    near.dedup();
    near
}

/// The rankings of several packages as one, best first.
pub(crate) fn merged(rankings: &[Ranking]) -> Vec<(usize, Hit)> {
    let mut hits: Vec<(usize, Hit)> = rankings
        .iter()
        .enumerate()
        .flat_map(|(page, ranking)| ranking.hits.iter().map(move |hit| (page, *hit)))
        .collect();
    hits.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
    hits
}
