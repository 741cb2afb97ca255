//! The names of one package version in few bytes: enough to find out where else to look.
//!
//! Made from an [`Extraction`], kept in the cache beside it, and held in memory for all packages of a
//! project at once. Names, the first line of what is said about them, and headings; the rest is found
//! in the extraction.

use serde::{Deserialize, Serialize};

use crate::hashing::HashMap;
use crate::index::Found;
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
    /// How many of the documents are items; the others are sections.
    items: u32,
}

/// One number for a term, the same in all processes.
pub(super) fn digest(term: &str) -> u32 {
    // FNV-1a.
    let mix = |digest: u32, byte: u8| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    term.bytes().fold(0x811C_9DC5, mix)
}

/// The term for a name and what it belongs to: `Tag.find_all`, `tokio::spawn`.
pub(super) fn owned(owner: &str, name: &str) -> String {
    [&whole(owner), ".", &whole(name)].concat()
}

impl Names {
    /// The names of an extraction; nothing if it is too large to be counted in 32 bits.
    pub(super) fn of(extraction: &Extraction) -> Option<Self> {
        let mut builder = Builder::default();
        for item in &extraction.items {
            builder.item(item);
        }
        for chunk in &extraction.prose {
            builder.chunk(chunk);
        }
        Some(Self { items: u32::try_from(extraction.items.len()).ok()?, ..builder.finish()? })
    }

    pub(super) fn documents(&self) -> usize {
        self.likely.len()
    }

    /// How likely a document is to be what anybody asks for, 0 to 1.
    pub(super) fn likelihood(&self, document: usize) -> f32 {
        self.likely.get(document).map_or(0.0, |likely| f32::from(*likely) / 255.0)
    }

    /// The documents that have a term, with its weight.
    pub(super) fn occurrences(&self, term: u32) -> Occurrences<'_> {
        let bytes = self.terms.binary_search(&term).ok().and_then(|at| {
            let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
            self.occurrences.get(start? as usize..*self.ends.get(at)? as usize)
        });
        Occurrences { bytes: bytes.unwrap_or_default(), document: 0 }
    }

    /// What a document is.
    pub(super) fn document(&self, document: usize) -> Option<Found> {
        let position = u32::try_from(document).ok().filter(|_| document < self.documents())?;
        Some(match position.checked_sub(self.items) {
            Some(chunk) => Found::Chunk(chunk),
            None => Found::Item(position),
        })
    }
}

/// Documents with the weight of a term in them.
pub(super) struct Occurrences<'a> {
    bytes: &'a [u8],
    document: usize,
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
    crate::index::prefix(line, LINE_BYTES_MAX)
}

/// Seven bits a byte, the lowest first.
fn number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
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
    fn terms_lead_to_documents() {
        let extraction = extraction();
        let names = Names::of(&extraction).expect("it is small");
        let stored = postcard::to_stdvec(&names).expect("it can be stored");
        let names: Names = postcard::from_bytes(&stored).expect("it can be read");
        let exactly = |term: &str| {
            let all = names.occurrences(digest(term)).map(|(document, _)| document);
            all.collect::<Vec<_>>()
        };
        let found = |word: &str| exactly(stem(word));
        assert_eq!(found("close"), [300]);
        assert_eq!(exactly(&owned("Client", "close")), [300]);
        assert_eq!(found("connection"), [300], "the first line counts");
        assert_eq!(found("more"), Vec::<usize>::new(), "the rest does not");
        assert_eq!(found("start"), [301]);
        assert_eq!(exactly(&owned("kit", "f299x")), [299]);
        for document in [0, 299, 300] {
            assert_eq!(names.document(document), Some(Found::Item(document as u32)));
        }
        assert_eq!(names.document(301), Some(Found::Chunk(0)));
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
            assert_eq!(names.occurrences(term).count(), 0);
        }
    }
}
