//! Documentation that only the scripts of a package have.
//!
//! Types that the community wrote often say nothing about what they declare, while the comments in
//! the package itself do: defaults, units, remarks.

use super::link::Linker;
use super::{open, write};
use crate::extract::Input;
use crate::hashing::HashMap;
use crate::{Item, Kind, Text};

/// Gives items without documentation what the package's own scripts say under the same name.
pub(super) fn document(input: &Input<'_>, items: &mut [Item]) {
    let mut linker = Linker::new(input);
    linker.quiet = true;
    let entries = linker.manifests[0].entries(input.package, false);
    let modules = open(&mut linker, 0, &entries);
    let (scripts, _) = write(&mut linker, modules, 0);
    let documented = scripts.into_iter().filter(|item| !item.docs.is_empty());
    let mut docs: HashMap<String, Text> = HashMap::default();
    for item in documented.filter(|item| item.kind != Kind::Module) {
        // The comment of a constructor describes how to make one, which a reader of the class wants.
        if let Some(class) = item.path.strip_suffix(".constructor") {
            docs.entry(class.to_owned()).or_insert_with(|| item.docs.clone());
        }
        docs.entry(item.path).or_insert(item.docs);
    }
    let mut origins: HashMap<Text, Text> = HashMap::default();
    for item in items.iter_mut().filter(|item| item.docs.is_empty()) {
        if let Some(text) = docs.get(&item.path) {
            item.docs.clone_from(text);
            if let Some(origin) = &item.inherited {
                origins.entry(origin.clone()).or_insert_with(|| text.clone());
            }
        }
    }
    // What is inherited is found by its words where it is declared, whatever the scripts call that.
    for item in items.iter_mut().filter(|item| item.docs.is_empty() && item.inherited.is_none()) {
        if let Some(text) = origins.get(item.path.as_str()) {
            item.docs.clone_from(text);
        }
    }
}
