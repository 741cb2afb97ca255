//! The packages of a module, each read when it is first needed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::folders::{Folder, folders, module_path};
use super::package::{Package, load};
use crate::extract::Input;
use crate::hashing::HashMap;

/// Bytes of source that are read of one module.
const SOURCE_BYTES_MAX: u64 = 96 << 20;

/// All packages of a module.
pub(super) struct Modules<'a> {
    input: &'a Input<'a>,
    pub(super) folders: BTreeMap<String, Folder>,
    read: RefCell<HashMap<String, Option<Rc<Package>>>>,
    room: Cell<u64>,
    left: Cell<usize>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(input: &'a Input<'a>) -> Self {
        Self {
            input,
            folders: folders(
                &module_path(&input.package.name, &input.package.tree),
                &input.package.tree,
            ),
            read: RefCell::default(),
            room: Cell::new(SOURCE_BYTES_MAX),
            left: Cell::new(0),
        }
    }

    /// The package of that import path, if it is one of this module.
    pub(super) fn get(&self, path: &str) -> Option<Rc<Package>> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let folder = self.folders.get(path)?;
        let bytes: u64 =
            folder.sources.iter().map(|file| self.input.package.tree.bytes(file)).sum();
        let package = match self.room.get().checked_sub(bytes) {
            Some(room) => {
                self.room.set(room);
                load(self.input, path, folder).map(Rc::new)
            }
            None => {
                self.left.set(self.left.get() + 1);
                None
            }
        };
        self.read.borrow_mut().insert(path.to_owned(), package.clone());
        package
    }

    /// How many packages were not read because there is too much of them.
    pub(super) fn left(&self) -> usize {
        self.left.get()
    }
}
