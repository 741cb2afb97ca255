//! One package: the declarations of its files, put together as `go doc` does.
//!
//! Functions that make a type and constants of it belong to the type, methods to their receiver.
//! Files are those for the first platform that the package has any for; what only other platforms
//! have is added, and marked.

use std::collections::{BTreeMap, BTreeSet};

use super::bodies;
use super::comment::Doc;
use super::constraint::{Header, PLATFORMS, Platform, header, is_looked_at};
use super::declare::{File, Function, Group, Type, read};
use super::folders::Folder;
use super::text::is_exported;
use crate::extract::{self, Input};
use crate::hashing::HashSet;
use crate::tree::file_name;

/// A declaration and where it is.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub(super) it: T,
    /// The file, as a position in [`Package::files`].
    pub(super) file: usize,
    /// The platform it is for, if it is not there for all that are looked at first.
    pub(super) only: Option<Platform>,
}

/// What belongs to one named type.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) declared: Option<Placed<Type>>,
    pub(super) groups: Vec<Placed<Group>>,
    pub(super) makers: BTreeMap<String, Placed<Function>>,
    pub(super) methods: BTreeMap<String, Placed<Function>>,
}

/// A package.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) docs: Doc,
    pub(super) is_public: bool,
    /// What its files are shown behind, if they are not of the package in question.
    pub(super) origin: String,
    /// The platform that its files are for, if it is not the first.
    pub(super) only: Option<Platform>,
    pub(super) files: Vec<File>,
    pub(super) types: BTreeMap<String, Named>,
    pub(super) functions: BTreeMap<String, Placed<Function>>,
    pub(super) groups: Vec<Placed<Group>>,
    /// The file with the package's documentation, or the first.
    pub(super) main_file: String,
    /// Whether every file of it was read and understood.
    pub(super) is_whole: bool,
    /// What only builds have that are not looked at: names, and `Type.member`.
    pub(super) also: BTreeSet<String>,
    /// Functions and methods that are declared in several ways, and types that embed in several.
    pub(super) varies: BTreeSet<String>,
}

/// Bytes of files for other builds that are read for their names.
const OTHER_BYTES_MAX: u64 = 1 << 20;

/// Reads a package; nothing if no platform has files for it.
pub(super) fn load(
    input: &Input<'_>,
    home: &extract::Package,
    path: &str,
    folder: &Folder,
) -> Option<Package> {
    let is_own = home.name == input.package.name;
    let origin = if is_own { String::new() } else { format!("{}@{}:", home.name, home.version) };
    // Files for rare platforms are many and large, and their names tell.
    let names = folder.sources.iter().filter(|file| is_looked_at(file));
    let sources: Vec<(&str, String, Header)> = names
        .filter_map(|file| {
            let text = input.source(home, file)?;
            let header = header(&text)?;
            header.is_built().then(|| (file.as_str(), bodies::without(&text), header))
        })
        .collect();
    let full = |file: &str| if is_own { file.to_owned() } else { format!("{}:{file}", home.name) };
    let fits = |platform: Platform, (file, _, header): &(&str, String, Header)| {
        let met = header.constraint.is_empty() || platform.meets(&header.constraint);
        met && platform.fits_name(file_name(file)) && header.package != "documentation"
    };
    let main = PLATFORMS
        .iter()
        .copied()
        .find(|platform| sources.iter().any(|one| fits(*platform, one)))?;
    let mut package = Package {
        path: path.to_owned(),
        is_public: folder.is_public,
        origin,
        only: Some(main).filter(|main| *main != PLATFORMS[0]),
        name: package_name(
            sources.iter().filter(|one| fits(main, one)).map(|one| one.2.package.as_str()),
        ),
        ..Package::default()
    };
    package.is_whole = true;
    let mut known: HashSet<String> = HashSet::default();
    let mut taken: HashSet<&str> = HashSet::default();
    let others = PLATFORMS.iter().copied().filter(|platform| *platform != main);
    for platform in std::iter::once(main).chain(others) {
        let only = Some(platform).filter(|platform| *platform != main);
        let mut names = Vec::new();
        for source in sources.iter().filter(|one| fits(platform, one)) {
            let (file, text, header) = source;
            if header.package != package.name || !taken.insert(file) {
                continue;
            }
            let Some(read) = read(file, text) else {
                input.problem(&full(file), None, "not read: its parser gave up");
                package.is_whole = false;
                continue;
            };
            if let Some(line) = read.broken {
                input.problem(&full(file), Some(line), "not all of it could be understood");
                package.is_whole = false;
            }
            package.add(read, only, &known, &mut names);
        }
        known.extend(names);
    }
    let others = folder.sources.iter().filter(|file| !taken.contains(file.as_str()));
    package.other_builds(input, home, &others.collect::<Vec<_>>());
    package.associate();
    Some(package)
}

