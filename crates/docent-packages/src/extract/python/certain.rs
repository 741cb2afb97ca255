//! Where everything is known: modules and classes without surprises, functions without `**kwargs`.
//!
//! A part of [`super::items`]'s writer. A module that has `__getattr__`, a class with a base that is
//! not here, a decorator that may do anything: none of these is vouched for.

use super::dynamic::Deeds;
use super::items::Writer;
use super::link::{Def, Target};
use super::modules::Id;
use super::scope::{Binding, Class, Function, What};
use super::text::last;
use crate::Whole;
use crate::hashing::HashSet;
use crate::tree::folder;

/// How far stars and bases are followed.
const DEEP_MAX: usize = 32;

/// Metaclasses that add no attributes.
const METACLASSES: &[&str] = &["ABCMeta", "EnumMeta", "EnumType"];

/// Bases of the language itself, with the attributes that they bring.
const STANDARD: &[(&str, &[&str])] = &[
    ("object", &[]),
    ("ABC", &["register"]),
    ("Generic", &[]),
    ("Protocol", &[]),
    ("Hashable", &[]),
    ("Sized", &[]),
    ("Enum", ENUM),
    ("Flag", ENUM),
    ("BaseException", EXCEPTION),
    ("Exception", EXCEPTION),
    ("ArithmeticError", EXCEPTION),
    ("AssertionError", EXCEPTION),
    ("DeprecationWarning", EXCEPTION),
    ("IndexError", EXCEPTION),
    ("KeyError", EXCEPTION),
    ("LookupError", EXCEPTION),
    ("NotImplementedError", EXCEPTION),
    ("RuntimeError", EXCEPTION),
    ("RuntimeWarning", EXCEPTION),
    ("TypeError", EXCEPTION),
    ("UserWarning", EXCEPTION),
    ("ValueError", EXCEPTION),
    ("Warning", EXCEPTION),
];
const EXCEPTION: &[&str] = &["add_note", "args", "with_traceback"];
const ENUM: &[&str] = &["mro", "name", "value"];

/// Standard bases with which a class is made like any other.
const ORDINARY: &[&str] = &["object", "ABC", "Generic"];

/// Modules that the standard bases come from.
const STANDARD_MODULES: &[&str] =
    &["abc", "builtins", "collections.abc", "enum", "typing", "typing_extensions"];

/// What is certain about calls of a function.
#[derive(Clone, Default)]
pub(super) struct Call {
    keywords: Option<Vec<String>>,
    returns: Option<Returned>,
    awaited: bool,
}

#[derive(Clone, Copy)]
enum Returned {
    /// An object of the class that the method is called on.
    Own,
    Of(Def),
}

/// All names of a class and its ancestors, as they are collected.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    /// The class and its ancestors as far as they are defined here, nearest first.
    classes: Vec<(Id, Option<Def>)>,
    is_ordinary: bool,
}

