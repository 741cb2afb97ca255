//! Follows names from where they are used to where they are declared, across files and packages.
//!
//! Files are parsed when a name first leads into them. Serves [`super::place`], [`super::declare`]
//! and [`super::inherit`]. Every chain of names is followed a bounded number of steps, so cycles end.

use std::rc::Rc;

use super::manifest::Manifest;
use super::module;
use super::program::{ExportSource, FileId, Import, Program, ScopeId, SymbolId};
use crate::Wanted;
use crate::extract::{Input, Package};
use crate::hashing::{HashMap, HashSet};
use crate::tree::{folder, join};

/// How many steps one name is followed.
const STEPS_MAX: usize = 64;

/// What a name leads to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Target {
    Symbol(SymbolId),
    /// A whole module, as an object.
    Module(ScopeId),
}

/// Exported names and the scope whose export each one is.
type Exported = Rc<(Vec<(Rc<str>, ScopeId)>, HashMap<Rc<str>, ScopeId>)>;

/// Names and what they lead to.
pub(super) type Exports = Rc<Vec<(Rc<str>, Target)>>;

pub(super) struct Linker<'i> {
    pub(super) input: &'i Input<'i>,
    pub(super) packages: Vec<Rc<Package>>,
    pub(super) manifests: Vec<Manifest>,
    pub(super) program: Program,
    /// All global declarations.
    pub(super) globals: ScopeId,
    /// The modules of `declare module "x"`.
    pub(super) ambient: HashMap<String, ScopeId>,
    /// Specifiers of ambient modules in the order they were met.
    pub(super) ambient_order: Vec<String>,
    /// Modules of other packages that are added to: specifier and scope.
    pub(super) augmented: Vec<(String, ScopeId)>,
    pub(super) wanted: Vec<Wanted>,
    /// Whether packages that are not at hand are neither opened nor noted.
    pub(super) quiet: bool,
    /// The modules that specifiers lead to, by the file that has them.
    pub(super) modules: HashMap<FileId, HashMap<Rc<str>, Option<ScopeId>>>,
    /// The files that were read, by package and path.
    files: HashMap<usize, HashMap<Rc<str>, Option<FileId>>>,
    tables: HashMap<ScopeId, Exported>,
    /// What scopes export, followed to the end.
    exports: HashMap<ScopeId, Exports>,
    /// Where imported names lead, by symbol; only what is known to stay.
    followed: HashMap<SymbolId, Target>,
    /// All members of the types that were asked for, by [`super::inherit`].
    pub(super) flat: HashMap<SymbolId, Rc<Vec<super::inherit::Flat>>>,
    /// The symbols that are public.
    pub(super) placed: HashSet<SymbolId>,
    /// The names under which symbols are public.
    pub(super) public_names: HashMap<SymbolId, Rc<str>>,
}

impl<'i> Linker<'i> {
    pub(super) fn new(input: &'i Input<'i>) -> Self {
        let packages = input.packages();
        let manifests = packages.iter().map(|package| Manifest::read(&package.tree)).collect();
        let mut program = Program::default();
        let globals = program.add_scope(0, None);
        Self {
            input,
            packages,
            manifests,
            program,
            globals,
            ambient: HashMap::default(),
            ambient_order: Vec::new(),
            augmented: Vec::new(),
            wanted: Vec::new(),
            quiet: false,
            modules: HashMap::default(),
            files: HashMap::default(),
            tables: HashMap::default(),
            exports: HashMap::default(),
            followed: HashMap::default(),
            flat: HashMap::default(),
            placed: HashSet::default(),
            public_names: HashMap::default(),
        }
    }

    /// Parses a file, once, and those it says belong to it.
    pub(super) fn load(&mut self, package: usize, path: &str) -> Option<FileId> {
        if let Some(known) = self.loaded(package, path) {
            return known;
        }
        let mut first = None;
        let mut queue = vec![path.to_owned()];
        let mut at = 0;
        while let Some(path) = queue.get_mut(at).map(std::mem::take) {
            at += 1;
            if self.loaded(package, &path).is_some() {
                continue;
            }
            let found = self.parse(package, &path);
            self.files.entry(package).or_default().insert(path.as_str().into(), found);
            if at == 1 {
                first = found;
            }
            let Some(file) = found else { continue };
            let entry = &self.program.files[file];
            let here = folder(&path);
            queue.extend(entry.reference_paths.iter().filter_map(|path| join(here, path)));
            let effects = entry.effects.iter().filter(|effect| effect.starts_with('.'));
            let tree = &self.packages[package].tree;
            queue.extend(
                effects.filter_map(|effect| {
                    super::beside::declarations_of(tree, &join(here, effect)?)
                }),
            );
            self.settle(file);
        }
        first
    }