/// The name of a function, behind that of its receiver's type.
fn full_name(it: &Function) -> String {
    let receiver = it.receiver.as_ref();
    receiver.map_or(it.name.clone(), |to| format!("{}.{}", to.base, it.name))
}

/// The name that most files have.
fn package_name<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(name, _)| name.to_owned()).unwrap_or_default()
}

impl Package {
    /// Notes the names in files that no build has that is looked at: other systems, other tags.
    fn other_builds(&mut self, input: &Input<'_>, home: &extract::Package, files: &[&String]) {
        let bytes: u64 = files.iter().map(|file| home.tree.bytes(file)).sum();
        if bytes > OTHER_BYTES_MAX {
            self.is_whole = false;
            return;
        }
        for file in files {
            let Some(text) = input.source(home, file) else {
                self.is_whole = false;
                continue;
            };
            if header(&text).is_none_or(|header| header.package != self.name) {
                continue;
            }
            match read(file, &bodies::without(&text)) {
                Some(read) if read.broken.is_none() => self.other_build(read),
                _ => self.is_whole = false,
            }
        }
    }

    fn other_build(&mut self, file: File) {
        for it in file.functions {
            self.vary(&it);
            self.also.insert(full_name(&it));
        }
        for it in file.types {
            self.vary_type(&it);
            self.also.insert(it.name);
        }
        let specs = file.groups.into_iter().flat_map(|group| group.specs);
        self.also.extend(specs.flat_map(|spec| spec.names));
    }

    /// Members of a type that only other builds have.
    pub(super) fn also_in(&self, name: &str) -> impl Iterator<Item = String> {
        let members = self.also.iter().filter_map(move |full| full.strip_prefix(name));
        members.filter_map(|rest| rest.strip_prefix('.')).map(str::to_owned)
    }

    /// Notes a function that is declared once more.
    fn vary(&mut self, it: &Function) {
        let known = match &it.receiver {
            Some(receiver) => {
                self.types.get(&receiver.base).and_then(|named| named.methods.get(&it.name))
            }
            None => self.functions.get(&it.name),
        };
        if known.is_some_and(|known| known.it.result != it.result) {
            self.varies.insert(full_name(it));
        }
    }

    /// Notes a type that is declared once more.
    fn vary_type(&mut self, it: &Type) {
        let known = self.types.get(&it.name).and_then(|named| named.declared.as_ref());
        let known = known.map(|known| &known.it);
        let is_other = |known: &Type| {
            (&known.embedded, &known.target, known.shape) != (&it.embedded, &it.target, it.shape)
        };
        if known.is_none_or(is_other) {
            self.varies.insert(it.name.clone());
        }
        for member in &it.members {
            let full = format!("{}.{}", it.name, member.name);
            let mut had = known.into_iter().flat_map(|known| &known.members);
            let had = had.find(|had| had.name == member.name);
            if had.is_some_and(|had| had.of != member.of) {
                self.varies.insert(full.clone());
            }
            self.also.insert(full);
        }
    }

