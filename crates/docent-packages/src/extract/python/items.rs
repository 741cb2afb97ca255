//! Writes the public API down as items: each definition once, a class with its members.
//!
//! Fed by [`super::public`]; uses [`super::class`] for what is inherited and [`super::docstring`]
//! for the text.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::added::Elsewhere;
use super::certain::Call;
use super::class::Classes;
use super::docstring::{self, Docs};
use super::link::{Def, Linker, Target};
use super::modules::Id;
use super::public::{Entry, PublicModule, Shown};
use super::scope::{Binding, Class, Function, Scope, Variable, What};
use super::text::last;
use crate::extract::Input;
use crate::hashing::{HashMap, HashSet};
use crate::tree::Tree;
use crate::{Item, Kind, Surface, Text};

/// Special methods that say nothing to a user, documented or not.
const UNTOLD: &[&str] = &[
    "__class_getitem__",
    "__copy__",
    "__deepcopy__",
    "__dir__",
    "__eq__",
    "__format__",
    "__getstate__",
    "__hash__",
    "__init_subclass__",
    "__ne__",
    "__reduce__",
    "__reduce_ex__",
    "__repr__",
    "__setstate__",
    "__sizeof__",
    "__str__",
    "__subclasshook__",
];

/// What was written, and what was seen on the way.
#[derive(Default)]
pub(super) struct Found {
    pub(super) items: Vec<Item>,
    pub(super) functions: usize,
    pub(super) annotated: usize,
    /// Whether something public is in a module of the distribution that cannot be read.
    pub(super) is_compiled: bool,
    /// Top-level modules of other distributions that re-exports or bases come from.
    pub(super) elsewhere: BTreeSet<String>,
    pub(super) surface: Surface,
    /// The items of classes.
    pub(super) class_items: HashMap<Def, u32>,
    /// Functions, and the classes that they return objects of.
    pub(super) returned: Vec<(u32, Def)>,
}

/// What will write the public modules.
pub(super) fn writer<'w, 'i, 'a>(
    input: &Input<'_>,
    linker: &'w Linker<'i, 'a>,
    public: &[PublicModule],
) -> Writer<'w, 'i, 'a> {
    let shown = public.iter().flat_map(|module| &module.entries);
    let defs = shown.filter_map(|entry| match &entry.what {
        Shown::Def(def) => Some(*def),
        Shown::Elsewhere { .. } | Shown::Unknown => None,
    });
    Writer {
        linker,
        tree: input.package.tree.clone(),
        classes: Classes::new(linker),
        public: defs.collect(),
        items_max: input.limits.items_max,
        nesting_max: input.limits.nesting_max,
        handed_down: HashMap::default(),
        noted: HashSet::default(),
        elsewhere: Elsewhere::read(linker),
        found: Found::default(),
    }
}

pub(super) struct Writer<'w, 'i, 'a> {
    pub(super) linker: &'w Linker<'i, 'a>,
    pub(super) tree: Tree,
    pub(super) classes: Classes<'w, 'i, 'a>,
    pub(super) public: HashSet<Def>,
    items_max: usize,
    nesting_max: usize,
    handed_down: HashMap<(Def, bool), HandedDown>,
    /// Classes whose bases have been looked at.
    noted: HashSet<Def>,
    pub(super) elsewhere: Elsewhere,
    pub(super) found: Found,
}

/// The members of a class as those see them that inherit them; `None` for what is not shown.
type HandedDown = Rc<Vec<Told>>;

/// One of them, by its name.
type Told = (Rc<str>, Option<(Item, Call)>);

/// A class as its members see it.
#[derive(Clone, Copy)]
struct Owner<'o> {
    module: &'o Text,
    /// Its path inside the module.
    path: &'o str,
    file: &'o Text,
    item: u32,
    is_enum: bool,
    depth: usize,
}

