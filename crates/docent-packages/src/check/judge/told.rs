//! What was decided, as it is told: findings with suggestions, and what is unknown.

use super::{Imported, Judge, Missing, Verdicts};
use crate::Kind;
use crate::check::code::Language;
use crate::check::found::{
    Checked, CheckedPackage, Finding, FindingKind, Position, Suggestion, Unknown, UnknownUse, Why,
};
use crate::check::known::{Known, Lookup};
use crate::check::lines::Lines;
use crate::check::suggest;
use crate::check::uses::At;
use crate::hashing::HashSet;

/// How many examples are given of what is unknown for one reason.
pub(crate) const EXAMPLES_MAX: usize = 3;

impl Judge<'_> {
    pub(super) fn finding(
        &self,
        known: &Known,
        module: &str,
        missing: Missing<'_>,
        position: Position,
    ) -> Finding {
        let Missing { kind, name, within, names, item, .. } = missing;
        let (package, version) = (known.loaded.name(), &known.loaded.receipt().version);
        let message = match kind {
            FindingKind::Module => format!("`{package}` {version} has no module `{name}`"),
            FindingKind::Name => format!("`{within}` of {package} {version} has no `{name}`"),
            FindingKind::Member => {
                format!("`{within}` of {package} {version} has no member `{name}`")
            }
            FindingKind::Keyword if self.code.language == Language::Swift => {
                format!("`{within}` of {package} {version} takes no argument `{name}:`")
            }
            FindingKind::Keyword if self.code.language == Language::Rust => {
                format!("`{within}` of {package} {version} has no field `{name}`")
            }
            FindingKind::Keyword => {
                format!("`{within}` of {package} {version} takes no keyword `{name}`")
            }
            FindingKind::Option => {
                format!("`{within}` of {package} {version} has no key `{name}`")
            }
        };
        // Names are looked for where the missing one was.
        let module = if kind == FindingKind::Name { within.as_str() } else { module };
        let suggestions = self.suggestions(known, module, kind, name, &names, item);
        let (name, package) = (name.to_owned(), known.loaded.receipt().package.clone());
        Finding { kind, name, within, package, position, message, suggestions }
    }

    fn suggestions(
        &self,
        known: &Known,
        module: &str,
        kind: FindingKind,
        name: &str,
        names: &[String],
        item: Option<u32>,
    ) -> Vec<Suggestion> {
        let mut found: Vec<Suggestion> = Vec::new();
        if kind == FindingKind::Name {
            found.extend(suggest::elsewhere(known, module, name));
        }
        let signature = |near: &str| {
            let at = match kind {
                FindingKind::Name => known.at(module, near),
                FindingKind::Member | FindingKind::Option => known.child(item?, near),
                FindingKind::Keyword | FindingKind::Module => None,
            };
            let item = known.item(at?)?;
            let line = item.signature.lines().find(|line| !line.starts_with('@'))?;
            Some(suggest::shortened(line))
        };
        let weight = |near: &str| {
            let found = match kind {
                FindingKind::Name => known.at(module, near),
                FindingKind::Member | FindingKind::Option => {
                    match item.map(|item| known.in_item(item, near)) {
                        Some(Lookup::Item(found)) => Some(found),
                        _ => None,
                    }
                }
                FindingKind::Keyword | FindingKind::Module => return 1.0,
            };
            match found.and_then(|found| known.item(found)).map(|item| item.kind) {
                // Values are meant more often than types.
                Some(Kind::Interface | Kind::TypeAlias) if kind == FindingKind::Name => 0.7,
                Some(_) => 1.0,
                // What has no item of its own is imported from elsewhere, as a rule.
                None => 0.75,
            }
        };
        for near in suggest::nearest(name, names, weight) {
            if found.iter().all(|known| known.name != near) {
                let signature = signature(&near).filter(|text| !text.is_empty());
                found.push(Suggestion { name: near, module: None, signature });
            }
        }
        found.truncate(suggest::COUNT);
        found
    }

    pub(super) fn sum_up(&self, verdicts: Verdicts, lines: &Lines<'_>) -> Checked {
        let Verdicts { findings, mut unknown, mut confirmed } = verdicts;
        unknown.retain(|at, _| !findings.contains_key(at));
        confirmed.retain(|at| !findings.contains_key(at) && !unknown.contains_key(at));
        let mut findings: Vec<Finding> = findings.into_values().collect();
        findings.sort_by(|one, other| one.position.cmp(&other.position));
        let mut by_reason: std::collections::BTreeMap<Why, Vec<(At, String)>> =
            std::collections::BTreeMap::new();
        for (at, (why, name)) in unknown {
            by_reason.entry(why).or_default().push((at, name));
        }
        let unknown = by_reason.into_iter().map(|(reason, mut uses)| {
            uses.sort_unstable();
            let examples = uses
                .iter()
                .take(EXAMPLES_MAX)
                .map(|(at, name)| UnknownUse { name: name.clone(), position: lines.position(*at) });
            Unknown { reason, count: uses.len(), examples: examples.collect() }
        });
        let mut packages: Vec<CheckedPackage> = Vec::new();
        let mut modules: Vec<(&String, &Imported<'_>)> = self.imported.iter().collect();
        modules.sort_unstable_by_key(|(module, _)| *module);
        let named: HashSet<&str> = self.uses.uses.iter().map(|one| one.module.as_str()).collect();
        for (module, imported) in modules {
            let Ok((known, _)) = imported else { continue };
            if !named.contains(module.as_str()) {
                continue;
            }
            let package = &known.loaded.receipt().package;
            match packages.iter_mut().find(|one| one.package == *package) {
                Some(one) => one.modules.push(module.clone()),
                None => packages.push(CheckedPackage {
                    package: package.clone(),
                    modules: vec![module.clone()],
                }),
            }
        }
        let confirmed = confirmed.len();
        Checked { findings, unknown: unknown.collect(), packages, confirmed }
    }
}
