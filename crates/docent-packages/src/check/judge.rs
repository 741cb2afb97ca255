//! From what code uses, and what packages have, to findings: the part that all languages share.
//!
//! Each use is followed step by step. Where a step leads to something that extraction does not vouch
//! for, the use ends as unknown; a finding needs certainty at every step. `call` is the step into a
//! function, `doubt` asks once more before anything is called missing, `told` is how it is told.

mod call;
mod doubt;
mod told;

use std::cell::RefCell;

use super::code::{CodeToCheck, Language};
use super::found::{Checked, Finding, FindingKind, Why};
use super::known::{Known, Lookup, exported_crate};
use super::lines::Lines;
use super::traits::Traits;
use super::uses::{At, Step, Use, Uses};
use crate::hashing::{HashMap, HashSet};
use crate::{Ecosystem, Kind};
pub(super) use told::EXAMPLES_MAX;

/// A module that code imports: the package it is in and its name there, or why there is none.
pub(super) type Imported<'k> = Result<(&'k Known, String), Why>;

/// What a use has come to.
#[derive(Clone, PartialEq, Debug)]
enum Entity {
    Module(String),
    /// What an item declares: a function, a class, a namespace, a constant object.
    Item(u32),
    /// A value of the type that an item declares.
    Instance(u32),
    /// The same, still to be waited for; the function that it comes from is the second.
    Pending(u32, u32),
    /// The same, inside of what may be empty or a failure.
    Wrapped(u32),
    /// A value of a type that another package has: its module, and the path there.
    Elsewhere(String, String),
    Unknown(Why),
}

pub(super) struct Judge<'a> {
    pub(super) code: &'a CodeToCheck,
    pub(super) uses: &'a Uses,
    pub(super) imported: &'a HashMap<String, Imported<'a>>,
    /// Whether other files add to the types of an npm package.
    pub(super) is_augmented: &'a dyn Fn(&str) -> bool,
    /// Modules that would have to be at hand to say more.
    pub(super) wanted: &'a RefCell<HashSet<String>>,
    /// What traits bring to types of other packages.
    pub(super) traits: Traits<'a>,
}

/// What was decided so far; each place in the code counts once.
#[derive(Default)]
struct Verdicts {
    findings: HashMap<At, Finding>,
    unknown: HashMap<At, (Why, String)>,
    confirmed: HashSet<At>,
}

/// What is missing, before it is put into words.
struct Missing<'n> {
    kind: FindingKind,
    name: &'n str,
    at: At,
    within: String,
    names: Vec<String>,
    /// The item that it is missing in.
    item: Option<u32>,
}

