//! The words and symbols of one package version, ready to be searched.
//!
//! Built from an [`Extraction`] each time one is loaded: for the sizes at hand that is quicker than
//! reading a stored index back, and one thing less that can be stale. [`crate::rank`] asks it.
//! The words of the items, by far the most, wait for the first question that needs them: who asks for
//! a symbol by its name does not.

mod editions;
pub(crate) mod symbols;
pub(crate) mod tokenize;
pub(crate) mod vocabulary;
mod words;

use std::sync::OnceLock;

use crate::Extraction;
use crate::hashing::HashSet;
use crate::text::Text;
use symbols::Symbols;
use words::Words;

/// One thing that can be found: a position in the items or in the prose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Found {
    Item(u32),
    Chunk(u32),
}

/// The index of one extraction.
pub(crate) struct Index {
    items: OnceLock<Words>,
    prose: Words,
    pub(crate) symbols: Symbols,
    editions: OnceLock<HashSet<Text>>,
}

/// The words of a part of an index.
#[derive(Clone, Copy)]
pub(crate) struct View<'i> {
    items: Option<&'i Words>,
    prose: &'i Words,
}

impl Index {
    pub(crate) fn build(extraction: &Extraction) -> Self {
        Self {
            items: OnceLock::new(),
            prose: Words::of_prose(&extraction.prose),
            symbols: Symbols::build(&extraction.items),
            editions: OnceLock::new(),
        }
    }

    /// All words; `extraction` is the one that the index was built from.
    pub(crate) fn all(&self, extraction: &Extraction) -> View<'_> {
        let items = self.items.get_or_init(|| Words::of_items(&extraction.items));
        View { items: Some(items), prose: &self.prose }
    }

    /// The modules that hold another edition of what is above them.
    pub(crate) fn editions(&self, extraction: &Extraction) -> &HashSet<Text> {
        self.editions.get_or_init(|| editions::find(&extraction.items))
    }

    /// The words of the prose.
    pub(crate) fn prose(&self) -> View<'_> {
        View { items: None, prose: &self.prose }
    }
}

impl<'i> View<'i> {
    /// How rare a term is; 0 if it does not occur.
    pub(crate) fn rarity(self, term: &str) -> f32 {
        let parts = [self.items, Some(self.prose)].into_iter().flatten();
        let (mut documents, mut occurrences) = (0.0, 0.0);
        for words in parts {
            documents += f64::from(words.documents);
            occurrences += words.postings_of(term).len() as f64;
        }
        if occurrences == 0.0 {
            return 0.0;
        }
        (1.0 + (documents - occurrences + 0.5) / (occurrences + 0.5)).ln() as f32
    }

    /// Everything a term occurs in, with how much it counts there, between 0 and 1.
    pub(crate) fn occurrences(self, term: &str) -> impl Iterator<Item = (Found, f32)> + 'i {
        /// How quickly further occurrences stop adding.
        const SATURATION: f32 = 1.5;
        let items = self.items.map_or(&[][..], |words| words.postings_of(term)).iter();
        let items = items.map(|&(document, weight)| (Found::Item(document), weight));
        let prose = self.prose.postings_of(term).iter();
        let prose = prose.map(|&(document, weight)| (Found::Chunk(document), weight));
        items.chain(prose).map(|(found, weight)| (found, weight / (weight + SATURATION)))
    }
}

/// What a file is called, without folder and extension: `docs/api/Client.md` is about `Client`.
pub(crate) fn file_stem(path: &str) -> &str {
    let name = crate::tree::file_name(path);
    name.split('.').next().unwrap_or(name)
}

/// At most that many bytes of a text, whole characters.
pub(crate) fn prefix(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
