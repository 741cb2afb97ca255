//! The words and symbols of one package version, ready to be searched.
//!
//! Built from an [`Extraction`] each time one is loaded: for the sizes at hand that is quicker than
//! reading a stored index back, and one thing less that can be stale. [`crate::rank`] asks it.
//!
//! Each item and each chunk of prose is a document of several fields; a term's occurrences are
//! weighed by their field and its length and summed up front (BM25F), so that a posting is one
//! document and one number.

pub(crate) mod symbols;
pub(crate) mod tokenize;
pub(crate) mod vocabulary;

use std::collections::HashMap;

use crate::{Chunk, Extraction, Item};
use symbols::Symbols;

/// One thing that can be found: a position in the items or in the prose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Found {
    Item(u32),
    Chunk(u32),
}

/// The index of one extraction.
pub(crate) struct Index {
    terms: HashMap<Box<str>, u32>,
    /// For each term, where it occurs and how much it counts there.
    postings: Vec<Vec<(u32, f32)>>,
    items: u32,
    documents: u32,
    pub(crate) symbols: Symbols,
}

/// How much an occurrence counts, by field; and how much a long field is held against it.
#[derive(Clone, Copy)]
struct Field {
    weight: f32,
    length_matters: f32,
    typical_length: f32,
}

const NAME: Field = Field { weight: 7.0, length_matters: 0.5, typical_length: 2.0 };
const PATH: Field = Field { weight: 2.0, length_matters: 0.4, typical_length: 4.0 };
const SIGNATURE: Field = Field { weight: 1.6, length_matters: 0.6, typical_length: 20.0 };
const FIRST_LINE: Field = Field { weight: 3.0, length_matters: 0.4, typical_length: 12.0 };
const DOCS: Field = Field { weight: 1.0, length_matters: 0.6, typical_length: 60.0 };
const HEADING: Field = Field { weight: 4.0, length_matters: 0.4, typical_length: 4.0 };
const PROSE: Field = Field { weight: 1.2, length_matters: 0.6, typical_length: 120.0 };

/// Documentation past this many bytes does not make an item easier to find.
const DOCS_BYTES_MAX: usize = 4_000;

impl Index {
    pub(crate) fn build(extraction: &Extraction) -> Self {
        let mut builder = Builder::default();
        for item in &extraction.items {
            builder.item(item);
        }
        for chunk in &extraction.prose {
            builder.chunk(chunk);
        }
        Self {
            terms: builder.terms,
            postings: builder.postings,
            items: u32::try_from(extraction.items.len()).unwrap_or(u32::MAX),
            documents: builder.documents,
            symbols: Symbols::build(&extraction.items),
        }
    }

    /// How rare a term is; 0 if it does not occur.
    pub(crate) fn rarity(&self, term: &str) -> f32 {
        let occurrences = self.postings_of(term).len();
        if occurrences == 0 {
            return 0.0;
        }
        let (n, df) = (f64::from(self.documents), occurrences as f64);
        (1.0 + (n - df + 0.5) / (df + 0.5)).ln() as f32
    }

    /// Everything a term occurs in, with how much it counts there, between 0 and 1.
    pub(crate) fn occurrences(&self, term: &str) -> impl Iterator<Item = (Found, f32)> {
        /// How quickly further occurrences stop adding.
        const SATURATION: f32 = 1.5;
        let postings = self.postings_of(term).iter();
        postings.map(|&(document, weight)| {
            let found = match document.checked_sub(self.items) {
                None => Found::Item(document),
                Some(chunk) => Found::Chunk(chunk),
            };
            (found, weight / (weight + SATURATION))
        })
    }

    fn postings_of(&self, term: &str) -> &[(u32, f32)] {
        self.terms.get(term).map_or(&[], |&term| &self.postings[term as usize])
    }
}

#[derive(Default)]
struct Builder {
    terms: HashMap<Box<str>, u32>,
    postings: Vec<Vec<(u32, f32)>>,
    documents: u32,
    /// The terms of the field at hand.
    scratch: Vec<u32>,
}

impl Builder {
    fn item(&mut self, item: &Item) {
        self.field(item.name(), NAME);
        self.field(&item.path, PATH);
        self.field(&item.module, Field { weight: 0.5, ..PATH });
        if item.inherited.is_some() {
            // What it says is found where it is declared.
            self.documents += 1;
            return;
        }
        for (_, path) in &item.aliases {
            self.field(path, Field { weight: 1.0, ..PATH });
        }
        self.field(&item.signature, SIGNATURE);
        let docs = prefix(&item.docs, DOCS_BYTES_MAX);
        let (first, rest) = docs.split_once("\n\n").unwrap_or((docs, ""));
        self.field(first, FIRST_LINE);
        self.field(rest, DOCS);
        self.documents += 1;
    }

    fn chunk(&mut self, chunk: &Chunk) {
        if let Some((own, above)) = chunk.headings.split_last() {
            self.field(own, HEADING);
            for heading in above {
                self.field(heading, Field { weight: 1.5, ..HEADING });
            }
        }
        self.field(file_stem(&chunk.file), Field { weight: 1.5, ..HEADING });
        self.field(&chunk.text, PROSE);
        self.documents += 1;
    }

    fn field(&mut self, text: &str, field: Field) {
        let mut found = std::mem::take(&mut self.scratch);
        found.clear();
        tokenize::terms(text, |term| {
            let next = self.postings.len() as u32;
            let id = match self.terms.get(term) {
                Some(&id) => id,
                None => {
                    self.terms.insert(term.into(), next);
                    self.postings.push(Vec::new());
                    next
                }
            };
            found.push(id);
        });
        let length = found.len() as f32 / field.typical_length;
        let each = field.weight / (1.0 - field.length_matters + field.length_matters * length);
        for &term in &found {
            let postings = &mut self.postings[term as usize];
            match postings.last_mut() {
                Some((document, weight)) if *document == self.documents => *weight += each,
                _ => postings.push((self.documents, each)),
            }
        }
        self.scratch = found;
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
