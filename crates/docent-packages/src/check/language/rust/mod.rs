//! Rust: imports, paths, methods and fields on values whose type the code itself says.
//!
//! `scopes` says what a name stands for, `walk` goes through the code and `chain` says what an
//! expression is a use of; `given` reads what macros are given, as far as that is expressions.

mod chain;
mod given;
mod scopes;
mod walk;

use ra_ap_syntax::Edition;

use super::Finder;
use crate::check::code::Language;
use crate::check::uses::Uses;
use crate::extract::rust::syntax::build;
use walk::Walk;

pub(super) struct Rust;

/// The editions that a text is tried in: words that are reserved in one are names in another.
const EDITIONS: [Edition; 3] = [Edition::Edition2021, Edition::Edition2024, Edition::Edition2015];

/// Makes statements without a function around them a file.
const BEFORE: &str = "fn main() {\n";
const AFTER: &str = "\n}";

impl Finder for Rust {
    fn find(&self, text: &str, _: Language) -> Uses {
        let wrapped = [BEFORE, text, AFTER].concat();
        for edition in EDITIONS {
            for (text, before) in [(text, 0), (wrapped.as_str(), BEFORE.len())] {
                let (file, is_good) = build(text, edition);
                if is_good {
                    return Walk::new(edition).file(&file, before);
                }
            }
        }
        Uses::none("it has syntax errors")
    }
}