    /// Adds the declarations of a file, except those that are known; notes the names of the others.
    fn add(
        &mut self,
        mut file: File,
        only: Option<Platform>,
        known: &HashSet<String>,
        names: &mut Vec<String>,
    ) {
        let at = self.files.len();
        if !file.docs.text.is_empty() && only.is_none() {
            if self.docs.text.is_empty() {
                file.path.clone_into(&mut self.main_file);
            } else {
                self.docs.text.push_str("\n\n");
            }
            self.docs.text.push_str(&file.docs.text);
        }
        self.docs.deprecated = self.docs.deprecated.take().or(file.docs.deprecated.take());
        if self.main_file.is_empty() {
            file.path.clone_into(&mut self.main_file);
        }
        let mut is_new = |name: String| {
            let is_new = !known.contains(&name);
            names.push(name);
            is_new
        };
        for it in std::mem::take(&mut file.functions) {
            if is_new(full_name(&it)) {
                self.add_function(Placed { it, file: at, only });
            } else {
                self.vary(&it);
            }
        }
        for it in std::mem::take(&mut file.types) {
            if is_new(it.name.clone()) {
                let named = self.types.entry(it.name.clone()).or_default();
                named.declared.get_or_insert(Placed { it, file: at, only });
            } else {
                self.vary_type(&it);
            }
        }
        for mut it in std::mem::take(&mut file.groups) {
            it.specs.retain_mut(|spec| {
                spec.names.iter().fold(false, |any, name| is_new(name.clone()) | any)
            });
            if !it.specs.is_empty() {
                self.groups.push(Placed { it, file: at, only });
            }
        }
        self.files.push(file);
    }

    fn add_function(&mut self, function: Placed<Function>) {
        let name = function.it.name.clone();
        let into = match &function.it.receiver {
            Some(receiver) => &mut self.types.entry(receiver.base.clone()).or_default().methods,
            None => &mut self.functions,
        };
        // Of two with one name, the documented one is shown.
        match into.get(&name) {
            Some(known) if !known.it.docs.text.is_empty() => {}
            _ => _ = into.insert(name, function),
        }
    }

    /// Moves what belongs to a type there.
    fn associate(&mut self) {
        let is_declared = |types: &BTreeMap<String, Named>, name: &str| {
            types.get(name).is_some_and(|named| named.declared.is_some())
        };
        for (name, function) in std::mem::take(&mut self.functions) {
            let it = &function.it;
            let own: Vec<&String> = it
                .results
                .iter()
                .filter(|result| !it.type_parameters.contains(result))
                .filter(|result| is_declared(&self.types, result) || !is_predeclared(result))
                .collect();
            let maker_of = match own.as_slice() {
                [one] if is_exported(one) && is_declared(&self.types, one) => Some((*one).clone()),
                _ => None,
            };
            match maker_of.and_then(|one| self.types.get_mut(&one)) {
                Some(named) => _ = named.makers.insert(name, function),
                None => _ = self.functions.insert(name, function),
            }
        }
        for group in std::mem::take(&mut self.groups) {
            let of = main_type(&group.it)
                .filter(|one| is_exported(one) && is_declared(&self.types, one));
            match of.and_then(|one| self.types.get_mut(&one)) {
                Some(named) => named.groups.push(group),
                None => self.groups.push(group),
            }
        }
    }
}

/// The one named type that most lines of a group have.
fn main_type(group: &Group) -> Option<String> {
    let mut main: Option<&String> = None;
    let mut count = 0;
    let mut before: Option<&String> = None;
    for spec in &group.specs {
        let own = match (spec.has_type, group.is_constant && !spec.has_values) {
            (true, _) => spec.base.as_ref(),
            (false, true) => before,
            (false, false) => None,
        };
        if let Some(own) = own {
            if main.is_some_and(|main| main != own) {
                return None;
            }
            main = Some(own);
            count += 1;
        }
        before = own;
    }
    (count >= group.specs.len() * 3 / 4).then(|| main.cloned()).flatten()
}

/// Whether a name is one of Go's own types.
pub(super) fn is_predeclared(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "any",
        "bool",
        "byte",
        "comparable",
        "complex64",
        "complex128",
        "error",
        "float32",
        "float64",
        "int",
        "int8",
        "int16",
        "int32",
        "int64",
        "rune",
        "string",
        "uint",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "uintptr",
    ];
    NAMES.contains(&name)
}
