//! What a caller says besides the question itself: about which package, and how to answer.
//!
//! Feeds [`crate::Engine`].

use std::path::PathBuf;

use crate::{PackageRef, Progress};

/// A package, and the project that asks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// Which package.
    pub package: PackageRef,
    /// The folder the question is about; the working folder if there is none.
    pub project: Option<PathBuf>,
}

impl Target {
    /// A package seen from the working folder.
    #[must_use]
    pub fn new(package: PackageRef) -> Self {
        Self { package, project: None }
    }

    /// The same package seen from another folder.
    #[must_use]
    pub fn in_project(mut self, project: impl Into<PathBuf>) -> Self {
        self.project = Some(project.into());
        self
    }
}

/// A document of a package, as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Document {
    /// The README, or one section of it.
    Readme {
        /// The heading, loosely: case and the package's own name do not matter.
        section: Option<String>,
    },
    /// One of the guides that the package brings along, by its file.
    Guide {
        /// The file, relative to the package.
        file: String,
    },
    /// What changed in the version at hand.
    Changelog,
}

/// How a question is to be answered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Style {
    /// The longest answer, in tokens.
    pub max_tokens: usize,
    /// Whether other words for the same thing count.
    pub fuzzy: bool,
    /// Whether an overview lists the public API.
    pub types: bool,
    /// Whether prose keeps its code examples.
    pub examples: bool,
    /// Told how far long work has come.
    pub progress: Progress,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            max_tokens: 2000,
            fuzzy: true,
            types: true,
            examples: true,
            progress: Progress::default(),
        }
    }
}

impl Style {
    /// The same style with another budget.
    #[must_use]
    pub fn max_tokens(mut self, max_tokens: usize) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// The same style, with or without other words for the same thing.
    #[must_use]
    pub fn fuzzy(mut self, fuzzy: bool) -> Self {
        self.fuzzy = fuzzy;
        self
    }

    /// The same style, with or without the public API in an overview.
    #[must_use]
    pub fn types(mut self, types: bool) -> Self {
        self.types = types;
        self
    }

    /// The same style, with or without the code examples of prose.
    #[must_use]
    pub fn examples(mut self, examples: bool) -> Self {
        self.examples = examples;
        self
    }

    /// The same style with reports on how far it has come.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }
}
