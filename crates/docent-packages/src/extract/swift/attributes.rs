//! The attributes and modifiers in front of a declaration.
//!
//! Fed by [`super::parse`]. What concerns the compiler only is dropped; what a user should know is
//! kept for the signature.

use super::availability::Availability;
use super::declaration::Access;

/// What stands before a declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefix {
    /// Attributes and modifiers that the signature shows, in order.
    pub(super) shown: Vec<String>,
    pub(super) access: Access,
    /// Whether only its own module may set it.
    pub(super) set_inside: bool,
    pub(super) availability: Availability,
    pub(super) hidden: bool,
    /// Whether an import is handed on.
    pub(super) exported: bool,
    /// Whether anything stands there at all.
    pub(super) any: bool,
}

/// Words that may stand before a declaration.
const MODIFIERS: &[&str] = &[
    "public",
    "open",
    "package",
    "internal",
    "fileprivate",
    "private",
    "static",
    "class",
    "final",
    "override",
    "required",
    "convenience",
    "lazy",
    "weak",
    "unowned",
    "mutating",
    "nonmutating",
    "dynamic",
    "optional",
    "indirect",
    "prefix",
    "postfix",
    "infix",
    "nonisolated",
    "isolated",
    "consuming",
    "borrowing",
    "__consuming",
    "distributed",
    "yielding",
];

/// Modifiers that say how a thing is made rather than how it is used.
const SILENT: &[&str] = &["final", "override", "lazy", "dynamic", "__consuming"];

/// Attributes for the compiler, for Objective-C, or for tools; so are all that begin with `_`.
const SILENT_ATTRIBUTES: &[&str] = &[
    "inlinable",
    "inline",
    "usableFromInline",
    "frozen",
    "objc",
    "objcMembers",
    "nonobjc",
    "backDeployed",
    "preconcurrency",
    "warn_unqualified_access",
    "implementationOnly",
    "testable",
    "lifetime",
    "unsafe",
    "safe",
    "specialized",
    "abi",
];

/// Whether a word may be a modifier.
pub(super) fn is_modifier(word: &str) -> bool {
    MODIFIERS.contains(&word)
}

impl Prefix {
    /// Takes in a modifier, with what follows it in brackets: `set`, `unsafe`.
    pub(super) fn modifier(&mut self, word: &str, detail: Option<&str>) {
        self.any = true;
        let access = match word {
            "public" | "open" => Some(Access::Public),
            "package" | "internal" | "fileprivate" | "private" => Some(Access::Internal),
            _ => None,
        };
        match (access, detail) {
            (Some(access), Some("set")) => self.set_inside = access == Access::Internal,
            (Some(access), _) => {
                self.access = access;
                if word == "open" {
                    self.shown.push(word.to_owned());
                }
            }
            (None, _) if SILENT.contains(&word) => {}
            (None, Some(detail)) => self.shown.push(format!("{word}({detail})")),
            (None, None) => self.shown.push(word.to_owned()),
        }
    }

    /// Takes in an attribute by its name, its text, and its arguments.
    pub(super) fn attribute(&mut self, name: &str, text: &str, arguments: &[String]) {
        self.any = true;
        let says = |words: &[&str]| {
            arguments.iter().any(|argument| words.iter().any(|word| argument.ends_with(word)))
        };
        match name {
            "available" => self.availability.add(arguments),
            "_exported" => self.exported = true,
            "_spi" => self.hidden = true,
            "_documentation" => {
                self.hidden |= says(&["internal", "private", "fileprivate", "package"]);
            }
            _ if name.starts_with('_') || SILENT_ATTRIBUTES.contains(&name) => {}
            _ => self.shown.push(text.to_owned()),
        }
    }
}
