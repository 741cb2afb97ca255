//! What a class has beyond its own body: its ancestors, their members, its constructor, its fields.
//!
//! Uses [`super::link`]; feeds [`super::items`].

use std::cell::RefCell;
use std::rc::Rc;

use super::link::{Def, Linker, Target};
use super::modules::Id;
use super::scope::{Binding, Class, Function, What};
use super::text::last;
use crate::hashing::{HashMap, HashSet};

/// Ancestors that are looked at.
const ANCESTORS_MAX: usize = 64;

/// How far up they are looked for.
const GENERATIONS_MAX: usize = 32;

/// Fields that are listed below the head of a class.
const FIELDS_MAX: usize = 60;

const ENUMS: &[&str] = &["Enum", "Flag", "IntEnum", "IntFlag", "ReprEnum", "StrEnum"];

/// The ancestors of classes, found once each.
pub(super) struct Classes<'l, 'i, 'a> {
    pub(super) linker: &'l Linker<'i, 'a>,
    ancestors: RefCell<HashMap<Def, Rc<Vec<Def>>>>,
}

impl<'l, 'i, 'a> Classes<'l, 'i, 'a> {
    pub(super) fn new(linker: &'l Linker<'i, 'a>) -> Self {
        Self { linker, ancestors: RefCell::default() }
    }

    /// The classes that a class inherits from, nearest first, as far as their files are here; `def` is
    /// what it is defined as, if that is at the top of its module.
    pub(super) fn ancestors(&self, module: Id, def: Option<Def>, class: &Class) -> Rc<Vec<Def>> {
        if let Some(known) = def.and_then(|def| self.ancestors.borrow().get(&def).cloned()) {
            return known;
        }
        let found = Rc::new(self.ancestors_from(module, class, 0));
        if let Some(def) = def {
            self.ancestors.borrow_mut().insert(def, Rc::clone(&found));
        }
        found
    }

    fn ancestors_from(&self, module: Id, class: &Class, generation: usize) -> Vec<Def> {
        let mut found: Vec<Def> = Vec::new();
        if generation > GENERATIONS_MAX {
            return found;
        }
        for base in &class.bases {
            let Target::Def(def) = self.linker.dotted(module, base) else { continue };
            let at = self.linker.modules.get(def.module);
            let What::Class(base) = &at.scope.bindings[def.at].what else { continue };
            found.push(def);
            let known = self.ancestors.borrow().get(&def).cloned();
            let above = known.unwrap_or_else(|| {
                self.ancestors.borrow_mut().insert(def, Rc::default());
                let above = Rc::new(self.ancestors_from(def.module, base, generation + 1));
                self.ancestors.borrow_mut().insert(def, Rc::clone(&above));
                above
            });
            found.extend(above.iter());
        }
        // A class comes after all that derive from it, so the last mention counts.
        let mut seen = HashSet::default();
        let mut order: Vec<Def> = found.into_iter().rev().filter(|def| seen.insert(*def)).collect();
        order.reverse();
        order.truncate(ANCESTORS_MAX);
        order
    }

    /// Calls `with` for a class and each ancestor, until it has an answer.
    pub(super) fn find_map<T>(
        &self,
        class: &Class,
        ancestors: &[Def],
        mut with: impl FnMut(&Class, Option<Def>) -> Option<T>,
    ) -> Option<T> {
        with(class, None).or_else(|| {
            ancestors.iter().find_map(|def| {
                let module = self.linker.modules.get(def.module);
                let binding = &module.scope.bindings[def.at];
                let What::Class(class) = &binding.what else { return None };
                with(class, Some(*def))
            })
        })
    }

    pub(super) fn is_enum(&self, class: &Class, ancestors: &[Def]) -> bool {
        let is_enum = |class: &Class, _| {
            class.bases.iter().any(|base| ENUMS.contains(&last(base))).then_some(())
        };
        self.find_map(class, ancestors, is_enum).is_some()
    }

    /// Whether its constructor is made from its fields.
    fn is_record(&self, module: Id, class: &Class, ancestors: &[Def]) -> bool {
        let made = |class: &Class, at: Option<Def>| {
            let module = at.map_or(module, |def| def.module);
            let by_metaclass = class.metaclass.as_ref().is_some_and(|metaclass| {
                let Target::Def(def) = self.linker.dotted(module, metaclass) else { return false };
                let module = self.linker.modules.get(def.module);
                matches!(&module.scope.bindings[def.at].what,
                    What::Class(class) if class.makes_records)
            });
            (by_metaclass || (at.is_some() && class.makes_records)).then_some(())
        };
        class.is_record || self.find_map(class, ancestors, made).is_some()
    }

    /// The lines below the head of a class that say how to make one: its constructor, or its fields.
    pub(super) fn construction(&self, module: Id, class: &Class, ancestors: &[Def]) -> Vec<String> {
        if self.is_enum(class, ancestors) {
            return Vec::new();
        }
        if let Some(own) = constructor(class) {
            return own;
        }
        if self.is_record(module, class, ancestors) {
            let fields = self.fields(class, ancestors);
            if !fields.is_empty() {
                return fields;
            }
        }
        self.find_map(class, ancestors, |class, _| constructor(class)).unwrap_or_default()
    }

    /// The fields of a class and those it inherits, the oldest first.
    pub(super) fn fields(&self, class: &Class, ancestors: &[Def]) -> Vec<String> {
        let mut generations: Vec<Vec<(String, String)>> = Vec::new();
        self.find_map(class, ancestors, |class, _| {
            generations.push(class.members.bindings.iter().filter_map(field).collect());
            None::<()>
        });
        let mut lines: Vec<(String, String)> = Vec::new();
        let mut index: HashMap<String, usize> = HashMap::default();
        for (name, line) in generations.into_iter().rev().flatten() {
            match index.get(&name) {
                Some(&at) => lines[at].1 = line,
                None => {
                    index.insert(name.clone(), lines.len());
                    lines.push((name, line));
                }
            }
        }
        let more = lines.len() > FIELDS_MAX;
        let mut lines: Vec<String> =
            lines.into_iter().take(FIELDS_MAX).map(|(_, line)| line).collect();
        if more {
            lines.push("...".to_owned());
        }
        lines
    }
}

/// The constructor of a class, one line for each overload.
fn constructor(class: &Class) -> Option<Vec<String>> {
    let function = |name| match class.members.get(name).map(|binding| &binding.what) {
        Some(What::Function(function)) => Some(function),
        _ => None,
    };
    function("__init__").or_else(|| function("__new__")).map(Function::lines)
}

/// A field of a record: annotated, or given by a call such as `attr.ib()`.
fn field(binding: &Binding) -> Option<(String, String)> {
    let What::Variable(variable) = &binding.what else { return None };
    let annotation = variable.annotation.as_deref();
    if binding.name.starts_with('_')
        || annotation.is_some_and(|annotation| annotation.contains("ClassVar"))
    {
        return None;
    }
    let by_call = variable.value.as_deref().is_some_and(|value| {
        let function = value.split('(').next().unwrap_or_default();
        matches!(last(function), "ib" | "attrib" | "field" | "Field") && value.contains('(')
    });
    (annotation.is_some() || by_call)
        .then(|| (binding.name.clone(), super::items::variable_text(&binding.name, variable)))
}
