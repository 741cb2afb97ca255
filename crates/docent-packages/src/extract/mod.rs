//! From the files of a package to its public API and its prose.
//!
//! Never fails: what cannot be read becomes a [`Problem`], and the rest is there. Reads only the
//! trees it is given, and those that [`Input::ask`] gives when a name leads into another package. A
//! package that would complete the picture but is not to be had is named in [`Extraction::wanted`],
//! and the caller may try again with it among the companions.

pub(crate) mod go;
pub(crate) mod prose;
mod python;
pub(crate) mod rust;
pub(crate) mod swift;
mod typescript;

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use crate::tree::Tree;
use crate::{Ecosystem, Extraction, Limits, Problem, Wanted};

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
    /// What to read of it if it is too large to be read at once.
    pub part: Option<&'a str>,
    /// Other packages that it may refer to.
    pub companions: &'a [Package],
    /// How much to read.
    pub limits: &'a Limits,
    /// Files that are not to be parsed, as `name:path`.
    pub skip: &'a [String],
    /// Told of each file, as `name:path`, before it is parsed: should the parser bring the process
    /// down, the last one is the culprit.
    pub before: &'a dyn Fn(&str),
    /// Opens a package that is wanted, if it can be had at once.
    pub ask: &'a dyn Fn(&Wanted) -> Option<Package>,
    /// The packages that were asked for and opened.
    opened: RefCell<Vec<Rc<Package>>>,
    problems: RefCell<Vec<Problem>>,
}

impl<'a> Input<'a> {
    /// An input without companions.
    #[must_use]
    pub fn new(package: &'a Package, companions: &'a [Package], limits: &'a Limits) -> Self {
        Self {
            package,
            part: None,
            companions,
            limits,
            skip: &[],
            before: &|_| {},
            ask: &|_| None,
            opened: RefCell::default(),
            problems: RefCell::default(),
        }
    }

    /// All packages at hand: the one in question, its companions, and what was opened so far.
    pub(crate) fn packages(&self) -> Vec<Rc<Package>> {
        let given = std::iter::once(self.package).chain(self.companions).cloned().map(Rc::new);
        given.chain(self.opened.borrow().iter().cloned()).collect()
    }

    /// Opens a package that is wanted, if it can be had at once; from then on it is at hand.
    pub(crate) fn open(&self, wanted: &Wanted) -> Option<Rc<Package>> {
        let package = Rc::new((self.ask)(wanted)?);
        self.opened.borrow_mut().push(Rc::clone(&package));
        Some(package)
    }

    /// The text of a file that is about to be parsed; `None`, and a problem, if it should not be.
    pub(crate) fn source<'p>(&self, package: &'p Package, path: &str) -> Option<Cow<'p, str>> {
        let text = self.text(package, path)?;
        if crate::nesting::too_deep(path, &text, self.limits.nesting_max) {
            self.too_deep(package, path);
            return None;
        }
        Some(text)
    }

    /// The same for one who looks at how deeply it nests, and says so with `too_deep`.
    pub(crate) fn text<'p>(&self, package: &'p Package, path: &str) -> Option<Cow<'p, str>> {
        let full = self.admitted(package, path)?;
        if let Some(size) = package.tree.too_large(path) {
            self.not_read(package, path, &format!("{size} bytes are too many"));
            return None;
        }
        let text = package.tree.text_of(path)?;
        (self.before)(&full);
        Some(text)
    }

    /// The beginning of a file that is about to be parsed.
    pub(crate) fn head<'p>(
        &self,
        package: &'p Package,
        path: &str,
        bytes_max: u64,
    ) -> Option<Cow<'p, str>> {
        let full = self.admitted(package, path)?;
        let text = package.tree.head(path, bytes_max)?;
        (self.before)(&full);
        Some(text)
    }

    /// What a file is noted as, unless it is one that a parser failed on.
    fn admitted(&self, package: &Package, path: &str) -> Option<String> {
        let full = [&package.name, ":", path].concat();
        if self.skip.contains(&full) {
            self.not_read(package, path, "its parser failed on it");
            return None;
        }
        Some(full)
    }

    /// Notes that a file nests too deeply for its parser.
    pub(crate) fn too_deep(&self, package: &Package, path: &str) {
        self.not_read(package, path, "it nests deeper than the limit");
    }

    fn not_read(&self, package: &Package, path: &str, why: &str) {
        let message = format!("not read: {why}");
        // A file of a companion is not to be taken for one of the package.
        match package.name == self.package.name {
            true => self.problem(path, None, message),
            false => self.problem(&[&package.name, ":", path].concat(), None, message),
        }
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
        Ecosystem::Rust => rust::extract(input),
        Ecosystem::Go => go::extract(input),
        Ecosystem::Swift => swift::extract(input),
    };
    // Examples that a language keeps among its sources come after what is written to be read.
    let examples = std::mem::replace(&mut extraction.prose, prose::extract(ecosystem, input));
    extraction.prose.extend(examples);
    extraction.items.truncate(input.limits.items_max);
    extraction.problems.append(&mut input.problems.borrow_mut());
    extraction
}
