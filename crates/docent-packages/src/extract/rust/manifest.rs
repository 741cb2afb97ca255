//! What `Cargo.toml` says that extraction needs: the crate's root, its edition, its features and what
//! it depends on.

use ra_ap_syntax::Edition;
use toml::{Table, Value};

use super::cfg::Platform;
use crate::extract::Package;
use crate::hashing::HashSet;

/// The manifest of one package.
#[derive(Debug)]
pub(super) struct Manifest {
    /// The name in code: `serde_json`.
    pub(super) crate_name: String,
    pub(super) description: String,
    /// The file that the crate begins with; `None` if there is no library.
    pub(super) root: Option<String>,
    pub(super) edition: Edition,
    /// Features that are on unless somebody turns them off.
    pub(super) default: HashSet<String>,
    pub(super) dependencies: Vec<Dependency>,
    pub(super) platform: Platform,
}

/// One dependency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Dependency {
    /// The name in code.
    pub(super) name: String,
    pub(super) package: String,
    pub(super) requirement: Option<String>,
    pub(super) optional: bool,
}

impl Manifest {
    pub(super) fn read(package: &Package) -> Self {
        // The crates that come with the compiler share a folder, with one inside for each.
        let is_shared = !package.tree.contains("Cargo.toml");
        let home = if is_shared { package.name.as_str() } else { "" };
        let file = crate::tree::join(home, "Cargo.toml").unwrap_or_default();
        let text = package.tree.text(&file).unwrap_or_default();
        let table: Table = toml::from_str(&text).unwrap_or_default();
        let about = table.get("package").or_else(|| table.get("project"));
        let library = table.get("lib");
        let string = |table: Option<&Value>, key: &str| {
            table.and_then(|table| table.get(key)?.as_str()).map(str::to_owned)
        };
        let name = string(library, "name").or_else(|| string(about, "name"));
        let root = string(library, "path").map(|path| path.replace('\\', "/"));
        let root = root.as_deref().unwrap_or("src/lib.rs");
        let root = crate::tree::join(home, root).unwrap_or_default();
        Self {
            crate_name: identifier(&name.unwrap_or_else(|| package.name.clone())),
            description: string(about, "description").unwrap_or_default(),
            root: package.tree.contains(&root).then_some(root),
            edition: edition(about.and_then(|about| about.get("edition"))),
            default: default_features(table.get("features")),
            dependencies: dependencies(&table),
            platform: platform(about),
        }
    }

    pub(super) fn dependency(&self, name: &str) -> Option<&Dependency> {
        self.dependencies.iter().find(|dependency| dependency.name == name)
    }
}

/// A package's name as it is written in code.
pub(super) fn identifier(name: &str) -> String {
    name.replace('-', "_")
}

fn edition(written: Option<&Value>) -> Edition {
    match written {
        None => Edition::Edition2015,
        Some(Value::String(year)) => year.parse().unwrap_or(Edition::CURRENT),
        // Inherited from a workspace, which is not part of the package.
        Some(_) => Edition::Edition2021,
    }
}

/// The feature `default` and all that follows from it.
fn default_features(features: Option<&Value>) -> HashSet<String> {
    let mut found = HashSet::default();
    let mut open = vec!["default".to_owned()];
    while let Some(feature) = open.pop() {
        let implied = features.and_then(|features| features.get(&feature)?.as_array());
        for one in implied.into_iter().flatten().filter_map(Value::as_str) {
            let one = one.strip_prefix("dep:").unwrap_or(one);
            // `name/feature` turns `name` on too, `name?/feature` does not.
            let one = one.split_once('/').map_or(one, |(name, _)| name);
            if !one.ends_with('?') && found.insert(one.to_owned()) {
                open.push(one.to_owned());
            }
        }
    }
    found
}

fn dependencies(table: &Table) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut add = |table: Option<&Value>| {
        for (name, value) in table.and_then(Value::as_table).into_iter().flatten() {
            let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
            found.push(Dependency {
                name: identifier(name),
                package: text("package").unwrap_or_else(|| name.clone()),
                requirement: value.as_str().map(str::to_owned).or_else(|| text("version")),
                optional: value.get("optional").and_then(Value::as_bool).unwrap_or(false),
            });
        }
    };
    add(table.get("dependencies"));
    for (_, target) in table.get("target").and_then(Value::as_table).into_iter().flatten() {
        add(target.get("dependencies"));
    }
    found
}

/// The platform that documentation is made for.
fn platform(about: Option<&Value>) -> Platform {
    let docs = about.and_then(|about| about.get("metadata")?.get("docs")?.get("rs"));
    let default = docs.and_then(|docs| docs.get("default-target")?.as_str());
    let first = docs.and_then(|docs| docs.get("targets")?.as_array()?.first()?.as_str());
    default.or(first).map_or_else(Platform::default, Platform::named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;

    #[test]
    fn a_manifest_says_where_things_are() {
        let text = "[package]\nname = \"my-kit\"\nedition = \"2018\"\n[lib]\npath = \"./lib/x.rs\"\n\
            [dependencies]\nother = { package = \"real-other\", version = \"1.2\", optional = true }\n\
            [target.'cfg(unix)'.dependencies]\nplain-one = \"2\"\n\
            [features]\ndefault = [\"a\"]\na = [\"dep:other\", \"plain-one/std\"]\nb = []\n";
        let tree = Tree::in_memory([("Cargo.toml", text), ("lib/x.rs", "")]);
        let package = Package { name: "my-kit".into(), version: "1.0.0".into(), tree };
        let manifest = Manifest::read(&package);
        assert_eq!(manifest.crate_name, "my_kit");
        assert_eq!(manifest.root.as_deref(), Some("lib/x.rs"));
        assert_eq!(manifest.edition, Edition::Edition2018);
        let other = manifest.dependency("other").expect("a dependency");
        assert_eq!((other.package.as_str(), other.optional), ("real-other", true));
        assert!(manifest.dependency("plain_one").is_some());
        let mut default: Vec<&str> = manifest.default.iter().map(String::as_str).collect();
        default.sort_unstable();
        assert_eq!(default, ["a", "other", "plain-one"]);
    }
}
