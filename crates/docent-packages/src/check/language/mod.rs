//! What a language has to tell: from a text to what it uses of packages.
//!
//! To add one: a file here that implements [`Finder`], a row in [`finder`], and one in
//! [`super::code`]. Everything else is shared, and judged by what extraction vouches for.

mod go;
mod python;
mod rust;
mod script;
pub(super) mod swift;

use super::code::Language;
use super::uses::Uses;
use crate::Limits;

/// One language.
pub(super) trait Finder: Sync {
    /// What a text uses. It has passed the check of its size and its nesting.
    fn find(&self, text: &str, language: Language) -> Uses;
}

fn finder(language: Language) -> &'static dyn Finder {
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => &script::Script,
        Language::Python => &python::Python,
        Language::Go => &go::Go,
        Language::Swift => &swift::Swift,
        Language::Rust => &rust::Rust,
    }
}

/// What a text uses of packages; nothing, with the reason, if it cannot be parsed safely.
pub(crate) fn find(text: &str, language: Language, limits: &Limits) -> Uses {
    if text.len() > limits.code_bytes_max {
        return Uses::none("it is longer than the limit");
    }
    if crate::nesting::too_deep(language.file(), text, limits.nesting_max) {
        return Uses::none("it nests deeper than the limit");
    }
    finder(language).find(text, language)
}
