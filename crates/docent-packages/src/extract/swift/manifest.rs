//! What `Package.swift` says, read and never run.
//!
//! A manifest is a program. Most are one expression; others build lists, define functions, ask for
//! variables of the environment. So it is not evaluated: wherever a product, a target or a dependency
//! is written out, it counts, and when products are computed from targets all targets do.
//! Feeds [`super::layout`] and the adapter of the ecosystem.

use super::parse::Cursor;
use crate::hashing::HashMap;

/// What a manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) name: Option<String>,
    /// The oldest tools that can read it, as major and minor.
    pub(crate) tools: (u32, u32),
    pub(crate) products: Vec<Product>,
    /// Whether there are products whose names are computed.
    pub(crate) computed: bool,
    pub(crate) targets: Vec<Target>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// Something that others can depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) name: String,
    pub(crate) targets: Vec<String>,
    pub(crate) is_library: bool,
}

/// A module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: TargetKind,
    pub(crate) path: Option<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) sources: Vec<String>,
    /// Other texts among its arguments: a manifest with functions of its own may name the folder so.
    pub(crate) others: Vec<String>,
}

/// What a target is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TargetKind {
    #[default]
    Library,
    Executable,
    Test,
    /// Plugins, macros' implementations, binaries.
    Other,
}

/// Another package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) source: Source,
    /// The versions that fit, as `1.0.0..<2.0.0`, `branch:main`, `revision:…`; if any are said.
    pub(crate) requirement: Option<String>,
}

/// Where a package comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Url(String),
    Path(String),
    /// An identity in a registry: `mona.LinkedList`.
    Registry(String),
}

impl Manifest {
    pub(crate) fn parse(text: &str) -> Self {
        let cursor = Cursor::new(text);
        let mut reader = Reader { constants: constants(&cursor), cursor };
        Self { tools: tools(text), ..reader.read() }
    }

    /// Which of the manifests of a package counts, given their names and texts: the one for the
    /// newest tools.
    pub(crate) fn newest(manifests: impl IntoIterator<Item = (String, String)>) -> Option<Self> {
        let parsed = manifests.into_iter().filter(|(name, _)| is_manifest(name));
        let parsed = parsed.map(|(name, text)| (name == "Package.swift", Self::parse(&text)));
        parsed.max_by_key(|(is_main, manifest)| (manifest.tools, *is_main)).map(|row| row.1)
    }
}

/// Whether a file is a manifest: `Package.swift`, `Package@swift-5.9.swift`.
pub(crate) fn is_manifest(name: &str) -> bool {
    name == "Package.swift" || (name.starts_with("Package@swift-") && name.ends_with(".swift"))
}

/// The version after `// swift-tools-version:`.
fn tools(text: &str) -> (u32, u32) {
    let mark = "swift-tools-version";
    let line = text.lines().take(20).find_map(|line| Some(&line[line.find(mark)? + mark.len()..]));
    let digits = line.unwrap_or_default().trim_start_matches([':', ' ']);
    let mut numbers = digits.split(|c: char| !c.is_ascii_digit());
    let mut next = || numbers.next().and_then(|number| number.parse().ok()).unwrap_or(0);
    (next(), next())
}

/// `let name = "text"`, anywhere.
fn constants(cursor: &Cursor<'_>) -> HashMap<String, String> {
    let mut found = HashMap::default();
    for at in 0..cursor.len() {
        if !matches!(cursor.text(at), "let" | "var") {
            continue;
        }
        let mut value = at + 2;
        if cursor.is(value, ":") {
            value += 2;
        }
        if cursor.is(value, "=")
            && let Some(text) = literal(cursor, value + 1)
        {
            found.insert(cursor.text(at + 1).to_owned(), text);
        }
    }
    found
}

/// The text of the string at `at`, if nothing in it is computed.
fn literal(cursor: &Cursor<'_>, at: usize) -> Option<String> {
    let text = cursor.text(at);
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    (cursor.is_literal(at) && !inner.contains('\\')).then(|| inner.to_owned())
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    constants: HashMap<String, String>,
}

