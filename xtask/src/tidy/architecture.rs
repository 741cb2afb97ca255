//! Every path and crate that ARCHITECTURE.md names exists.
//!
//! The rule, for inline code (`` `…` ``) in prose and for the first word of each line in a fenced
//! block without a language (or with `text`), which is how code maps are written:
//!
//! - `docent-…` is a crate: a member of the workspace has this name.
//! - A path ends in `/` (a folder), or has a `/` and a file extension, or starts with one of the
//!   folders at the root (`crates/docent-mcp`). It exists from the root, from a crate's folder or
//!   from a crate's `src`. `{a,b}` is expanded; from the first `*` on, nothing is checked.
//! - A bare `name.rs` or `NAME.md` is the name of a file somewhere.
//! - `path.rs::item` also needs the file to define `item`.
//!
//! Everything else is not a path: `tools/call` is a method, `text/plain` a media type.

use super::Problem;
use super::markdown::{self, Line};
use super::tree::Tree;
use crate::workspace::Workspace;

const DOCUMENT: &str = "ARCHITECTURE.md";

/// The house: a token that starts with one of these is a path even when the folder is gone.
const ROOMS: &[&str] = &[
    ".cargo",
    ".ci",
    "bench",
    "breadth",
    "conformance",
    "crates",
    "docs",
    "exactness",
    "fuzz",
    "gates",
    "interop",
    "xtask",
];

const EXTENSIONS: &[&str] = &["go", "json", "md", "py", "rs", "sh", "toml", "ts", "txt"];

