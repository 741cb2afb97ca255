//! From the files of a package to its public API and its prose.
//!
//! Never fails: what cannot be read becomes a [`Problem`], and the rest is there. Reads only the
//! trees it is given; a package that would complete the picture is named in
//! [`Extraction::wanted`], and the caller tries again with it among the companions.

pub(crate) mod prose;
mod python;
mod typescript;

use std::borrow::Cow;
use std::cell::RefCell;

use crate::tree::Tree;
use crate::{Ecosystem, Extraction, Limits, Problem};

/// A package whose files can be read.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its files.
    pub tree: Tree,
}

/// What there is to read, and the only way to read it.
pub struct Input<'a> {
    /// The package that the extraction is about.
    pub package: &'a Package,
    /// Other packages that it may refer to.
    pub companions: &'a [Package],
    /// How much to read.
    pub limits: &'a Limits,
    /// Files that are not to be parsed, as `name:path`.
    pub skip: &'a [String],
    /// Told of each file, as `name:path`, before it is parsed: should the parser bring the process
    /// down, the last one is the culprit.
    pub before: &'a dyn Fn(&str),
    problems: RefCell<Vec<Problem>>,
}

impl<'a> Input<'a> {
    /// An input without companions.
    #[must_use]
    pub fn new(package: &'a Package, companions: &'a [Package], limits: &'a Limits) -> Self {
        Self {
            package,
            companions,
            limits,
            skip: &[],
            before: &|_| {},
            problems: RefCell::default(),
        }
    }

    /// The companion of that name, or the package itself.
    pub(crate) fn find(&self, name: &str) -> Option<&'a Package> {
        std::iter::once(self.package).chain(self.companions).find(|package| package.name == name)
    }

    /// The text of a file that is about to be parsed; `None`, and a problem, if it should not be.
    pub(crate) fn source<'p>(&self, package: &'p Package, path: &str) -> Option<Cow<'p, str>> {
        let full = [&package.name, ":", path].concat();
        if self.skip.contains(&full) {
            self.problem(path, None, "not read: its parser failed on it");
            return None;
        }
        if let Some(size) = package.tree.too_large(path) {
            self.problem(path, None, format!("not read: {size} bytes are too many"));
            return None;
        }
        let text = package.tree.text_of(path)?;
        if crate::nesting::too_deep(path, &text, self.limits.nesting_max) {
            self.problem(path, None, "not read: it nests deeper than the limit");
            return None;
        }
        (self.before)(&full);
        Some(text)
    }

    /// Notes something that could not be read.
    pub(crate) fn problem(&self, file: &str, line: Option<u32>, message: impl Into<String>) {
        let problem = Problem { file: file.to_owned(), line, message: message.into() };
        self.problems.borrow_mut().push(problem);
    }
}

/// Everything that can be found.
#[must_use]
pub fn extract(ecosystem: Ecosystem, input: &Input<'_>) -> Extraction {
    let mut extraction = match ecosystem {
        Ecosystem::Npm => typescript::extract(input),
        Ecosystem::Python => python::extract(input),
        _ => Extraction::default(),
    };
    extraction.prose = prose::extract(ecosystem, input);
    extraction.items.truncate(input.limits.items_max);
    extraction.problems.append(&mut input.problems.borrow_mut());
    extraction
}
