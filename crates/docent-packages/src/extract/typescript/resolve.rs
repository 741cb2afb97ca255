//! From a module specifier to the file, or the ambient module, that it names.
//!
//! Serves [`super::link`]. A package that is not at hand is noted as wanted.

use super::beside::{declarations_of, is_types, script_of};
use super::link::Linker;
use super::manifest::Manifest;
use super::program::{ExportSource, FileId, Import, ScopeId};
use crate::Wanted;
use crate::hashing::HashSet;
use crate::tree::{folder, join};

/// The modules that Node has built in.
const NODE_MODULES: &str = " assert async_hooks buffer child_process cluster console constants \
    crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os \
    path perf_hooks process punycode querystring readline repl sea sqlite stream string_decoder \
    sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib ";

/// The package that declares the modules of Node.
pub(super) const NODE_TYPES: &str = "@types/node";

/// Whether a specifier names a module of Node's own.
pub(super) fn is_node_module(specifier: &str) -> bool {
    let name = specifier.strip_prefix("node:").unwrap_or(specifier);
    let first = name.split('/').next().unwrap_or(name);
    specifier.starts_with("node:") || NODE_MODULES.contains(&format!(" {first} "))
}

/// The package and the subpath of a specifier: `@a/b/c/d` is `@a/b` and `c/d`.
pub(super) fn split(specifier: &str) -> (&str, &str) {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    match specifier.match_indices('/').nth(parts - 1) {
        Some((at, _)) => (&specifier[..at], &specifier[at + 1..]),
        None => (specifier, ""),
    }
}

/// The package with the community's types for a package.
pub(super) fn types_package(name: &str) -> String {
    format!("@types/{}", name.trim_start_matches('@').replace('/', "__"))
}

