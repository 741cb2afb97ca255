//! Writes the public API down as items: each definition once, a class with its members.
//!
//! Fed by [`super::public`]; uses [`super::class`] for what is inherited and [`super::docstring`]
//! for the text.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::added::Elsewhere;
use super::class::Classes;
use super::docstring::{self, Docs};
use super::link::{Def, Linker, Target};
use super::members::{HandedDown, Owner};
use super::modules::Id;
use super::public::{Entry, PublicModule, Shown};
use super::scope::{Binding, Class, Function, Variable, What};
use crate::extract::Input;
use crate::hashing::{HashMap, HashSet};
use crate::tree::Tree;
use crate::{Item, Kind, Surface, Text};

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
    pub(super) items_max: usize,
    pub(super) nesting_max: usize,
    pub(super) handed_down: HashMap<(Def, bool), HandedDown>,
    /// Classes whose bases have been looked at.
    noted: HashSet<Def>,
    pub(super) elsewhere: Elsewhere,
    pub(super) found: Found,
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

    pub(super) fn push(&mut self, item: Item) -> u32 {
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
    pub(super) fn note_all_bases(
        &mut self,
        module: Id,
        def: Option<Def>,
        class: &Class,
    ) -> Rc<Vec<Def>> {
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

    pub(super) fn count(&mut self, function: &Function) {
        self.found.functions += 1;
        self.found.annotated += usize::from(function.is_annotated);
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

pub(super) fn function_into(item: &mut Item, function: &Function, source: Option<&Function>) {
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
pub(super) fn describe(item: &mut Item, binding: &Binding, twin: Option<&Binding>) {
    let docs = docs_of(binding, twin);
    item.docs = docs.text;
    let declared = binding.deprecated.as_ref().or_else(|| twin?.deprecated.as_ref());
    item.deprecated = declared.map(Text::from).or(docs.deprecated);
}