    /// What came of reading a file, if it was read.
    fn loaded(&self, package: usize, path: &str) -> Option<Option<FileId>> {
        self.files.get(&package)?.get(path).copied()
    }

    fn parse(&mut self, package: usize, path: &str) -> Option<FileId> {
        let home = Rc::clone(&self.packages[package]);
        let text = self.input.source(&home, path)?;
        // Packages for both module systems say everything twice; the first one read counts.
        let read = twins(path).filter_map(|twin| self.loaded(package, &twin).flatten());
        for twin in read {
            if is_same(&self.program.files[twin].text, &text) {
                return Some(twin);
            }
        }
        let file = module::read(&mut self.program, package, path, text.into_owned());
        if file.is_none() {
            self.input.problem(path, None, "not read: it has syntax errors");
        }
        file
    }

    /// Puts what a file declares for others where they find it.
    fn settle(&mut self, file: FileId) {
        let entry = &self.program.files[file];
        let (scope, is_module) = (entry.scope, entry.is_module);
        let ambient = entry.ambient.clone();
        if !is_module {
            self.program.merge(scope, self.globals);
        }
        for (specifier, inner) in ambient {
            if specifier.is_empty() {
                self.program.merge(inner, self.globals);
            } else if is_module {
                self.augmented.push((specifier, inner));
            } else if let Some(&known) = self.ambient.get(&specifier) {
                self.program.merge(inner, known);
            } else {
                self.ambient.insert(specifier.clone(), inner);
                if self.program.files[file].package == 0 {
                    self.ambient_order.push(specifier);
                }
            }
        }
    }

    /// What people call a symbol.
    pub(super) fn public_name(&self, symbol: SymbolId) -> Rc<str> {
        let public = self.public_names.get(&symbol).cloned();
        public.unwrap_or_else(|| Rc::clone(&self.program.symbols[symbol].name))
    }

    /// Adds what files say about modules of their own package to those modules.
    pub(super) fn augment(&mut self, package: usize) {
        let mut others = Vec::new();
        for (specifier, inner) in std::mem::take(&mut self.augmented) {
            let file = self.program.scopes[inner].file;
            if self.program.files[file].package != package {
                continue;
            }
            // An augmentation needs nothing of the package it adds to.
            let quiet = std::mem::replace(&mut self.quiet, true);
            let module = self.module(file, &specifier);
            self.quiet = quiet;
            let module = module.filter(|&module| self.program.file_of(module).package == package);
            match module {
                Some(module) => self.augment_module(inner, module),
                None => others.push((specifier, inner)),
            }
        }
        self.augmented = others;
        self.tables.clear();
        self.exports.clear();
        self.followed.clear();
    }

    fn augment_module(&mut self, inner: ScopeId, module: ScopeId) {
        let mut names: Vec<(Rc<str>, SymbolId)> =
            self.program.scopes[inner].names.iter().map(|(name, &at)| (name.clone(), at)).collect();
        names.sort_unstable_by_key(|&(_, symbol)| symbol);
        let namespace = match self.assigned_to(module) {
            Some(Target::Symbol(symbol)) => self.namespaces(symbol).first().copied(),
            _ => None,
        };
        let home = namespace.unwrap_or(module);
        for (name, symbol) in names {
            if self.program.symbols[symbol].declarations.is_empty() {
                continue;
            }
            let target = match self.exported(module, &name) {
                Some(Target::Symbol(target)) => target,
                _ => {
                    self.program.export(home, &name, ExportSource::Local(name.clone()));
                    self.program.symbol(home, &name)
                }
            };
            if target != symbol {
                let declarations = std::mem::take(&mut self.program.symbols[symbol].declarations);
                self.program.symbols[target].declarations.extend(declarations);
                self.program.scopes[inner].names.insert(name, target);
            }
        }
        // What is written there sees all that the module declares, in this block or another.
        self.program.scopes[inner].merged_into.get_or_insert(home);
    }

    /// What a name means inside a scope.
    pub(super) fn lookup(&mut self, scope: ScopeId, name: &str) -> Option<Target> {
        self.lookup_within(scope, name, STEPS_MAX)
    }