impl Writer<'_, '_, '_> {
    /// Vouches for a module, if nothing of it is out of sight.
    pub(super) fn vouch_module(&mut self, id: Id, item: u32) {
        let mut names = Vec::new();
        let mut seen = HashSet::default();
        if self.module_names(id, &mut seen, &mut names) {
            names.sort_unstable();
            names.dedup();
            self.found.surface.members.push(Whole { item, names });
        }
    }

    fn module_names(&self, id: Id, seen: &mut HashSet<Id>, names: &mut Vec<String>) -> bool {
        let module = self.linker.modules.get(id);
        if !seen.insert(id) {
            return true;
        }
        let Deeds { sets_globals, globals, .. } = &module.deeds;
        let has = |name: &str| module.scope.get(name).is_some();
        if seen.len() > DEEP_MAX
            || module.is_broken
            || *sets_globals
            || has("__getattr__")
            || has("__path__")
        {
            return false;
        }
        let bound = module.scope.bindings.iter();
        let bound = bound.filter(|binding| !matches!(binding.what, What::Deleted));
        names.extend(bound.map(|binding| binding.name.clone()));
        names.extend(globals.iter().cloned());
        names.extend(module.registered.iter().map(|(name, _)| last(name).to_owned()));
        if module.is_package {
            self.submodules(&module.file, names);
        }
        for from in &module.stars {
            let Some(from) = self.linker.modules.id(from) else { return false };
            if !self.module_names(from, seen, names) {
                return false;
            }
        }
        match self.linker.modules.twin(id) {
            Some(twin) => self.module_names(twin, seen, names),
            // What is compiled may have more than its stub says.
            None => !module.is_stub,
        }
    }

    /// All that lies in the folder of a package, compiled modules too.
    fn submodules(&self, file: &str, names: &mut Vec<String>) {
        let prefix = format!("{}/", folder(file));
        for path in self.tree.paths_under(&prefix) {
            let first = path[prefix.len()..].split(['/', '.']).next().unwrap_or_default();
            if names.last().is_none_or(|known| known != first) {
                names.push(first.to_owned());
            }
        }
    }

    /// Vouches for the members of a class, and for what it can be made with. The items from
    /// `item` on are those of the class.
    pub(super) fn vouch_class(
        &mut self,
        module: Id,
        def: Option<Def>,
        binding: &Binding,
        class: &Class,
        item: u32,
    ) {
        if let Some(def) = def {
            self.found.class_items.entry(def).or_insert(item);
        }
        for name in ["__enter__", "__aenter__"] {
            if let Some(What::Function(function)) =
                class.members.get(name).map(|binding| &binding.what)
                && function.returns_self
            {
                self.found.surface.enters.push(item);
                break;
            }
        }
        let mut names = Names { is_ordinary: true, ..Names::default() };
        if binding.is_rebound || !self.class_names(module, def, class, 0, &mut names) {
            return;
        }
        if let Some(keywords) = self.constructor(class, &names) {
            self.found.surface.keywords.push(Whole { item, names: keywords });
        }
        let first = (item as usize + 1).min(self.found.items.len());
        let own = self.found.items[first..].iter().filter(|one| one.parent == Some(item));
        let shown: HashSet<&str> = own.map(crate::Item::name).collect();
        names.all.retain(|name| !shown.contains(name.as_str()));
        names.all.sort_unstable();
        names.all.dedup();
        self.found.surface.members.push(Whole { item, names: names.all });
    }

    fn class_names(
        &self,
        id: Id,
        def: Option<Def>,
        class: &Class,
        deep: usize,
        names: &mut Names,
    ) -> bool {
        let module = self.linker.modules.get(id);
        let by_metaclass = class.metaclass.as_ref();
        let has = |name: &str| class.members.get(name).is_some();
        if deep > DEEP_MAX
            || module.is_broken
            || module.deeds.sets_others
            || !class.is_plain
            || by_metaclass.is_some_and(|name| !METACLASSES.contains(&last(name)))
            || has("__getattr__")
            || has("__getattribute__")
        {
            return false;
        }
        names.classes.push((id, def));
        names.all.extend(class.members.bindings.iter().map(|member| member.name.clone()));
        names.all.extend(class.attributes.iter().cloned());
        for base in &class.bases {
            let standard = match self.linker.dotted(id, base) {
                Target::Def(base) => {
                    let home = self.linker.modules.get(base.module);
                    let binding = &home.scope.bindings[base.at];
                    let What::Class(class) = &binding.what else { return false };
                    if binding.is_rebound
                        || !self.class_names(base.module, Some(base), class, deep + 1, names)
                    {
                        return false;
                    }
                    continue;
                }
                Target::Elsewhere { module, attr: Some(attr) }
                    if STANDARD_MODULES.contains(&module.as_str()) =>
                {
                    attr
                }
                Target::Unknown if !base.contains('.') => base.clone(),
                _ => return false,
            };
            let Some((_, more)) = STANDARD.iter().find(|(name, _)| *name == standard) else {
                return false;
            };
            names.is_ordinary &= ORDINARY.contains(&standard.as_str());
            names.all.extend(more.iter().map(|&name| name.to_owned()));
        }
        if !module.is_stub {
            return true;
        }
        // What the stub of a class leaves out is in its source, if that is here.
        let source = def.and_then(|def| {
            let name = &module.scope.bindings[def.at].name;
            self.source(def, name, 0)
        });
        source.is_some_and(|source| {
            let home = self.linker.modules.get(source.module);
            match &home.scope.bindings[source.at].what {
                What::Class(class) if !home.is_stub => {
                    self.class_names(source.module, Some(source), class, deep + 1, names)
                }
                _ => false,
            }
        })
    }

    /// The keywords that a class can be called with, all of whose ancestors are known.
    fn constructor(&self, class: &Class, names: &Names) -> Option<Vec<String>> {
        if !names.is_ordinary || class.makes_records {
            return None;
        }
        let mut fields: Vec<String> = Vec::new();
        let mut is_record = false;
        let of = |def: Def| {
            let home = self.linker.modules.get(def.module);
            match &home.scope.bindings[def.at].what {
                What::Class(class) => Some((**class).constructed()),
                _ => None,
            }
        };
        let own = std::iter::once(Some(class.constructed()));
        let others = names.classes.iter().skip(1).map(|(_, def)| def.and_then(of));
        for made in own.chain(others) {
            let made = made?;
            if made.makes_records {
                return None;
            }
            match made.function {
                Some((keywords, is_closed)) if !is_record => {
                    return is_closed.then_some(keywords);
                }
                _ => {}
            }
            is_record |= made.is_record;
            fields.extend(made.fields);
        }
        is_record.then_some(fields).or(Some(Vec::new()))
    }

    /// What is certain about calls of a function that a module or class binds.
    pub(super) fn call(&self, module: Id, binding: &Binding, function: &Function) -> Call {
        if binding.is_rebound {
            return Call::default();
        }
        let keywords = function.is_closed.then(|| function.keywords.clone());
        let returns = match function.returns.as_deref() {
            _ if function.returns_self => Some(Returned::Own),
            Some("Self" | "typing.Self" | "typing_extensions.Self") => Some(Returned::Own),
            Some(name) => match self.linker.dotted(module, name) {
                Target::Def(def) => Some(Returned::Of(def)),
                _ => None,
            },
            None => None,
        };
        Call { keywords, returns, awaited: function.text.starts_with("async ") }
    }

    /// Vouches for a function.
    pub(super) fn vouch_call(&mut self, item: u32, owner: Option<u32>, call: &Call) {
        if let Some(names) = &call.keywords {
            self.found.surface.keywords.push(Whole { item, names: names.clone() });
        }
        if call.awaited {
            self.found.surface.awaited.push(item);
        }
        match (call.returns, owner) {
            (Some(Returned::Own), Some(owner)) => self.found.surface.returns.push((item, owner)),
            (Some(Returned::Of(def)), _) => self.found.returned.push((item, def)),
            _ => {}
        }
    }

    /// What the modules that were read do to objects of others.
    pub(super) fn vouch_rest(&mut self) {
        let items = &self.found.class_items;
        let returned = self.found.returned.iter();
        let returned = returned.filter_map(|(item, def)| Some((*item, *items.get(def)?)));
        self.found.surface.returns.extend(returned);
        self.found.surface.returns.sort_unstable();
        let mut given = self.linker.modules.given();
        given.sort_unstable();
        given.dedup();
        self.found.surface.given = given;
    }
}

/// What a class says about how it is made.
struct Constructed {
    /// The keywords of its constructor, and whether it takes no others.
    function: Option<(Vec<String>, bool)>,
    is_record: bool,
    makes_records: bool,
    fields: Vec<String>,
}

impl Class {
    fn constructed(&self) -> Constructed {
        let function = ["__init__", "__new__"].iter().find_map(|name| {
            let binding = self.members.get(name)?;
            Some(match &binding.what {
                What::Function(function) => {
                    (function.keywords.clone(), function.is_closed && !binding.is_rebound)
                }
                _ => (Vec::new(), false),
            })
        });
        let bound = self.members.bindings.iter();
        let bound = bound.filter(|member| matches!(member.what, What::Variable(_)));
        // A record may call `_name` both `_name` and `name`.
        let fields = bound.flat_map(|member| {
            [member.name.clone(), member.name.trim_start_matches('_').to_owned()]
        });
        Constructed {
            function,
            is_record: self.is_record,
            makes_records: self.makes_records,
            fields: fields.collect(),
        }
    }
}
