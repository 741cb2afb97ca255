//! Suggestions for packages, versions, symbols and guides, for templates and prompts alike.

use docent_mcp::server::{Completer, CompletionQuery};
use docent_packages::{Ecosystem, PackageRef, Progress, Target};

use super::super::Desk;
use super::read;

/// The names of the project's dependencies, those it names itself first.
pub(crate) fn packages(desk: &Desk) -> Completer {
    let desk = desk.clone();
    Completer::new(move |_, query| {
        let asked = asked_ecosystem(&query);
        let all = Ecosystem::all().filter(|one| asked.is_none_or(|asked| asked == *one));
        let found = all.flat_map(|ecosystem| desk.engine.dependencies(ecosystem, &desk.project));
        let mut names: Vec<(bool, String)> =
            found.map(|(package, direct)| (!direct, package.name)).collect();
        names.sort_by_key(|(indirect, _)| *indirect);
        std::future::ready(fitting(&query.value, names.into_iter().map(|(_, name)| name)))
    })
}

/// The versions of the package that is filled in.
pub(crate) fn versions(desk: &Desk) -> Completer {
    let desk = desk.clone();
    Completer::new(move |_, query| {
        let desk = desk.clone();
        async move {
            let Some(target) = target(&desk, &query) else { return Vec::new() };
            let target =
                Target { package: PackageRef { version: None, ..target.package }, ..target };
            let versions = desk.engine.versions(&target).await.unwrap_or_default();
            fitting(&query.value, versions.into_iter())
        }
    })
}

/// The symbols of the package that is filled in.
pub(crate) fn symbols(desk: &Desk) -> Completer {
    let desk = desk.clone();
    Completer::new(move |_, query| {
        let desk = desk.clone();
        async move {
            let Some(target) = target(&desk, &query) else { return Vec::new() };
            let Ok(loaded) = desk.engine.load(&target, &Progress::default()).await else {
                return Vec::new();
            };
            let items = &loaded.extraction().items;
            let public = items.iter().filter(|item| !item.path.is_empty() && !item.local);
            fitting(&query.value, public.map(|item| item.path.clone()))
        }
    })
}

/// The guides of the package that is filled in.
pub(super) fn guides(desk: &Desk) -> Completer {
    let desk = desk.clone();
    Completer::new(move |_, query| {
        let desk = desk.clone();
        async move {
            let Some(target) = target(&desk, &query) else { return Vec::new() };
            match desk.engine.load(&target, &Progress::default()).await {
                Ok(loaded) => fitting(&query.value, read::guides(&desk, &loaded).into_iter()),
                Err(_) => Vec::new(),
            }
        }
    })
}

fn asked_ecosystem(query: &CompletionQuery) -> Option<Ecosystem> {
    let named = ["ecosystem", "language"].iter().find_map(|name| query.arguments.get(*name));
    Ecosystem::named(named?)
}

/// The package that is filled in already; its ecosystem is that of the dependency of its name if
/// none is filled in.
fn target(desk: &Desk, query: &CompletionQuery) -> Option<Target> {
    let name = query.arguments.get("package")?;
    let has = |ecosystem: &Ecosystem| {
        let found = desk.engine.dependencies(*ecosystem, &desk.project);
        found.iter().any(|(package, _)| package.name == *name)
    };
    let ecosystem = asked_ecosystem(query).or_else(|| Ecosystem::all().find(has))?;
    let version = query.arguments.get("version").map(String::as_str);
    let package = PackageRef::new(ecosystem, name, version);
    Some(Target { package, project: Some(desk.project.clone()) })
}

/// Those that begin with what was typed, then those that hold it; each once.
fn fitting(typed: &str, values: impl Iterator<Item = String>) -> Vec<String> {
    let typed = typed.to_lowercase();
    let mut found: Vec<(bool, String)> =
        values.filter_map(|value| Some((value.to_lowercase().find(&typed)? != 0, value))).collect();
    found.sort_by_key(|(inside, _)| *inside);
    let mut seen = std::collections::HashSet::new();
    found.retain(|(_, value)| seen.insert(value.clone()));
    found.into_iter().map(|(_, value)| value).collect()
}
