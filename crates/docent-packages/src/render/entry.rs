//! One item or one chunk of prose as text, in several sizes.

use std::fmt::Write as _;

use super::Page;
use super::budget::clip;
use crate::index::symbols::Fit;
use crate::{Chunk, Ecosystem, Item, Kind};

/// The word after the fence of a code block.
pub(crate) fn fence(ecosystem: Ecosystem) -> &'static str {
    match ecosystem {
        Ecosystem::Npm => "ts",
        Ecosystem::Python => "python",
        Ecosystem::Rust => "rust",
        Ecosystem::Go => "go",
        Ecosystem::Swift => "swift",
    }
}

/// What a user types to reach an item: `z.string`, `click.confirm`, `tokio::spawn`.
pub(crate) fn address(ecosystem: Ecosystem, item: &Item) -> String {
    match (ecosystem, item.path.is_empty()) {
        (_, true) => item.module.to_string(),
        (Ecosystem::Npm, false) => item.path.clone(),
        (Ecosystem::Rust, false) => format!("{}::{}", item.module, item.path.replace('.', "::")),
        (_, false) => format!("{}.{}", item.module, item.path),
    }
}

/// What the language calls a thing of that kind.
pub(crate) fn word(ecosystem: Ecosystem, kind: Kind) -> &'static str {
    match (ecosystem, kind) {
        (Ecosystem::Rust, Kind::Interface) => "trait",
        (Ecosystem::Rust, Kind::Property) => "field",
        _ => kind.word(),
    }
}

/// One line: the declaration, and what it does in a few words.
pub(crate) fn line(item: &Item) -> String {
    listed(item, 240, folded(first_sentence(&item.docs), 140))
}

/// A line that says more: the whole declaration, unless it is huge, and the first paragraph.
pub(crate) fn long_line(item: &Item) -> String {
    let paragraph = item.docs.trim_start().split("\n\n").next().unwrap_or_default();
    let is_text = !paragraph.starts_with("```") && !paragraph.starts_with('|');
    listed(item, 900, if is_text { folded(paragraph, 360) } else { String::new() })
}

fn listed(item: &Item, signature_characters: usize, about: String) -> String {
    let mut line = format!("- `{}`", folded(&item.signature_or_name(), signature_characters));
    if !about.is_empty() {
        let _ = write!(line, " — {about}");
    }
    match item.deprecated.as_deref() {
        Some("") => line.push_str(" (deprecated)"),
        Some(reason) => {
            let _ = write!(line, " (deprecated: {})", folded(reason, 120));
        }
        None => {}
    }
    line
}

/// The declaration in a code block, where it is, and its documentation up to that many tokens.
pub(crate) fn full(ecosystem: Ecosystem, item: &Item, docs_tokens: usize) -> String {
    with_docs(ecosystem, item, &clip(item.docs.trim(), docs_tokens))
}

/// What is said of an item: one that is inherited has the beginning of what is said where it is from.
pub(crate) fn docs<'p>(page: &Page<'p>, item: &'p Item) -> &'p str {
    let items = &page.extraction.items;
    let is_origin = |origin: &&Item| {
        origin.inherited.is_none()
            && (origin.line, &origin.file) == (item.line, &item.file)
            && origin.docs.starts_with(item.docs.as_str())
    };
    let origin = item.inherited.as_ref().and_then(|_| {
        let namesakes = page.index.symbols.lookup(item.name(), items).into_iter();
        { namesakes }.map(|(at, _)| &items[at as usize]).find(is_origin)
    });
    origin.unwrap_or(item).docs.trim()
}

/// The same, with what was chosen of its documentation.
pub(crate) fn with_docs(ecosystem: Ecosystem, item: &Item, docs: &str) -> String {
    let mut text = format!("### {} `{}`", word(ecosystem, item.kind), address(ecosystem, item));
    if ecosystem == Ecosystem::Npm && item.kind != Kind::Module {
        let _ = write!(text, " from `{}`", item.module);
    }
    let local = if item.local { ", not exported" } else { "" };
    let _ = writeln!(text, " ({}:{}{local})", item.file, item.line);
    if !item.signature.is_empty() {
        let _ = writeln!(text, "```{}\n{}\n```", fence(ecosystem), item.signature);
    }
    if let Some(reason) = &item.deprecated {
        let _ = writeln!(text, "**Deprecated.** {reason}");
    }
    if let Some(from) = &item.inherited {
        let _ = writeln!(text, "Inherited from `{from}`.");
    }
    if !docs.is_empty() {
        let _ = writeln!(text, "{docs}");
    }
    text.trim_end().to_owned()
}

