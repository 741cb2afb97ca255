//! The names of one package version in few bytes: enough to find out where else to look.
//!
//! Made from an [`Extraction`], kept in the cache beside it, and held in memory for all packages of a
//! project at once: names, the first line of what is said about them, and headings. The rest is kept as
//! passages, where each item and section begins at a known byte.

use serde::{Deserialize, Serialize};

use crate::hashing::HashMap;
use crate::index::{Found, prefix};
use crate::index::symbols::module_parts;
use crate::index::tokenize::{terms, whole};
use crate::render::entry::first_sentence;
use crate::{Chunk, Extraction, Item, rank};

/// What an occurrence counts, by where it is.
const NAME: f32 = 7.0;
const OWNED_NAME: f32 = 6.0;
const OWNER: f32 = 1.5;
const FIRST_LINE: f32 = 2.0;
const HEADING: f32 = 4.0;

/// Weights are kept as eighths.
const WEIGHT_STEP: f32 = 8.0;

/// The first line of prose or documentation counts up to here.
const LINE_BYTES_MAX: usize = 240;

/// An answer about many packages shows this much of one text at most.
const SHOWN_BYTES_MAX: usize = 8 << 10;

/// The names of one package version.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Names {
    /// The digests of all terms, in order. Two terms that share one find more than they should,
    /// which is seldom and costs a place in a list.
    terms: Vec<u32>,
    /// Where the occurrences of each end.
    ends: Vec<u32>,
    /// Each occurrence: how many documents further, and its weight.
    occurrences: Vec<u8>,
    /// How likely each document is to be asked for, in 255ths.
    likely: Vec<u8>,
    /// Where each item begins among the passages, and then where each section does.
    starts: Vec<u32>,
    /// How many bytes each has, and what they come to, so that no other bytes are taken for them.
    sizes: Vec<u32>,
    sums: Vec<u32>,
    /// How many of the documents are items.
    items: u32,
}

/// One number for a term, the same in all processes.
pub(super) fn digest(term: &str) -> u32 {
    sum(term.as_bytes())
}

/// FNV-1a.
fn sum(bytes: &[u8]) -> u32 {
    let mix = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811C_9DC5, mix)
}

/// Where a document is among the passages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) found: Found,
    pub(super) start: u32,
    pub(super) size: u32,
    sum: u32,
}

impl Span {
    /// Whether bytes are those that were there when the names were taken.
    pub(super) fn fits(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.size as usize && sum(bytes) == self.sum
    }
}

/// The term for a name and what it belongs to: `Tag.find_all`, `tokio::spawn`.
pub(super) fn owned(owner: &str, name: &str) -> String {
    [&whole(owner), ".", &whole(name)].concat()
}

impl Names {
    /// The names of an extraction and its passages; nothing if it is too large to be counted in 32
    /// bits.
    pub(super) fn of(extraction: &Extraction) -> Option<(Self, Vec<u8>)> {
        let mut builder = Builder::default();
        for item in &extraction.items {
            builder.item(item);
        }
        for chunk in &extraction.prose {
            builder.chunk(chunk);
        }
        let mut names = builder.finish()?;
        names.items = u32::try_from(extraction.items.len()).ok()?;
        let passages = names.passages(extraction)?;
        Some((names, passages))
    }

    pub(super) fn documents(&self) -> usize {
        self.likely.len()
    }

    /// How likely a document is to be what anybody asks for, 0 to 1.
    pub(super) fn likelihood(&self, document: usize) -> f32 {
        self.likely.get(document).map_or(0.0, |likely| f32::from(*likely) / 255.0)
    }

