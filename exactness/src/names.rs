//! Every name under which an extraction knows its items.
//!
//! An item is listed once, at its best place, with the others as aliases. What belongs to an item is
//! reachable through each of the item's names, so the names of the parent multiply.

use std::collections::HashMap;

use docent_packages::{Extraction, Item, Kind};

/// Names of one item that are looked at; a namespace that contains itself has no end of them.
const NAMES_MAX: usize = 200;

/// A module and a path in it.
pub(crate) type Name = (String, String);

pub(crate) struct Names<'a> {
    pub(crate) items: &'a [Item],
    /// The names of each item.
    pub(crate) of: Vec<Vec<Name>>,
    found: HashMap<Name, Vec<usize>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(extraction: &'a Extraction) -> Self {
        let items = &extraction.items;
        let mut modules: HashMap<&str, usize> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            if item.path.is_empty() {
                modules.entry(&item.module).or_insert(at);
            }
        }
        let mut of: Vec<Vec<Name>> = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let mut names = vec![(item.module.to_string(), item.path.clone())];
            names.extend(item.aliases.iter().cloned());
            // Where a module has several names, so has what it exports.
            let exported: Vec<Name> = names
                .iter()
                .filter_map(|(module, path)| Some((modules.get(module.as_str())?, path)))
                .flat_map(|(&module, path)| {
                    let others = items[module].aliases.iter().filter(|(_, path)| path.is_empty());
                    others.map(move |(module, _)| (module.clone(), path.clone()))
                })
                .collect();
            names.extend(exported);
            let of_module = modules.get(item.module.as_str()).copied().filter(|&found| found < at);
            let parent = item.parent.map(|parent| parent as usize).or(of_module);
            if let Some(parent) = parent.filter(|&parent| parent < at) {
                let head = &items[parent].path;
                let rest =
                    item.path.strip_prefix(head.as_str()).map(|rest| rest.trim_start_matches('.'));
                let rest = rest.filter(|rest| !rest.is_empty()).unwrap_or_else(|| item.name());
                // Other names of a member, in its class, are as reachable as its own.
                let others = item.aliases.iter().filter(|(module, _)| *module == item.module);
                let others = others.filter_map(|(_, path)| path.strip_prefix(head.as_str()));
                let others = others.filter_map(|rest| rest.strip_prefix('.'));
                let others = others.filter(|_| !head.is_empty());
                for rest in std::iter::once(rest).chain(others) {
                    for (module, path) in &of[parent] {
                        let path = match path.as_str() {
                            "" => rest.to_owned(),
                            path => format!("{path}.{rest}"),
                        };
                        names.push((module.clone(), path));
                    }
                }
            }
            of.push(names);
        }
        through_namespaces(items, &mut of);
        let mut found: HashMap<Name, Vec<usize>> = HashMap::new();
        for (at, names) in of.iter_mut().enumerate() {
            names.sort_unstable();
            names.dedup();
            names.truncate(NAMES_MAX);
            for name in names {
                found.entry(name.clone()).or_default().push(at);
            }
        }
        Self { items, of, found }
    }

    /// Whether an item is shown for the sake of others and cannot be imported itself.
    pub(crate) fn is_local(&self, at: usize) -> bool {
        let item = &self.items[at];
        let parent = item.parent.map(|parent| parent as usize).filter(|&parent| parent < at);
        item.local || parent.is_some_and(|parent| self.is_local(parent))
    }

    /// The items of that name; a module itself only if it says something.
    pub(crate) fn find(&self, module: &str, path: &str) -> Vec<&'a Item> {
        let found = self.found.get(&(module.to_owned(), path.to_owned()));
        let found = found.into_iter().flatten().filter(|&&at| !self.is_local(at));
        let items = found.map(|&at| &self.items[at]);
        items.filter(|item| !item.path.is_empty() || !item.signature.is_empty()).collect()
    }
}

/// Where one name of an item leads through a namespace, all names of that namespace do.
fn through_namespaces(items: &[Item], of: &mut [Vec<Name>]) {
    let mut namespaces: HashMap<Name, Vec<Name>> = HashMap::new();
    for (item, names) in items.iter().zip(&*of) {
        if matches!(item.kind, Kind::Namespace | Kind::Module) {
            for name in names {
                namespaces.entry(name.clone()).or_default().extend(names.iter().cloned());
            }
        }
    }
    for names in of {
        let mut more = Vec::new();
        for (module, path) in names.iter() {
            // Each namespace on the way, for what is inside of a class in it.
            for (at, _) in path.match_indices('.') {
                let known = namespaces.get(&(module.clone(), path[..at].to_owned()));
                let rest = &path[at..];
                more.extend(known.into_iter().flatten().map(|(module, path)| {
                    (module.clone(), format!("{path}{rest}").trim_start_matches('.').to_owned())
                }));
            }
        }
        names.append(&mut more);
    }
}

/// Whether an item is a name that a reader imports or writes behind a dot.
pub(crate) fn is_name(item: &Item) -> bool {
    let name = item.name();
    // Call, construct and index signatures, and Python's protocols, are not listed by the tools.
    let is_special = name.starts_with(['(', '[']) || name == "new" || name == "constructor";
    let is_protocol = name.starts_with("__") && name.ends_with("__");
    !(item.path.is_empty() || item.kind == Kind::Module || is_special || is_protocol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_parent_multiply() {
        let item = |module: &str, path: &str, parent, aliases: &[(&str, &str)]| Item {
            module: module.into(),
            path: path.into(),
            parent,
            aliases: aliases.iter().map(|(one, other)| ((*one).into(), (*other).into())).collect(),
            signature: "x".into(),
            ..Item::default()
        };
        let extraction = Extraction {
            items: vec![
                item("p", "", None, &[("p", "ns"), ("p/sub", "")]),
                item("p", "Class", None, &[("p", "Other")]),
                item("p", "Class.method", Some(1), &[]),
            ],
            ..Extraction::default()
        };
        let names = Names::new(&extraction);
        for (module, path) in [
            ("p", "Class.method"),
            ("p", "Other.method"),
            ("p", "ns.Class.method"),
            ("p/sub", "Class.method"),
            ("p/sub", "Class"),
        ] {
            assert_eq!(names.find(module, path).len(), 1, "{module} {path}");
        }
        assert!(names.find("p", "method").is_empty());
    }
}
