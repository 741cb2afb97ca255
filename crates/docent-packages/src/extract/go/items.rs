//! Writes packages down as items, in the order of `go doc`.

use std::rc::Rc;

use super::certain::Certain;
use super::comment::Doc;
use super::constraint::Platform;
use super::declare::{Function, Group, SHARING_MAX, Shape, Spec, Type};
use super::example::{Example, Examples};
use super::modules::Modules;
use super::package::{Named, Package, Placed};
use super::promote::{Promoted, What, hidden_target, promoted};
use super::text::{is_exported, shown};
use crate::hashing::HashSet;
use crate::{Chunk, ChunkKind, Item, Kind};

/// Lines of an example that is shown with what it is about; a longer one stands by itself.
const EXAMPLE_LINES_MAX: usize = 40;

/// Types that are not exported but shown, for one package.
const LOCAL_TYPES_MAX: usize = 100;

/// Writes items.
pub(super) struct Writer<'a> {
    modules: &'a Modules<'a>,
    pub(super) items: Vec<Item>,
    pub(super) examples: Vec<Chunk>,
    pub(super) certain: Certain,
}

impl<'a> Writer<'a> {
    pub(super) fn new(modules: &'a Modules<'a>) -> Self {
        Self { modules, items: Vec::new(), examples: Vec::new(), certain: Certain::default() }
    }

    /// Writes down a package.
    pub(super) fn package(&mut self, package: &Rc<Package>, examples: Examples) {
        let is_command = package.name == "main";
        if is_command && package.docs.text.is_empty() {
            return;
        }
        let mut page =
            Page { package, examples, aliased: is_aliased(package), mentioned: Vec::new() };
        let signature = format!("package {} // import \"{}\"", package.name, package.path);
        let file = package.main_file.clone();
        let module = page.item("", Kind::Module, signature, &package.docs, package.only, (file, 1));
        let at = self.push(module, None);
        // Of a command `go doc` shows what it is for, since nobody can import it.
        if is_command {
            return;
        }
        self.certain.package(at, package);
        for is_constant in [true, false] {
            self.groups(&mut page, &package.groups, is_constant, None);
        }
        for function in package.functions.values().filter(|one| is_exported(&one.it.name)) {
            self.function(&mut page, function, None);
        }
        for (name, named) in package.types.iter().filter(|(name, _)| is_exported(name)) {
            self.named(&mut page, name, named, false);
        }
        self.mentioned(&mut page);
        self.rest_of_examples(page);
    }

    fn push(&mut self, item: Item, parent: Option<u32>) -> u32 {
        let position = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        self.items.push(Item { parent, ..item });
        position
    }

    /// The exported names of some groups, single ones first and by name.
    fn groups(
        &mut self,
        page: &mut Page<'_>,
        groups: &[Placed<Group>],
        is_constant: bool,
        parent: Option<u32>,
    ) {
        for group in groups.iter().filter(|group| group.it.is_constant == is_constant) {
            let names: usize = group.it.specs.iter().map(|spec| spec.names.len()).sum();
            let mut is_first = true;
            for spec in &group.it.specs {
                for (at, name) in
                    spec.names.iter().enumerate().filter(|(_, name)| is_exported(name))
                {
                    let mut docs = spec.docs.clone();
                    let may_share = is_first || names <= SHARING_MAX;
                    if docs.text.is_empty() && may_share {
                        docs.text.clone_from(&group.it.docs.text);
                    }
                    docs.deprecated = docs.deprecated.or_else(|| group.it.docs.deprecated.clone());
                    is_first = false;
                    let kind = if is_constant { Kind::Constant } else { Kind::Variable };
                    let signature = value_signature(is_constant, spec, at, name);
                    let place = page.place(group.file, spec.line);
                    let item = page.item(name, kind, signature, &docs, group.only, place);
                    page.mention(&spec.mentions);
                    let item = self.push(item, parent);
                    if let Some(made) = spec.made.get(at) {
                        self.certain.value(item, page.package, group.file, made);
                    }
                }
            }
        }
    }

    fn function(&mut self, page: &mut Page<'_>, function: &Placed<Function>, parent: Option<u32>) {
        let it = &function.it;
        let signature = shown(format!("func {}", it.signature));
        let place = page.place(function.file, it.line);
        let item = page.item(&it.name, Kind::Function, signature, &it.docs, function.only, place);
        page.mention(&it.mentions);
        let item = self.push(item, parent);
        self.certain.result(item, page.package, function, &it.name);
    }

