//! A package that has been read: what is kept of it in memory, and for how long.

use std::sync::{Arc, OnceLock, Weak};

use crate::check::known::Places;
use crate::index::Index;
use crate::render::{Page, Receipt};
use crate::{Ecosystem, Extraction, Limits, Style, Wanted};

/// A package that has been read, and its index once somebody asks.
pub(super) struct Read {
    pub(super) extraction: Extraction,
    /// How much memory it takes, roughly.
    pub(super) bytes: u64,
    /// What its worker asked for and got.
    pub(super) answered: Vec<Wanted>,
    pub(super) index: OnceLock<Index>,
    places: OnceLock<Places>,
}

/// How much each package counts among those that are kept in memory.
#[derive(Clone)]
pub(super) struct Weight {
    least: u64,
    most: u64,
}

impl Weight {
    pub(super) fn cache(limits: &Limits) -> quick_cache::sync::Cache<String, Arc<Read>, Self> {
        let (packages, bytes) = (limits.loaded_packages_max.max(1), limits.loaded_bytes_max.max(2));
        // Even the largest package is kept until the next one comes: who asks about it asks again.
        let weight = Self { least: bytes.div_ceil(packages as u64), most: bytes / 2 };
        quick_cache::sync::Cache::with_weighter(packages, bytes, weight)
    }
}

impl quick_cache::Weighter<String, Arc<Read>> for Weight {
    fn weight(&self, _: &String, read: &Arc<Read>) -> u64 {
        read.bytes.max(self.least).min(self.most)
    }
}

impl Read {
    pub(super) fn new(extraction: Extraction, answered: Vec<Wanted>) -> Self {
        let bytes = extraction.bytes();
        Self { extraction, bytes, answered, index: OnceLock::new(), places: OnceLock::new() }
    }

    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::build(&self.extraction))
    }
}

/// A package that is ready to answer questions.
#[derive(Clone)]
pub struct Loaded {
    pub(super) ecosystem: Ecosystem,
    pub(super) module: Option<String>,
    pub(super) name: String,
    pub(super) receipt: Receipt,
    pub(super) read: Arc<Read>,
}

/// The same, as long as somebody else keeps what was read.
#[derive(Clone)]
pub(super) struct Remembered {
    ecosystem: Ecosystem,
    module: Option<String>,
    name: String,
    receipt: Receipt,
    read: Weak<Read>,
}

impl Remembered {
    pub(super) fn new(loaded: &Loaded) -> Self {
        let Loaded { ecosystem, module, name, receipt, read } = loaded.clone();
        Self { ecosystem, module, name, receipt, read: Arc::downgrade(&read) }
    }

    pub(super) fn loaded(self) -> Option<Loaded> {
        let Self { ecosystem, module, name, receipt, read } = self;
        Some(Loaded { ecosystem, module, name, receipt, read: read.upgrade()? })
    }
}

impl Loaded {
    /// Which package it is, and where it comes from.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Everything that was found in it.
    #[must_use]
    pub fn extraction(&self) -> &Extraction {
        &self.read.extraction
    }

    pub(crate) fn ecosystem(&self) -> Ecosystem {
        self.ecosystem
    }

    /// The name of the package.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where its items are, for who checks code.
    pub(crate) fn places(&self) -> &Places {
        self.read.places.get_or_init(|| Places::of(&self.read.extraction, self.ecosystem))
    }

    /// Whether both are what was read from the same files.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.read, &other.read)
    }

    /// The module of the package that was asked for.
    pub(crate) fn module(&self) -> Option<&str> {
        self.module.as_deref()
    }

    pub(super) fn page(&self, style: &Style) -> Page<'_> {
        Page {
            ecosystem: self.ecosystem,
            receipt: self.receipt.clone(),
            extraction: &self.read.extraction,
            index: self.read.index(),
            max_tokens: style.max_tokens,
            types: style.types,
            examples: style.examples,
        }
    }
}
