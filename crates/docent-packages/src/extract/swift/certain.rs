//! Where everything is known: modules and types without gaps, single functions, what they return.
//!
//! Fed with all modules of a package by [`super::extract`], read by [`crate::check`]. A type has what
//! it declares, what extensions anywhere in the package add, and what it inherits. One that inherits
//! from something that is not in the package is not vouched for, a few plain protocols aside.

use super::declaration::{Declaration, File, What};
use super::layout::Module;
use super::link::Linked;
use crate::hashing::{HashMap, HashSet};
use crate::{Item, Kind, Surface, Whole};

/// How far inheritance is followed.
const DEEP_MAX: usize = 16;

/// Protocols of the language that bring little, and what they bring, labels of initializers included.
const STANDARD: &[(&str, &[&str])] = &[
    ("AnyObject", &[]),
    ("BitwiseCopyable", &[]),
    ("CaseIterable", &["allCases", "AllCases"]),
    ("Codable", &["encode", "from"]),
    ("Comparable", &[]),
    ("Copyable", &[]),
    ("CustomDebugStringConvertible", &["debugDescription"]),
    ("CustomReflectable", &["customMirror"]),
    ("CustomStringConvertible", &["description"]),
    ("Decodable", &["from"]),
    ("Encodable", &["encode"]),
    ("Equatable", &[]),
    ("Error", &["localizedDescription"]),
    ("Escapable", &[]),
    ("ExpressibleByArrayLiteral", &["arrayLiteral", "ArrayLiteralElement"]),
    ("ExpressibleByBooleanLiteral", &["booleanLiteral"]),
    ("ExpressibleByDictionaryLiteral", &["dictionaryLiteral"]),
    ("ExpressibleByIntegerLiteral", &["integerLiteral"]),
    ("ExpressibleByStringLiteral", &["stringLiteral"]),
    ("Hashable", &["hash", "hashValue"]),
    ("Identifiable", &["id", "ID"]),
    ("LosslessStringConvertible", &["description"]),
    ("RawRepresentable", &["rawValue", "RawValue"]),
    ("Sendable", &[]),
    ("SendableMetatype", &[]),
];

/// Types that an enumeration may be made of.
const RAW: &[&str] =
    &["String", "Int", "Int8", "Int16", "Int32", "UInt", "UInt8", "UInt16", "UInt32"];

/// Attributes that add no members.
const PLAIN_ATTRIBUTES: &[&str] = &[
    "available",
    "frozen",
    "globalActor",
    "MainActor",
    "objc",
    "preconcurrency",
    "propertyWrapper",
    "resultBuilder",
    "unchecked",
    "usableFromInline",
];

/// What all modules of a package say of one type.
#[derive(Default)]
struct Facts<'d> {
    what: Option<What>,
    /// By name; public or not, so that what is hidden is not taken for missing.
    members: HashMap<&'d str, Vec<&'d Declaration>>,
    bases: Vec<&'d str>,
    /// The names of its parameters.
    parameters: Vec<&'d str>,
    is_open: bool,
}

impl<'d> Facts<'d> {
    fn add(&mut self, member: &'d Declaration) {
        self.members.entry(member.name.as_str()).or_default().push(member);
    }

    fn named(&self, name: &str) -> &[&'d Declaration] {
        self.members.get(name).map_or(&[], Vec::as_slice)
    }

    fn initializers(&self) -> impl Iterator<Item = &'d Declaration> {
        let all = self.members.values().flatten().copied();
        all.filter(|one| one.what == What::Initializer)
    }
}

pub(super) struct Certain<'d> {
    types: HashMap<&'d str, Facts<'d>>,
    /// What other names for types stand for.
    aliases: HashMap<&'d str, Vec<&'d str>>,
    /// Types that are given initializers under another name.
    made_elsewhere: HashSet<&'d str>,
    /// Items of types all of whose members are known, and whether they inherit from no other class.
    whole: HashMap<u32, bool>,
    surface: Surface,
}

