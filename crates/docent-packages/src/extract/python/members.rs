//! What a class has: its own members, those that it inherits, and those of objects that it hands out.
//!
//! A part of [`super::items`]'s writer.

use std::rc::Rc;

use super::certain::Call;
use super::docstring;
use super::items::{
    Writer, as_class, describe, docs_of, function_into, function_of, variable_text,
};
use super::link::{Def, Target};
use super::modules::Id;
use super::scope::{Binding, Class, Scope, Variable, What};
use super::text::last;
use crate::hashing::{HashMap, HashSet};
use crate::{Item, Kind, Text};

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

/// The members of a class as those see them that inherit them; `None` for what is not shown.
pub(super) type HandedDown = Rc<Vec<Told>>;

/// One of them, by its name.
pub(super) type Told = (Rc<str>, Option<(Item, Call)>);

/// A class as its members see it.
#[derive(Clone, Copy)]
pub(super) struct Owner<'o> {
    pub(super) module: &'o Text,
    /// Its path inside the module.
    pub(super) path: &'o str,
    pub(super) file: &'o Text,
    pub(super) item: u32,
    pub(super) is_enum: bool,
    pub(super) depth: usize,
}

impl Writer<'_, '_, '_> {
    #[expect(clippy::too_many_arguments, reason = "a class and its twin, each with its binding")]
    pub(super) fn class(
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

    pub(super) fn own_members(
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
    pub(super) fn describe_compiled(
        &self,
        item: &mut Item,
        module: Id,
        path: &str,
        twin: Option<&Binding>,
    ) {
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
    pub(super) fn inherited(&mut self, owner: &Owner<'_>, base: Def, seen: &mut HashSet<Rc<str>>) {
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