    /// A type with everything that belongs to it.
    fn named(&mut self, page: &mut Page<'_>, name: &str, named: &Named, is_local: bool) {
        let Some(declared) = &named.declared else { return };
        let it = &declared.it;
        let kind = match it.shape {
            Shape::Struct => Kind::Struct,
            Shape::Interface => Kind::Interface,
            Shape::Alias | Shape::Other => Kind::TypeAlias,
        };
        let place = page.place(declared.file, it.line);
        let item = page.item(name, kind, it.signature.clone(), &it.docs, declared.only, place);
        let at = self.push(Item { local: is_local, ..item }, None);
        let owner = Some(at);
        self.certain.declared(at, page.package, declared);
        if !is_local {
            page.mention(&it.mentions);
        }
        self.members(page, it, declared, name, owner);
        for is_constant in [true, false] {
            self.groups(page, &named.groups, is_constant, owner);
        }
        // How to make one is the first thing to know.
        let makers = named.makers.values().filter(|one| is_exported(&one.it.name));
        let (plain, others): (Vec<_>, Vec<_>) = makers
            .partition(|one| one.it.name == "New" || one.it.name.strip_prefix("New") == Some(name));
        for function in plain.into_iter().chain(others) {
            self.function(page, function, owner);
        }
        for method in named.methods.values().filter(|one| is_exported(&one.it.name)) {
            let receiver =
                method.it.receiver.as_ref().map_or("", |receiver| receiver.text.as_str());
            let signature = shown(format!("func ({receiver}) {}", method.it.signature));
            let path = format!("{name}.{}", method.it.name);
            let place = page.place(method.file, method.it.line);
            let item =
                page.item(&path, Kind::Method, signature, &method.it.docs, method.only, place);
            if !is_local {
                page.mention(&method.it.mentions);
            }
            let item = self.push(item, owner);
            self.certain.result(item, page.package, method, &path);
        }
        let package = page.package;
        let gained = promoted(self.modules, package, named, declared);
        for one in &gained.members {
            self.promoted(page, name, one, owner);
        }
        if gained.is_whole {
            let is_hidden = hidden_target(self.modules, package, declared).is_some();
            self.certain.members(at, package, declared, is_hidden, gained);
        }
    }

    fn members(
        &mut self,
        page: &mut Page<'_>,
        it: &Type,
        declared: &Placed<Type>,
        name: &str,
        owner: Option<u32>,
    ) {
        let kind = member_kind(it.shape, it);
        for member in &it.members {
            let path = format!("{name}.{}", member.name);
            let place = page.place(declared.file, member.line);
            let signature = shown(member.signature.clone());
            let item = page.item(&path, kind, signature, &member.docs, None, place);
            let item = self.push(item, owner);
            self.certain.member(item, page.package, declared.file, member, &path);
        }
    }

    fn promoted(&mut self, page: &mut Page<'_>, name: &str, one: &Promoted, owner: Option<u32>) {
        let Some(base) = one.package.types.get(&one.owner) else { return };
        let path = format!("{name}.{}", one.name);
        let file = |at: usize| {
            let path = one.package.files.get(at).map(|file| file.path.as_str());
            format!("{}{}", one.package.origin, path.unwrap_or_default())
        };
        let item = match one.what {
            What::Method => {
                let Some(method) = base.methods.get(&one.name) else { return };
                let Some(receiver) = &method.it.receiver else { return };
                let receiver = if one.is_listed {
                    // As if the outer type had it, which is how it is called.
                    let star = if receiver.pointer && !one.through_pointer { "*" } else { "" };
                    let space = if receiver.name.is_empty() { "" } else { " " };
                    format!("{}{space}{star}{name}", receiver.name)
                } else {
                    receiver.text.clone()
                };
                let signature = shown(format!("func ({receiver}) {}", method.it.signature));
                let place = (file(method.file), method.it.line);
                if one.is_listed {
                    page.mention(&method.it.mentions);
                }
                page.item(&path, Kind::Method, signature, &method.it.docs, method.only, place)
            }
            What::Member(at) => {
                let Some(declared) = &base.declared else { return };
                let Some(member) = declared.it.members.get(at) else { return };
                let kind = member_kind(declared.it.shape, &declared.it);
                let place = (file(declared.file), member.line);
                let signature = shown(member.signature.clone());
                page.item(&path, kind, signature, &member.docs, None, place)
            }
        };
        let at = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        let full = format!("{}.{}", one.owner, one.name);
        match (&one.what, &base.declared) {
            (What::Method, _) => {
                if let Some(method) = base.methods.get(&one.name) {
                    self.certain.result(at, &one.package, method, &full);
                }
            }
            (What::Member(member), Some(declared)) => {
                if let Some(member) = declared.it.members.get(*member) {
                    self.certain.member(at, &one.package, declared.file, member, &full);
                }
            }
            (What::Member(_), None) => {}
        }
        let elsewhere = one.package.path != page.package.path;
        let package = if elsewhere { format!("{}.", one.package.name) } else { String::new() };
        let inherited = (!one.is_listed).then(|| format!("{package}{}.{}", one.owner, one.name));
        self.push(Item { inherited: inherited.map(Into::into), ..item }, owner);
    }