/// The other places an item can be reached at, on one line; empty if there are none.
pub(crate) fn aliases(ecosystem: Ecosystem, item: &Item) -> String {
    const ALIASES_MAX: usize = 6;
    let places = item.aliases.iter().take(ALIASES_MAX).map(|(module, path)| {
        let there = Item { module: module.into(), path: path.clone(), ..Item::default() };
        let from =
            if ecosystem == Ecosystem::Npm { format!(" from `{module}`") } else { String::new() };
        format!("`{}`{from}", address(ecosystem, &there))
    });
    let places: Vec<String> = places.collect();
    let more = item.aliases.len().saturating_sub(ALIASES_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if places.is_empty() { String::new() } else { format!("Also: {}{more}", places.join(", ")) }
}

/// The types of the package that a declaration names, in the order of their appearance.
pub(crate) fn mentioned(page: &Page<'_>, signature: &str, own: u32) -> Vec<u32> {
    const MENTIONED_MAX: usize = 6;
    let items = &page.extraction.items;
    let mut found: Vec<u32> = Vec::new();
    for word in signature.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))) {
        let word = word.trim_matches('.');
        let last = word.rsplit('.').next().unwrap_or(word);
        let is_type_name = last.len() > 2 && last.chars().next().is_some_and(char::is_uppercase);
        if !is_type_name || found.len() >= MENTIONED_MAX {
            continue;
        }
        let is_type = |(position, fit): &(u32, Fit)| {
            let kind = items[*position as usize].kind;
            let is_type = matches!(
                kind,
                Kind::Class | Kind::Interface | Kind::Struct | Kind::Enum | Kind::TypeAlias
            );
            is_type && *position != own && matches!(fit, Fit::Exact | Fit::Suffix)
        };
        let named = |word: &str| page.index.symbols.lookup(word, items).into_iter().find(is_type);
        // What stands before the last dot may be a name that only that file has for a module.
        let found_type = named(word).or_else(|| (last != word).then(|| named(last)).flatten());
        if let Some((position, _)) = found_type.filter(|(position, _)| !found.contains(position)) {
            found.push(position);
        }
    }
    found
}

/// The fields of a type on one line: what a reader of `options: Options` wants to know.
pub(crate) fn fields(page: &Page<'_>, position: u32) -> Option<String> {
    let items = &page.extraction.items;
    let own = items.iter().skip(position as usize).filter(|item| item.parent == Some(position));
    let fields = own.filter(|item| item.kind == Kind::Property && item.inherited.is_none());
    let fields: Vec<String> = fields.take(30).map(|item| folded(&item.signature, 60)).collect();
    let name = items[position as usize].name();
    (!fields.is_empty()).then(|| folded(&format!("`{name}`: `{}`", fields.join("; ")), 400))
}

/// A section of prose under its headings, up to that many tokens.
pub(crate) fn chunk(page: &Page<'_>, chunk: &Chunk, tokens: usize) -> String {
    section(chunk, page.examples, tokens)
}

/// The same, with or without its code.
pub(crate) fn section(chunk: &Chunk, examples: bool, tokens: usize) -> String {
    let headings = chunk.headings.join(" › ");
    let title = if headings.is_empty() { chunk.file.as_str() } else { &headings };
    let text = match examples {
        true => clip(chunk.text.trim(), tokens),
        false => clip(without_code(&chunk.text).trim(), tokens),
    };
    format!("### {title} ({}:{})\n{text}", chunk.file, chunk.line)
}

/// The text without its code blocks. Chunks are Markdown that we wrote, so every block has fences.
fn without_code(text: &str) -> String {
    let mut fence = "";
    let mut kept = String::new();
    for line in text.lines() {
        let mark = line.trim_start();
        let ticks = &mark[..mark.len() - mark.trim_start_matches('`').len()];
        match (fence.is_empty(), ticks.len() >= 3) {
            (true, true) => fence = ticks,
            (true, false) => {
                kept.push_str(line);
                kept.push('\n');
            }
            (false, true) if ticks.len() >= fence.len() && mark.trim_end() == ticks => fence = "",
            (false, _) => {}
        }
    }
    kept
}

/// The first paragraph's first sentence, as one line.
pub(crate) fn first_sentence(docs: &str) -> &str {
    let paragraph = docs.trim_start().split("\n\n").next().unwrap_or_default();
    if paragraph.starts_with("```") {
        return "";
    }
    paragraph.split_inclusive(". ").next().unwrap_or(paragraph).trim()
}

/// Text on one line, of at most that many characters.
pub(crate) fn folded(text: &str, characters: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.chars().count() > characters {
        line = line.chars().take(characters.saturating_sub(1)).collect();
        line.push('…');
    }
    line
}

impl Item {
    fn signature_or_name(&self) -> String {
        let container = self.parent.is_some() && self.path.contains('.');
        match (self.signature.is_empty(), container) {
            (true, _) => format!(
                "{} {}",
                self.kind.word(),
                if self.path.is_empty() { self.module.as_str() } else { &self.path }
            ),
            // A member's own text does not say what it is a member of.
            (false, true) => {
                let owner = self.path.rsplit_once('.').map_or("", |(owner, _)| owner);
                format!("{owner} › {}", self.signature)
            }
            (false, false) => self.signature.to_string(),
        }
    }
}
