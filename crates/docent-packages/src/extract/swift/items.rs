//! Writes the public API of a module down as items: each type with its members.
//!
//! Fed by [`super::link`]. Overloads with the same labels are one item with several signatures; those
//! with other labels are functions of their own.

use super::declaration::{Declaration, What};
use super::link::{Holder, Linked, Member};
use crate::hashing::{HashMap, HashSet, each_once};
use crate::{Item, Kind};

/// Writes one module after the other.
pub(super) struct Writer {
    pub(super) items: Vec<Item>,
    pub(super) items_max: usize,
    pub(super) nesting_max: usize,
}

/// The module that is being written.
struct Module<'m, 'd> {
    name: &'m str,
    linked: &'m Linked<'d>,
    /// Paths that have been written.
    done: HashSet<String>,
}

impl Writer {
    /// Writes what a module declares, and what it adds to types of others.
    pub(super) fn module(&mut self, name: &str, linked: &Linked<'_>) {
        let mut module = Module { name, linked, done: HashSet::default() };
        self.members(&mut module, "", None, 0);
        let hidden = |path: &str| path.split('.').any(|part| part.starts_with('_'));
        for path in &linked.foreign {
            let Some(holder) = linked.holders.get(path) else { continue };
            if hidden(path) || !is_within_public(path, linked) || module.done.contains(path) {
                continue;
            }
            let has_conformances =
                holder.extensions.iter().any(|one| !one.declaration.bases.is_empty());
            if holder.members.is_empty() && !has_conformances {
                continue;
            }
            self.foreign(&mut module, path, holder);
        }
    }

    /// A type of another module with what is added to it.
    fn foreign(&mut self, module: &mut Module<'_, '_>, path: &str, holder: &Holder<'_>) {
        let Some(first) = holder.extensions.first() else { return };
        let conformances = conformances(holder);
        if holder.members.is_empty() && conformances.is_empty() {
            return;
        }
        let docs = holder.extensions.iter().map(|one| one.declaration.docs.as_str());
        let docs = docs.filter(|docs| !docs.is_empty()).collect::<Vec<_>>().join("\n\n");
        let notes =
            [Some("Declared in another module.".to_owned()), conformances_note(&conformances)];
        let item = Item {
            module: module.name.into(),
            path: path.to_owned(),
            kind: Kind::Extension,
            signature: format!("extension {path}").into(),
            docs: with_notes(&docs, notes.into_iter().flatten().collect()).into(),
            file: first.file.into(),
            line: first.declaration.line,
            ..Item::default()
        };
        if let Some(at) = self.push(item) {
            self.members(module, path, Some(at), 1);
        }
    }

    fn push(&mut self, item: Item) -> Option<u32> {
        if self.items.len() >= self.items_max {
            return None;
        }
        self.items.push(item);
        u32::try_from(self.items.len() - 1).ok()
    }

    /// The members of what is at a path.
    fn members(
        &mut self,
        module: &mut Module<'_, '_>,
        path: &str,
        parent: Option<u32>,
        depth: usize,
    ) {
        if depth > self.nesting_max || !module.done.insert(path.to_owned()) {
            return;
        }
        let linked = module.linked;
        let Some(holder) = linked.holders.get(path) else { return };
        let defaults = Defaults::of(holder);
        for group in groups(holder, &defaults) {
            self.group(module, path, parent, depth, &defaults, &group);
        }
    }

