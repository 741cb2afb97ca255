//! Other crates: which one a name stands for, opened if that is allowed.

use super::super::load;
use super::super::world::{CrateId, ModuleId};
use super::Resolver;
use crate::Wanted;

impl Resolver<'_, '_> {
    /// The root of a crate that another one depends on, opened if that is allowed.
    pub(super) fn extern_crate(&mut self, of: CrateId, name: &str) -> Option<ModuleId> {
        let from = &self.world.crates[of];
        if from.manifest.crate_name == name {
            return Some(from.root);
        }
        let dependency = from.manifest.dependency(self.renamed_crate(of, name))?.clone();
        let wanted_by = from.package.name.clone();
        if let Some(opened) = self.opened.get(&dependency.package) {
            return opened.map(|opened| self.world.crates[opened].root);
        }
        if !self.may_open {
            return None;
        }
        let packages = self.input.packages();
        let mut package = packages.into_iter().skip(1).find(|it| it.name == dependency.package);
        if package.is_none() {
            let wanted = Wanted {
                name: dependency.package.clone(),
                requirement: dependency.requirement.clone(),
                wanted_by,
                optional: dependency.optional,
                decides: false,
            };
            package = self.input.open(&wanted);
            if package.is_none() && !self.wanted.contains(&wanted) {
                self.wanted.push(wanted);
            }
        }
        let opened = package.and_then(|package| load::load(self.input, &mut self.world, package));
        self.opened.insert(dependency.package, opened);
        self.forget();
        opened.map(|opened| self.world.crates[opened].root)
    }

    /// The crate that `extern crate a as b;` at the root of another one calls `b` everywhere in it.
    fn renamed_crate<'n>(&'n self, of: CrateId, name: &'n str) -> &'n str {
        let root = &self.world.modules[self.world.crates[of].root];
        let renamed = root.by_import.get(&Some(name.into())).into_iter().flatten();
        let mut renamed = renamed.map(|&at| &root.imports[at]).filter(|it| it.is_extern_crate);
        renamed.find_map(|import| import.path.get(1)).map_or(name, |real| real)
    }
}