/// The arguments of a call: label, and where the value begins and ends.
type Arguments = Vec<(String, usize, usize)>;

impl Reader<'_> {
    fn read(&mut self) -> Manifest {
        let mut manifest = Manifest::default();
        let mut at = 0;
        while at < self.cursor.len() {
            let word = self.cursor.text(at);
            let is_call = self.cursor.is(at + 1, "(") && self.cursor.is_word(at);
            let is_member = at > 0 && self.cursor.is(at - 1, ".");
            if is_call && word == "Package" && !is_member {
                let arguments = self.arguments(at + 1);
                manifest.name = manifest.name.or_else(|| self.string(&arguments, "name"));
                // Lists that are made elsewhere have no names here.
                let products = arguments.iter().find(|row| row.0 == "products");
                manifest.computed |=
                    products.is_some_and(|row| row.2 == row.1 + 1 && self.cursor.is_word(row.1));
            }
            if !is_call || !is_member {
                at += 1;
                continue;
            }
            let known = match word {
                "package" => self.dependency(at + 1, &mut manifest),
                "library" | "executable" | "plugin"
                    if self.product(word, at + 1, &mut manifest) =>
                {
                    true
                }
                _ => kind(word).is_some_and(|kind| self.target(kind, at + 1, &mut manifest)),
            };
            // What is inside belongs to it.
            at = if known { self.cursor.past(at + 1) } else { at + 1 };
        }
        // Lists that are written out, though elsewhere, have been found.
        manifest.computed &= manifest.products.is_empty() || self.has_computed_library();
        manifest
    }

    fn has_computed_library(&self) -> bool {
        let all = 1..self.cursor.len();
        let mut calls = all.filter(|&at| {
            self.cursor.is(at, "library")
                && self.cursor.is(at - 1, ".")
                && self.cursor.is(at + 1, "(")
        });
        calls.any(|at| self.string(&self.arguments(at + 1), "name").is_none())
    }

    fn product(&self, word: &str, open: usize, manifest: &mut Manifest) -> bool {
        let arguments = self.arguments(open);
        let is_library = word == "library";
        let name = self.string(&arguments, "name");
        let listed = self.strings(&arguments, "targets");
        manifest.computed |= is_library && name.is_none();
        let Some(name) = name else { return false };
        // `.plugin(name:capability:)` is a target.
        if !arguments.iter().any(|row| row.0 == "targets") {
            return false;
        }
        let targets = if listed.is_empty() { vec![name.clone()] } else { listed };
        manifest.products.push(Product { name, targets, is_library });
        true
    }

    fn target(&self, kind: TargetKind, open: usize, manifest: &mut Manifest) -> bool {
        let arguments = self.arguments(open);
        let Some(name) = self.string(&arguments, "name") else { return false };
        let known = ["name", "path", "url", "checksum", "publicHeadersPath", "pkgConfig"];
        let others = arguments.iter().filter(|row| !known.contains(&row.0.as_str()));
        let others = others.filter_map(|row| self.value(row.1, row.2)).collect();
        let target = Target {
            kind,
            path: self.string(&arguments, "path"),
            exclude: self.strings(&arguments, "exclude"),
            sources: self.strings(&arguments, "sources"),
            others,
            name,
        };
        // The same target may be written once for each case of a condition.
        if !manifest.targets.contains(&target) {
            manifest.targets.push(target);
        }
        true
    }

    fn dependency(&self, open: usize, manifest: &mut Manifest) -> bool {
        let arguments = self.arguments(open);
        let source = self
            .string(&arguments, "url")
            .map(Source::Url)
            .or_else(|| self.string(&arguments, "path").map(Source::Path))
            .or_else(|| self.string(&arguments, "id").map(Source::Registry));
        let Some(source) = source else { return false };
        let requirement = arguments.iter().find_map(|row| self.requirement(row));
        let dependency = Dependency { source, requirement };
        if !manifest.dependencies.contains(&dependency) {
            manifest.dependencies.push(dependency);
        }
        true
    }

    fn requirement(&self, (label, from, to): &(String, usize, usize)) -> Option<String> {
        let (from, to) = (*from, *to);
        let text = |at| self.value(at, at + 1);
        match label.as_str() {
            "from" => up_to_next(&text(from)?, 0),
            "exact" => text(from),
            "branch" | "revision" => Some(format!("{label}:{}", text(from)?)),
            // `.upToNextMinor(from: "1.0.0")`, `.exact("1.0.0")`, `"1.0.0"..<"2.0.0"`
            "" if self.cursor.is(from, ".") => {
                let arguments = self.arguments(from + 2);
                let version = arguments.first().and_then(|row| self.value(row.1, row.2))?;
                match self.cursor.text(from + 1) {
                    "upToNextMajor" => up_to_next(&version, 0),
                    "upToNextMinor" => up_to_next(&version, 1),
                    "exact" => Some(version),
                    word @ ("branch" | "revision") => Some(format!("{word}:{version}")),
                    _ => None,
                }
            }
            "" if to == from + 3 => {
                let sign = self.cursor.text(from + 1);
                let is_range = matches!(sign, "..<" | "...");
                let (low, high) = (text(from)?, text(from + 2)?);
                is_range.then(|| format!("{low}{sign}{high}"))
            }
            _ => None,
        }
    }

    fn arguments(&self, open: usize) -> Arguments {
        if !self.cursor.is(open, "(") {
            return Vec::new();
        }
        let parts = self.cursor.separated(open + 1, self.cursor.partner(open));
        let labelled = parts.into_iter().map(|(from, to)| {
            if self.cursor.is_word(from) && self.cursor.is(from + 1, ":") {
                (self.cursor.text(from).to_owned(), from + 2, to)
            } else {
                (String::new(), from, to)
            }
        });
        labelled.collect()
    }

    fn string(&self, arguments: &Arguments, label: &str) -> Option<String> {
        let (_, from, to) = arguments.iter().find(|row| row.0 == label)?;
        self.value(*from, *to)
    }

    /// A text, written out or under a name.
    fn value(&self, from: usize, to: usize) -> Option<String> {
        if to != from + 1 {
            return None;
        }
        literal(&self.cursor, from).or_else(|| self.constants.get(self.cursor.text(from)).cloned())
    }

    fn strings(&self, arguments: &Arguments, label: &str) -> Vec<String> {
        let Some((_, from, _)) = arguments.iter().find(|row| row.0 == label) else {
            return Vec::new();
        };
        if !self.cursor.is(*from, "[") {
            return Vec::new();
        }
        let parts = self.cursor.separated(from + 1, self.cursor.partner(*from));
        parts.into_iter().filter_map(|(from, to)| self.value(from, to)).collect()
    }
}

fn kind(word: &str) -> Option<TargetKind> {
    Some(match word {
        "target" => TargetKind::Library,
        "executableTarget" => TargetKind::Executable,
        "testTarget" => TargetKind::Test,
        "plugin" | "macro" | "binaryTarget" | "systemLibrary" | "systemLibraryTarget" => {
            TargetKind::Other
        }
        _ => return None,
    })
}

/// The range that begins with a version and ends before the next major or minor one.
fn up_to_next(version: &str, part: usize) -> Option<String> {
    let core = version.split(['-', '+']).next().unwrap_or(version);
    let numbers: Option<Vec<u64>> = core.split('.').map(|number| number.parse().ok()).collect();
    let mut numbers = numbers?;
    numbers.resize(3, 0);
    numbers[part] = numbers[part].checked_add(1)?;
    numbers[part + 1..].fill(0);
    Some(format!("{version}..<{}.{}.{}", numbers[0], numbers[1], numbers[2]))
}

#[cfg(test)]
mod tests;
