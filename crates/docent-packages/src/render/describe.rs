//! One symbol, or a whole package.

use super::budget::{Block, clip};
use super::search::{nearest, not_found, shown};
use super::{Answer, Draft, Page, entry};
use crate::hashing::HashSet;
use crate::index::symbols::{Fit, segments};
use crate::index::tokenize::whole;
use crate::index::{Found, file_stem};
use crate::rank::{self, Hit};
use crate::{Chunk, ChunkKind, Ecosystem, Item, Kind};

/// Everything about one symbol: itself in full, then its members, the types it mentions, what the
/// prose says about it, and what stands beside it.
pub(crate) fn symbol(
    page: &Page<'_>,
    written: &str,
    elsewhere: &[String],
    languages: &[String],
) -> Answer {
    let items = &page.extraction.items;
    let found = page.index.symbols.lookup(written, items);
    let best = found.first().map(|(_, fit)| *fit);
    let sections = sections(page, written, languages);
    let Some((lead, _)) = found.first().copied() else {
        return absent(page, written, elsewhere, &sections);
    };
    let item = &items[lead as usize];
    let docs = entry::docs(page, item);
    let full = |tokens| entry::with_docs(page.ecosystem, item, &clip(docs, tokens));
    let (some, all) = (full(page.max_tokens * 2 / 5), full(page.max_tokens));
    let forms = vec![entry::line(item), full(0), some, all];
    let mut blocks = vec![Block { forms, missed: "" }];
    let mut seen: HashSet<u32> = HashSet::from_iter([lead]);
    let children = members(items, lead);
    // How to make one is the first thing to know of a class.
    let constructor = children.iter().copied().find(|&at| is_constructor(&items[at as usize]));
    if let Some(constructor) = constructor.filter(|constructor| seen.insert(*constructor)) {
        let item = &items[constructor as usize];
        let full = |docs| entry::full(page.ecosystem, item, docs);
        let forms = vec![entry::line(item), full(0), full(page.max_tokens / 4)];
        blocks.push(Block { forms, missed: "members" });
    }
    let namesakes: Vec<u32> = found
        .iter()
        .skip(1)
        .map(|(position, _)| *position)
        .filter(|&position| items[position as usize].signature != item.signature)
        .take(6)
        .collect();
    let prose_first = sections.iter().any(|(_, named)| *named);
    let mentioned = mentioned(page, lead);
    let mut group = |positions: &[u32], missed: &'static str| -> Vec<Block> {
        let fresh = positions.iter().filter(|position| seen.insert(**position));
        fresh.map(|&position| item_block(page, position, missed)).collect()
    };
    let mut groups = vec![
        group(&mentioned.direct, "types it mentions"),
        group(&children, "members"),
        group(&mentioned.members, "members of the types it mentions"),
        group(&namesakes, "others of that name"),
    ];
    let prose =
        sections.iter().map(|(position, named)| chunk_block(page, *position, *named)).collect();
    // A page of the manual about this very symbol says more than a list of its members.
    groups.insert(if prose_first { 0 } else { groups.len() }, prose);
    blocks.extend(groups.into_iter().flatten());
    blocks.extend(siblings(items, item, lead));
    let results = found
        .iter()
        .take(8)
        .map(|(position, _)| shown(page, Hit { found: Found::Item(*position), score: 1.0 }))
        .collect();
    let mut head = String::new();
    let parts = segments(written);
    let is_far = best > Some(Fit::FoldedSuffix) && parts.len() > 1;
    // `rng` is a function, and `Rng` is not.
    let is_other = best > Some(Fit::Suffix)
        && parts.len() == 1
        && parts.last().is_some_and(|last| !rank::is_cased_alike(last, item.name()));
    if is_far || is_other {
        head = format!(
            "No exact match: `{written}` was not found in this version; the nearest is `{}`.\n",
            entry::address(page.ecosystem, item)
        );
    }
    let ask = "Ask for one of them as `symbol`, or with a larger `maxTokens`.".to_owned();
    let draft = Draft { head, blocks, lead_share: 65, found: true, results, ask };
    draft.finish(vec![page.receipt.clone()], page.max_tokens)
}