impl Writer<'_, '_, '_> {
    /// The modules of other distributions that most of what will be written depends on: a quick
    /// look, so that nothing has to be written twice.
    pub(super) fn preview(&mut self, public: &[PublicModule]) -> BTreeSet<String> {
        for entry in public.iter().flat_map(|module| &module.entries) {
            match &entry.what {
                Shown::Elsewhere { module, .. } => self.note_elsewhere(module),
                Shown::Unknown => {}
                Shown::Def(def) => {
                    let at = self.linker.modules.get(def.module);
                    if let Some(class) = as_class(&at.scope.bindings[def.at]) {
                        self.note_all_bases(def.module, Some(*def), class);
                    }
                }
            }
        }
        self.found.elsewhere.clone()
    }

    /// Writes all public modules.
    pub(super) fn write(mut self, public: &[PublicModule]) -> Found {
        for module in public {
            self.module(module);
        }
        self.vouch_rest();
        self.found
    }

    fn module(&mut self, public: &PublicModule) {
        let module = self.linker.modules.get(public.id);
        let twin = self.linker.modules.twin(public.id).map(|twin| self.linker.modules.get(twin));
        let raw = module.docs.as_deref().or_else(|| twin.as_ref()?.docs.as_deref());
        let Docs { text, deprecated } = raw.map(docstring::read).unwrap_or_default();
        let declared = module.deprecated.as_ref().or_else(|| twin.as_ref()?.deprecated.as_ref());
        let deprecated = declared.map(Text::from).or(deprecated);
        let name = Text::from(&public.name);
        let at = self.push(Item {
            module: name.clone(),
            kind: Kind::Module,
            docs: text,
            deprecated,
            file: twin.as_ref().unwrap_or(&module).file.clone(),
            line: 1,
            ..Item::default()
        });
        self.vouch_module(public.id, at);
        for entry in &public.entries {
            if self.found.items.len() >= self.items_max {
                return;
            }
            self.entry(&name, &module.file, entry);
        }
    }

    fn push(&mut self, item: Item) -> u32 {
        self.found.items.push(item);
        u32::try_from(self.found.items.len() - 1).unwrap_or(u32::MAX)
    }

    fn entry(&mut self, module: &Text, file: &Text, entry: &Entry) {
        let mut item = Item {
            module: module.clone(),
            path: entry.name.clone(),
            file: file.clone(),
            line: 1,
            aliases: entry.aliases.clone(),
            ..Item::default()
        };
        match &entry.what {
            Shown::Elsewhere { module: from, attr } => {
                self.note_elsewhere(from);
                self.found.is_compiled |= self.linker.modules.layout.is_inside(from);
                item.kind = Kind::Variable;
                item.signature = if *attr == entry.name {
                    format!("from {from} import {attr}").into()
                } else {
                    format!("from {from} import {attr} as {}", entry.name).into()
                };
                self.push(item);
            }
            Shown::Unknown => {
                item.kind = Kind::Variable;
                item.signature = entry.name.as_str().into();
                self.push(item);
            }
            Shown::Def(def) => {
                let at = self.linker.modules.get(def.module);
                let binding = &at.scope.bindings[def.at];
                let source = self.source(*def, &binding.name, 0);
                item.file.clone_from(&at.file);
                let first = self.found.items.len();
                self.definition(item, *def, binding, source);
                if entry.name != binding.name
                    && let Some(item) = self.found.items.get_mut(first)
                {
                    let mut signature = item.signature.to_string();
                    rename(&mut signature, &binding.name, &entry.name);
                    item.signature = signature.into();
                }
            }
        }
    }

    fn note_elsewhere(&mut self, module: &str) {
        let top = module.split('.').next().unwrap_or(module);
        // What is in the backport of `typing` is no part of anybody's API.
        if !top.is_empty() && top != "typing_extensions" {
            self.found.elsewhere.insert(top.to_owned());
        }
    }

    /// Notes what is not here of all that a class is derived from.
    fn note_all_bases(&mut self, module: Id, def: Option<Def>, class: &Class) -> Rc<Vec<Def>> {
        if def.is_none_or(|def| self.noted.insert(def)) {
            self.note_bases(module, class);
        }
        let ancestors = self.classes.ancestors(module, def, class);
        for base in ancestors.iter() {
            if !self.noted.insert(*base) {
                continue;
            }
            let at = self.linker.modules.get(base.module);
            if let Some(class) = as_class(&at.scope.bindings[base.at]) {
                self.note_bases(base.module, class);
            }
        }
        ancestors
    }

    /// Notes the bases of a class that are not here, and what they are if those are not there.
    fn note_bases(&mut self, module: Id, class: &Class) {
        for base in &class.bases {
            let Target::Elsewhere { module: from, .. } = self.linker.dotted(module, base) else {
                continue;
            };
            self.note_elsewhere(&from);
            let at = self.linker.modules.get(module);
            let first = base.split('.').next().unwrap_or(base);
            if let Some(What::Import { otherwise, .. }) = at.scope.get(first).map(|one| &one.what) {
                otherwise.iter().for_each(|(from, _)| self.note_elsewhere(from));
            }
        }
    }

    /// The definition in a source file that a definition in a stub is about.
    pub(super) fn source(&self, def: Def, name: &str, chain: usize) -> Option<Def> {
        let twin = self.linker.modules.twin(def.module)?;
        let Target::Def(mut source) = self.linker.target(twin, name) else { return None };
        if chain > 2 {
            return None;
        }
        if source == def {
            // The source imports it from a module with a stub, which has it from here.
            let module = self.linker.modules.get(twin);
            let What::Import { module: from, attr: Some(attr), .. } = &module.scope.get(name)?.what
            else {
                return None;
            };
            let beyond = self.linker.modules.twin(self.linker.modules.id(from)?)?;
            let Target::Def(next) = self.linker.target(beyond, attr) else { return None };
            source = next;
        }
        if source == def {
            return None;
        }
        let module = self.linker.modules.get(source.module);
        if module.is_stub {
            return self.source(source, &module.scope.bindings[source.at].name, chain + 1);
        }
        Some(source)
    }

    fn definition(&mut self, mut item: Item, def: Def, binding: &Binding, source: Option<Def>) {
        let source_module = source.map(|source| self.linker.modules.get(source.module));
        let twin =
            source.zip(source_module.as_ref()).map(|(at, module)| &module.scope.bindings[at.at]);
        let twin_class = twin.and_then(as_class);
        item.line = binding.line;
        match &binding.what {
            What::Class(class) => {
                self.class(item, def.module, Some(def), binding, class, twin, twin_class, 0);
            }
            What::Function(function) => {
                self.count(function);
                if let Some((class, source)) = twin_class.zip(source) {
                    describe(&mut item, binding, twin);
                    return self.called_class(item, function, class, source);
                }
                function_into(&mut item, function, twin.and_then(function_of));
                item.kind = Kind::Function;
                describe(&mut item, binding, twin);
                self.describe_compiled(&mut item, def.module, &binding.name, twin);
                self.describe_keywords(&mut item, def.module, binding);
                let call = self.call(def.module, binding, function);
                let at = self.push(item);
                self.vouch_call(at, None, &call);
            }
            What::Variable(variable) => {
                item.kind = variable.kind;
                item.signature = variable_text(&item.path, variable).into();
                describe(&mut item, binding, twin);
                self.describe_compiled(&mut item, def.module, &binding.name, twin);
                if let Some(called) = self.called(def.module, &item.path, variable) {
                    let declared = item.signature.to_string();
                    let before = (!called.is_method).then_some(declared);
                    let lines: Vec<String> = before.into_iter().chain(called.lines).collect();
                    item.signature = lines.join("\n").into();
                    item.kind = Kind::Function;
                    if item.docs.is_empty() {
                        item.docs = called.docs.text;
                        item.deprecated = item.deprecated.take().or(called.docs.deprecated);
                    }
                    self.push(item);
                    return;
                }
                let class = self.class_of(def.module, variable, 0);
                if class.is_some() && item.kind == Kind::Variable {
                    item.kind = Kind::TypeAlias;
                }
                let (module, path, file) =
                    (item.module.clone(), item.path.clone(), item.file.clone());
                let at = self.push(item);
                let Some(of) = class else { return };
                let owner = Owner {
                    module: &module,
                    path: &path,
                    file: &file,
                    item: at,
                    is_enum: false,
                    depth: 0,
                };
                let mut seen = HashSet::default();
                let home = self.linker.modules.get(of.module);
                let Some(class) = as_class(&home.scope.bindings[of.at]) else { return };
                let ancestors = self.classes.ancestors(of.module, Some(of), class);
                for base in std::iter::once(&of).chain(ancestors.iter()) {
                    self.inherited(&owner, *base, &mut seen);
                }
            }
            What::Import { .. } | What::Deleted => {}
        }
    }

    /// A class that a stub declares as a function: the stub says how to call it, the source what it has.
    fn called_class(&mut self, mut item: Item, function: &Function, class: &Class, source: Def) {
        let mut lines = vec![class.header.clone()];
        lines.extend(function.lines());
        item.signature = lines.join("\n").into();
        item.kind = Kind::Class;
        let ancestors = self.note_all_bases(source.module, Some(source), class);
        let (module, path) = (item.module.clone(), item.path.clone());
        let file = self.linker.modules.get(source.module).file.clone();
        let is_enum = self.classes.is_enum(class, &ancestors);
        let at = self.push(item);
        let owner =
            Owner { module: &module, path: &path, file: &file, item: at, is_enum, depth: 0 };
        let mut seen = HashSet::default();
        self.own_members(&owner, source.module, class, None, &ancestors, &mut seen);
        for base in ancestors.iter() {
            self.inherited(&owner, *base, &mut seen);
        }
    }

    /// The class that a variable stands for, with arguments or by another name of it that has some.
    fn class_of(&self, module: Id, variable: &Variable, steps: usize) -> Option<Def> {
        const STEPS_MAX: usize = 8;
        let name = variable.class.as_ref().or(variable.alias.as_ref())?;
        let Target::Def(def) = self.linker.dotted(module, name) else { return None };
        let at = self.linker.modules.get(def.module);
        match &at.scope.bindings[def.at].what {
            What::Class(_) if variable.class.is_some() || steps > 0 => Some(def),
            What::Variable(next) if steps < STEPS_MAX => self.class_of(def.module, next, steps + 1),
            _ => None,
        }
    }

    fn count(&mut self, function: &Function) {
        self.found.functions += 1;
        self.found.annotated += usize::from(function.is_annotated);
    }

    #[expect(clippy::too_many_arguments, reason = "a class and its twin, each with its binding")]
    fn class(
        &mut self,
        mut item: Item,
        module: Id,
        def: Option<Def>,
        binding: &Binding,
        class: &Class,
        twin: Option<&Binding>,
        twin_class: Option<&Class>,
        depth: usize,
    ) {
        if depth > self.nesting_max {
            return;
        }
        let ancestors = self.note_all_bases(module, def, class);
        let is_enum = self.classes.is_enum(class, &ancestors);
        item.kind = if is_enum {
            Kind::Enum
        } else if class.bases.iter().any(|base| last(base) == "Protocol") {
            Kind::Interface
        } else {
            Kind::Class
        };
        let mut lines = class.decorators.clone();
        lines.push(class.header.clone());
        lines.extend(self.classes.construction(module, class, &ancestors));
        item.signature = lines.join("\n").into();
        describe(&mut item, binding, twin);
        self.describe_compiled(&mut item, module, &binding.name, twin);
        if item.docs.is_empty()
            && let Some(constructor) = class.members.get("__init__")
        {
            let twin = twin_class.and_then(|class| class.members.get("__init__"));
            item.docs = docs_of(constructor, twin).text;
        }
        let (module_name, path, file) = (item.module.clone(), item.path.clone(), item.file.clone());
        let at = self.push(item);
        let owner =
            Owner { module: &module_name, path: &path, file: &file, item: at, is_enum, depth };
        let mut seen = HashSet::default();
        self.own_members(&owner, module, class, twin_class, &ancestors, &mut seen);
        for base in ancestors.iter() {
            if Some(*base) != def {
                self.inherited(&owner, *base, &mut seen);
            }
        }
        // What a base declares is the stub's word for what the source has here.
        let source = def.and_then(|def| self.source(def, &binding.name, 0));
        if let Some((twin, source)) = twin_class.zip(source) {
            let file = &self.linker.modules.get(source.module).file;
            self.left_out(&Owner { file, ..owner }, twin, &mut seen);
        }
        self.vouch_class(module, def, binding, class, at);
    }

    fn own_members(
        &mut self,
        owner: &Owner<'_>,
        module: Id,
        class: &Class,
        twin: Option<&Class>,
        ancestors: &[Def],
        seen: &mut HashSet<Rc<str>>,
    ) {
        let aliases = aliases(&class.members);
        for member in &class.members.bindings {
            seen.insert(Rc::from(member.name.as_str()));
            let twin = twin.and_then(|class| class.members.get(&member.name));
            if !is_shown(member, class, twin) || aliases.renamed.contains(member.name.as_str()) {
                continue;
            }
            if self.found.items.len() >= self.items_max {
                return;
            }
            let others = aliases.names.get(member.name.as_str()).into_iter().flatten();
            let mut item = owner.member(member);
            item.aliases = others
                .map(|name| (owner.module.to_string(), format!("{}.{name}", owner.path)))
                .collect();
            if let What::Class(inner) = &member.what {
                let inner_twin = twin.and_then(as_class);
                self.class(item, module, None, member, inner, twin, inner_twin, owner.depth + 1);
                continue;
            }
            if let What::Function(function) = &member.what {
                self.count(function);
            }
            member_into(&mut item, member, twin, owner.is_enum);
            describe(&mut item, member, twin);
            let path = [last(owner.path), ".", &member.name].concat();
            self.describe_compiled(&mut item, module, &path, twin);
            if item.docs.is_empty() && !member.name.starts_with("__") {
                item.docs = self.inherited_docs(&member.name, ancestors);
            }
            self.describe_keywords(&mut item, module, member);
            let path = item.path.clone();
            let at = self.push(item);
            if let What::Variable(Variable { hands_out: Some(class), .. }) = &member.what {
                self.handed_out(&Owner { path: &path, item: at, ..*owner }, module, class);
            }
            if let What::Function(function) = &member.what {
                let call = self.call(module, member, function);
                self.vouch_call(at, Some(owner.item), &call);
            }
        }
    }

    /// The members of the class that an attribute hands out an object of.
    fn handed_out(&mut self, owner: &Owner<'_>, module: Id, class: &str) {
        let Target::Def(def) = self.linker.dotted(module, class) else { return };
        let home = self.linker.modules.get(def.module);
        let Some(class) = as_class(&home.scope.bindings[def.at]) else { return };
        let ancestors = self.classes.ancestors(def.module, Some(def), class);
        let mut seen = HashSet::default();
        for base in std::iter::once(&def).chain(ancestors.iter()) {
            self.inherited(owner, *base, &mut seen);
        }
    }

    /// What a class has in the source and the stub does not list: it is there all the same.
    fn left_out(&mut self, owner: &Owner<'_>, twin: &Class, seen: &mut HashSet<Rc<str>>) {
        let is_constructed = seen.contains("__new__");
        for member in &twin.members.bindings {
            let is_shown = match &member.what {
                What::Variable(_) => !member.name.starts_with('_'),
                What::Function(_) => {
                    !member.name.starts_with('_') || (member.name == "__init__" && !is_constructed)
                }
                _ => false,
            };
            if !is_shown
                || self.found.items.len() >= self.items_max
                || !seen.insert(Rc::from(member.name.as_str()))
            {
                continue;
            }
            let mut item = owner.member(member);
            member_into(&mut item, member, None, owner.is_enum);
            describe(&mut item, member, None);
            self.push(item);
        }
    }

    /// Takes what is said elsewhere of something that has no source.
    fn describe_compiled(&self, item: &mut Item, module: Id, path: &str, twin: Option<&Binding>) {
        if item.docs.is_empty()
            && twin.is_none()
            && let Some(docs) = self.added(module, path)
        {
            item.docs = docs.text.clone();
            item.deprecated = item.deprecated.take().or_else(|| docs.deprecated.clone());
        }
    }

    /// What an ancestor says of a member of the same name.
    fn inherited_docs(&self, name: &str, ancestors: &[Def]) -> Text {
        let docs = ancestors.iter().find_map(|base| {
            let at = self.linker.modules.get(base.module);
            let member = as_class(&at.scope.bindings[base.at])?.members.get(name)?;
            member.told().map(|docs| docs.text.clone())
        });
        docs.unwrap_or_default()
    }

    /// The members of an ancestor that nobody nearer has.
    fn inherited(&mut self, owner: &Owner<'_>, base: Def, seen: &mut HashSet<Rc<str>>) {
        for (name, told) in self.told(base, owner.is_enum).iter() {
            if !seen.insert(Rc::clone(name)) {
                continue;
            }
            let Some((told, call)) = told else { continue };
            if self.found.items.len() >= self.items_max {
                return;
            }
            let mut item = told.clone();
            item.module.clone_from(owner.module);
            item.path = [owner.path, ".", name].concat();
            item.parent = Some(owner.item);
            let at = self.push(item);
            self.vouch_call(at, Some(owner.item), call);
        }
    }

    /// What a class hands down, by name: put into words once, however many inherit it.
    fn told(&mut self, base: Def, to_enum: bool) -> HandedDown {
        if let Some(known) = self.handed_down.get(&(base, to_enum)) {
            return Rc::clone(known);
        }
        let told = Rc::new(self.hand_down(base, to_enum));
        self.handed_down.insert((base, to_enum), Rc::clone(&told));
        told
    }

    fn hand_down(&self, base: Def, to_enum: bool) -> Vec<Told> {
        let at = self.linker.modules.get(base.module);
        let binding = &at.scope.bindings[base.at];
        let Some(class) = as_class(binding) else { return Vec::new() };
        let source = self.source(base, &binding.name, 0);
        let source_module = source.map(|source| self.linker.modules.get(source.module));
        let twin = source.zip(source_module.as_ref());
        let twin = twin.and_then(|(at, module)| as_class(&module.scope.bindings[at.at]));
        // What has an item of its own is told there in full.
        let is_told = self.public.contains(&base);
        let tell = |member: &Binding| {
            if member.name.starts_with('_')
                || matches!(member.what, What::Import { .. } | What::Deleted)
            {
                return None;
            }
            let mut item = Item {
                file: at.file.clone(),
                line: member.line,
                inherited: Some(format!("{}.{}", binding.name, member.name).into()),
                ..Item::default()
            };
            let twin = twin.and_then(|class| class.members.get(&member.name));
            member_into(&mut item, member, twin, to_enum);
            describe(&mut item, member, twin);
            let path = [&binding.name, ".", member.name.as_str()].concat();
            self.describe_compiled(&mut item, base.module, &path, twin);
            if is_told {
                item.docs = docstring::shortened(&item.docs).into();
            }
            let call = match &member.what {
                What::Function(function) => self.call(base.module, member, function),
                _ => Call::default(),
            };
            Some((item, call))
        };
        let members = class.members.bindings.iter();
        members.map(|member| (Rc::from(member.name.as_str()), tell(member))).collect()
    }
}

