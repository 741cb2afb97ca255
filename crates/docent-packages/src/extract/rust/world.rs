//! Everything that was read: crates, their modules, and what is declared in them.
//!
//! Filled by `collect`, asked by `resolve`, written out by `write`. Things refer to each other by
//! position.

use std::rc::Rc;

use super::cfg::Presence;
use super::manifest::Manifest;
use crate::Kind;
use crate::extract::Package;
use crate::hashing::HashMap;

pub(super) type CrateId = usize;
pub(super) type ModuleId = usize;
pub(super) type DefId = usize;

/// All crates at hand.
#[derive(Default)]
pub(super) struct World {
    pub(super) crates: Vec<Crate>,
    pub(super) modules: Vec<Module>,
    pub(super) defs: Vec<Def>,
    pub(super) impls: Vec<Impl>,
}

pub(super) struct Crate {
    pub(super) package: Rc<Package>,
    pub(super) manifest: Manifest,
    pub(super) root: ModuleId,
}

/// What a name can stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Target {
    Module(ModuleId),
    Def(DefId),
}

/// The kinds of names that do not get in each other's way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spaces(u8);

impl Spaces {
    pub(super) const TYPES: Self = Self(1);
    pub(super) const VALUES: Self = Self(2);
    pub(super) const MACROS: Self = Self(4);
    pub(super) const TYPES_AND_VALUES: Self = Self(3);

    pub(super) fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

#[derive(Debug)]
pub(super) struct Module {
    pub(super) of: CrateId,
    pub(super) parent: Option<ModuleId>,
    pub(super) name: Rc<str>,
    pub(super) file: Rc<str>,
    pub(super) line: u32,
    pub(super) docs: String,
    pub(super) deprecated: Option<String>,
    pub(super) is_hidden: bool,
    /// What it needs, in words.
    pub(super) needs: Needs,
    pub(super) names: Vec<Named>,
    pub(super) imports: Vec<Rc<Import>>,
    /// Positions in `names`, by name.
    pub(super) by_name: HashMap<Rc<str>, Vec<usize>>,
    /// Positions in `imports`, by the name that they give; `None` for globs.
    pub(super) by_import: HashMap<Option<Rc<str>>, Vec<usize>>,
}

/// A name and what is declared under it.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: Rc<str>,
    pub(super) target: Target,
    pub(super) spaces: Spaces,
    pub(super) is_public: bool,
    pub(super) is_hidden: bool,
    pub(super) presence: Presence,
}

/// One leaf of a `use` declaration.
#[derive(Clone, Debug)]
pub(super) struct Import {
    /// An empty first segment stands for the leading `::`.
    pub(super) path: Vec<Rc<str>>,
    /// The name it gets here; `None` for a glob.
    pub(super) name: Option<Rc<str>>,
    pub(super) is_public: bool,
    pub(super) is_hidden: bool,
    pub(super) is_inline: bool,
    pub(super) is_extern_crate: bool,
    pub(super) presence: Presence,
    pub(super) docs: String,
    pub(super) deprecated: Option<String>,
    pub(super) needs: Needs,
    pub(super) file: Rc<str>,
    pub(super) line: u32,
}

/// What has to be turned on for something to be there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Needs(pub(super) Vec<String>);

impl Needs {
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut all = self.0.clone();
        all.extend(other.0.iter().filter(|need| !self.0.contains(need)).cloned());
        Self(all)
    }

    /// A sentence about it; empty if there is nothing to say.
    pub(super) fn note(&self) -> String {
        if self.0.is_empty() { String::new() } else { format!("Needs {}.", self.0.join(" and ")) }
    }
}

/// Something that is declared.
#[derive(Clone, Debug)]
pub(super) struct Def {
    pub(super) of: CrateId,
    pub(super) module: ModuleId,
    pub(super) name: Rc<str>,
    pub(super) kind: Kind,
    pub(super) signature: String,
    pub(super) docs: String,
    pub(super) deprecated: Option<String>,
    pub(super) file: Rc<str>,
    pub(super) line: u32,
    pub(super) needs: Needs,
    pub(super) is_hidden: bool,
    /// Whether it is a type of the language that the standard library documents.
    pub(super) is_primitive: bool,
    pub(super) members: Vec<Member>,
    /// The enum that it is a variant of.
    pub(super) owner: Option<DefId>,
    pub(super) variants: Vec<DefId>,
    /// What a type alias stands for, if that is a path.
    pub(super) stands_for: Option<Vec<Rc<str>>>,
    /// The traits that it implements, as they are written.
    pub(super) implements: Vec<String>,
    /// For a trait: the types that implement it.
    pub(super) implementors: Vec<String>,
}

/// Something that belongs to a type or a trait.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: Rc<str>,
    pub(super) kind: Kind,
    pub(super) signature: String,
    pub(super) docs: String,
    pub(super) deprecated: Option<String>,
    pub(super) file: Rc<str>,
    pub(super) line: u32,
    pub(super) needs: Needs,
    pub(super) presence: Presence,
}

/// One `impl` block.
#[derive(Clone, Debug)]
pub(super) struct Impl {
    pub(super) module: ModuleId,
    /// The type, if it is a path, a reference to one, or a trait object.
    pub(super) of: Vec<Rc<str>>,
    /// The type as it is written.
    pub(super) of_text: String,
    /// Whether it is for the type itself, rather than for references to it.
    pub(super) is_direct: bool,
    /// The trait as it is written, and its path.
    pub(super) trait_of: Option<(String, Vec<Rc<str>>)>,
    pub(super) is_negative: bool,
    pub(super) members: Vec<Member>,
}

impl World {
    pub(super) fn root_of(&self, module: ModuleId) -> ModuleId {
        self.crates[self.modules[module].of].root
    }

    /// Declares a name in a module. Where conditions give one name to several things, the one that is
    /// here counts.
    pub(super) fn declare(&mut self, module: ModuleId, named: Named) {
        let Module { names, by_name, .. } = &mut self.modules[module];
        let same = by_name.entry(Rc::clone(&named.name)).or_default();
        match same.iter().find(|&&at| names[at].spaces.meet(named.spaces)) {
            Some(&at) if names[at].presence > named.presence => names[at] = named,
            Some(_) => {}
            None => {
                same.push(names.len());
                names.push(named);
            }
        }
    }

    /// Adds an import to a module.
    pub(super) fn import(&mut self, module: ModuleId, import: Import) {
        let Module { imports, by_import, .. } = &mut self.modules[module];
        by_import.entry(import.name.clone()).or_default().push(imports.len());
        imports.push(Rc::new(import));
    }
}
