//! The modules that were read so far, each at most once, when somebody asks for it.
//!
//! What was parsed outlives them, for another look at the same files with more companions.
//! A module with a stub is read from the stub; its source is its twin, for the documentation. Stubs of
//! another distribution are about some version of this one: the source at hand has the last word, and
//! they are added to it.

use std::cell::RefCell;
use std::rc::Rc;

use super::layout::{Entry, Layout};
use super::module::{Identity, Module};
use super::stub;
use crate::extract::{Input, Package};
use crate::hashing::HashMap;
use crate::tree::file_name;

/// The position of a module among those that were read.
pub(super) type Id = usize;

/// The modules of files that were parsed, by the files: those of the source and of the stub, each with
/// the name of its package.
#[derive(Default)]
pub(super) struct Parsed(RefCell<HashMap<Files, Pair>>);

type Files = [Option<(String, String)>; 2];

/// A module, and its source if it was read from a stub.
type Pair = (Option<Rc<Module>>, Option<Rc<Module>>);

/// The modules of a distribution and its companions.
pub(super) struct Modules<'i, 'a> {
    input: &'i Input<'a>,
    pub(super) layout: Layout<'a>,
    parsed: &'i Parsed,
    ids: RefCell<HashMap<String, Option<Id>>>,
    read: RefCell<Vec<Rc<Module>>>,
    twins: RefCell<HashMap<Id, Id>>,
}

impl<'i, 'a> Modules<'i, 'a> {
    pub(super) fn new(input: &'i Input<'a>, layout: Layout<'a>, parsed: &'i Parsed) -> Self {
        Self {
            input,
            layout,
            parsed,
            ids: RefCell::default(),
            read: RefCell::default(),
            twins: RefCell::default(),
        }
    }

    /// The module of that name; `None` if there is none, or it cannot be read.
    pub(super) fn id(&self, name: &str) -> Option<Id> {
        if let Some(known) = self.ids.borrow().get(name) {
            return *known;
        }
        let id = self.read(name);
        self.ids.borrow_mut().insert(name.to_owned(), id);
        id
    }

    fn read(&self, name: &str) -> Option<Id> {
        let entry = self.layout.modules.get(name)?;
        let file = |package: &Package, file: &String| (package.name.clone(), file.clone());
        let files = [
            entry.source.as_ref().map(|path| file(entry.package, path)),
            entry.stub.as_ref().map(|(package, path)| file(package, path)),
        ];
        let known = self.parsed.0.borrow().get(&files).cloned();
        let (module, twin) = known.unwrap_or_else(|| {
            let pair = self.parse(name, entry);
            self.parsed.0.borrow_mut().insert(files, pair.clone());
            pair
        });
        let id = self.keep(module?);
        if let Some(twin) = twin {
            let twin = self.keep(twin);
            self.twins.borrow_mut().insert(id, twin);
        }
        Some(id)
    }

    fn parse(&self, name: &str, entry: &Entry<'_>) -> Pair {
        let read = |package, file: &str, has_stub| {
            let is_package = file_name(file).starts_with("__init__.");
            let identity = Identity { name, file, is_package, has_stub };
            Module::read(self.input, package, &identity)
        };
        let source = entry.source.as_deref();
        let source = source.and_then(|file| read(entry.package, file, entry.stub.is_some()));
        let stub = entry.stub.as_ref().and_then(|(package, file)| read(package, file, false));
        let foreign = entry.stub.as_ref().map(|(package, _)| *package);
        let foreign = foreign.filter(|package| package.name != entry.package.name);
        match (source, stub) {
            (Some(mut source), Some(mut stub)) if foreign.is_some() => {
                let limit = self.input.limits.nesting_max;
                stub::complete(&mut stub.scope, None, limit);
                stub::complete(&mut source.scope, None, limit);
                let whose = foreign.map_or("", |package| &package.name);
                stub::annotate(&mut source.scope, &stub.scope, whose, limit);
                (Some(Rc::new(source)), None)
            }
            (Some(source), Some(mut stub)) => {
                stub::complete(&mut stub.scope, Some(&source.scope), self.input.limits.nesting_max);
                (Some(Rc::new(stub)), Some(Rc::new(source)))
            }
            (one, other) => {
                let module = one.or(other).map(|mut module| {
                    stub::complete(&mut module.scope, None, self.input.limits.nesting_max);
                    Rc::new(module)
                });
                (module, None)
            }
        }
    }

    fn keep(&self, module: Rc<Module>) -> Id {
        let mut read = self.read.borrow_mut();
        read.push(module);
        read.len() - 1
    }

    pub(super) fn get(&self, id: Id) -> Rc<Module> {
        Rc::clone(&self.read.borrow()[id])
    }

    /// The attributes that code of the modules read so far gives to objects.
    pub(super) fn given(&self) -> Vec<String> {
        let read = self.read.borrow();
        read.iter().flat_map(|module| module.deeds.given.iter().cloned()).collect()
    }

    /// The source of a module that was read from a stub.
    pub(super) fn twin(&self, id: Id) -> Option<Id> {
        self.twins.borrow().get(&id).copied()
    }
}
