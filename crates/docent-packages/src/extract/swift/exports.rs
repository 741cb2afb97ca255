//! Which module one imports to reach what another one declares.
//!
//! A module of a product is imported by its own name. One that is in no product, or whose name
//! begins with an underscore, is reached through a module that re-exports it, or not at all.

use super::declaration::File;
use super::layout::Module;
use crate::hashing::HashMap;

/// The modules of a package, each with those that hand it on.
#[derive(Debug, Default)]
pub(super) struct Exports {
    /// For each module, the public ones that re-export it, directly or through others.
    exporters: HashMap<String, Vec<String>>,
    /// What each module re-exports, of this package or not.
    exported: HashMap<String, Vec<String>>,
    public: Vec<String>,
}

impl Exports {
    pub(super) fn of(modules: &[(&Module, Vec<(String, File)>)]) -> Self {
        let mut exports = Self::default();
        for (module, files) in modules {
            let own = exports.exported.entry(module.name.clone()).or_default();
            for name in files.iter().flat_map(|(_, file)| &file.exported) {
                if !own.contains(name) {
                    own.push(name.clone());
                }
            }
            if module.is_public && !module.name.starts_with('_') {
                exports.public.push(module.name.clone());
            }
        }
        if exports.public.is_empty() {
            // A package of nothing else is meant to be used all the same.
            let all = modules.iter().filter(|(module, _)| module.is_public);
            exports.public = all.map(|(module, _)| module.name.clone()).collect();
        }
        for name in &exports.public {
            let mut seen = vec![name.clone()];
            let mut at = 0;
            while let Some(next) = seen.get(at).cloned() {
                at += 1;
                for inner in exports.exported.get(&next).into_iter().flatten() {
                    if !seen.contains(inner) {
                        seen.push(inner.clone());
                        exports.exporters.entry(inner.clone()).or_default().push(name.clone());
                    }
                }
            }
        }
        exports
    }

    /// The module under whose name the items of a module are shown.
    pub(super) fn shown<'e>(&'e self, module: &'e str) -> Option<&'e str> {
        if self.public.iter().any(|name| name == module) {
            return Some(module);
        }
        self.exporters.get(module)?.first().map(String::as_str)
    }

    /// The other modules that hand on what a module declares.
    pub(super) fn others<'e>(&'e self, module: &'e str) -> impl Iterator<Item = &'e String> {
        let shown = self.shown(module).unwrap_or_default();
        let all = self.exporters.get(module).into_iter().flatten();
        all.filter(move |name| *name != shown)
    }

    /// What a module re-exports, for people.
    pub(super) fn note(&self, module: &str) -> String {
        let exported = self.exported.get(module).map(Vec::as_slice).unwrap_or_default();
        let exported: Vec<&str> =
            exported.iter().map(String::as_str).filter(|name| !name.starts_with('_')).collect();
        match exported.is_empty() {
            true => String::new(),
            false => format!("Re-exports `{}`.", exported.join("`, `")),
        }
    }
}