    /// Types that are not exported, though what is exported takes or gives them.
    fn mentioned(&mut self, page: &mut Page<'_>) {
        let mut seen: HashSet<String> = HashSet::default();
        let mut at = 0;
        while let Some(name) = page.mentioned.get(at).cloned() {
            at += 1;
            if at > LOCAL_TYPES_MAX || !seen.insert(name.clone()) {
                continue;
            }
            let package = page.package;
            if let Some(named) = package.types.get(&name) {
                self.named(page, &name, named, true);
            }
        }
    }

    /// The examples that are not shown with what they are about.
    fn rest_of_examples(&mut self, page: Page<'_>) {
        for (subject, examples) in page.examples {
            for example in examples {
                let mut title = page.package.name.clone();
                if !subject.is_empty() {
                    title = format!("{title}.{subject}");
                }
                if !example.suffix.is_empty() {
                    title = format!("{title} ({})", example.suffix);
                }
                self.examples.push(Chunk {
                    kind: ChunkKind::Example,
                    headings: vec!["Examples".to_owned(), title],
                    text: example.text,
                    file: example.file,
                    line: example.line,
                    language: None,
                });
            }
        }
    }
}

/// A package while it is written down.
struct Page<'a> {
    package: &'a Rc<Package>,
    examples: Examples,
    /// The name of the package, if its import path ends otherwise.
    aliased: Option<&'a str>,
    /// Types that are not exported, but mentioned.
    mentioned: Vec<String>,
}

impl Page<'_> {
    fn place(&self, file: usize, line: u32) -> (String, u32) {
        (self.package.files.get(file).map(|file| file.path.clone()).unwrap_or_default(), line)
    }

    fn mention(&mut self, names: &[String]) {
        self.mentioned.extend(names.iter().cloned());
    }

    fn item(
        &mut self,
        path: &str,
        kind: Kind,
        signature: String,
        docs: &Doc,
        only: Option<Platform>,
        (file, line): (String, u32),
    ) -> Item {
        let mut text = docs.text.clone();
        let mut add = |more: &str| {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(more);
        };
        if let Some(only) = only {
            add(&format!("Only on {}.", only.shown()));
        }
        if let Some(example) = self.example(path) {
            add(&format!("Example:\n\n{}", example.text));
        }
        let aliases = self.aliased.map(|name| (name.to_owned(), path.to_owned()));
        Item {
            module: self.package.path.as_str().into(),
            path: path.to_owned(),
            aliases: aliases.into_iter().collect(),
            kind,
            signature: signature.into(),
            docs: text.into(),
            deprecated: docs.deprecated.clone().map(Into::into),
            file: file.into(),
            line,
            ..Item::default()
        }
    }

    /// The first example for an item, if it is short.
    fn example(&mut self, path: &str) -> Option<Example> {
        let examples = self.examples.get_mut(path).filter(|_| !path.is_empty())?;
        let first = examples.first().filter(|first| first.lines <= EXAMPLE_LINES_MAX)?.clone();
        examples.remove(0);
        Some(first)
    }
}

/// The name of a package whose import path does not end with it.
fn is_aliased(package: &Package) -> Option<&str> {
    let last = package.path.rsplit('/').next().unwrap_or_default();
    (last != package.name && package.name != "main").then_some(package.name.as_str())
}

fn member_kind(shape: Shape, it: &Type) -> Kind {
    let is_interface =
        shape == Shape::Interface || shape == Shape::Alias && it.signature.contains("= interface");
    if is_interface { Kind::Method } else { Kind::Property }
}

/// A constant or variable by itself, with the type and value that its line has or repeats.
fn value_signature(is_constant: bool, spec: &Spec, at: usize, name: &str) -> String {
    let word = if is_constant { "const" } else { "var" };
    let kind = spec.kind.as_ref().map(|kind| format!(" {kind}")).unwrap_or_default();
    if spec.values.len() != spec.names.len() {
        // One call that gives several values.
        let are_few = spec.names.len() <= SHARING_MAX && !spec.values.is_empty();
        let names = if are_few { spec.names.join(", ") } else { name.to_owned() };
        let values = spec.values.join(", ");
        let values = if values.is_empty() { values } else { format!(" = {values}") };
        return format!("{word} {names}{kind}{values}");
    }
    let value = spec.values.get(at).map(String::as_str).unwrap_or_default();
    let number = if is_constant { counted(value, spec.number) } else { None };
    let number = number.map(|number| format!(" // {number}")).unwrap_or_default();
    format!("{word} {name}{kind} = {value}{number}")
}

/// What a value that counts lines is on its line.
fn counted(value: &str, line: usize) -> Option<u64> {
    let line = u64::try_from(line).ok()?;
    let shifted = |by: u64| u32::try_from(by).ok().and_then(|by| 1u64.checked_shl(by));
    match value {
        "iota" => Some(line),
        "1 << iota" => shifted(line),
        _ => {
            let (left, right) = value.split_once(" + ")?;
            match (left, right) {
                ("iota", right) => line.checked_add(right.parse().ok()?),
                (left, "iota") => line.checked_add(left.parse().ok()?),
                _ => None,
            }
        }
    }
}
