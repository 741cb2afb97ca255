//! Import paths: what they may look like, which modules they can belong to, how they are written on
//! disk and in addresses.

use crate::ecosystem::Name;
use crate::{Error, ErrorKind};

/// Bytes of an import path; real ones have a tenth of it.
const PATH_BYTES_MAX: usize = 500;

/// Checks an import path as somebody wrote it. Which part of it is the module shows later.
pub(super) fn parse(written: &str) -> Result<Name, Error> {
    let path = written.trim();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let path = path.trim_end_matches('/');
    if !is_path(path) {
        let shown: String = written.chars().take(80).collect();
        let message = format!("`{}` is not the import path of a Go package", shown.escape_debug());
        return Err(Error::new(ErrorKind::InvalidName, message)
            .hint("write it as in an import: `example.com/user/module/package`, or `net/http`"));
    }
    Ok(Name { package: path.to_owned(), module: Some(path.to_owned()) })
}

/// Whether a text can be an import path, and so is safe in file names and addresses.
pub(super) fn is_path(path: &str) -> bool {
    let is_element = |element: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+".contains(&byte);
        !element.is_empty()
            && element.bytes().all(allowed)
            && !element.starts_with('.')
            && !element.ends_with('.')
    };
    path.len() <= PATH_BYTES_MAX && !path.starts_with('-') && path.split('/').all(is_element)
}

/// Whether a path can only belong to Go itself: a module from elsewhere begins with a host.
pub(super) fn is_standard(path: &str) -> bool {
    !path.split('/').next().unwrap_or_default().contains('.')
}

/// Whether a module of that path can hold the package.
pub(super) fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The modules that a package may belong to, the longest first.
pub(super) fn candidates(path: &str) -> Vec<&str> {
    let mut found = vec![path];
    found.extend(path.rmatch_indices('/').map(|(at, _)| &path[..at]));
    found
}

/// The major version that a module's path ends with: 9 in `example.com/redis/v9`.
pub(super) fn major(module: &str) -> Option<u64> {
    let last = module.rsplit('/').next()?;
    // Some hosts write it behind a dot.
    let digits = match last.strip_prefix('v') {
        Some(digits) if last != module => digits,
        _ => last.rsplit_once(".v")?.1,
    };
    digits.parse().ok().filter(|_| !digits.starts_with('0'))
}

/// A path or version as it is written in file names and addresses, where case may not count: `!a`
/// for `A`.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_uppercase() {
            out.push('!');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The reverse; nothing if it was not escaped that way.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '!' => {
                out.push(characters.next().filter(char::is_ascii_lowercase)?.to_ascii_uppercase())
            }
            c if c.is_ascii_uppercase() => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_paths_are_accepted_and_nothing_else() {
        for (written, expected) in [
            ("m.example/kit", Some("m.example/kit")),
            (" https://m.example/Kit/v2/ ", Some("m.example/Kit/v2")),
            ("net/http", Some("net/http")),
            ("m.example/yaml.v3", Some("m.example/yaml.v3")),
            ("m.example/../kit", None),
            ("m.example//kit", None),
            ("m.example/.git", None),
            ("m.example/kit@v1", None),
            ("-flag", None),
            ("a b", None),
            ("m.example\\kit", None),
            ("", None),
        ] {
            assert_eq!(
                parse(written).ok().map(|name| name.package).as_deref(),
                expected,
                "{written}"
            );
        }
        assert!(!is_path(&"a/".repeat(400)));
    }

    #[test]
    fn parts_of_paths() {
        assert_eq!(candidates("a.b/c/d"), ["a.b/c/d", "a.b/c", "a.b"]);
        for (module, expected) in [
            ("m.example/kit", None),
            ("m.example/kit/v9", Some(9)),
            ("m.example/yaml.v3", Some(3)),
            ("m.example/v0x", None),
            ("m.example/v02", None),
            ("v2", None),
        ] {
            assert_eq!(major(module), expected, "{module}");
        }
        assert!(is_standard("net/http") && !is_standard("m.example/http"));
        assert!(is_within("a.b/c/d", "a.b/c") && !is_within("a.b/cd", "a.b/c"));
    }

    #[test]
    fn case_is_escaped_and_back() {
        assert_eq!(escaped("m.example/BurntSushi"), "m.example/!burnt!sushi");
        assert_eq!(unescaped("m.example/!burnt!sushi").as_deref(), Some("m.example/BurntSushi"));
        for wrong in ["!", "!A", "A", "a!1"] {
            assert_eq!(unescaped(wrong), None, "{wrong}");
        }
    }
}
