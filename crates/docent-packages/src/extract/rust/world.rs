//! Everything that was read: crates, their modules, and what is declared in them.
//!
//! Filled by `collect`, asked by `resolve`, written out by `write`. Things refer to each other by
//! position.

use std::rc::Rc;

use super::cfg::Presence;
use super::manifest::Manifest;
use super::returned::Returned;
use crate::Kind;
use crate::extract::Package;
use crate::hashing::{HashMap, HashSet};

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
    /// Names in calls of macros that were not understood, which may say anything about them.
    pub(super) mentioned: HashSet<Rc<str>>,
    /// Whether code was left out that may say anything about everything.
    pub(super) is_open: bool,
}

/// What may be there beside what was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts {
    /// Whether that may be anything.
    pub(super) is_open: bool,
    /// Names that are hidden, or there under conditions that do not hold.
    pub(super) names: Vec<Rc<str>>,
    /// Parts of names that macros may make.
    pub(super) stems: Vec<Rc<str>>,
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
    /// Types of the language, which modules of the same names stand beside.
    pub(super) const PRIMITIVES: Self = Self(8);

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
    pub(super) doubts: Doubts,
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
pub(super) struct Needs {
    /// Features and platforms, in words.
    pub(super) words: Vec<String>,
    /// The feature of the standard library that only nightly compilers have.
    pub(super) unstable: Option<String>,
}

impl Needs {
    /// Both; where both ask for an unstable feature, that of the first counts.
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut words = self.words.clone();
        words.extend(other.words.iter().filter(|need| !self.words.contains(need)).cloned());
        Self { words, unstable: self.unstable.clone().or_else(|| other.unstable.clone()) }
    }

    /// What is needed that is not needed anyway.
    pub(super) fn beyond(&self, already: &Self) -> Self {
        let words = self.words.iter().filter(|need| !already.words.contains(need)).cloned();
        let unstable = self.unstable.clone().filter(|_| self.unstable != already.unstable);
        Self { words: words.collect(), unstable }
    }

    /// A sentence about it; empty if there is nothing to say.
    pub(super) fn note(&self) -> String {
        let unstable = self.unstable.iter().map(|name| format!("the unstable feature `{name}`"));
        let all: Vec<String> = self.words.iter().cloned().chain(unstable).collect();
        if all.is_empty() { String::new() } else { format!("Needs {}.", all.join(" and ")) }
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
    pub(super) doubts: Doubts,
    /// Whether its values can be used as those of another type.
    pub(super) derefs: bool,
    /// The fields that it is made with, public or not, if they have names.
    pub(super) fields: Option<Vec<Rc<str>>>,
    /// The type of what it returns, or of its value.
    pub(super) returned: Option<Returned>,
}

/// Something that belongs to a type or a trait.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The crate that it is written in, which for types of the language is not that of the type.
    pub(super) of: CrateId,
    pub(super) name: Rc<str>,
    pub(super) kind: Kind,
    pub(super) signature: String,
    pub(super) docs: String,
    pub(super) deprecated: Option<String>,
    pub(super) file: Rc<str>,
    pub(super) line: u32,
    pub(super) needs: Needs,
    pub(super) presence: Presence,
    pub(super) is_hidden: bool,
    pub(super) returned: Option<Returned>,
}

impl Member {
    /// Whether documentation shows it.
    pub(super) fn is_shown(&self) -> bool {
        !self.is_hidden && self.presence != Presence::Never
    }
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
    /// Whether it is there under no conditions that are known.
    pub(super) is_never: bool,
    /// Whether macros may add to it.
    pub(super) is_open: bool,
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

    /// Gives a declaration its members; of those that are not shown, only the names are kept.
    pub(super) fn give(&mut self, def: DefId, members: Vec<Member>) {
        let (shown, rest): (Vec<Member>, Vec<Member>) =
            members.into_iter().partition(Member::is_shown);
        let def = &mut self.defs[def];
        def.doubts.names.extend(rest.into_iter().map(|member| member.name));
        def.members.extend(shown);
    }

    /// Adds an import to a module.
    pub(super) fn import(&mut self, module: ModuleId, import: Import) {
        let Module { imports, by_import, .. } = &mut self.modules[module];
        by_import.entry(import.name.clone()).or_default().push(imports.len());
        imports.push(Rc::new(import));
    }
}
