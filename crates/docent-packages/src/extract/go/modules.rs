//! The packages of a module, each read when it is first needed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::constraint::is_looked_at;
use super::folders::{Folder, folders, module_path};
use super::package::{Package, load};
use crate::extract::{self, Input};
use crate::hashing::HashMap;
use crate::{Extent, Wanted};

/// Packages of other modules that are asked for.
const WANTED_MAX: usize = 12;

/// All packages of a module.
pub(super) struct Modules<'a> {
    input: &'a Input<'a>,
    /// The import path of the package at its root, whether or not there is one.
    pub(super) root: String,
    pub(super) folders: BTreeMap<String, Folder>,
    /// How much of it is read.
    pub(super) extent: Extent,
    read: RefCell<HashMap<String, Option<Rc<Package>>>>,
    room: Cell<u64>,
    left: Cell<usize>,
    wanted: RefCell<Vec<Wanted>>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(input: &'a Input<'a>) -> Self {
        let root = module_path(&input.package.name, &input.package.tree);
        let folders = folders(&root, &input.package.tree);
        let extent = extent(input, &folders);
        Self {
            input,
            folders,
            extent,
            root,
            read: RefCell::default(),
            room: Cell::new(input.limits.module_source_bytes_max),
            left: Cell::new(0),
            wanted: RefCell::default(),
        }
    }

    /// The package of that import path, if it is one of this module.
    pub(super) fn get(&self, path: &str) -> Option<Rc<Package>> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let folder = self.folders.get(path)?;
        let package = match self.room.get().checked_sub(bytes(self.input, folder)) {
            Some(room) => {
                self.room.set(room);
                load(self.input, self.input.package, path, folder).map(Rc::new)
            }
            None => {
                self.left.set(self.left.get() + 1);
                None
            }
        };
        self.read.borrow_mut().insert(path.to_owned(), package.clone());
        package
    }

    /// The package of that import path, wherever it is: a module that embeds the types of another has
    /// their members. One that is not at hand is wanted.
    pub(super) fn find(&self, path: &str) -> Option<Rc<Package>> {
        if self.is_own(path) {
            return self.get(path);
        }
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let found = self.elsewhere(path);
        self.read.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }

    fn elsewhere(&self, path: &str) -> Option<Rc<Package>> {
        let holding = |home: &Rc<extract::Package>| {
            let found = folders(&module_path(&home.name, &home.tree), &home.tree).remove(path)?;
            load(self.input, home, path, &found).map(Rc::new)
        };
        let at_hand = self.input.packages();
        if let Some(found) = at_hand.iter().skip(1).find_map(holding) {
            return Some(found);
        }
        if self.wanted.borrow().len() >= WANTED_MAX {
            return None;
        }
        let wanted = Wanted {
            name: path.to_owned(),
            requirement: None,
            wanted_by: self.input.package.name.clone(),
            optional: true,
            decides: false,
        };
        let found = self.input.open(&wanted).as_ref().and_then(holding);
        if found.is_none() {
            self.wanted.borrow_mut().push(wanted);
        }
        found
    }

    /// Whether a package is one of this module.
    pub(super) fn is_own(&self, path: &str) -> bool {
        self.folders.contains_key(path)
    }

    /// Whether a package of this module is one that has to be asked for by itself.
    pub(super) fn is_apart(&self, path: &str) -> bool {
        match &self.extent {
            Extent::Whole => false,
            Extent::Listed => path != self.root,
            Extent::Module(part) => path != part,
        }
    }

    /// The import paths of all packages, if the files at hand are the whole module.
    pub(super) fn listed(&self) -> Option<Vec<String>> {
        let is_whole = self.input.package.tree.bytes("go.mod") > 0;
        is_whole.then(|| self.folders.keys().cloned().collect())
    }

    /// Packages of others that would complete the picture.
    pub(super) fn wanted(&self) -> Vec<Wanted> {
        self.wanted.take()
    }

    /// How many packages were not read because there is too much of them.
    pub(super) fn left(&self) -> usize {
        self.left.get()
    }
}

/// All of a module, or what of it can be read if that is too much.
fn extent(input: &Input<'_>, folders: &BTreeMap<String, Folder>) -> Extent {
    let public = folders.values().filter(|folder| folder.is_public);
    let bytes = public.fold(0u64, |sum, folder| sum.saturating_add(bytes(input, folder)));
    if bytes <= input.limits.module_source_bytes_max {
        return Extent::Whole;
    }
    let part = input.part.filter(|part| folders.get(*part).is_some_and(|folder| folder.is_public));
    part.map_or(Extent::Listed, |part| Extent::Module(part.to_owned()))
}

/// Bytes of the files that are looked at; those for rare platforms are not.
fn bytes(input: &Input<'_>, folder: &Folder) -> u64 {
    let files = folder.sources.iter().filter(|file| is_looked_at(file));
    files.map(|file| input.package.tree.bytes(file)).fold(0, u64::saturating_add)
}
