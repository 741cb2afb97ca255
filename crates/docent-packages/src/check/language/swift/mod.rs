//! Swift: imports, types by their names, and the values whose types are evident.
//!
//! A name without a module in front may come from anywhere, so that little is evident: a type that
//! exactly one imported module declares, what is made of it by name, and variables and parameters
//! that say their type. [`text`] has the words of a file with their brackets, [`scopes`] what names
//! stand for, [`walk`] goes through the file. No parser is needed, and nothing goes by recursion.

mod declared;
mod scopes;
mod text;
mod walk;

pub(in crate::check) use declared::names as declared_names;

use super::Finder;
use crate::check::code::Language;
use crate::check::uses::Uses;

pub(super) struct Swift;

impl Finder for Swift {
    fn find(&self, source: &str, _: Language) -> Uses {
        let Some(text) = text::Text::of(source) else {
            return Uses::none("its brackets do not match");
        };
        let mut walk = walk::Walk::new(&text);
        walk.file();
        walk.uses
    }
}
