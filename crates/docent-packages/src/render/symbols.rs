//! Several symbols at once: each in full, then the members of each.

use super::budget::Block;
use super::describe::{item_block, members};
use super::search::{nearest, not_found, shown};
use super::{Answer, Draft, Page, entry};
use crate::index::Found;
use crate::rank::Hit;

/// The symbols in the order they were asked for; those that are not there are named first.
pub(crate) fn symbols(page: &Page<'_>, written: &[String]) -> Answer {
    let items = &page.extraction.items;
    let mut head = String::new();
    let mut leads: Vec<u32> = Vec::new();
    for name in written {
        let best = page.index.symbols.lookup(name, items).first().copied();
        match best {
            Some((position, _)) if !leads.contains(&position) => leads.push(position),
            Some(_) => {}
            None => head.push_str(&absent(page, name)),
        }
    }
    // Each symbol may fill its share with documentation, whatever the others need.
    let share = page.max_tokens / leads.len().max(1);
    let in_full = leads.iter().map(|&lead| {
        let item = &items[lead as usize];
        let mut forms = vec![entry::line(item)];
        let sizes = [0, share / 4, share / 2];
        forms.extend(sizes.map(|docs| with_aliases(page, lead, docs)));
        Block { forms, missed: "of the symbols" }
    });
    let mut blocks: Vec<Block> = in_full.collect();
    for &lead in &leads {
        let own = members(items, lead).into_iter().filter(|position| !leads.contains(position));
        blocks.extend(own.map(|position| item_block(page, position, "members")));
    }
    let hit = |&lead: &u32| shown(page, Hit { found: Found::Item(lead), score: 1.0 });
    let results = leads.iter().map(hit).collect();
    let ask = "Ask for one symbol alone, or with a larger `maxTokens`.".to_owned();
    let found = leads.len() == written.len() || head.is_empty();
    let draft = Draft { head, blocks, lead_share: 100 / leads.len().max(1), found, results, ask };
    draft.finish(vec![page.receipt.clone()], page.max_tokens)
}

fn absent(page: &Page<'_>, name: &str) -> String {
    let name = entry::folded(name, 120);
    let near = nearest(std::slice::from_ref(page), &name);
    let near = match near.is_empty() {
        true => String::new(),
        false => format!(" Nearest names: {}.", near.join(", ")),
    };
    format!("{}{near}\n", not_found(&name, std::slice::from_ref(&page.receipt)))
}

/// The item in full, and the other places it can be imported from.
fn with_aliases(page: &Page<'_>, position: u32, docs_tokens: usize) -> String {
    let item = &page.extraction.items[position as usize];
    let full = entry::full(page.ecosystem, item, docs_tokens);
    let also = entry::aliases(page.ecosystem, item);
    if also.is_empty() { full } else { format!("{full}\n{also}") }
}
