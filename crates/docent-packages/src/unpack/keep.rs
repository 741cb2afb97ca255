//! Which files of a package are of use for documentation.
//!
//! The bytes of the others are not kept, but that they exist is: an entry point may name them.

use crate::tree::file_name;

/// Endings of files that are read as text; declarations end like their sources.
const ENDINGS: &[&str] = &[
    ".ts",
    ".mts",
    ".cts",
    ".tsx",
    ".js",
    ".mjs",
    ".cjs",
    ".jsx",
    ".py",
    ".pyi",
    ".rs",
    ".go",
    ".mod",
    ".swift",
    ".md",
    ".mdx",
    ".markdown",
    ".tutorial",
    ".rst",
    ".txt",
    ".json",
    ".toml",
    ".cfg",
];

/// Endings of files that hold nothing a person has written.
const MADE_BY_TOOLS: &[&str] = &[".min.js", ".min.mjs", ".min.cjs", "-min.js"];

/// Files without an ending that manifests or prose are kept in.
const NAMES: &[&str] =
    &["METADATA", "RECORD", "PKG-INFO", "WHEEL", "py.typed", "README", "CHANGELOG", "CHANGES"];

/// Folders in which HTML is documentation rather than part of an application.
const HTML_FOLDERS: &[&str] = &["doc", "docs", "documentation", "manual", "guide", "guides"];

/// Whether the bytes of a file are worth keeping.
pub(crate) fn useful(path: &str) -> bool {
    let name = file_name(path);
    let lower = name.to_ascii_lowercase();
    if MADE_BY_TOOLS.iter().any(|ending| lower.ends_with(ending)) {
        return false;
    }
    if lower.ends_with(".html") || lower.ends_with(".htm") {
        return is_readme(&lower) || in_html_folder(path);
    }
    NAMES.contains(&name) || ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

fn is_readme(lower: &str) -> bool {
    lower.starts_with("readme.")
}

fn in_html_folder(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| HTML_FOLDERS.iter().any(|name| folder.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: bool) {
        assert_eq!(useful(path), expected, "{path}");
    }

    #[test]
    fn sources_manifests_and_prose_are_kept() {
        for path in [
            "index.d.ts",
            "dist/index.d.mts",
            "lib/a.cjs",
            "a/b.pyi",
            "README.md",
            "README",
            "docs/Guide.MDX",
            "package.json",
            "x-1.0.dist-info/METADATA",
            "x-1.0.dist-info/entry_points.txt",
            "py.typed",
            "docs/api/index.html",
            "README.html",
            "go.mod",
        ] {
            check(path, true);
        }
    }

    #[test]
    fn what_nobody_reads_is_not() {
        for path in [
            "dist/x.min.js",
            "dist/x.js.map",
            "logo.png",
            "lib.so",
            "x.wasm",
            "app/index.html",
            "LICENSE",
            "go.sum",
            "archive.tar.gz",
            "METADATA.bin",
        ] {
            check(path, false);
        }
    }
}