impl<'d> Certain<'d> {
    /// Gathers what is said about each type; nothing if a file could not be understood.
    pub(super) fn of(
        modules: &'d [(&Module, Vec<(String, File)>)],
        linked: &'d [Linked<'d>],
    ) -> Option<Self> {
        let mut files = modules.iter().flat_map(|(_, files)| files);
        if files.any(|(_, file)| !file.problems.is_empty()) {
            return None;
        }
        let mut types: HashMap<&str, Facts<'_>> = HashMap::default();
        for (path, holder) in linked.iter().flat_map(|linked| &linked.holders) {
            let facts = types.entry(path.as_str()).or_default();
            for one in &holder.declared {
                let it = one.declaration;
                facts.what = Some(it.what);
                facts.parameters.extend(parameters(&it.signature));
                facts.is_open |= !is_plain(&it.signature);
            }
            let all = holder.declared.iter().chain(&holder.extensions);
            for it in all.map(|one| one.declaration) {
                it.members.iter().for_each(|member| facts.add(member));
                facts.bases.extend(it.bases.iter().map(String::as_str));
            }
        }
        // What extends something that is not declared here may extend anything by another name, and
        // what a protocol has, every type may have.
        let mut given: HashSet<&str> = HashSet::default();
        for facts in types.values() {
            if matches!(facts.what, None | Some(What::Protocol)) {
                given.extend(facts.members.keys().copied());
            }
        }
        let mut aliases: HashMap<&str, Vec<&str>> = HashMap::default();
        let files = modules.iter().flat_map(|(_, files)| files);
        let declared = files.flat_map(|(_, file)| &file.declarations);
        for one in declared.filter(|one| one.what == What::Alias) {
            let target = one.signature.split_once('=').map_or("", |(_, target)| target.trim());
            aliases.entry(one.name.as_str()).or_default().push(target);
        }
        let made = types
            .iter()
            .filter(|(_, facts)| facts.what.is_none() && facts.initializers().next().is_some());
        let made_elsewhere = made
            .filter_map(|(path, _)| aliases.get(path))
            .flatten()
            .map(|target| last(bare(target)))
            .collect();
        let mut given: Vec<String> = given.into_iter().map(str::to_owned).collect();
        given.sort_unstable();
        Some(Self {
            types,
            aliases,
            made_elsewhere,
            whole: HashMap::default(),
            surface: Surface { given, ..Surface::default() },
        })
    }

    /// Vouches for a module, given the names that its files declare and what they hand on.
    pub(super) fn module(
        &mut self,
        item: u32,
        parts: &[&'d (&Module, Vec<(String, File)>)],
        own: &HashSet<String>,
    ) {
        let mut names: Vec<String> = Vec::new();
        for (_, file) in parts.iter().flat_map(|(_, files)| files) {
            if file.exported.iter().any(|module| !own.contains(module)) {
                return;
            }
            names.extend(file.declarations.iter().map(|one| one.name.clone()));
        }
        names.sort_unstable();
        names.dedup();
        self.surface.members.push(Whole { item, names });
    }

    /// All that is certain about the items.
    pub(super) fn surface(mut self, items: &[Item]) -> Surface {
        let mut places: HashMap<&str, u32> = HashMap::default();
        for (at, item) in (0u32..).zip(items) {
            let is_type = matches!(item.kind, Kind::Struct | Kind::Class | Kind::Enum);
            // Two types of one name in two modules cannot be told apart here.
            if is_type && places.insert(item.path.as_str(), at).is_some() {
                places.insert(item.path.as_str(), u32::MAX);
            }
        }
        places.retain(|_, at| *at != u32::MAX);
        for (&path, &at) in &places {
            self.vouch(path, at);
        }
        for (at, item) in (0u32..).zip(items) {
            let (Some(parent), Kind::Method | Kind::Property | Kind::Variant) =
                (item.parent, item.kind)
            else {
                continue;
            };
            let Some(owner) = items.get(parent as usize).map(|owner| owner.path.as_str()) else {
                continue;
            };
            if places.get(owner) == Some(&parent) {
                self.member(at, item, owner, &places);
            }
        }
        self.surface.members.sort_unstable_by_key(|whole| whole.item);
        self.surface.keywords.sort_unstable_by_key(|whole| whole.item);
        self.surface.returns.sort_unstable();
        self.surface
    }

    fn vouch(&mut self, path: &str, item: u32) {
        let mut names: HashSet<&str> = HashSet::default();
        let mut is_simple = true;
        let Some(facts) = self.types.get(path) else { return };
        if !self.collect(path, &mut names, &mut is_simple, 0) {
            return;
        }
        let makers: Vec<&Declaration> = facts.initializers().collect();
        let may_fail =
            |one: &&Declaration| ["init?", "init!"].iter().any(|word| one.signature.contains(word));
        let is_raw = facts.what == Some(What::Enum)
            && facts.bases.iter().any(|base| RAW.contains(&bare(base)));
        // The initializers of a base are its own as well.
        if is_simple && !is_raw && !makers.iter().any(may_fail) {
            self.surface.returns.push((item, item));
        }
        let has_others = self.made_elsewhere.contains(last(path));
        if is_simple && !is_raw && !makers.is_empty() && !has_others {
            let standard = facts.bases.iter().filter_map(|base| standard(base)).flatten();
            let mut all: Vec<String> =
                makers.iter().flat_map(|one| labels(&one.full_name)).collect();
            all.extend(standard.map(|name| (*name).to_owned()));
            self.surface.keywords.push(Whole { item, names: all });
        }
        self.whole.insert(item, self.is_final(path));
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort_unstable();
        self.surface.members.push(Whole { item, names });
    }

    /// The names of a type and of what it inherits from; false if something is out of sight.
    fn collect(
        &self,
        path: &str,
        names: &mut HashSet<&'d str>,
        is_simple: &mut bool,
        deep: usize,
    ) -> bool {
        let Some(facts) = self.types.get(path).filter(|_| deep < DEEP_MAX) else { return false };
        if facts.is_open || facts.what.is_none() {
            return false;
        }
        names.extend(facts.members.keys().copied());
        let mut open: Vec<(&str, usize)> = facts.bases.iter().map(|base| (*base, 0)).collect();
        while let Some((written, renamed)) = open.pop() {
            let base = bare(written);
            if written.contains('&') || renamed > DEEP_MAX {
                return false;
            }
            if let Some(standard) = standard(base) {
                names.extend(standard);
                continue;
            }
            if facts.what == Some(What::Enum) && RAW.contains(&base) {
                names.extend(["rawValue", "RawValue"]);
                continue;
            }
            let around = scopes(path);
            let mut places = around.map(|scope| join(scope, base)).filter(|one| one != path);
            let found = places.find_map(|place| {
                let facts = self.types.get(place.as_str())?;
                facts.what.map(|_| (place, facts))
            });
            match (found, self.aliases.get(base)) {
                (Some((found, inherited)), _) => {
                    *is_simple &= inherited.what == Some(What::Protocol)
                        && inherited.initializers().next().is_none();
                    if !self.collect(&found, names, is_simple, deep + 1) {
                        return false;
                    }
                }
                (None, Some(targets)) => {
                    open.extend(targets.iter().map(|target| (*target, renamed + 1)));
                }
                (None, None) => return false,
            }
        }
        true
    }

    /// Whether a type inherits from no other class.
    fn is_final(&self, path: &str) -> bool {
        let facts = self.types.get(path);
        facts.is_some_and(|facts| {
            facts.bases.iter().all(|base| {
                let mut places = scopes(path).map(|scope| join(scope, bare(base)));
                let is_class = |place: String| {
                    let what = self.types.get(place.as_str()).and_then(|facts| facts.what);
                    matches!(what, Some(What::Class | What::Actor))
                };
                !places.any(is_class)
            })
        })
    }

    /// What is certain about a member: its labels and its type, if there is only one of its name.
    fn member(&mut self, at: u32, item: &Item, owner: &str, places: &HashMap<&str, u32>) {
        let Some(facts) = self.types.get(owner) else { return };
        let same = facts.named(item.name());
        let Some(&one) = same.first() else { return };
        if self.surface.given.binary_search_by(|name| name.as_str().cmp(&one.name)).is_ok() {
            return;
        }
        // What is inherited may have other labels.
        let is_inherited = STANDARD.iter().any(|(_, names)| names.contains(&one.name.as_str()));
        let is_function = same.iter().all(|one| one.what == What::Function);
        let is_final = places.get(owner).and_then(|of| self.whole.get(of)) == Some(&true);
        if is_function && is_final && !is_inherited {
            let all = same.iter().flat_map(|one| labels(&one.full_name)).collect();
            self.surface.keywords.push(Whole { item: at, names: all });
        }
        if same.len() > 1 {
            return;
        }
        if one.what == What::Case {
            self.surface.returns.extend(places.get(owner).map(|&of| (at, of)));
            return;
        }
        let Some(written) = type_of(one) else { return };
        let generic = parameters(&one.signature);
        let is_parameter = |name: &str| {
            let mut around = scopes(owner).filter_map(|scope| self.types.get(scope));
            generic.contains(&name) || around.any(|facts| facts.parameters.contains(&name))
        };
        let first = written.split('.').next().unwrap_or(written);
        if is_parameter(first) {
            return;
        }
        let found = match written {
            "Self" => places.get(owner),
            _ => {
                // The nearest thing of that name decides, whatever it is.
                let mut all = scopes(owner).map(|scope| join(scope, written));
                let near = all.find(|place| {
                    let (outer, name) = place.rsplit_once('.').unwrap_or(("", place));
                    let facts = self.types.get(outer);
                    facts.is_some_and(|facts| facts.members.contains_key(name))
                        || self.types.get(place.as_str()).is_some_and(|facts| facts.what.is_some())
                });
                near.and_then(|near| places.get(near.as_str()))
            }
        };
        self.surface.returns.extend(found.map(|&of| (at, of)));
    }
}

