//! Names: of distributions, as an index knows them, and of modules, as an import writes them.
//!
//! Fed by what a user or a model wrote. `requests`, `PIL.Image` and `os.path` are all accepted; which
//! distribution an import belongs to is found out later, in the project or at the index.

use crate::ecosystem::Name;
use crate::{Error, ErrorKind};

use super::stdlib_names::is_standard;

const NAME_BYTES_MAX: usize = 200;

/// Checks a name, and takes an import path apart.
pub(crate) fn parse(written: &str) -> Result<Name, Error> {
    let invalid = || {
        let shown: String = written.chars().take(80).collect();
        let message = format!("`{}` is not a name of a Python package", shown.escape_debug());
        Error::new(ErrorKind::InvalidName, message)
            .hint("write the distribution, as in `python-dateutil`, or the import, as in `os.path`")
    };
    let name = without_extras(written.trim()).ok_or_else(invalid)?;
    if name.len() > NAME_BYTES_MAX || !(is_distribution(name) || is_import(name)) {
        return Err(invalid());
    }
    let first = name.split('.').next().unwrap_or(name);
    // A module of the standard library is never the whole of its package, which is Python.
    let module = (is_import(name) && (first.len() < name.len() || is_standard(first)))
        .then(|| name.to_owned());
    let package = if module.is_some() { first } else { name };
    Ok(Name { package: normalized(package), module })
}

/// The form in which an index and a lockfile compare names.
pub(crate) fn normalized(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for char in name.chars() {
        match char {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            char => normal.push(char.to_ascii_lowercase()),
        }
    }
    normal
}

/// Whether this can be the name of a distribution: nothing else is ever put into an address.
pub(crate) fn is_distribution(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().copied().all(inner)
        && !name.contains("..")
}

/// Whether this can be an import: identifiers with dots between them.
fn is_import(name: &str) -> bool {
    let identifier = |part: &str| {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        part.bytes().all(word) && part.bytes().next().is_some_and(|first| !first.is_ascii_digit())
    };
    name.split('.').all(identifier)
}

/// `requests` of `requests[socks]`; `None` if the brackets are not right.
fn without_extras(written: &str) -> Option<&str> {
    let Some((name, extras)) = written.split_once('[') else { return Some(written) };
    let extras = extras.strip_suffix(']')?;
    extras.split(',').all(|extra| is_distribution(extra.trim())).then(|| name.trim_end())
}

/// The distributions that a name may stand for, the likeliest first: `zope.interface` is one itself,
/// `google.protobuf.message` is in one of a shorter name.
pub(crate) fn candidates(name: &Name) -> Vec<String> {
    let Some(module) = &name.module else { return vec![name.package.clone()] };
    let ends = module.match_indices('.').map(|(at, _)| at).chain([module.len()]);
    let mut all: Vec<String> = ends.map(|end| normalized(&module[..end])).collect();
    all.reverse();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, package: &str, module: Option<&str>) {
        let name = parse(written).unwrap();
        assert_eq!((name.package.as_str(), name.module.as_deref()), (package, module), "{written}");
    }

    #[test]
    fn distributions_get_their_normal_form() {
        check("requests", "requests", None);
        check(" Python_Dateutil ", "python-dateutil", None);
        check("a-_b--c", "a-b-c", None);
        check("requests[socks, use-chardet]", "requests", None);
        check("3to2", "3to2", None);
        check("ab-c.d", "ab-c-d", None);
    }

    #[test]
    fn imports_are_taken_apart() {
        check("yaml", "yaml", None);
        check("PIL", "pil", None);
        check("PIL.Image", "pil", Some("PIL.Image"));
        check("bs4.element", "bs4", Some("bs4.element"));
        check("os.path", "os", Some("os.path"));
        check("json", "json", Some("json"));
        check("_pytest.fixtures", "-pytest", Some("_pytest.fixtures"));
    }

    #[test]
    fn anything_else_is_refused() {
        let bad = [
            "",
            " ",
            ".",
            "..",
            "a..b",
            "../x",
            "a/b",
            "/etc/passwd",
            "@file",
            "-r",
            "--index-url",
            "-e.",
            "a b",
            "a\nb",
            "a\0",
            "a;b",
            "a$(b)",
            "a`b`",
            "a%2e",
            "a\\b",
            "é",
            "a.",
            ".a",
            "a-",
            "a[",
            "a[b",
            "a]b[",
            "a[../x]",
            "C:\\x",
            "a@b",
            "a=b",
            "http://x",
            "\u{202e}a",
        ];
        for written in bad {
            assert_eq!(parse(written).unwrap_err().kind(), ErrorKind::InvalidName, "{written:?}");
        }
        assert!(parse(&"a".repeat(201)).is_err());
        assert!(parse(&"a".repeat(200)).is_ok());
    }

    #[test]
    fn candidates_run_from_the_whole_to_the_first_part() {
        let name = parse("Google.cloud_x.y").unwrap();
        assert_eq!(candidates(&name), ["google-cloud-x-y", "google-cloud-x", "google"]);
        assert_eq!(candidates(&parse("ab-c.d").unwrap()), ["ab-c-d"]);
    }
}
