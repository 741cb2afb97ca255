//! Types that a package declares and does not export, though its public signatures mention them.
//!
//! `cors(options?: CORSOptions)` is of little use to a reader who cannot see `CORSOptions`. Such types
//! become items too, marked as local.

use super::declare::Writer;
use super::link::Target;
use super::program::{DeclarationKind, Import, SymbolId};
use crate::hashing::HashSet;
use crate::{Item, Kind, Text};

/// How many local types one package can have.
const LOCALS_MAX: usize = 500;

/// The words of a signature that begin with a capital letter, as types do.
fn capitalized(signature: &str) -> impl Iterator<Item = &str> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    let words = signature.as_bytes().split(move |&byte| !is_word(byte));
    let words = words.filter(|word| {
        word.first().is_some_and(|&first| first.is_ascii_uppercase() || first >= 0x80)
    });
    let words = words.filter_map(|word| std::str::from_utf8(word).ok());
    words.filter(|word| word.starts_with(char::is_uppercase))
}

impl Writer<'_, '_> {
    /// Notes what the items from `first` on mention, as the file of their symbol understands it.
    pub(super) fn mention(
        &mut self,
        symbol: SymbolId,
        first: usize,
        module: &Text,
        module_item: u32,
    ) {
        if self.mentioned.len() >= LOCALS_MAX {
            return;
        }
        // What a class is derived from, or what a value is of, has given its members already.
        let has_told =
            |kind| matches!(kind, Kind::Class | Kind::Interface | Kind::Constant | Kind::Variable);
        let own = self.items[first..].iter();
        let own = own.filter(|item| item.inherited.is_none() && !has_told(item.kind));
        let program = &self.linker.program;
        let scope = program.symbols[symbol].scope;
        let is_near = |known: SymbolId| match &program.symbols[known].import {
            None => true,
            Some(Import::Named { module, .. }) => module.starts_with('.'),
            Some(_) => false,
        };
        let words = own.flat_map(|item| capitalized(&item.signature));
        let known = words.filter_map(|word| Some((word, *program.scopes[scope].names.get(word)?)));
        let mut near: Vec<&str> =
            known.filter(|(_, known)| is_near(*known)).map(|(word, _)| word).collect();
        near.sort_unstable();
        near.dedup();
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        for word in near {
            if let Some(Target::Symbol(target)) = self.linker.lookup(scope, &word) {
                let types = self.linker.program.symbols[target].declarations.iter();
                let mut types = types.map(|declaration| declaration.kind);
                let is_type = types.any(|kind| {
                    use DeclarationKind::{Class, Enum, Interface, TypeAlias};
                    matches!(kind, Class | Enum | Interface | TypeAlias)
                });
                if is_type && !self.linker.placed.contains(&target) {
                    self.mentioned.push((target, module.clone(), module_item));
                }
            }
        }
    }

    /// Writes the items of what was mentioned and has none, and of what those mention.
    pub(super) fn locals(&mut self) {
        if self.mentioned.is_empty() {
            return;
        }
        // What is declared in a file has a name without dots.
        let outer = self.items.iter().filter(|item| !item.path.contains('.'));
        let mut taken: HashSet<(Text, String)> =
            outer.map(|item| (item.module.clone(), item.path.clone())).collect();
        let mut next = 0;
        while next < self.mentioned.len().min(LOCALS_MAX) {
            let (symbol, module, module_item) = self.mentioned[next].clone();
            next += 1;
            let path = self.linker.public_name(symbol).to_string();
            let is_written = self.written.contains_key(&Target::Symbol(symbol));
            if is_written || !taken.insert((module.clone(), path.clone())) {
                continue;
            }
            let first = self.items.len();
            let parent = Some(module_item);
            self.symbol(symbol, Item { module: module.clone(), path, parent, ..Item::default() });
            for item in &mut self.items[first..] {
                item.local = true;
            }
            self.mention(symbol, first, &module, module_item);
        }
    }
}