impl Owner<'_> {
    fn member(&self, member: &Binding) -> Item {
        Item {
            module: self.module.clone(),
            path: [self.path, ".", &member.name].concat(),
            file: self.file.clone(),
            line: member.line,
            parent: Some(self.item),
            ..Item::default()
        }
    }
}

/// Writes a signature with the name that users know.
fn rename(signature: &mut String, from: &str, to: &str) {
    let line = |line: &str| {
        for keyword in ["async def ", "def ", "class "] {
            let rest = line.strip_prefix(keyword).and_then(|rest| rest.strip_prefix(from));
            if let Some(rest) = rest.filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
                return format!("{keyword}{to}{rest}");
            }
        }
        line.to_owned()
    };
    *signature = signature.lines().map(line).collect::<Vec<_>>().join("\n");
}

pub(super) fn as_class(binding: &Binding) -> Option<&Class> {
    match &binding.what {
        What::Class(class) => Some(class),
        _ => None,
    }
}

pub(super) fn function_of(binding: &Binding) -> Option<&Function> {
    match &binding.what {
        What::Function(function) => Some(function),
        _ => None,
    }
}

/// Methods that a class has under more than one name.
struct Aliases<'s> {
    names: HashMap<&'s str, Vec<&'s str>>,
    renamed: HashSet<&'s str>,
}