    fn lookup_within(&mut self, scope: ScopeId, name: &str, steps: usize) -> Option<Target> {
        let steps = steps.checked_sub(1)?;
        let mut next = Some(scope);
        while let Some(scope) = next {
            let inner = &self.program.scopes[scope];
            let merged = inner.merged_into.map(|into| &self.program.scopes[into]);
            let symbol = inner.names.get(name);
            let symbol = symbol.or_else(|| merged.and_then(|merged| merged.names.get(name)));
            if let Some(&symbol) = symbol {
                return self.follow(symbol, steps);
            }
            next = inner.parent;
        }
        let symbol = self.program.scopes[self.globals].names.get(name).copied()?;
        self.follow(symbol, steps)
    }

    /// What a dotted name means inside a scope.
    pub(super) fn lookup_path(&mut self, scope: ScopeId, path: &[Rc<str>]) -> Option<Target> {
        self.path_within(scope, path, STEPS_MAX)
    }

    fn path_within(&mut self, scope: ScopeId, path: &[Rc<str>], steps: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let mut target = self.lookup_within(scope, first, steps)?;
        for name in rest {
            target = self.member_within(target, name, steps.checked_sub(1)?)?;
        }
        Some(target)
    }

    /// A name of a module or namespace.
    pub(super) fn member(&mut self, target: Target, name: &str) -> Option<Target> {
        self.member_within(target, name, STEPS_MAX)
    }

    fn member_within(&mut self, target: Target, name: &str, steps: usize) -> Option<Target> {
        match target {
            Target::Module(scope) => self.exported_within(scope, name, steps),
            Target::Symbol(symbol) => self
                .namespaces(symbol)
                .into_iter()
                .find_map(|scope| self.exported_within(scope, name, steps)),
        }
    }

    /// The bodies of the namespaces among the declarations of a symbol.
    pub(super) fn namespaces(&self, symbol: SymbolId) -> Vec<ScopeId> {
        let declarations = &self.program.symbols[symbol].declarations;
        declarations.iter().filter_map(|declaration| declaration.scope).collect()
    }

    fn follow(&mut self, symbol: SymbolId, steps: usize) -> Option<Target> {
        let found = &self.program.symbols[symbol];
        if !found.declarations.is_empty() {
            return Some(Target::Symbol(symbol));
        }
        if let Some(&known) = self.followed.get(&symbol) {
            return Some(known);
        }
        let import = found.import.clone()?;
        let target = self.follow_import(symbol, &import, steps.checked_sub(1)?)?;
        self.followed.insert(symbol, target);
        Some(target)
    }

    fn follow_import(&mut self, symbol: SymbolId, import: &Import, steps: usize) -> Option<Target> {
        let scope = self.program.symbols[symbol].scope;
        let file = self.program.scopes[scope].file;
        match import {
            Import::Named { module, name } => {
                let module = self.module(file, module)?;
                self.exported_within(module, name, steps)
            }
            Import::Whole { module } => {
                let module = self.module(file, module)?;
                Some(self.whole(module, steps))
            }
            Import::Alias(path) => {
                // `import a = a.b` looks for the outer `a`.
                let own = self.program.symbols[symbol].name == path[0];
                let from = if own { self.program.scopes[scope].parent? } else { scope };
                self.path_within(from, path, steps)
            }
        }
    }

    /// A module as an object: what `export =` names, or all that it exports.
    fn whole(&mut self, module: ScopeId, steps: usize) -> Target {
        self.assigned(module, steps).unwrap_or(Target::Module(module))
    }

    /// What `export =` gives.
    pub(super) fn assigned_to(&mut self, scope: ScopeId) -> Option<Target> {
        self.assigned(scope, STEPS_MAX)
    }

    fn assigned(&mut self, scope: ScopeId, steps: usize) -> Option<Target> {
        let path = self.program.scopes[scope].assigned.clone()?;
        self.path_within(scope, &path, steps.checked_sub(1)?)
    }

    /// What a scope exports under a name.
    pub(super) fn exported(&mut self, scope: ScopeId, name: &str) -> Option<Target> {
        self.exported_within(scope, name, STEPS_MAX)
    }

