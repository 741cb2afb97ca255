//! Why something that is missing may be there after all: what each language lets others add.

use super::{Judge, Missing};
use crate::check::code::Language;
use crate::check::found::{FindingKind, Why};
use crate::check::known::{Known, Lookup};
use crate::check::language::swift::is_system;
use crate::check::uses::Use;
use crate::{Ecosystem, Kind};

/// Members that every JavaScript object or function has.
const UNIVERSAL: &[&str] = &[
    "apply",
    "arguments",
    "bind",
    "call",
    "caller",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "length",
    "name",
    "propertyIsEnumerable",
    "prototype",
    "then",
    "toLocaleString",
    "toString",
    "valueOf",
];

impl Judge<'_> {
    /// Why something that is missing may be there after all.
    pub(super) fn doubt(&self, known: &Known, one: &Use, missing: &Missing<'_>) -> Option<Why> {
        if one.doubt.is_some() {
            return one.doubt;
        }
        if self.uses.guarded.contains(missing.name) {
            return Some(Why::Guarded);
        }
        match known.loaded.ecosystem() {
            Ecosystem::Npm => self.doubt_npm(known, one, missing),
            Ecosystem::Swift => self.doubt_swift(known, missing),
            Ecosystem::Rust => self.doubt_rust(known, missing),
            _ => {
                let is_special = missing.name.starts_with("__");
                (is_special || known.is_given(missing.name)).then_some(Why::Open)
            }
        }
    }

    /// Every file of a project may add to every type, and hide it.
    fn doubt_swift(&self, known: &Known, missing: &Missing<'_>) -> Option<Why> {
        let first = missing.within.split('.').next().unwrap_or_default();
        let is_declared = |name: &str| (self.is_augmented)(name);
        let by_others = |adds: &dyn Fn(&Known) -> bool| {
            self.imported.values().flatten().any(|(other, _)| adds(other))
        };
        let is_label = missing.kind == FindingKind::Keyword;
        if !is_label && (missing.name.starts_with(['_', '$']) || known.is_given(missing.name)) {
            return Some(Why::Open);
        }
        // A package that is not at hand may add to every type.
        let mut absent = self.imported.iter().filter(|(_, found)| found.is_err());
        if absent.any(|(module, _)| !is_system(module)) {
            return Some(Why::NotInstalled);
        }
        let is_added = if is_label {
            let parts = || missing.within.split('.');
            let last = parts().next_back().unwrap_or_default();
            is_declared(last)
                || parts().any(|name| is_declared(&format!("extension {name}")))
                || by_others(&|other| other.is_given(last) || other.extends(last))
        } else {
            is_declared(missing.name) || by_others(&|other| other.is_given(missing.name))
        };
        (is_added || is_declared(first)).then_some(Why::Augmented)
    }

    /// Why a type may have a member by a trait. What a module has, its crate alone decides.
    fn doubt_rust(&self, known: &Known, missing: &Missing<'_>) -> Option<Why> {
        let within = missing.item.and_then(|item| known.item(item)).map(|item| item.kind);
        // A trait has what it declares, and nothing by others.
        if missing.kind != FindingKind::Member || within == Some(Kind::Interface) {
            return None;
        }
        let by_trait = self.traits.may_bring(missing.name);
        by_trait.or_else(|| (self.is_augmented)(missing.name).then_some(Why::Augmented))
    }

    fn doubt_npm(&self, known: &Known, one: &Use, missing: &Missing<'_>) -> Option<Why> {
        if UNIVERSAL.contains(&missing.name) && missing.kind != FindingKind::Option {
            return Some(Why::Open);
        }
        if missing.kind == FindingKind::Module {
            return None;
        }
        let module = one.module.as_str();
        // What is a member of the default export may be reached in more than one way.
        if missing.kind == FindingKind::Name
            && let Some(default) = known.at(module, "default")
            && !matches!(known.in_item(default, missing.name), Lookup::Missing(_))
        {
            return Some(Why::Open);
        }
        let by_others = known.loaded.name().starts_with("@types/")
            || missing
                .item
                .and_then(|item| known.item(item))
                .is_some_and(|item| item.file.starts_with("@types/"));
        // Scripts may pass what no declaration mentions.
        let is_loose = by_others || missing.kind == FindingKind::Option;
        if is_loose && self.code.language == Language::JavaScript {
            return Some(Why::Declared);
        }
        let package = known.loaded.name();
        let adds = |augmented: &String| {
            augmented == package || augmented.starts_with(&format!("{package}/"))
        };
        let here = self.uses.augmented.iter().any(adds);
        (here || (self.is_augmented)(package)).then_some(Why::Augmented)
    }
}
