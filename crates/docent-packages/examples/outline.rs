//! Prints what is found in packages on disk: `outline npm|pypi|cargo FOLDER [COMPANION_FOLDER…]`.
//!
//! For people who work on extraction: no resolving, no cache, no worker. With `--summary` before the
//! ecosystem, only numbers.

#![expect(clippy::print_stdout, reason = "printing is its purpose")]

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

use docent_packages::extract::{Input, Package, extract};
use docent_packages::{Ecosystem, Extraction, Limits, Tree};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let summary = arguments.first().is_some_and(|first| first == "--summary");
    if summary {
        arguments.remove(0);
    }
    let usage = "outline [--summary] npm|pypi|cargo|go FOLDER [COMPANION_FOLDER…]";
    let ecosystem = arguments.first().and_then(|word| Ecosystem::named(word)).expect(usage);
    let packages: Vec<Package> = arguments[1..].iter().map(|folder| read(folder)).collect();
    let limits = Limits::default();
    let read = RefCell::new(Vec::new());
    let before = |name: &str| read.borrow_mut().push(name.to_owned());
    let mut input = Input::new(packages.first().expect(usage), &packages[1..], &limits);
    input.before = &before;
    let start = Instant::now();
    let found = extract(ecosystem, &input);
    let took = start.elapsed();
    if ecosystem == Ecosystem::Npm {
        parse_only(&packages, &read.borrow());
    }
    if !summary {
        print(&found);
    }
    let documented = found.items.iter().filter(|item| !item.docs.is_empty()).count();
    println!(
        "{}@{}: {} items, {documented} documented, {} chunks, {} problems, {} wanted, {took:.1?}",
        packages[0].name,
        packages[0].version,
        found.items.len(),
        found.prose.len(),
        found.problems.len(),
        found.wanted.len(),
    );
}

/// How long the parser alone takes for the files that were read.
fn parse_only(packages: &[Package], read: &[String]) {
    let texts: Vec<String> = read
        .iter()
        .filter_map(|name| {
            let (package, path) = name.rsplit_once(':')?;
            packages.iter().find(|one| one.name == package)?.tree.text(path)
        })
        .collect();
    let start = Instant::now();
    for text in &texts {
        let allocator = oxc_allocator::Allocator::default();
        let parser = oxc_parser::Parser::new(&allocator, text, oxc_span::SourceType::d_ts());
        std::hint::black_box(parser.parse());
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} files, {bytes} bytes: {:.1?} to parse", texts.len(), start.elapsed());
}

/// A folder as a package; name and version from `package.json` or `go.mod`, or from the folder's name.
fn read(folder: &str) -> Package {
    let root = Path::new(folder);
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                let name = path.strip_prefix(root).expect("inside").to_string_lossy();
                files.push((name.replace('\\', "/"), bytes));
            }
        }
    }
    let tree = Tree::in_memory(files);
    let manifest = tree.text("package.json").unwrap_or_default();
    let field = |key: &str| {
        let json: serde_json::Value = serde_json::from_str(&manifest).ok()?;
        Some(json.get(key)?.as_str()?.to_owned())
    };
    let module = tree.text("go.mod").unwrap_or_default();
    let module = module.lines().find_map(|line| line.strip_prefix("module ")).map(str::trim);
    let name = root.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    // A crate's folder is called `name-version`.
    let versioned = name.rsplit_once('-').filter(|_| tree.contains("Cargo.toml"));
    let (name, version) = versioned.unwrap_or((&name, "0.0.0"));
    let name = module.map_or(name, |module| module.trim_matches('"'));
    Package {
        name: field("name").unwrap_or_else(|| name.to_owned()),
        version: field("version").unwrap_or_else(|| version.to_owned()),
        tree,
    }
}

fn print(found: &Extraction) {
    println!("{}", found.summary);
    for item in &found.items {
        println!(
            "{} {} · {}   [{}:{}]",
            item.kind.word(),
            item.module,
            item.path,
            item.file,
            item.line
        );
        for line in item.signature.lines() {
            println!("    {line}");
        }
        let first = item.docs.lines().next().unwrap_or_default();
        if !first.is_empty() {
            println!("    | {first} ({} bytes)", item.docs.len());
        }
        if let Some(reason) = &item.deprecated {
            println!("    @ deprecated {reason}");
        }
        if let Some(from) = &item.inherited {
            println!("    @ inherited from {from}");
        }
        if !item.aliases.is_empty() {
            println!("    @ also {:?}", item.aliases);
        }
    }
    for chunk in &found.prose {
        println!("# {:?} {}:{} {}", chunk.kind, chunk.file, chunk.line, chunk.headings.join(" > "));
    }
    for problem in &found.problems {
        println!("! {} {}", problem.file, problem.message);
    }
    for wanted in &found.wanted {
        println!("? {} {:?} for {}", wanted.name, wanted.requirement, wanted.wanted_by);
    }
}
