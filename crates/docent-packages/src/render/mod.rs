//! Answers: text inside a hard budget, what was cut from it, and the receipt.
//!
//! Fed by [`crate::rank`] and the extraction. What a package says is data: it stands inside a block
//! that is labeled as a quotation and that nothing inside can close, and its invisible characters
//! are gone. Only what this module writes itself stands outside.

pub(crate) mod budget;
mod describe;
mod document;
pub(crate) mod entry;
mod excerpt;
mod passage;
pub(crate) mod quote;
mod receipt;
mod search;
mod symbols;

pub(crate) use describe::{overview, symbol};
pub(crate) use document::document;
pub(crate) use passage::{Content, Passage, passages};
pub use receipt::{Origin, Receipt};
pub(crate) use search::{found, merged};
pub(crate) use symbols::symbols;

use serde::{Deserialize, Serialize};

/// What the engine answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Answer {
    /// The answer, as Markdown, never longer than was asked for.
    pub text: String,
    /// Whether what was asked for is there.
    pub found: bool,
    /// The items and sections it is made of, best first.
    pub results: Vec<Shown>,
    /// What there was no room for.
    pub cut: Vec<Cut>,
    /// Where it comes from, one for each package.
    pub receipts: Vec<Receipt>,
}

/// One thing in an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Shown {
    /// What a user types to reach it; for prose, its headings.
    pub name: String,
    /// What it is, in a word.
    pub kind: String,
    /// Its declaration; for prose, its beginning.
    pub text: String,
    /// `file:line`.
    pub place: String,
    /// How well it fits, for comparison inside one answer.
    pub score: f32,
}

/// Something that the budget left out, and how to get it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cut {
    /// What is missing.
    pub what: String,
    /// What to ask for it.
    pub ask: String,
}

/// What an answer is rendered from, besides what was found.
pub(crate) struct Page<'a> {
    pub(crate) ecosystem: crate::Ecosystem,
    pub(crate) receipt: Receipt,
    pub(crate) extraction: &'a crate::Extraction,
    pub(crate) index: &'a crate::index::Index,
    pub(crate) max_tokens: usize,
    /// Whether the public API is listed.
    pub(crate) types: bool,
    /// Whether prose keeps its code.
    pub(crate) examples: bool,
}

/// The smallest budget that still holds a receipt and a line of answer.
pub(crate) const TOKENS_MIN: usize = 100;

/// An answer under construction: what is ours goes before and after, what is the package's between.
pub(crate) struct Draft {
    /// Ours: says what this is.
    pub(crate) head: String,
    /// The package's, as blocks by priority.
    pub(crate) blocks: Vec<budget::Block>,
    /// The lead block's share of the room, in percent.
    pub(crate) lead_share: usize,
    pub(crate) found: bool,
    pub(crate) results: Vec<Shown>,
    /// How to ask for what was cut, if something is.
    pub(crate) ask: String,
}

impl Draft {
    /// Fits everything into the budget and writes it out.
    pub(crate) fn finish(self, receipts: Vec<Receipt>, max_tokens: usize) -> Answer {
        let max_tokens = max_tokens.max(TOKENS_MIN);
        let receipt: String =
            receipts.iter().map(|receipt| format!("{}\n", receipt.line())).collect();
        let (open, close) = quote::block(receipts.iter().map(|receipt| receipt.package.as_str()));
        let ledger_room = 60;
        let fixed = budget::tokens(&receipt) + budget::tokens(&open) + budget::tokens(&close) + 8;
        let head = budget::clip(&self.head, max_tokens.saturating_sub(fixed + ledger_room).max(20));
        let used = fixed + budget::tokens(&head) + ledger_room;
        let room = max_tokens.saturating_sub(used);
        let chosen = budget::fit(&self.blocks, room, self.lead_share);
        let mut body = String::new();
        let mut missed: Vec<(&str, usize)> = Vec::new();
        for (block, form) in self.blocks.iter().zip(&chosen) {
            match form {
                Some(form) => {
                    let text = &block.forms[*form];
                    // Lists stay together; everything else gets a line of air.
                    let list = text.starts_with("- ")
                        && body.lines().last().is_some_and(|line| line.starts_with("- "));
                    body.push_str(if body.is_empty() || list { "" } else { "\n" });
                    body.push_str(text);
                    body.push('\n');
                }
                None if block.missed.is_empty() => {}
                None => match missed.iter_mut().find(|(what, _)| *what == block.missed) {
                    Some((_, count)) => *count += 1,
                    None => missed.push((block.missed, 1)),
                },
            }
        }
        let body = quote::clean(&body);
        let cut: Vec<Cut> = missed
            .iter()
            .map(|(what, count)| Cut { what: format!("{count} {what}"), ask: self.ask.clone() })
            .collect();
        let mut text = format!("{receipt}{head}");
        if !body.trim().is_empty() {
            text = format!("{}\n{open}\n{}\n{close}", text.trim_end(), body.trim_end());
        }
        if !missed.is_empty() {
            let list: Vec<String> =
                missed.iter().map(|(what, count)| format!("{count} {what}")).collect();
            let line = format!("\nNot shown: {}. {}", list.join(", "), self.ask);
            let left = max_tokens.saturating_sub(budget::tokens(&text) + 1);
            let line = budget::clip(&line, left.min(ledger_room));
            text.push_str(&line);
        }
        // The sum of rounded parts is never less than the whole, so this only guards the receipts
        // of many packages in a tiny budget.
        let text = budget::clip(&text, max_tokens);
        Answer { text, found: self.found, results: self.results, cut, receipts }
    }
}