impl Judge<'_> {
    pub(super) fn judge(&self) -> Checked {
        let lines = Lines::of(&self.code.text, &self.code.file);
        let mut verdicts = Verdicts::default();
        for (why, name, at) in &self.uses.doubts {
            verdicts.unknown.insert(*at, (*why, name.clone()));
        }
        for one in &self.uses.uses {
            self.follow(one, &mut verdicts, &lines);
        }
        self.sum_up(verdicts, &lines)
    }

    fn follow(&self, one: &Use, verdicts: &mut Verdicts, lines: &Lines<'_>) {
        let (mut known, module) = match self.imported.get(&one.module) {
            Some(Ok((known, module))) => (*known, module.as_str()),
            Some(Err(why)) => {
                verdicts.unknown.insert(one.at, (*why, one.module.clone()));
                return;
            }
            // A module of the project's own.
            None => return,
        };
        // In Rust, a crate that is named is rarely hidden by a star.
        if let Some(why @ (Why::Rebound | Why::Star)) = one.doubt
            && self.code.language != Language::Rust
        {
            let (name, at) = last_name(one);
            verdicts.unknown.insert(at, (why, name));
            return;
        }
        let mut missing = None;
        let mut entity = self.module(known, module, one, &mut missing);
        for step in &one.steps {
            if missing.is_some() {
                break;
            }
            if let Entity::Unknown(why) = entity {
                if let Step::Name { name, at } = step {
                    verdicts.unknown.insert(*at, (why, name.clone()));
                    return;
                }
                continue;
            }
            entity = match step {
                // Another import must be the one that is meant.
                Step::Called(name) if known.called(module) != Some(name) => return,
                Step::Called(_) => entity,
                Step::Owned(name) if !self.is_owned(known, module, name) => return,
                Step::Owned(_) => entity,
                Step::Name { name, at } => {
                    let next = self.name(known, &entity, name, *at, &mut missing);
                    if missing.is_none() && !matches!(next, Entity::Unknown(Why::Open)) {
                        verdicts.confirmed.insert(*at);
                    } else if let Entity::Unknown(why) = next {
                        verdicts.unknown.insert(*at, (why, name.clone()));
                    }
                    // What is there, though nothing is known of it, has been counted.
                    match next {
                        Entity::Unknown(_) if missing.is_none() => return,
                        Entity::Item(at) => match self.exported(known, at) {
                            Some((other, root)) => {
                                known = other;
                                Entity::Module(root.to_owned())
                            }
                            None => next,
                        },
                        next => next,
                    }
                }
                Step::Call(call) => self.call(known, &entity, call, false, &mut missing),
                Step::New(call) => {
                    let next = self.call(known, &entity, call, true, &mut missing);
                    if missing.is_none() && self.has_fields(known, &entity) {
                        verdicts.confirmed.extend(call.keywords.iter().map(|(_, at)| *at));
                    }
                    next
                }
                Step::Await => match entity {
                    Entity::Pending(of, from) if known.is_wrapped(from) => Entity::Wrapped(of),
                    Entity::Pending(of, _) => Entity::Instance(of),
                    _ => Entity::Unknown(Why::Untyped),
                },
                Step::Value => self.value(known, entity),
                Step::Unwrap => match entity {
                    Entity::Wrapped(of) => Entity::Instance(of),
                    _ => Entity::Unknown(Why::Untyped),
                },
                Step::Pass => match entity {
                    Entity::Wrapped(of) => Entity::Wrapped(of),
                    _ => Entity::Unknown(Why::Untyped),
                },
                Step::Wrap => match entity {
                    Entity::Instance(of) => Entity::Wrapped(of),
                    _ => Entity::Unknown(Why::Untyped),
                },
                Step::Enter => match entity {
                    Entity::Instance(of) if known.is_context(of) => Entity::Instance(of),
                    _ => Entity::Unknown(Why::Untyped),
                },
            };
            if let Entity::Elsewhere(module, path) = entity {
                (known, entity) = self.elsewhere(known, module, path);
            }
        }
        if let Some(missing) = missing {
            match self.doubt(known, one, &missing) {
                Some(why) => {
                    verdicts.unknown.insert(missing.at, (why, missing.name.to_owned()));
                }
                None => {
                    let at = missing.at;
                    let finding = self.finding(known, module, missing, lines.position(at));
                    verdicts.findings.insert(at, finding);
                }
            }
        }
    }

    /// A value of a type of another package.
    fn elsewhere<'s>(
        &'s self,
        known: &'s Known,
        mut module: String,
        mut path: String,
    ) -> (&'s Known, Entity) {
        /// Names for names in one package after the other.
        const PACKAGES_MAX: usize = 4;
        for _ in 0..PACKAGES_MAX {
            let (there, name) = match self.imported.get(&module) {
                Some(Ok((there, name))) => (*there, name),
                Some(Err(_)) => break,
                None => {
                    self.wanted.borrow_mut().insert(module);
                    break;
                }
            };
            let Some(at) = there.at(name, &path) else { break };
            match (there.type_of(at), there.elsewhere(at)) {
                (Some(of), _) => return (there, Entity::Instance(of)),
                (None, Some((next, inside))) => {
                    (module, path) = (next.clone(), inside.clone());
                }
                (None, None) => return (there, Entity::Instance(at)),
            }
        }
        (known, Entity::Unknown(Why::Untyped))
    }

    /// Whether a module is the only one that a name can come from.
    fn is_owned(&self, known: &Known, module: &str, name: &str) -> bool {
        let Some(here) = known.at(module, name) else { return false };
        let file = known.item(here).map(|item| (&item.file, item.line));
        self.imported.iter().all(|(import, found)| {
            let Ok((other, module)) = found else { return true };
            let same = other.at(module, name);
            let is_other = same
                .is_some_and(|there| other.item(there).map(|item| (&item.file, item.line)) != file);
            let is_used = || self.uses.uses.iter().any(|one| one.module == *import);
            !(is_other || other.has_inner(name)) || !is_used()
        })
    }

    /// Whether something is a structure whose fields are known.
    fn has_fields(&self, known: &Known, entity: &Entity) -> bool {
        matches!(entity, Entity::Item(at)
            if known.item(*at).is_some_and(|item| item.kind == Kind::Struct)
                && known.keywords(*at).is_some())
    }

    /// The crate that an item exports as a whole, if it is at hand.
    fn exported(&self, known: &Known, at: u32) -> Option<(&Known, &str)> {
        let name = exported_crate(known.item(at)?)?;
        let (known, root) = self.imported.get(name)?.as_ref().ok()?;
        Some((*known, root.as_str()))
    }

    /// The module that a use starts from.
    fn module<'n>(
        &self,
        known: &Known,
        module: &str,
        one: &'n Use,
        missing: &mut Option<Missing<'n>>,
    ) -> Entity {
        if known.has_module(module) {
            return Entity::Module(module.to_owned());
        }
        if known.lacks_module(module) {
            *missing = Some(Missing {
                kind: FindingKind::Module,
                name: &one.module,
                at: one.at,
                within: known.loaded.name().to_owned(),
                names: known.modules().map(str::to_owned).collect(),
                item: None,
            });
            return Entity::Unknown(Why::Open);
        }
        // The longest part of a dotted name that is a module decides on the next.
        if self.code.language == Language::Python {
            let mut ends = one.module.rmatch_indices('.').map(|(end, _)| end);
            let above = ends.find(|&end| known.has_module(&one.module[..end]));
            if let Some(end) = above {
                let rest = &one.module[end + 1..];
                let name = rest.split('.').next().unwrap_or(rest);
                if let Lookup::Missing(names) = known.in_module(&one.module[..end], name) {
                    *missing = Some(Missing {
                        kind: FindingKind::Module,
                        name,
                        at: one.at + u32::try_from(end + 1).unwrap_or(0),
                        within: one.module[..end].to_owned(),
                        names: names.into_iter().map(str::to_owned).collect(),
                        item: known.at(&one.module[..end], ""),
                    });
                }
            }
        }
        Entity::Unknown(Why::Open)
    }

    /// A name of a module, or a member of something.
    fn name<'n>(
        &self,
        known: &Known,
        entity: &Entity,
        name: &'n str,
        at: At,
        missing: &mut Option<Missing<'n>>,
    ) -> Entity {
        let (lookup, kind, within, item) = match entity {
            Entity::Module(module) => {
                // A type may have the name of its module, and hide it.
                if self.code.language == Language::Swift
                    && known.at(module, module).is_some_and(|_| name != module)
                {
                    let is_first = known.at(module, name).is_none();
                    if is_first {
                        return Entity::Unknown(Why::Open);
                    }
                }
                if self.code.language == Language::Rust
                    && let Some(inner) = known.module_named(&format!("{module}::{name}"))
                {
                    // A function may have the name of a module.
                    return match known.at(module, name) {
                        Some(_) => Entity::Unknown(Why::Untyped),
                        None => Entity::Module(inner.to_owned()),
                    };
                }
                let inner = format!("{module}.{name}");
                let is_module = self.code.language == Language::Python && known.has_module(&inner);
                let lookup = known.in_module(module, name);
                match (&lookup, is_module) {
                    (Lookup::Item(_), true) => return Entity::Unknown(Why::Open),
                    (_, true) => return Entity::Module(inner),
                    // Without a default export, the module itself is what is imported.
                    (Lookup::Missing(_) | Lookup::Unsure, false)
                        if name == "default" && known.loaded.ecosystem() == Ecosystem::Npm =>
                    {
                        return entity.clone();
                    }
                    _ => {}
                }
                (lookup, FindingKind::Name, module.clone(), known.at(module, ""))
            }
            Entity::Item(of) | Entity::Instance(of) => {
                let shown = known.item(*of).map(|item| item.path.clone()).unwrap_or_default();
                (known.in_item(*of, name), FindingKind::Member, shown, Some(*of))
            }
            Entity::Pending(..) | Entity::Wrapped(_) | Entity::Elsewhere(..) => {
                return Entity::Unknown(Why::Untyped);
            }
            Entity::Unknown(why) => return Entity::Unknown(*why),
        };
        match lookup {
            Lookup::Item(found) => self.settle(known, found),
            Lookup::There => Entity::Unknown(Why::Untyped),
            Lookup::Unsure => Entity::Unknown(Why::Open),
            Lookup::Missing(_) if matches!(entity, Entity::Instance(of) if known.is_deref(*of)) => {
                Entity::Unknown(Why::Open)
            }
            // An imported trait may bring it.
            Lookup::Missing(_) if kind == FindingKind::Member && self.traits.bring(name) => {
                Entity::Unknown(Why::Untyped)
            }
            Lookup::Missing(names) => {
                let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
                if kind == FindingKind::Member {
                    names.extend(self.traits.names());
                }
                *missing = Some(Missing { kind, name, at, within, names, item });
                Entity::Unknown(Why::Open)
            }
        }
    }

    /// What an item is to those who use it: itself, or a value of its type.
    fn settle(&self, known: &Known, at: u32) -> Entity {
        let Some(item) = known.item(at) else { return Entity::Unknown(Why::Open) };
        match item.kind {
            Kind::Variant if self.code.language == Language::Rust => Entity::Item(at),
            Kind::TypeAlias if self.code.language == Language::Rust => match known.type_of(at) {
                Some(of) => Entity::Item(of),
                None => Entity::Unknown(Why::Untyped),
            },
            Kind::Property | Kind::Constant | Kind::Variable | Kind::Variant => {
                match known.type_of(at) {
                    Some(of) if known.is_wrapped(at) => Entity::Wrapped(of),
                    Some(of) if !known.is_awaited(at) => Entity::Instance(of),
                    _ if known.is_whole(at) => Entity::Item(at),
                    _ => value_elsewhere(known, at),
                }
            }
            _ => Entity::Item(at),
        }
    }

    /// A value of what something is.
    fn value(&self, known: &Known, entity: Entity) -> Entity {
        let at = match entity {
            Entity::Item(at) => at,
            Entity::Module(_) => return Entity::Unknown(Why::Untyped),
            other => return other,
        };
        match known.item(at).map(|item| item.kind) {
            Some(Kind::Struct | Kind::Enum) => Entity::Instance(at),
            Some(Kind::Variant) => match known.type_of(at) {
                Some(of) => Entity::Instance(of),
                None => Entity::Unknown(Why::Untyped),
            },
            _ => Entity::Unknown(Why::Untyped),
        }
    }
}

/// A value whose type another package has.
fn value_elsewhere(known: &Known, at: u32) -> Entity {
    match known.elsewhere(at) {
        Some((module, path)) => Entity::Elsewhere(module.clone(), path.clone()),
        None => Entity::Unknown(Why::Untyped),
    }
}

fn last_name(one: &Use) -> (String, At) {
    let mut names = one.steps.iter().rev().filter_map(|step| match step {
        Step::Name { name, at } => Some((name.clone(), *at)),
        _ => None,
    });
    names.next().unwrap_or((one.module.clone(), one.at))
}
