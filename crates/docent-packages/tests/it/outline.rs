//! Each file of `outlines/` is a small package and the outline that extraction must give.
//!
//! Files under `companions/NAME/` (or `companions/@scope/NAME/`) are other packages. The outline has
//! one entry for each item: kind, module and path; the signature, indented; the documentation after
//! `|`; notes after `@`. Prose follows as `# file: headings`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use docent_packages::extract::{Input, Package, extract};
use docent_packages::{Ecosystem, Extraction, Limits, Tree};
use docent_testkit::fixture::{Fixture, check_all};

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/outlines").join(name)
}

fn packages(fixture: &Fixture) -> Vec<Package> {
    let mut files: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    files.insert(String::new(), Vec::new());
    for (path, text) in &fixture.files {
        let (package, path) = match path.strip_prefix("companions/") {
            Some(rest) => {
                let parts = if rest.starts_with('@') { 2 } else { 1 };
                let end = rest.match_indices('/').nth(parts - 1).expect("a file in a companion").0;
                (&rest[..end], &rest[end + 1..])
            }
            None => ("", path.as_str()),
        };
        files.entry(package.to_owned()).or_default().push((path.to_owned(), text.clone()));
    }
    let package = |(name, files): (String, Vec<(String, String)>)| Package {
        name: if name.is_empty() { fixture.name() } else { name },
        version: "1.0.0".to_owned(),
        tree: Tree::in_memory(files),
    };
    files.into_iter().map(package).collect()
}

fn outline(found: &Extraction) -> String {
    let mut text = String::new();
    for item in &found.items {
        let place = if item.path.is_empty() { "(itself)" } else { &item.path };
        let _ = writeln!(text, "{} {} · {place}", item.kind.word(), item.module);
        for line in item.signature.lines() {
            let _ = writeln!(text, "    {line}");
        }
        for line in item.docs.lines() {
            let _ = writeln!(text, "    | {line}");
        }
        if let Some(reason) = &item.deprecated {
            let _ = writeln!(text, "    @ deprecated {reason}");
        }
        if let Some(from) = &item.inherited {
            let _ = writeln!(text, "    @ inherited from {from}");
        }
        if item.local {
            let _ = writeln!(text, "    @ not exported");
        }
        for (module, path) in &item.aliases {
            let _ = writeln!(text, "    @ also {module} · {path}");
        }
        let parent = item
            .parent
            .map_or(String::new(), |parent| format!(" in {}", found.items[parent as usize].path));
        let _ = writeln!(text, "    @ {}:{}{parent}", item.file, item.line);
    }
    for chunk in &found.prose {
        let language = chunk.language.as_deref().map_or(String::new(), |tag| format!(" [{tag}]"));
        let headings = chunk.headings.join(" > ");
        let _ = writeln!(
            text,
            "# {:?}{language} {}:{}: {headings}",
            chunk.kind, chunk.file, chunk.line
        );
        for line in chunk.text.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    for problem in &found.problems {
        let _ = writeln!(text, "! {} {}", problem.file, problem.message);
    }
    for wanted in &found.wanted {
        let range = wanted.requirement.as_deref().unwrap_or("*");
        let condition = if wanted.optional { ", if installed" } else { "" };
        let _ = writeln!(text, "? {} {range} for {}{condition}", wanted.name, wanted.wanted_by);
    }
    text
}

fn check(name: &str, ecosystem: Ecosystem) {
    let limits = Limits::default();
    check_all(&folder(name), |fixture| {
        let packages = packages(fixture);
        outline(&extract(ecosystem, &Input::new(&packages[0], &packages[1..], &limits)))
    });
}

#[test]
fn typescript() {
    check("typescript", Ecosystem::Npm);
}

#[test]
fn python() {
    check("python", Ecosystem::Python);
}

#[test]
fn go() {
    check("go", Ecosystem::Go);
}

#[test]
fn swift() {
    check("swift", Ecosystem::Swift);
}

#[test]
fn rust() {
    check("rust", Ecosystem::Rust);
}

#[test]
fn prose() {
    check("prose", Ecosystem::Npm);
}

#[test]
fn prose_python() {
    check("prose-python", Ecosystem::Python);
}
