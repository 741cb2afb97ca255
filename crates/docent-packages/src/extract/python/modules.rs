//! The modules that were read so far, each at most once, when somebody asks for it.
//!
//! A module with a stub is read from the stub; its source is its twin, for the documentation. Stubs of
//! another distribution are about some version of this one: the source at hand has the last word, and
//! they are added to it.

use std::cell::RefCell;
use std::rc::Rc;

use super::layout::Layout;
use super::module::{Identity, Module};
use super::stub;
use crate::extract::Input;
use crate::hashing::HashMap;

/// The position of a module among those that were read.
pub(super) type Id = usize;

/// The modules of a distribution and its companions.
pub(super) struct Modules<'i, 'a> {
    input: &'i Input<'a>,
    pub(super) layout: Layout<'a>,
    ids: RefCell<HashMap<String, Option<Id>>>,
    read: RefCell<Vec<Rc<Module>>>,
    twins: RefCell<HashMap<Id, Id>>,
}

impl<'i, 'a> Modules<'i, 'a> {
    pub(super) fn new(input: &'i Input<'a>, layout: Layout<'a>) -> Self {
        Self {
            input,
            layout,
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
        let read = |package, file: &str| {
            let identity = Identity { name, file, is_package: entry.is_package };
            Module::read(self.input, package, &identity)
        };
        let source = entry.source.as_deref().and_then(|file| read(entry.package, file));
        let stub = entry.stub.as_ref().and_then(|(package, file)| read(package, file));
        let foreign = entry.stub.as_ref().map(|(package, _)| *package);
        let foreign = foreign.filter(|package| package.name != entry.package.name);
        match (source, stub) {
            (Some(mut source), Some(mut stub)) if foreign.is_some() => {
                let limit = self.input.limits.nesting_max;
                stub::complete(&mut stub.scope, None, limit);
                stub::complete(&mut source.scope, None, limit);
                let whose = foreign.map_or("", |package| &package.name);
                stub::annotate(&mut source.scope, &stub.scope, whose, limit);
                Some(self.keep(source))
            }
            (Some(source), Some(mut stub)) => {
                stub::complete(&mut stub.scope, Some(&source.scope), self.input.limits.nesting_max);
                let stub = self.keep(stub);
                let source = self.keep(source);
                self.twins.borrow_mut().insert(stub, source);
                Some(stub)
            }
            (one, other) => one.or(other).map(|mut module| {
                stub::complete(&mut module.scope, None, self.input.limits.nesting_max);
                self.keep(module)
            }),
        }
    }

    fn keep(&self, module: Module) -> Id {
        let mut read = self.read.borrow_mut();
        read.push(Rc::new(module));
        read.len() - 1
    }

    pub(super) fn get(&self, id: Id) -> Rc<Module> {
        Rc::clone(&self.read.borrow()[id])
    }

    /// The source of a module that was read from a stub.
    pub(super) fn twin(&self, id: Id) -> Option<Id> {
        self.twins.borrow().get(&id).copied()
    }
}
