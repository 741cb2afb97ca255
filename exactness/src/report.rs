//! What a comparison says, for people: one table, and what differs.

use std::collections::BTreeMap;

use crate::compare::Comparison;

/// Differences of one group that are listed.
const LISTED_MAX: usize = 400;

pub(crate) fn table(comparisons: &[Comparison]) {
    println!(
        "{:<28}{:>8}{:>8}{:>9}{:>8}{:>9}{:>9}{:>11}{:>11}",
        "package",
        "modules",
        "names",
        "missing",
        "recall",
        "extra",
        "precis.",
        "signatures",
        "identical"
    );
    let mut total = Comparison { package: "all".to_owned(), ..Comparison::default() };
    let (mut missing, mut extra, mut different) = (0, 0, 0);
    for one in comparisons {
        row(one, one.missing.len(), one.extra.len(), one.different.len());
        total.modules += one.modules;
        total.names += one.names;
        total.ours += one.ours;
        total.signatures += one.signatures;
        missing += one.missing.len();
        extra += one.extra.len();
        different += one.different.len();
    }
    row(&total, missing, extra, different);
    // A package that could not be loaded has nothing right.
    let mean = |of: &dyn Fn(&Comparison) -> f64| {
        let loaded = comparisons.iter().filter(|one| one.error.is_none());
        100.0 * loaded.map(of).sum::<f64>() / comparisons.len() as f64
    };
    println!(
        "mean over packages: recall {:.1} %, precision {:.1} %, identical signatures {:.1} %",
        mean(&|one| rest(one.names, one.missing.len())),
        mean(&|one| rest(one.ours, one.extra.len())),
        mean(&|one| rest(one.signatures, one.different.len())),
    );
}

fn row(one: &Comparison, missing: usize, extra: usize, different: usize) {
    if let Some(error) = &one.error {
        println!("{:<28}{error}", one.package);
        return;
    }
    println!(
        "{:<28}{:>8}{:>8}{:>9}{:>8.1}{:>9}{:>9.1}{:>11}{:>11.1}",
        format!("{} {}", one.package, one.version),
        one.modules,
        one.names,
        missing,
        100.0 * rest(one.names, missing),
        extra,
        100.0 * rest(one.ours, extra),
        one.signatures,
        100.0 * rest(one.signatures, different),
    );
}

/// The share that is left of `all`; all of it, if there is nothing.
fn rest(all: usize, gone: usize) -> f64 {
    if all == 0 { 1.0 } else { all.saturating_sub(gone) as f64 / all as f64 }
}

pub(crate) fn differences(comparison: &Comparison) {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in &comparison.missing {
        let of = if one.has_parent { "of a known parent" } else { "" };
        groups.entry(format!("missing {} {of}", one.kind)).or_default().push(one.name.clone());
    }
    for (module, path, kind) in &comparison.extra {
        groups
            .entry(format!("extra {}", kind.word()))
            .or_default()
            .push(format!("{module} {path}"));
    }
    for one in &comparison.different {
        let text = format!("{}\n    ours:  {}\n    right: {}", one.name, one.ours, one.right);
        groups.entry(format!("different {}", one.kind)).or_default().push(text);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    for (group, names) in groups {
        println!("\n{group}: {}", names.len());
        for name in names.iter().take(LISTED_MAX) {
            println!("  {name}");
        }
        if names.len() > LISTED_MAX {
            println!("  … {} more", names.len() - LISTED_MAX);
        }
    }
}