fn aliases(members: &Scope) -> Aliases<'_> {
    let mut aliases = Aliases { names: HashMap::default(), renamed: HashSet::default() };
    for member in &members.bindings {
        let What::Variable(Variable { alias: Some(alias), .. }) = &member.what else { continue };
        let target = members.get(alias).filter(|target| matches!(target.what, What::Function(_)));
        let Some(target) = target.filter(|target| !target.name.starts_with('_')) else { continue };
        if !member.name.starts_with('_') || member.name == "__call__" {
            aliases.names.entry(&target.name).or_default().push(&member.name);
        }
        aliases.renamed.insert(&member.name);
    }
    aliases
}

/// Whether a member of a class is part of its API.
fn is_shown(member: &Binding, class: &Class, twin: Option<&Binding>) -> bool {
    let name = member.name.as_str();
    if matches!(member.what, What::Import { .. } | What::Deleted) {
        return false;
    }
    if !name.starts_with('_') {
        return true;
    }
    let is_method = matches!(member.what, What::Function(_));
    match name {
        "__init__" | "__call__" => is_method,
        "__new__" => is_method && class.members.get("__init__").is_none(),
        _ => {
            let is_special = name.starts_with("__") && name.ends_with("__");
            let has_docs = member.docs.is_some() || twin.is_some_and(|twin| twin.docs.is_some());
            is_special && is_method && has_docs && !UNTOLD.contains(&name)
        }
    }
}