/// A path and those around it: `A.B`, `A`, and the module.
fn scopes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.rmatch_indices('.').map(|(at, _)| &path[..at]);
    std::iter::once(path).chain(ends).chain(std::iter::once(""))
}

fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// What a standard protocol brings.
fn standard(written: &str) -> Option<&'static [&'static str]> {
    let name = bare(written);
    STANDARD.iter().find(|(known, _)| *known == name).map(|(_, names)| *names)
}

/// A base without what it is given and what is said of it.
fn bare(written: &str) -> &str {
    let name = written.trim_start_matches('~').trim();
    let name = name.strip_prefix("Swift.").unwrap_or(name);
    let end = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
    &name[..end.unwrap_or(name.len())]
}

/// The last part of a dotted name.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether nothing in front of a type says that it gets members from elsewhere.
fn is_plain(signature: &str) -> bool {
    let mut attributes = signature.match_indices('@').map(|(at, _)| &signature[at + 1..]);
    attributes.all(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        PLAIN_ATTRIBUTES.contains(&&rest[..end])
    })
}

/// The labels of `name(a:_:)`.
fn labels(full_name: &str) -> Vec<String> {
    let inside = full_name.split_once('(').map_or("", |(_, rest)| rest);
    let inside = inside.trim_end_matches(')').split(':');
    inside.filter(|label| !label.is_empty() && *label != "_").map(str::to_owned).collect()
}

/// The names between the first angle brackets of a declaration, before its parameters.
fn parameters(signature: &str) -> Vec<&str> {
    let head = signature.split('(').next().unwrap_or(signature);
    let Some((_, inside)) = head.split_once('<') else { return Vec::new() };
    let words = inside.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty()).collect()
}

/// The type of what a function returns or a property is, if it is one that has a name.
fn type_of(one: &Declaration) -> Option<&str> {
    let signature = one.signature.as_str();
    let written = match one.what {
        What::Function => signature.rsplit_once("->")?.1,
        What::Property | What::Constant => {
            let (_, rest) = signature.split_once(&format!("{}:", one.name))?;
            rest.split(['{', '=']).next()?
        }
        _ => return None,
    };
    let written = written.split(" where ").next()?.trim();
    let name = written.split('<').next()?;
    let rest = &written[name.len()..];
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let is_closed = rest.is_empty() || rest.ends_with('>') && !rest.contains("->");
    (is_name && is_closed && !name.is_empty()).then_some(name)
}
