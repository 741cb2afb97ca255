//! Which names npm allows, and what an import specifier says: the package, and a module inside it.
//!
//! Fed by what a user or a model wrote. A name that passes is safe as a part of a path and of an
//! address: ASCII letters, digits, `-`, `_`, `.` and `~` only, and never `.` or `..`.

use super::builtins;
use crate::ecosystem::Name;
use crate::{Error, ErrorKind};

/// npm's own bound.
const PACKAGE_BYTES_MAX: usize = 214;
/// A bound for a whole specifier, well above any real one.
const SPECIFIER_BYTES_MAX: usize = 1024;
/// Names that would collide with files of npm itself.
const RESERVED: &[&str] = &["node_modules", "favicon.ico"];

/// Takes a specifier apart: `zod/v4`, `@scope/name/sub/path`, `node:fs/promises`.
pub(super) fn parse(written: &str) -> Result<Name, Error> {
    if written.len() > SPECIFIER_BYTES_MAX {
        return Err(invalid(written, "it is too long"));
    }
    if let Some(module) = builtins::module(written) {
        let package = builtins::TYPES.to_owned();
        return Ok(Name { package, module: Some(module.to_owned()) });
    }
    if written.starts_with("node:") {
        return Err(invalid(written, "Node has no such module"));
    }
    let (package, path) = split(written);
    check(package).map_err(|why| invalid(written, why))?;
    // A slash at the end is how one asks for the package where Node has a module of that name.
    let path = path.filter(|path| !path.is_empty());
    let module = path.map(|path| {
        let allowed = path.split('/').all(is_segment);
        let module = allowed.then(|| format!("{package}/{path}"));
        module.ok_or_else(|| invalid(written, "its path is not one that can be imported"))
    });
    Ok(Name { package: package.to_owned(), module: module.transpose()? })
}

/// Whether this is the whole name of a package.
pub(super) fn is_package(name: &str) -> bool {
    check(name).is_ok()
}

/// The scope of a package, with its `@`.
pub(super) fn scope(package: &str) -> Option<&str> {
    let (scope, _) = package.split_once('/')?;
    scope.starts_with('@').then_some(scope)
}

/// The package and what follows it, if there is a slash.
fn split(specifier: &str) -> (&str, Option<&str>) {
    let mut slashes = specifier.match_indices('/').map(|(at, _)| at);
    let skipped = usize::from(specifier.starts_with('@'));
    let Some(at) = slashes.nth(skipped) else { return (specifier, None) };
    (&specifier[..at], Some(&specifier[at + 1..]))
}

fn check(package: &str) -> Result<(), &'static str> {
    if package.len() > PACKAGE_BYTES_MAX {
        return Err("a name has at most 214 characters");
    }
    if RESERVED.contains(&package.to_ascii_lowercase().as_str()) {
        return Err("npm keeps that name for itself");
    }
    match package.strip_prefix('@') {
        Some(scoped) => {
            let (scope, name) = scoped.split_once('/').ok_or("a scope has a name after a slash")?;
            check_part(scope)?;
            check_part(name)
        }
        None if package.starts_with('_') => Err("a name does not start with an underscore"),
        None => check_part(package),
    }
}

fn check_part(part: &str) -> Result<(), &'static str> {
    match part.as_bytes().first() {
        None => Err("a name is not empty"),
        Some(b'.' | b'-') => Err("a name does not start with a dot or a dash"),
        Some(_) if part.bytes().all(is_plain) => Ok(()),
        Some(_) => Err("a name has only letters, digits, `-`, `_`, `.` and `~`"),
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~')
}

/// Whether this can be one part of a path inside a package.
fn is_segment(segment: &str) -> bool {
    let allowed = |byte: u8| is_plain(byte) || matches!(byte, b'@' | b'+' | b'$' | b'!');
    !matches!(segment, "" | "." | "..") && segment.bytes().all(allowed)
}

fn invalid(written: &str, why: &str) -> Error {
    let shown: String = written.chars().take(80).collect();
    let message = format!("`{}` is not the name of an npm package: {why}", shown.escape_debug());
    Error::new(ErrorKind::InvalidName, message)
        .hint("write it as one would import it: `name`, `@scope/name` or `name/module`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_come_apart() {
        let check = |written: &str, package: &str, module: Option<&str>| {
            let name = parse(written).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!((name.package.as_str(), name.module.as_deref()), (package, module));
        };
        check("zod", "zod", None);
        check("zod/v4", "zod", Some("zod/v4"));
        check("JSONStream", "JSONStream", None);
        check("lodash.merge", "lodash.merge", None);
        check("@scope/name", "@scope/name", None);
        check("@scope/_name", "@scope/_name", None);
        check("@scope/name/sub/path.js", "@scope/name", Some("@scope/name/sub/path.js"));
        check("fs", "@types/node", Some("fs"));
        check("node:fs/promises", "@types/node", Some("fs/promises"));
        check("path/posix", "@types/node", Some("path/posix"));
        check("node:test", "@types/node", Some("node:test"));
        check("test", "test", None);
        check("buffer/", "buffer", None);
        check("buffer/index.js", "buffer", Some("buffer/index.js"));
        check("@types/node", "@types/node", None);
        check(&"a".repeat(214), &"a".repeat(214), None);
    }

    #[test]
    fn other_names_are_refused() {
        let long = "a".repeat(215);
        let longer = "a/".repeat(10_000);
        let refused = [
            "",
            ".",
            "..",
            "../zod",
            "zod/..",
            "zod/../x",
            "zod//v4",
            "zod/./v4",
            "/zod",
            "\\zod",
            ".hidden",
            "_private",
            "-rf",
            "--help",
            "@scope",
            "@scope/",
            "@/name",
            "@-s/name",
            "@scope/.name",
            "@scope/../x",
            "a b",
            " zod",
            "zod\n",
            "zod\0",
            "zo\u{200b}d",
            "zоd",
            "zod?x=1",
            "zod#x",
            "zod%2f..",
            "@scope%2Fname",
            "zod;ls",
            "$(id)",
            "`id`",
            "a|b",
            "a&b",
            "http://registry.example/zod",
            "file:zod",
            "node_modules",
            "favicon.ico",
            "node:nothing",
            "node:",
            "zod/\u{202e}v4",
            "C:\\zod",
            "zod@4",
            "a*b",
            long.as_str(),
            longer.as_str(),
        ];
        for name in refused {
            let error = parse(name).expect_err(name);
            assert_eq!(error.kind(), ErrorKind::InvalidName, "{name}");
            assert!(error.to_string().len() < 600, "{error}");
        }
    }

    #[test]
    fn scopes() {
        assert_eq!(scope("@scope/name"), Some("@scope"));
        assert_eq!(scope("name"), None);
        assert!(is_package("@scope/name") && !is_package("name/module"));
    }
}