    /// The documents that have a term, with its weight; nothing if there are none.
    pub(super) fn occurrences(&self, term: u32) -> Option<Occurrences<'_>> {
        let at = self.terms.binary_search(&term).ok()?;
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        let bytes = self.occurrences.get(start as usize..*self.ends.get(at)? as usize)?;
        Some(Occurrences { bytes, document: 0 })
    }

    /// What a document is, and where it is among the passages.
    pub(super) fn document(&self, document: usize) -> Option<Span> {
        let position = u32::try_from(document).ok()?;
        let found = match position.checked_sub(self.items) {
            Some(chunk) => Found::Chunk(chunk),
            None => Found::Item(position),
        };
        let (start, size) = (*self.starts.get(document)?, *self.sizes.get(document)?);
        Some(Span { found, start, size, sum: *self.sums.get(document)? })
    }

    /// Writes each item and each section by itself, as far as it may be shown.
    fn passages(&mut self, extraction: &Extraction) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for item in &extraction.items {
            // Nothing leads to what is inherited.
            let own = match item.inherited {
                Some(_) => Vec::new(),
                None => encoded(&Item {
                    docs: prefix(&item.docs, SHOWN_BYTES_MAX).into(),
                    aliases: Vec::new(),
                    ..item.clone()
                })?,
            };
            self.span(&mut bytes, &own)?;
        }
        for chunk in &extraction.prose {
            let text = prefix(&chunk.text, SHOWN_BYTES_MAX).to_owned();
            self.span(&mut bytes, &encoded(&Chunk { text, ..chunk.clone() })?)?;
        }
        Some(bytes)
    }

    fn span(&mut self, all: &mut Vec<u8>, own: &[u8]) -> Option<()> {
        self.starts.push(u32::try_from(all.len()).ok()?);
        self.sizes.push(u32::try_from(own.len()).ok()?);
        self.sums.push(sum(own));
        all.extend_from_slice(own);
        Some(())
    }
}

/// Documents with the weight of a term in them.
#[derive(Clone, Default)]
pub(super) struct Occurrences<'a> {
    bytes: &'a [u8],
    document: usize,
}

impl Occurrences<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl Iterator for Occurrences<'_> {
    type Item = (usize, f32);

    fn next(&mut self) -> Option<Self::Item> {
        let (mut further, mut shift) = (0usize, 0u32);
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            further |= usize::from(byte & 0x7F).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        let (&weight, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        self.document = self.document.checked_add(further)?;
        Some((self.document, f32::from(weight) / WEIGHT_STEP))
    }
}

#[derive(Default)]
struct Builder {
    terms: HashMap<u32, Vec<(u32, f32)>>,
    likely: Vec<u8>,
}

impl Builder {
    fn item(&mut self, item: &Item) {
        // What is inherited is found where it is declared.
        if item.inherited.is_none() {
            let name = item.name();
            self.field(name, NAME);
            let path = item.path.rsplit_once('.').map(|(before, _)| before);
            let owner = path.or_else(|| module_parts(&item.module).last());
            let owner = owner.filter(|_| !item.path.is_empty()).unwrap_or_default();
            if !owner.is_empty() {
                let last = owner.rsplit('.').next().unwrap_or(owner);
                self.occurs(digest(&owned(last, name)), OWNED_NAME);
            }
            if path.is_some() {
                self.field(owner, OWNER);
            }
            self.field(line(first_sentence(&item.docs)), FIRST_LINE);
        }
        self.end(rank::item_centrality(item));
    }

    fn chunk(&mut self, chunk: &Chunk) {
        if let Some(own) = chunk.headings.last() {
            self.field(own, HEADING);
        }
        self.field(line(chunk.text.trim_start()), FIRST_LINE / 2.0);
        self.end(rank::chunk_centrality(chunk, &[]));
    }

    fn field(&mut self, text: &str, weight: f32) {
        let mut found = Vec::new();
        terms(text, |term| found.push(digest(term)));
        // A name of one word says more about it than one of five.
        let each = weight / (0.5 + 0.25 * found.len() as f32);
        for term in found {
            self.occurs(term, each);
        }
    }

    fn occurs(&mut self, term: u32, weight: f32) {
        let document = self.likely.len() as u32;
        let occurrences = self.terms.entry(term).or_default();
        match occurrences.last_mut() {
            Some((last, sum)) if *last == document => *sum += weight,
            _ => occurrences.push((document, weight)),
        }
    }

