//! What functions take and return, where it is a type that has an item.
//!
//! A part of [`super::certain`], fed by [`super::typing`] with the names of the types.

use std::rc::Rc;

use super::declare::Writer;
use super::program::ScopeId;
use super::typing::{self, Signature};
use crate::hashing::HashMap;
use crate::{Kind, Surface, Text};

impl Writer<'_, '_> {
    /// Adds what is known of all functions and values that were written.
    pub(super) fn types(&mut self, surface: &mut Surface) {
        let mut scopes: HashMap<Text, ScopeId> = HashMap::default();
        for file in 0..self.linker.program.files.len() {
            let scope = self.linker.program.files[file].scope;
            scopes.insert(self.file_name(file), scope);
        }
        // What is inherited has the signature that it is declared with, and neighbors have one parent.
        let mut signatures: HashMap<(usize, usize), Option<Rc<Typed>>> = HashMap::default();
        let mut generics: (Option<u32>, Vec<String>) = (None, Vec::new());
        let mut types = Types { known: HashMap::default() };
        for at in 0..self.items.len() {
            let item = &self.items[at];
            let is_typed = matches!(
                item.kind,
                Kind::Function | Kind::Method | Kind::Property | Kind::Constant | Kind::Variable
            );
            if !is_typed {
                continue;
            }
            let place = (item.signature.as_ptr().addr(), item.signature.len());
            let typed = signatures.entry(place).or_insert_with(|| {
                let scope = *scopes.get(&item.file)?;
                Some(Rc::new(Typed { scope, signature: Signature::of(&item.signature)? }))
            });
            let Some(typed) = typed.as_ref().map(Rc::clone) else { continue };
            if generics.0 != item.parent {
                let parent = item.parent.map(|parent| &self.items[parent as usize].signature);
                let names = parent.map(|parent| typing::generics(parent)).unwrap_or_default();
                generics = (item.parent, names);
            }
            let (parent, at) = (item.parent, u32::try_from(at).unwrap_or(u32::MAX));
            let mut find = |name: &str| match generics.1.iter().any(|generic| generic == name) {
                true => None,
                false => types.find(self, typed.scope, name),
            };
            let Signature { takes, returns, awaited, returns_for, .. } = &typed.signature;
            if *awaited {
                surface.awaited.push(at);
            }
            match returns.as_deref() {
                Some("this") => surface.returns.extend(parent.map(|parent| (at, parent))),
                Some(name) => surface.returns.extend(find(name).map(|of| (at, of))),
                None => {}
            }
            for (count, name) in returns_for {
                let of = if name == "this" { parent } else { find(name) };
                surface.returns_for.extend(of.map(|of| (at, *count, of)));
            }
            for (position, name) in (0u32..).zip(takes) {
                let of = name.as_deref().and_then(&mut find);
                surface.takes.extend(of.map(|of| (at, position, of)));
            }
        }
    }
}

/// A signature and where its names are looked up.
struct Typed {
    scope: ScopeId,
    signature: Signature,
}

/// The items of the types that names stand for.
struct Types {
    known: HashMap<ScopeId, HashMap<String, Option<u32>>>,
}

impl Types {
    fn find(&mut self, writer: &mut Writer<'_, '_>, scope: ScopeId, name: &str) -> Option<u32> {
        let known = self.known.entry(scope).or_default();
        if let Some(known) = known.get(name) {
            return *known;
        }
        let path: Vec<Rc<str>> = name.split('.').map(Into::into).collect();
        let quiet = std::mem::replace(&mut writer.linker.quiet, true);
        let target = writer.linker.lookup_path(scope, &path);
        writer.linker.quiet = quiet;
        let item = target.and_then(|target| writer.written.get(&target).copied());
        known.insert(name.to_owned(), item);
        item
    }
}