/// Kind and signature of a member; `twin` is what the source says of one in a stub.
fn member_into(item: &mut Item, member: &Binding, twin: Option<&Binding>, of_enum: bool) {
    match &member.what {
        What::Function(function) => {
            let twin = twin.and_then(function_of).filter(|_| !function.is_property);
            function_into(item, function, twin);
            item.kind = if function.is_property { Kind::Property } else { Kind::Method };
        }
        What::Variable(variable) => {
            item.signature = variable_text(&member.name, variable).into();
            let is_variant = of_enum && variable.value.is_some() && variable.annotation.is_none();
            item.kind = match variable.kind {
                _ if is_variant => Kind::Variant,
                Kind::Constant => Kind::Constant,
                Kind::TypeAlias => Kind::TypeAlias,
                _ => Kind::Property,
            };
        }
        // One that is inherited is told in full where it is declared.
        What::Class(class) => {
            item.signature = class.header.as_str().into();
            item.kind = Kind::Class;
        }
        What::Import { .. } | What::Deleted => {}
    }
}

fn function_into(item: &mut Item, function: &Function, source: Option<&Function>) {
    let mut lines = function.decorators.clone();
    // A property with a setter is told by the setter, unless its getter says more.
    if function.setter.is_none() || !function.decorators.is_empty() {
        lines.extend(function.lines_with(source));
    }
    lines.extend(function.setter.clone());
    item.signature = lines.join("\n").into();
}