    fn end(&mut self, likely: f32) {
        self.likely.push((likely.clamp(0.0, 1.0) * 255.0) as u8);
    }

    fn finish(self) -> Option<Names> {
        let mut all: Vec<(u32, Vec<(u32, f32)>)> = self.terms.into_iter().collect();
        all.sort_unstable_by_key(|(term, _)| *term);
        let mut names = Names { likely: self.likely, ..Names::default() };
        for (term, occurrences) in all {
            let mut last = 0;
            for (document, weight) in occurrences {
                number(document - last, &mut names.occurrences);
                last = document;
                names.occurrences.push((weight * WEIGHT_STEP).clamp(1.0, 255.0) as u8);
            }
            names.terms.push(term);
            names.ends.push(u32::try_from(names.occurrences.len()).ok()?);
        }
        Some(names)
    }
}

fn line(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    prefix(line, LINE_BYTES_MAX)
}

/// Seven bits a byte, the lowest first.
fn number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn encoded(value: &impl Serialize) -> Option<Vec<u8>> {
    postcard::to_stdvec(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tokenize::stem;
    use crate::{ChunkKind, Kind};

    fn extraction() -> Extraction {
        let item = |module: &str, path: &str, docs: &str| Item {
            module: module.into(),
            path: path.to_owned(),
            kind: Kind::Function,
            docs: docs.into(),
            ..Item::default()
        };
        let chunk = Chunk {
            kind: ChunkKind::Readme,
            headings: vec!["Getting started".to_owned()],
            text: "Install it.".to_owned(),
            file: "README.md".to_owned(),
            line: 1,
            language: None,
        };
        let mut items: Vec<Item> = (0..300).map(|at| item("kit", &format!("f{at}x"), "")).collect();
        items.push(item("kit", "Client.close", "Ends the connection.\n\nMore."));
        Extraction {
            summary: "A kit.".to_owned(),
            items,
            prose: vec![chunk],
            ..Extraction::default()
        }
    }

    #[test]
    fn terms_lead_to_documents_and_documents_to_their_bytes() {
        let extraction = extraction();
        let (names, bytes) = Names::of(&extraction).expect("it is small");
        let stored = postcard::to_stdvec(&names).expect("it can be stored");
        let names: Names = postcard::from_bytes(&stored).expect("it can be read");
        let exactly = |term: &str| {
            let all = names.occurrences(digest(term)).into_iter().flatten();
            all.map(|(document, _)| document).collect::<Vec<_>>()
        };
        let found = |word: &str| exactly(stem(word));
        assert_eq!(found("close"), [300]);
        assert_eq!(exactly(&owned("Client", "close")), [300]);
        assert_eq!(found("connection"), [300], "the first line counts");
        assert_eq!(found("more"), Vec::<usize>::new(), "the rest does not");
        assert_eq!(found("start"), [301]);
        assert_eq!(exactly(&owned("kit", "f299x")), [299]);
        for document in [0, 299, 300] {
            let span = names.document(document).expect("it is there");
            assert_eq!(span.found, Found::Item(document as u32));
            let own = &bytes[span.start as usize..][..span.size as usize];
            assert!(span.fits(own) && !span.fits(&own[1..]));
            let item: Item = postcard::from_bytes(own).expect("an item is there");
            assert_eq!(item, extraction.items[document]);
        }
        let span = names.document(301).expect("it is there");
        assert_eq!(span.found, Found::Chunk(0));
        let own = &bytes[span.start as usize..][..span.size as usize];
        let chunk: Chunk = postcard::from_bytes(own).expect("a section is there");
        assert_eq!(chunk, extraction.prose[0]);
        assert_eq!(names.document(302), None);
    }

    #[test]
    fn bytes_that_nobody_wrote_find_nothing() {
        let names = Names {
            terms: vec![1, 2, 3],
            ends: vec![9, 2],
            occurrences: vec![0xFF; 4],
            ..Names::default()
        };
        for term in 0..5 {
            assert_eq!(names.occurrences(term).into_iter().flatten().count(), 0);
        }
    }
}