/// Says that a symbol is not there, what comes nearest, and which version has it.
fn absent(
    page: &Page<'_>,
    written: &str,
    elsewhere: &[String],
    sections: &[(u32, bool)],
) -> Answer {
    let mut head = not_found(&entry::folded(written, 120), std::slice::from_ref(&page.receipt));
    head.push('\n');
    if !elsewhere.is_empty() {
        head.push_str(&format!("It exists in {}.\n", elsewhere.join(", ")));
    }
    let near = nearest(std::slice::from_ref(page), written);
    if !near.is_empty() {
        head.push_str(&format!("Nearest names: {}.\n", near.join(", ")));
    }
    let blocks =
        sections.iter().map(|(position, named)| chunk_block(page, *position, *named)).collect();
    // A name that the documentation has a section for is an answer, though no declaration has it.
    let documented = sections.iter().any(|(_, named)| *named);
    let ask = "Search the package with other words.".to_owned();
    let draft = Draft { head, blocks, lead_share: 60, found: documented, results: Vec::new(), ask };
    draft.finish(vec![page.receipt.clone()], page.max_tokens)
}

/// A whole package: what it is, how it is used, and what it has.
pub(crate) fn overview(page: &Page<'_>, module: Option<&str>, languages: &[String]) -> Answer {
    let extraction = page.extraction;
    let summary = &extraction.summary;
    let mut blocks = Vec::new();
    if !summary.is_empty() {
        blocks.push(Block { forms: vec![entry::folded(summary, 400)], missed: "" });
    }
    let readable = |position: &u32| {
        let chunk = &extraction.prose[*position as usize];
        chunk
            .language
            .as_ref()
            .is_none_or(|tag| languages.iter().any(|want| tag.starts_with(want.as_str())))
    };
    let prose = (0..u32::try_from(extraction.prose.len()).unwrap_or(0)).filter(readable);
    let readme: Vec<u32> = prose
        .filter(|&position| extraction.prose[position as usize].kind == ChunkKind::Readme)
        .collect();
    let (first, rest) = readme.split_at(readme.len().min(4));
    blocks.extend(first.iter().map(|&position| chunk_block(page, position, true)));
    let positions = 0..u32::try_from(extraction.items.len()).unwrap_or(0);
    let root = extraction.items.first().map(|item| item.module.as_str()).unwrap_or_default();
    let lists_packages = page.ecosystem == Ecosystem::Go && module.is_none();
    let is_inner = |item: &Item| lists_packages && item.module != root;
    let top = positions.filter(|&position| {
        let item = &extraction.items[position as usize];
        let wanted = module.is_none_or(|module| item.module == module);
        page.types
            && wanted
            && !item.local
            && item.inherited.is_none()
            && !item.path.contains('.')
            && (item.kind != Kind::Module || is_inner(item))
    });
    let mut top: Vec<u32> = top.collect();
    // The packages of a module come after the names of the one at its root.
    top.sort_by_key(|&position| {
        let item = &extraction.items[position as usize];
        if is_inner(item) { 1 + u8::from(item.kind != Kind::Module) } else { 0 }
    });
    blocks.extend(top.into_iter().map(|position| {
        let item = &extraction.items[position as usize];
        Block { forms: vec![entry::line(item)], missed: "public names" }
    }));
    blocks.extend(rest.iter().map(|&position| chunk_block(page, position, false)));
    let ask = "Ask with `symbol`, search for words, or ask with a larger `maxTokens`.".to_owned();
    let found = !blocks.is_empty();
    let head = if found { String::new() } else { "Nothing in it could be read.\n".to_owned() };
    let draft = Draft { head, blocks, lead_share: 35, found, results: Vec::new(), ask };
    draft.finish(vec![page.receipt.clone()], page.max_tokens)
}

/// Something that the symbol asked for leads to: a type in full, a member on a line.
pub(super) fn item_block(page: &Page<'_>, position: u32, missed: &'static str) -> Block {
    let item = &page.extraction.items[position as usize];
    let is_member = item.path.contains('.')
        && matches!(item.kind, Kind::Method | Kind::Property | Kind::Variant);
    let forms = match is_member {
        true => vec![entry::line(item), entry::long_line(item)],
        false => vec![
            entry::line(item),
            entry::full(page.ecosystem, item, 0),
            entry::full(page.ecosystem, item, 60),
        ],
    };
    Block { forms, missed }
}