const DEFINITIONS: &[&str] =
    &["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "macro_rules!"];

pub(crate) fn check(tree: &Tree, workspace: &Workspace) -> Vec<Problem> {
    let Some(text) = tree.text(DOCUMENT) else {
        return vec![Problem::new(DOCUMENT, 1, "is missing; it holds the map of the code")];
    };
    let mut problems = Vec::new();
    for (number, line) in markdown::lines(text) {
        let tokens: Vec<&str> = match line {
            Line::Prose(line) => markdown::code(line).collect(),
            Line::Fenced { language: "" | "text", text } => first_word(text).into_iter().collect(),
            Line::Fenced { .. } => continue,
        };
        for token in tokens {
            if let Some(what) = fault(token, tree, workspace) {
                problems.push(Problem::new(DOCUMENT, number, format!("`{token}` {what}")));
            }
        }
    }
    problems
}

/// The first word of a line in a code map, without the branches of a drawn tree.
fn first_word(line: &str) -> Option<&str> {
    line.trim_start_matches(|c: char| c.is_whitespace() || "│├└─".contains(c))
        .split_whitespace()
        .next()
}

/// What is wrong with a token, if it names something of the repository.
fn fault(token: &str, tree: &Tree, workspace: &Workspace) -> Option<String> {
    if token.starts_with("docent-") && !token.contains(['/', '.', ' ', ':']) {
        let known = workspace.package(token).is_some();
        return (!known).then(|| "is not a member of the workspace; rename or remove it".into());
    }
    let (path, item) = match token.split_once(".rs::") {
        Some((stem, item)) => (format!("{stem}.rs"), Some(item)),
        None => (token.to_owned(), None),
    };
    if !looks_like_path(&path) {
        return None;
    }
    for path in alternatives(&path) {
        let Some(file) = find(&path, tree, workspace) else {
            return Some(format!("is not in the repository ({path}); correct or remove it"));
        };
        if let Some(item) = item
            && !defines(tree.text(&file).unwrap_or_default(), item)
        {
            return Some(format!("names an item that {file} does not define"));
        }
    }
    None
}

fn looks_like_path(token: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-/*{},".contains(c);
    if !token.chars().all(allowed) || !token.chars().any(char::is_alphanumeric) {
        return false;
    }
    let extension = token.rsplit_once('.').map_or("", |(_, extension)| extension);
    match token.split_once('/') {
        Some((first, _)) => {
            token.ends_with('/') || EXTENSIONS.contains(&extension) || ROOMS.contains(&first)
        }
        None => ["rs", "md"].contains(&extension),
    }
}

/// `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
fn alternatives(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![path.to_owned()] };
    inside.split(',').map(|choice| format!("{before}{choice}{after}")).collect()
}

/// The place of a path in the repository.
fn find(path: &str, tree: &Tree, workspace: &Workspace) -> Option<String> {
    let path = path.split('*').next().unwrap_or_default();
    let crates = workspace.packages.iter().map(|package| package.folder.as_str());
    let places = crates.flat_map(|folder| [format!("{folder}/"), format!("{folder}/src/")]);
    let from_a_place = std::iter::once(String::new())
        .chain(places)
        .map(|place| format!("{place}{path}"))
        .find(|candidate| tree.exists(candidate));
    let anywhere = || {
        let name = format!("/{path}");
        tree.files().map(|(file, _)| file).find(|file| file.ends_with(&name)).map(str::to_owned)
    };
    from_a_place.or_else(|| if path.contains('/') { None } else { anywhere() })
}

/// Whether a source text has a definition with this name.
fn defines(source: &str, item: &str) -> bool {
    // Of `Type::method` the last part is looked for.
    let item = item.trim_end_matches("()").rsplit("::").next().unwrap_or_default();
    let words: Vec<&str> = source.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let name = pair[1].split(|c: char| !c.is_alphanumeric() && c != '_').next();
        DEFINITIONS.contains(&pair[0]) && name == Some(item)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problems_of;
    use crate::workspace::Package;

    fn check_text(text: &str) -> String {
        let package = Package {
            name: "docent-mcp".into(),
            folder: "crates/docent-mcp".into(),
            ..Package::default()
        };
        let workspace = Workspace { packages: vec![package], ..Workspace::default() };
        let files = [
            (DOCUMENT, text),
            ("crates/docent-mcp/src/session/pending.rs", "pub(crate) struct Pending<T>(T);"),
            ("crates/docent-mcp/src/lib.rs", "mod session;"),
        ];
        problems_of(check, &workspace, &files)
    }

    #[test]
    fn names_that_exist_pass() {
        let text = "`docent-mcp` in `crates/docent-mcp`: `session/`, `session/pending.rs`,
            `src/session/{pending}.rs`, `pending.rs::Pending`, `lib.rs`, `src/session/*.rs`
            \n```text\nsession/    requests in flight\n└── lib.rs\n```";
        assert_eq!(check_text(text), "");
    }

    #[test]
    fn methods_and_media_types_are_not_paths() {
        assert_eq!(check_text("`tools/call` `notifications/message` `text/plain` `a::b` `/`"), "");
    }

    #[test]
    fn each_kind_of_name_can_fail() {
        for (token, reason) in [
            ("docent-gone", "is not a member of the workspace; rename or remove it"),
            ("gates/src", "is not in the repository (gates/src); correct or remove it"),
            ("router/", "is not in the repository (router/); correct or remove it"),
            ("session/x.rs", "is not in the repository (session/x.rs); correct or remove it"),
            ("gone.rs", "is not in the repository (gone.rs); correct or remove it"),
            (
                "session/{pending,x}.rs",
                "is not in the repository (session/x.rs); correct or remove it",
            ),
            (
                "pending.rs::Gone",
                "names an item that crates/docent-mcp/src/session/pending.rs does not define",
            ),
        ] {
            assert_eq!(
                check_text(&format!("\nsee `{token}`")),
                format!("ARCHITECTURE.md:2: `{token}` {reason}\n")
            );
        }
    }

    #[test]
    fn a_line_of_a_code_map_can_fail() {
        assert_eq!(
            check_text("```\nsession/  here\nrouter/   gone\n```"),
            "ARCHITECTURE.md:3: `router/` is not in the repository (router/); correct or remove it\n"
        );
    }

    #[test]
    fn the_document_itself_is_needed() {
        let found = problems_of(check, &Workspace::default(), &[]);
        assert_eq!(found, "ARCHITECTURE.md:1: is missing; it holds the map of the code\n");
    }
}
