//! Which modules hold another edition of the package: `kit/v1` beside `kit`, `kit.legacy` beside `kit`.
//!
//! Known by their names alone: at least a third of what such a module has, one above it has too. Feeds
//! [`crate::rank`], which puts the edition that everybody imports first.

use crate::hashing::{HashMap, HashSet};
use crate::text::Text;
use crate::{Item, Kind};

/// A module with fewer names than that shares some by chance.
const NAMES_MIN: usize = 4;

pub(super) fn find(items: &[Item]) -> HashSet<Text> {
    let mut modules: HashMap<&Text, HashSet<&str>> = HashMap::default();
    let is_outer = |item: &&Item| {
        let container = matches!(item.kind, Kind::Module | Kind::Namespace);
        !container && !item.path.is_empty() && !item.path.contains('.')
    };
    for item in items.iter().filter(is_outer) {
        modules.entry(&item.module).or_default().insert(&item.path);
    }
    let by_name: HashMap<&str, &HashSet<&str>> =
        modules.iter().map(|(module, names)| (module.as_str(), names)).collect();
    let repeats = |module: &str, names: &HashSet<&str>| {
        let ends = module.match_indices(['.', '/', ':']).map(|(end, _)| &module[..end]);
        let above = ends.filter_map(|above| by_name.get(above));
        let shared = above.map(|above| names.iter().filter(|name| above.contains(*name)).count());
        names.len() >= NAMES_MIN && shared.max().is_some_and(|shared| 3 * shared >= names.len())
    };
    let found = modules.iter().filter(|(module, names)| repeats(module.as_str(), names));
    found.map(|(module, _)| (*module).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str, paths: &[&str]) -> Vec<Item> {
        let item = |path: &&str| Item {
            module: name.into(),
            path: (*path).to_owned(),
            kind: Kind::Function,
            ..Item::default()
        };
        paths.iter().map(item).collect()
    }

    fn check(modules: &[(&str, &[&str])], expected: &[&str]) {
        let items: Vec<Item> =
            modules.iter().flat_map(|(name, paths)| module(name, paths)).collect();
        let mut found: Vec<String> = find(&items).iter().map(ToString::to_string).collect();
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_repeats_a_module_above_it_is_another_edition_of_it() {
        let all = ["read", "write", "open", "close"];
        check(&[("kit", &all), ("kit/v1", &all)], &["kit/v1"]);
        check(&[("kit", &all), ("kit.legacy", &all)], &["kit.legacy"]);
        check(&[("kit", &all), ("kit::v1::prelude", &all)], &["kit::v1::prelude"]);
        // A third is enough, since editions differ.
        check(&[("kit", &all), ("kit/v1", &["read", "write", "a", "b", "c", "d"])], &["kit/v1"]);
    }

    #[test]
    fn what_shares_little_or_stands_beside_it_is_something_else() {
        let all = ["read", "write", "open", "close"];
        check(&[("kit", &all), ("kit/io", &["read", "a", "b", "c"])], &[]);
        check(&[("kit", &all), ("kit/io", &["read", "write", "open"])], &[]);
        check(&[("kit/v1", &all), ("kit/v2", &all)], &[]);
        check(&[("kit", &all), ("kitchen", &all)], &[]);
        // Members say nothing: many classes have `read`.
        let members = ["A.read", "B.write", "C.open", "D.close"];
        check(&[("kit", &members), ("kit/v1", &members)], &[]);
    }
}