fn chunk_block(page: &Page<'_>, position: u32, named: bool) -> Block {
    let chunk = &page.extraction.prose[position as usize];
    let large = if named { page.max_tokens * 2 / 5 } else { page.max_tokens / 8 };
    let small = if named { 240 } else { 60 };
    Block {
        forms: vec![entry::chunk(page, chunk, small), entry::chunk(page, chunk, large.max(small))],
        missed: "sections of prose",
    }
}

/// The sections about a symbol, and whether their headings or their file are named after it.
fn sections(page: &Page<'_>, written: &str, languages: &[String]) -> Vec<(u32, bool)> {
    const SECTIONS_MAX: usize = 6;
    let segments = segments(written);
    let name = segments.last().map(|last| whole(last)).unwrap_or_default();
    let chunk = |position: u32| &page.extraction.prose[position as usize];
    let has_page = |chunk: &Chunk| name.len() > 2 && whole(file_stem(&chunk.file)) == name;
    let has_heading = |chunk: &Chunk| {
        let mut words = chunk
            .headings
            .iter()
            .flat_map(|heading| heading.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        name.len() > 2 && words.any(|word| whole(word) == name)
    };
    // A page about the symbol is read from its top; anything else by how well it fits.
    let all = 0..u32::try_from(page.extraction.prose.len()).unwrap_or(u32::MAX);
    let of_page = all.filter(|&position| {
        let chunk = chunk(position);
        has_page(chunk) && chunk.language.is_none() && chunk.kind == ChunkKind::Guide
    });
    let mut found: Vec<u32> = of_page.take(SECTIONS_MAX).collect();
    let mut others = rank::sections(page.extraction, page.index, written, languages);
    others.retain(|position| !found.contains(position));
    others.sort_by_key(|&position| !has_heading(chunk(position)));
    found.extend(others);
    found.truncate(SECTIONS_MAX);
    let named = |position: u32| has_page(chunk(position)) || has_heading(chunk(position));
    found.into_iter().map(|position| (position, named(position))).collect()
}

/// Whether a member makes what it is a member of: a constructor, or a function that Go lists there.
fn is_constructor(member: &Item) -> bool {
    matches!(member.name(), "constructor" | "init")
        || member.kind == Kind::Function && !member.path.contains('.')
}

/// The direct members of an item.
pub(super) fn members(items: &[Item], parent: u32) -> Vec<u32> {
    let positions = (0u32..).zip(items);
    let own = positions.filter(|(_, item)| item.parent == Some(parent));
    let mut members: Vec<u32> = own.map(|(position, _)| position).collect();
    members.sort_by_key(|&position| items[position as usize].inherited.is_some());
    members
}

/// The names of what stands beside an item: the others of its parent.
fn siblings(items: &[Item], item: &Item, own: u32) -> Option<Block> {
    const NAMES_MAX: usize = 40;
    let beside = (0u32..).zip(items).filter(|(position, other)| {
        let same_home = other.parent == item.parent && other.module == item.module;
        *position != own && same_home && other.inherited.is_none() && !other.path.is_empty()
    });
    let names: Vec<String> = beside.map(|(_, other)| format!("`{}`", other.name())).collect();
    let list = |count: usize| {
        let more = names.len().saturating_sub(count);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("Beside it: {}{more}", names[..count.min(names.len())].join(", "))
    };
    (!names.is_empty()).then(|| Block { forms: vec![list(8), list(NAMES_MAX)], missed: "" })
}

/// The types that a declaration names, and their members.
struct Mentioned {
    direct: Vec<u32>,
    members: Vec<u32>,
}

fn mentioned(page: &Page<'_>, lead: u32) -> Mentioned {
    let items = &page.extraction.items;
    let mut signatures = vec![items[lead as usize].signature.as_str()];
    // What a class is made from says more about it than what it is derived from.
    let own = members(items, lead).into_iter().map(|position| &items[position as usize]);
    signatures.extend(
        own.filter(|item| is_constructor(item)).take(1).map(|item| item.signature.as_str()),
    );
    let mut direct = Vec::new();
    for signature in signatures.iter().rev() {
        for position in entry::mentioned(page, signature, lead, true) {
            if !direct.contains(&position) {
                direct.push(position);
            }
        }
    }
    let members = direct.iter().flat_map(|&position| members(items, position).into_iter().take(40));
    Mentioned { members: members.collect(), direct }
}
