//! What somebody may have meant: names near to the one that was written.

use std::path::Path;

use docent_packages::{Ecosystem, Engine, PackageRef};

const SUGGESTIONS_MAX: usize = 3;

/// The known names that are near to a written one, nearest first.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = written.to_lowercase();
    let score = |name: &str| {
        let name = name.to_lowercase();
        let bare = name.rsplit('/').next().unwrap_or(&name).to_owned();
        let distance =
            strsim::jaro_winkler(&wanted, &name).max(strsim::jaro_winkler(&wanted, &bare));
        // Half a name is a good sign, too.
        let part = wanted.len() >= 3 && name.contains(&wanted);
        if part { distance.max(0.9) } else { distance }
    };
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (score(name), name))
        .filter(|(score, _)| *score > 0.82)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.len().cmp(&b.1.len())).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(SUGGESTIONS_MAX).map(|(_, name)| name).collect()
}

/// All that a project depends on, in every ecosystem, direct dependencies first.
pub(crate) fn dependencies(engine: &Engine, project: &Path) -> Vec<(PackageRef, bool)> {
    let mut all: Vec<(PackageRef, bool)> =
        Ecosystem::all().flat_map(|ecosystem| engine.dependencies(ecosystem, project)).collect();
    all.sort_by_key(|(_, direct)| !direct);
    all
}

/// Packages of the project whose names are near to the one that was asked for.
pub(crate) fn packages(engine: &Engine, project: &Path, asked: &PackageRef) -> Vec<String> {
    let known = dependencies(engine, project);
    let same = |package: &&PackageRef| package.ecosystem == asked.ecosystem;
    let names: Vec<&str> =
        known.iter().map(|(package, _)| package).filter(same).map(|it| it.name.as_str()).collect();
    let near = nearest(&asked.name, names.into_iter().filter(|name| *name != asked.name));
    near.into_iter().map(|name| format!("{}:{name}", asked.ecosystem)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let known = ["zod", "zustand", "express", "@types/express", "react-dom"];
        let check =
            |written: &str, expected: &[&str]| assert_eq!(nearest(written, known), expected);
        check("zodd", &["zod"]);
        check("expres", &["express", "@types/express"]);
        check("react", &["react-dom"]);
        check("nothing-like-it", &[]);
        check("", &[]);
    }
}
