//! Words and where they occur: one half of the index, of items or of prose.
//!
//! Each item and each chunk of prose is a document of several fields; a term's occurrences are
//! weighed by their field and its length and summed up front (BM25F), so that a posting is one
//! document and one number.

use super::{file_stem, prefix, tokenize};
use crate::hashing::HashMap;
use crate::{Chunk, Item};

/// The words of some documents.
#[derive(Default)]
pub(super) struct Words {
    terms: HashMap<Box<str>, u32>,
    /// For each term, where it occurs and how much it counts there.
    postings: Vec<Vec<(u32, f32)>>,
    pub(super) documents: u32,
}

impl Words {
    pub(super) fn of_items(items: &[Item]) -> Self {
        let mut builder = Builder::default();
        for item in items {
            builder.item(item);
        }
        builder.words
    }

    pub(super) fn of_prose(prose: &[Chunk]) -> Self {
        let mut builder = Builder::default();
        for chunk in prose {
            builder.chunk(chunk);
        }
        builder.words
    }

    pub(super) fn postings_of(&self, term: &str) -> &[(u32, f32)] {
        self.terms.get(term).map_or(&[], |&term| &self.postings[term as usize])
    }

    fn term(&mut self, term: &str) -> u32 {
        if let Some(&known) = self.terms.get(term) {
            return known;
        }
        let next = self.postings.len() as u32;
        self.terms.insert(term.into(), next);
        self.postings.push(Vec::new());
        next
    }
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

#[derive(Default)]
struct Builder<'a> {
    words: Words,
    /// The terms of the field at hand.
    scratch: Vec<u32>,
    /// The module of the last item, and its terms: neighbors share it.
    module: (&'a str, Vec<u32>),
}

impl<'a> Builder<'a> {
    fn item(&mut self, item: &'a Item) {
        self.field(item.name(), NAME);
        self.field(&item.path, PATH);
        if item.module != self.module.0 {
            let mut found = std::mem::take(&mut self.module.1);
            self.terms_of(&item.module, &mut found);
            self.module = (&item.module, found);
        }
        let module = std::mem::take(&mut self.module.1);
        self.occur(&module, Field { weight: 0.5, ..PATH });
        self.module.1 = module;
        if item.inherited.is_some() {
            // What it says is found where it is declared.
            self.words.documents += 1;
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
        self.words.documents += 1;
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
        self.words.documents += 1;
    }

    fn field(&mut self, text: &str, field: Field) {
        let mut found = std::mem::take(&mut self.scratch);
        self.terms_of(text, &mut found);
        self.occur(&found, field);
        self.scratch = found;
    }

    fn terms_of(&mut self, text: &str, found: &mut Vec<u32>) {
        found.clear();
        tokenize::terms(text, |term| found.push(self.words.term(term)));
    }

    /// Notes that the document at hand has these terms in a field.
    fn occur(&mut self, terms: &[u32], field: Field) {
        let length = terms.len() as f32 / field.typical_length;
        let each = field.weight / (1.0 - field.length_matters + field.length_matters * length);
        for &term in terms {
            let postings = &mut self.words.postings[term as usize];
            match postings.last_mut() {
                Some((document, weight)) if *document == self.words.documents => *weight += each,
                _ => postings.push((self.words.documents, each)),
            }
        }
    }
}