    fn exported_within(&mut self, scope: ScopeId, name: &str, steps: usize) -> Option<Target> {
        let steps = steps.checked_sub(1)?;
        let provider = if self.program.scopes[scope].export_names.contains_key(name) {
            Some(scope)
        } else if self.program.scopes[scope].stars.is_empty() || name == "default" {
            None
        } else {
            self.table(scope).1.get(name).copied()
        };
        if let Some(provider) = provider {
            return self.own_export(provider, name, steps);
        }
        let assigned = self.assigned(scope, steps)?;
        if name == "default" {
            return Some(assigned);
        }
        if assigned == Target::Module(scope) {
            return None;
        }
        let found = self.member_within(assigned, name, steps);
        found.or_else(|| match assigned {
            Target::Symbol(symbol) => {
                (*self.program.symbols[symbol].name == *name).then_some(assigned)
            }
            Target::Module(_) => None,
        })
    }

    fn own_export(&mut self, scope: ScopeId, name: &str, steps: usize) -> Option<Target> {
        let steps = steps.checked_sub(1)?;
        let at = *self.program.scopes[scope].export_names.get(name)?;
        let file = self.program.scopes[scope].file;
        match self.program.scopes[scope].exports[at].source.clone() {
            ExportSource::Local(local) => self.lookup_within(scope, &local, steps),
            ExportSource::From { module, name } => {
                let module = self.module(file, &module)?;
                self.exported_within(module, &name, steps)
            }
            ExportSource::Namespace { module } => {
                let module = self.module(file, &module)?;
                Some(self.whole(module, steps))
            }
        }
    }

    /// All names a scope exports, those of `export *` included, with the scope each comes from.
    fn table(&mut self, scope: ScopeId) -> Exported {
        if let Some(known) = self.tables.get(&scope) {
            return Rc::clone(known);
        }
        let mut seen = HashSet::from_iter([scope]);
        let mut queue = vec![scope];
        let mut at = 0;
        while let Some(&here) = queue.get(at) {
            at += 1;
            let file = self.program.scopes[here].file;
            for star in self.program.scopes[here].stars.clone() {
                if let Some(module) = self.module(file, &star)
                    && seen.insert(module)
                {
                    queue.push(module);
                }
            }
        }
        let mut order = Vec::new();
        let mut names = HashMap::default();
        for here in queue {
            for export in &self.program.scopes[here].exports {
                let hidden = &*export.name == "default" && here != scope;
                if !hidden && !names.contains_key(&export.name) {
                    names.insert(export.name.clone(), here);
                    order.push((export.name.clone(), here));
                }
            }
            // `export *` from a module with `export =` gives the names of what it assigns.
            if here != scope
                && let Some(Target::Symbol(symbol)) = self.assigned_to(here)
            {
                for inner in self.namespaces(symbol) {
                    for export in &self.program.scopes[inner].exports {
                        if !names.contains_key(&export.name) {
                            names.insert(export.name.clone(), inner);
                            order.push((export.name.clone(), inner));
                        }
                    }
                }
            }
        }
        let table: Exported = Rc::new((order, names));
        self.tables.insert(scope, Rc::clone(&table));
        table
    }

    /// All names that a scope exports, whether they lead somewhere or not.
    pub(super) fn export_names(&mut self, scope: ScopeId) -> Vec<String> {
        self.table(scope).0.iter().map(|(name, _)| name.to_string()).collect()
    }

    /// All that a scope exports, in the order of the source.
    pub(super) fn exports(&mut self, scope: ScopeId) -> Exports {
        if let Some(known) = self.exports.get(&scope) {
            return Rc::clone(known);
        }
        let table = self.table(scope);
        let mut found = Vec::new();
        for (name, provider) in &table.0 {
            if let Some(target) = self.own_export(*provider, name, STEPS_MAX) {
                found.push((name.clone(), target));
            }
        }
        let found = Rc::new(found);
        self.exports.insert(scope, Rc::clone(&found));
        found
    }
}

/// The paths of the same declarations for other module systems.
fn twins(path: &str) -> impl Iterator<Item = String> {
    const ENDINGS: [&str; 3] = [".d.ts", ".d.mts", ".d.cts"];
    let stem = ENDINGS.iter().find_map(|ending| path.strip_suffix(ending));
    let others = stem.into_iter().flat_map(|stem| ENDINGS.map(|ending| [stem, ending].concat()));
    others.filter(move |other| other != path)
}

/// Whether two texts differ only in the endings of the files they import.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.replace(".mjs", ".js").replace(".cjs", ".js");
    one.len().abs_diff(other.len()) < one.len() / 8 + 64 && plain(one) == plain(other)
}