    fn group(
        &mut self,
        module: &mut Module<'_, '_>,
        path: &str,
        parent: Option<u32>,
        depth: usize,
        defaults: &Defaults<'_, '_>,
        group: &[&Member<'_>],
    ) {
        let Some(first) = group.first() else { return };
        let declaration = first.placed.declaration;
        let linked = module.linked;
        let own = match path {
            "" => declaration.name.clone(),
            path => format!("{path}.{}", declaration.name),
        };
        let mut notes: Vec<String> = Vec::new();
        if let Some(inner) = first.path.as_ref().and_then(|path| linked.holders.get(path)) {
            notes.extend(conformances_note(&conformances(inner)));
        }
        notes.extend(defaults.note(first));
        notes.extend(constraints(group));
        notes.extend(since(group));
        notes.extend(conditions(group));
        let item = Item {
            module: module.name.into(),
            path: own.clone(),
            kind: kind(declaration.what, parent.is_some()),
            signature: signatures(group).into(),
            docs: with_notes(&docs(defaults, group), notes).into(),
            deprecated: first.availability.deprecated.clone().map(Into::into),
            file: first.placed.file.into(),
            line: declaration.line,
            parent,
            ..Item::default()
        };
        let Some(at) = self.push(item) else { return };
        // A name for a type may be extended like the type itself.
        if first.path.is_some() || declaration.what == What::Alias {
            self.members(module, &own, Some(at), depth + 1);
        }
    }
}

/// Whether all types around a path, and the type itself, are public as far as they are known here.
fn is_within_public(path: &str, linked: &Linked<'_>) -> bool {
    let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
    let mut outer = ends.filter_map(|end| linked.holders.get(&path[..end]));
    outer.all(|holder| holder.declared.is_empty() || holder.is_public)
}

/// The members of a holder, those first that one should use; overloads together.
fn groups<'h, 'd>(holder: &'h Holder<'d>, defaults: &Defaults<'h, 'd>) -> Vec<Vec<&'h Member<'d>>> {
    let mut groups: Vec<Vec<&Member<'_>>> = Vec::new();
    let mut known: HashMap<(String, bool, bool), usize> = HashMap::default();
    for member in &holder.members {
        let declaration = member.placed.declaration;
        // What a protocol asks for is told once, not again for each default.
        if defaults.has(member) {
            continue;
        }
        let is_static = declaration.signature.split(' ').any(|word| word == "static");
        let name = match &member.path {
            Some(path) => format!("type {path}"),
            None => declaration.full_name.clone(),
        };
        let key = (name, is_static, member.availability.deprecated.is_some());
        match known.get(&key) {
            Some(&at) => groups[at].push(member),
            None => {
                known.insert(key, groups.len());
                groups.push(vec![member]);
            }
        }
    }
    groups.sort_by_key(|group| (group[0].availability.deprecated.is_some(), group[0].in_extension));
    groups
}

/// What a protocol asks for, by name, each with what its extensions give for it; nothing for a holder
/// that is no protocol.
struct Defaults<'h, 'd>(HashMap<&'d str, Vec<&'h Member<'d>>>);

impl<'h, 'd> Defaults<'h, 'd> {
    fn of(holder: &'h Holder<'d>) -> Self {
        let mut all: HashMap<&str, Vec<&Member<'_>>> = HashMap::default();
        let declared = holder.declared.first();
        if declared.is_none_or(|one| one.declaration.what != What::Protocol) {
            return Self(all);
        }
        let (given, asked): (Vec<_>, Vec<_>) =
            holder.members.iter().partition(|member| member.in_extension);
        let name = |member: &Member<'d>| member.placed.declaration.full_name.as_str();
        for member in asked {
            all.entry(name(member)).or_default();
        }
        for member in given {
            if let Some(known) = all.get_mut(name(member)) {
                known.push(member);
            }
        }
        Self(all)
    }

    /// What is given for a requirement.
    fn given(&self, member: &Member<'_>) -> Option<&[&'h Member<'d>]> {
        let name = member.placed.declaration.full_name.as_str();
        self.0.get(name).filter(|_| !member.in_extension).map(Vec::as_slice)
    }

    /// Whether a member is there for a requirement.
    fn has(&self, member: &Member<'_>) -> bool {
        member.in_extension && self.0.contains_key(member.placed.declaration.full_name.as_str())
    }

    /// Whether one has to write a requirement oneself.
    fn note(&self, member: &Member<'_>) -> Option<String> {
        let is_code = matches!(
            member.placed.declaration.what,
            What::Function | What::Initializer | What::Subscript | What::Property | What::Constant
        );
        let given = self.given(member).filter(|_| is_code)?;
        let found = each_once(given.iter().map(|default| default.constraint));
        Some(match found.as_slice() {
            [] => "Required.".to_owned(),
            found if found.contains(&"") => "Has a default implementation.".to_owned(),
            found => {
                format!("Has a default implementation where `{}`.", found.join("`, or where `"))
            }
        })
    }
}

/// What stands after `where` of the extensions around properties, which cannot say it themselves.
fn constraints(group: &[&Member<'_>]) -> Option<String> {
    let first = group.first()?;
    let is_said = matches!(
        first.placed.declaration.what,
        What::Function | What::Initializer | What::Subscript
    );
    let all: Vec<&str> = group.iter().map(|member| member.constraint).collect();
    let is_bound = !is_said && all.iter().all(|constraint| !constraint.is_empty());
    is_bound.then(|| format!("Where `{}`.", all.join("`, or where `")))
}

/// Since when all of a group are there.
fn since(group: &[&Member<'_>]) -> Option<String> {
    let since = &group.first()?.availability.since;
    let is_shared = group.iter().all(|member| member.availability.since == *since);
    (is_shared && !since.is_empty()).then(|| format!("Available: {}.", since.join(", ")))
}

/// The conditions that all of a group are under, each told once.
fn conditions(group: &[&Member<'_>]) -> Option<String> {
    let conditions = group.iter().map(|member| &member.placed.declaration.conditions);
    if conditions.clone().any(Vec::is_empty) {
        return None;
    }
    let all = each_once(conditions.map(|conditions| conditions.join(" && ")));
    // One branch for each case is there in every case.
    let known: HashSet<&str> = all.iter().map(String::as_str).collect();
    let mut opposite = all.iter().filter_map(|text| text.strip_prefix('!'));
    if opposite.any(|text| known.contains(text)) {
        return None;
    }
    Some(format!("Only if `{}`.", all.join("`, or if `")))
}

/// What a type conforms to by extension.
fn conformances(holder: &Holder<'_>) -> Vec<String> {
    each_once(holder.extensions.iter().flat_map(|one| {
        let Declaration { bases, constraint, .. } = one.declaration;
        let bases = bases.iter().filter(|base| !base.starts_with('_'));
        bases.map(move |base| match constraint.is_empty() {
            true => format!("`{base}`"),
            false => format!("`{base}` where `{constraint}`"),
        })
    }))
}

fn conformances_note(conformances: &[String]) -> Option<String> {
    (!conformances.is_empty()).then(|| format!("Conforms to {}.", conformances.join(", ")))
}

/// One line for each overload, with what its extension asks for.
fn signatures(group: &[&Member<'_>]) -> String {
    let lines = group.iter().map(|member| {
        let Declaration { what, signature, .. } = member.placed.declaration;
        let can_say = matches!(what, What::Function | What::Initializer | What::Subscript);
        match (member.constraint, can_say) {
            ("", _) | (_, false) => signature.clone(),
            (constraint, true) => with_constraint(signature, constraint),
        }
    });
    each_once(lines).join("\n")
}

fn with_constraint(signature: &str, constraint: &str) -> String {
    let (head, accessors) = match signature.rfind(" { ") {
        Some(at) if signature.ends_with('}') => signature.split_at(at),
        _ => (signature, ""),
    };
    let word = if head.contains(" where ") { "," } else { " where" };
    format!("{head}{word} {constraint}{accessors}")
}

/// What the comments of a group say, each once; for a requirement without any, those of its defaults.
fn docs(defaults: &Defaults<'_, '_>, group: &[&Member<'_>]) -> String {
    let said = |member: &&Member<'_>| {
        let docs = member.placed.declaration.docs.as_str();
        (!docs.is_empty()).then(|| docs.to_owned())
    };
    let all = each_once(group.iter().filter_map(said));
    if !all.is_empty() {
        return all.join("\n\n");
    }
    let given = group.first().and_then(|first| defaults.given(first));
    given.unwrap_or_default().iter().find_map(said).unwrap_or_default()
}

fn with_notes(docs: &str, notes: Vec<String>) -> String {
    let notes = notes.join(" ");
    match (docs.is_empty(), notes.is_empty()) {
        (_, true) => docs.to_owned(),
        (true, false) => notes,
        (false, false) => format!("{docs}\n\n{notes}"),
    }
}

fn kind(what: What, is_member: bool) -> Kind {
    match what {
        What::Struct => Kind::Struct,
        What::Class | What::Actor => Kind::Class,
        What::Enum => Kind::Enum,
        What::Protocol => Kind::Interface,
        What::Extension => Kind::Extension,
        What::Function | What::Operator if !is_member => Kind::Function,
        What::Function | What::Operator | What::Initializer | What::Subscript => Kind::Method,
        What::Property | What::Constant if is_member => Kind::Property,
        What::Property => Kind::Variable,
        What::Constant => Kind::Constant,
        What::Case => Kind::Variant,
        What::Alias | What::Associated => Kind::TypeAlias,
        What::Macro => Kind::Macro,
    }
}
