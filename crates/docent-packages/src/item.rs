//! What extraction yields: items of the public API, chunks of prose, problems met on the way.
//!
//! Made by [`crate::extract`], stored by [`crate::cache`], searched by [`crate::index`] and written
//! out by [`crate::render`]. All of it is text of the package: data, never instructions.

use serde::{Deserialize, Serialize};

use crate::{Surface, Text};

/// One thing of a package's public API.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Item {
    /// What a user imports to reach it: `zod/v4`, `click`, `os.path`, `tokio::task`.
    pub module: Text,
    /// The path inside the module, dotted: `confirm`, `Tag.find_all`, `z.string`. Empty for an item
    /// that is the module itself.
    pub path: String,
    /// Other public places of the same thing, as `module` and `path`.
    pub aliases: Vec<(String, String)>,
    /// What it is.
    pub kind: Kind,
    /// The declaration as the language writes it, without its body; one line for each overload.
    pub signature: Text,
    /// Its documentation, as Markdown.
    pub docs: Text,
    /// Why not to use it, if it is deprecated; empty if no reason is given.
    pub deprecated: Option<Text>,
    /// The file it is declared in, relative to its package, after `name@version:` when that package
    /// is another one.
    pub file: Text,
    /// The line of its declaration, from 1.
    pub line: u32,
    /// The item it belongs to, as a position in [`Extraction::items`]; always before this one.
    pub parent: Option<u32>,
    /// Whether it is declared but not exported: shown because the signature of something public
    /// mentions it, though nobody can import it.
    pub local: bool,
    /// Where it is declared, when it belongs to its parent by inheritance: `Base.method`.
    pub inherited: Option<Text>,
}

impl Item {
    /// The last segment of its path, or of its module: what people call it.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = if self.path.is_empty() { self.module.as_str() } else { &self.path };
        path.rsplit(['.', '/', ':']).next().unwrap_or(path)
    }
}

/// What an [`Item`] is, in words that fit all languages.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[non_exhaustive]
pub enum Kind {
    /// A module, entry point or package.
    #[default]
    Module,
    /// A namespace inside a module.
    Namespace,
    /// A class.
    Class,
    /// An interface, protocol or trait.
    Interface,
    /// A structure without inheritance.
    Struct,
    /// An enumeration.
    Enum,
    /// A member of an enumeration.
    Variant,
    /// A free function.
    Function,
    /// A function that belongs to a type; constructors too.
    Method,
    /// A field, property or attribute of a type.
    Property,
    /// A value that does not change.
    Constant,
    /// A value.
    Variable,
    /// A name for a type.
    TypeAlias,
    /// A macro.
    Macro,
    /// What a package adds to a type of another.
    Extension,
}

impl Kind {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Namespace => "namespace",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Variant => "variant",
            Self::Function => "function",
            Self::Method => "method",
            Self::Property => "property",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::TypeAlias => "type",
            Self::Macro => "macro",
            Self::Extension => "extension",
        }
    }
}

/// A piece of prose that can be read by itself: one section of a README, one example.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Chunk {
    /// Where the text comes from.
    pub kind: ChunkKind,
    /// The headings that lead to it, outermost first; the last one is its own.
    pub headings: Vec<String>,
    /// The text without its heading, as Markdown; code blocks are whole.
    pub text: String,
    /// The file, relative to the package.
    pub file: String,
    /// The line it starts at, from 1.
    pub line: u32,
    /// The natural language, as a lower-case tag such as `ja` or `pt-br`, if it is not the
    /// package's main one.
    pub language: Option<String>,
}

/// Where a [`Chunk`] comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ChunkKind {
    /// The README, or the description a registry shows in its place.
    Readme,
    /// Documentation that the package brings along.
    Guide,
    /// Example code.
    Example,
    /// What changed in the version at hand.
    Changelog,
}

/// Something in a package that could not be read as it should; the rest was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Problem {
    /// The file, relative to the package; empty if it is about the package.
    pub file: String,
    /// The line, if it is known.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
}

/// A package whose files would complete the extraction: types that live elsewhere, re-exports.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// The versions that fit, in the ecosystem's syntax, as the manifest of the package that wants
    /// it says.
    pub requirement: Option<String>,
    /// The package that wants it, so that it is looked for from there.
    pub wanted_by: String,
    /// Whether it is of use only if it is installed: an extra that this user may not have chosen.
    pub optional: bool,
    /// Whether it would be read in place of the package itself, so that the rest is wanted only if this
    /// is not to be had.
    pub decides: bool,
}

/// How much of a package was read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// It is too large for that: what its modules are, and what is at its root.
    Listed,
    /// It is too large for that: one of its modules.
    Module(String),
}

impl Extent {
    /// Whether nothing was left out for its size.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// All that was found in one package.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extraction {
    /// A line on what the package is, as its manifest says it.
    pub summary: String,
    /// The public API; a parent comes before its children.
    pub items: Vec<Item>,
    /// The prose, most important first.
    pub prose: Vec<Chunk>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// What would complete it.
    pub wanted: Vec<Wanted>,
    /// Where the items are all that there is.
    pub surface: Surface,
    /// How much of the package it is about.
    pub extent: Extent,
}

impl Extraction {
    /// How much memory it takes, roughly: a little more is allocated than used.
    pub(crate) fn bytes(&self) -> u64 {
        let text = |texts: &[&str]| texts.iter().map(|text| text.len()).sum::<usize>();
        let items = self.items.iter().map(|item| {
            let aliases = item.aliases.iter().map(|(module, path)| 48 + text(&[module, path]));
            let own = text(&[&item.module, &item.path, &item.signature, &item.docs, &item.file]);
            size_of::<Item>() + own + aliases.sum::<usize>()
        });
        let prose = self.prose.iter().map(|chunk| {
            let headings = chunk.headings.iter().map(|heading| 24 + heading.len());
            size_of::<Chunk>() + text(&[&chunk.text, &chunk.file]) + headings.sum::<usize>()
        });
        (items.sum::<usize>() + prose.sum::<usize>()) as u64
    }
}