impl Linker<'_> {
    /// The scope of a module, seen from a file.
    pub(super) fn module(&mut self, from: FileId, specifier: &str) -> Option<ScopeId> {
        if let Some(&known) = self.modules.get(&from).and_then(|known| known.get(specifier)) {
            return known;
        }
        let found = self.find_module(from, specifier);
        // A package that is not at hand is asked for each time: the first to look may not need it.
        if found.is_some() || specifier.starts_with('.') {
            self.modules.entry(from).or_default().insert(specifier.into(), found);
        }
        found
    }

    fn find_module(&mut self, from: FileId, specifier: &str) -> Option<ScopeId> {
        if let Some(&scope) = self.ambient.get(specifier) {
            return Some(scope);
        }
        let (package, path) =
            (self.program.files[from].package, self.program.files[from].path.clone());
        let file = if specifier.starts_with('.') || specifier.starts_with('/') {
            let path = join(folder(&path), specifier)?;
            self.file_at(package, &path)
        } else if specifier.starts_with('#') {
            let tree = &self.packages[package].tree;
            let path = self.manifests[package].internal(tree, specifier)?;
            self.load(package, &path)
        } else {
            return self.package_module(package, specifier);
        };
        file.map(|file| self.program.files[file].scope)
    }

    /// The file or folder of a package at a path, as an import of it would find it.
    pub(super) fn file_at(&mut self, package: usize, path: &str) -> Option<FileId> {
        let tree = &self.packages[package].tree;
        let found = declarations_of(tree, path).or_else(|| script_of(tree, path))?;
        self.load(package, &found)
    }

    fn package_module(&mut self, package: usize, specifier: &str) -> Option<ScopeId> {
        if is_node_module(specifier) {
            return self.node_module(package, specifier);
        }
        let (name, subpath) = split(specifier);
        let own = self.packages[package].name.clone();
        // A package of community types speaks in the name of the package it is about.
        let itself = own == name || own == types_package(name);
        let types = types_package(name);
        let at = if itself { Some(package) } else { self.position(name) };
        if let Some(at) = at {
            let file = self.manifests[at].file(&self.packages[at].tree, subpath);
            // Scripts serve where nobody wrote types.
            let serves = |linker: &mut Self, file: &str| {
                let typed = || linker.position(&types).is_some();
                is_types(file) || itself || !typed() && linker.want(package, &types).is_none()
            };
            if let Some(file) = file.filter(|file| serves(self, file)) {
                let file = self.load(at, &file)?;
                return Some(self.program.files[file].scope);
            }
        }
        if let Some(at) = self.position(&types) {
            let file = self.manifests[at].file(&self.packages[at].tree, subpath)?;
            let file = self.load(at, &file)?;
            let ambient = self.ambient.get(specifier).copied();
            return ambient.or(Some(self.program.files[file].scope));
        }
        let typed = self.manifests[package].range(&types).is_some() || at.is_some();
        let wanted = if typed { types.as_str() } else { name };
        if wanted == name && itself {
            return None;
        }
        // Ends with the packages that can be opened.
        self.want(package, wanted)?;
        self.package_module(package, specifier)
    }

    fn node_module(&mut self, package: usize, specifier: &str) -> Option<ScopeId> {
        let at = self.position(NODE_TYPES).or_else(|| self.want(package, NODE_TYPES))?;
        let bare = specifier.strip_prefix("node:").unwrap_or(specifier);
        let path = format!("{bare}.d.ts");
        if self.packages[at].tree.contains(&path) {
            self.load(at, &path);
        } else {
            let main = self.manifests[at].file(&self.packages[at].tree, "")?;
            self.load(at, &main);
        }
        let names = [specifier.to_owned(), bare.to_owned(), format!("node:{bare}")];
        names.iter().find_map(|name| self.ambient.get(name)).copied()
    }

    /// The files of a package that others of its files, read so far, import.
    pub(super) fn imported_files(&self, package: usize) -> HashSet<String> {
        let tree = &self.packages[package].tree;
        let mut found = HashSet::default();
        let mut add = |from: usize, specifier: &str| {
            let file = &self.program.files[from];
            if file.package != package || !specifier.starts_with('.') {
                return;
            }
            let path = join(folder(&file.path), specifier);
            let path = path
                .and_then(|path| declarations_of(tree, &path).or_else(|| script_of(tree, &path)));
            found.extend(path);
        };
        for symbol in &self.program.symbols {
            if let Some(Import::Named { module, .. } | Import::Whole { module }) = &symbol.import {
                add(self.program.scopes[symbol.scope].file, module);
            }
        }
        for scope in &self.program.scopes {
            scope.stars.iter().for_each(|star| add(scope.file, star));
            for export in &scope.exports {
                if let ExportSource::From { module, .. } | ExportSource::Namespace { module } =
                    &export.source
                {
                    add(scope.file, module);
                }
            }
        }
        for (at, file) in self.program.files.iter().enumerate() {
            file.effects.iter().for_each(|effect| add(at, effect));
        }
        let own = self.program.files.iter().filter(|file| file.package == package);
        found.extend(own.flat_map(|file| {
            let paths = file.reference_paths.iter();
            paths.filter_map(|path| join(folder(&file.path), path))
        }));
        found
    }

    /// The position of a package at hand.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.packages.iter().position(|package| package.name == name)
    }

    /// The position of another package that would help, if it can be opened; noted otherwise.
    pub(super) fn want(&mut self, package: usize, name: &str) -> Option<usize> {
        let plain = |part: &str| {
            let odd = |letter: char| !(letter.is_ascii_alphanumeric() || "-_.~".contains(letter));
            !part.is_empty() && !part.contains(odd) && !part.starts_with('.')
        };
        let named = match name.strip_prefix('@').map(|rest| rest.split_once('/')) {
            Some(Some((scope, name))) => plain(scope) && plain(name),
            Some(None) => false,
            None => plain(name),
        };
        if !named {
            return None;
        }
        let requirement = self.manifests[package].range(name).map(str::to_owned);
        let wanted_by = self.packages[package].name.clone();
        let name = name.to_owned();
        self.open(Wanted { name, requirement, wanted_by, optional: false, decides: false })
    }

    /// The same, for a package that is known to have a good name.
    pub(super) fn open(&mut self, wanted: Wanted) -> Option<usize> {
        if self.quiet || self.wanted.iter().any(|known| known.name == wanted.name) {
            return None;
        }
        // An alias has another name than it is imported by, and would not be found.
        let opened = self.input.open(&wanted).filter(|package| package.name == wanted.name);
        let Some(opened) = opened else {
            self.wanted.push(wanted);
            return None;
        };
        self.manifests.push(Manifest::read(&opened.tree));
        self.packages.push(opened);
        Some(self.packages.len() - 1)
    }
}