/// A variable as it is declared.
pub(super) fn variable_text(name: &str, variable: &Variable) -> String {
    if let Some(text) = &variable.text {
        return text.clone();
    }
    let mut out = name.to_owned();
    if let Some(annotation) = &variable.annotation {
        out.push_str(": ");
        out.push_str(annotation);
    }
    match &variable.value {
        // In a stub this stands for any value.
        Some(value) if value == "..." && variable.annotation.is_some() => {}
        Some(value) => {
            out.push_str(" = ");
            out.push_str(value);
        }
        None => {}
    }
    out
}

pub(super) fn docs_of(binding: &Binding, twin: Option<&Binding>) -> Docs {
    let mut docs = binding.told().or_else(|| twin?.told()).cloned().unwrap_or_default();
    let parameters =
        [Some(binding), twin].into_iter().flatten().find_map(|binding| match &binding.what {
            What::Function(function) if !function.parameter_docs.is_empty() => {
                Some(&function.parameter_docs)
            }
            _ => None,
        });
    if let Some(parameters) = parameters {
        docs.text = docstring::with_parameters(&docs.text, parameters);
    }
    docs
}

/// Documentation and deprecation, of the source where the stub has none.
fn describe(item: &mut Item, binding: &Binding, twin: Option<&Binding>) {
    let docs = docs_of(binding, twin);
    item.docs = docs.text;
    let declared = binding.deprecated.as_ref().or_else(|| twin?.deprecated.as_ref());
    item.deprecated = declared.map(Text::from).or(docs.deprecated);
}
