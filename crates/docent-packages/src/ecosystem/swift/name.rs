//! What a package is called: its address, its identity, or the name of a product.
//!
//! The package manager tells packages apart by their identity: the last part of the address, in
//! lower case, without `.git`. So it is here, where no address says more.

use url::Url;

use crate::ecosystem::Name;
use crate::extract::swift::manifest::Source;
use crate::{Error, ErrorKind};

const NAME_BYTES_MAX: usize = 1024;

/// Checks a name: `https://host/owner/name`, `git@host:owner/name.git`, `host.example/owner/name`,
/// `scope.name`, `swift-collections`, `DequeModule`.
pub(super) fn parse(written: &str) -> Result<Name, Error> {
    let text = written.trim();
    let invalid = |why: &str| {
        let message =
            format!("`{}` is not the name of a Swift package: {why}", text.escape_debug());
        Error::new(ErrorKind::InvalidName, message)
            .hint("give the address of its repository, its name in the project, or a product")
    };
    if text.is_empty() || text.len() > NAME_BYTES_MAX {
        return Err(invalid("it is empty or too long"));
    }
    if text.starts_with('-') || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(invalid("no name begins with `-` or holds white space"));
    }
    if is_remote(text) {
        let package = address(text)
            .ok_or_else(|| invalid("only addresses with https or ssh and a host are supported"))?;
        return Ok(Name { package, module: None });
    }
    let legal = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '~');
    if !text.chars().all(legal) || text.split('/').any(|part| part.is_empty() || part == "..") {
        return Err(invalid("it has a character that no name has"));
    }
    Ok(Name { package: text.to_owned(), module: None })
}

/// Whether a text is meant as an address.
fn is_remote(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or(text);
    let has_host = text.contains('/') && first.contains('.') && !first.starts_with('.');
    text.contains("://") || text.contains('@') || text.contains(':') || has_host
}

/// Whether a name is an address in its normal form.
pub(super) fn is_address(name: &str) -> bool {
    name.contains("://")
}

/// An address in its normal form: without `.git`, without a slash at the end, without credentials.
pub(super) fn address(text: &str) -> Option<String> {
    let full = match text.split_once("://") {
        Some(_) => text.to_owned(),
        None => match text.split_once(':') {
            // `git@host:owner/name`
            Some((host, path)) => format!("ssh://{host}/{}", path.trim_start_matches('/')),
            None => format!("https://{text}"),
        },
    };
    let mut url = Url::parse(&full).ok()?;
    let host = url.host_str()?.to_owned();
    let is_local = matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    // `@scope/name` is another ecosystem's, and no host of that name is to be asked.
    if !text.contains("://") && !host.contains('.') && !is_local {
        return None;
    }
    let is_safe = match url.scheme() {
        "https" | "ssh" => true,
        "http" => is_local,
        _ => false,
    };
    let is_plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/+%@".contains(&byte))
    };
    if !is_safe || host.starts_with('-') || !is_plain(url.path()) || url.path().contains("/-") {
        return None;
    }
    if url.scheme() != "ssh" || url.username().starts_with('-') {
        url.set_username("").ok()?;
    }
    url.set_password(None).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).to_owned();
    if path.len() < 2 {
        return None;
    }
    url.set_path(&path);
    Some(url.to_string())
}

/// The identity of a package.
pub(super) fn identity(name: &str) -> String {
    let last = name.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(name);
    last.strip_suffix(".git").unwrap_or(last).to_lowercase()
}

/// Whether two names mean the same package.
pub(super) fn same(left: &str, right: &str) -> bool {
    identity(left) == identity(right)
}

/// What a dependency is called: its address, or its identity.
pub(super) fn shown(source: &Source) -> String {
    match source {
        Source::Url(url) => address(url).unwrap_or_else(|| identity(url)),
        Source::Path(path) => identity(path),
        Source::Registry(id) => id.clone(),
    }
}

/// An identity in a registry: `mona.LinkedList`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Id {
    pub(super) scope: String,
    pub(super) name: String,
}

impl Id {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scope, name) = text.split_once('.')?;
        let is_scope = !scope.is_empty()
            && scope.len() <= 39
            && scope.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let is_name = !name.is_empty()
            && name.len() <= 100
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        (is_scope && is_name && !scope.starts_with('-') && !name.starts_with(['-', '_']))
            .then(|| Self { scope: scope.to_owned(), name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_form() {
        let check = |written: &str, expected: Option<&str>| {
            let found = parse(written).ok().map(|name| name.package);
            assert_eq!(found.as_deref(), expected, "{written}");
        };
        let usual = Some("https://host.example/a/b");
        check("https://host.example/a/b", usual);
        check("https://Host.example/a/b.git/", None.or(Some("https://host.example/a/b")));
        check("https://user:secret@host.example/a/b.git?x#y", usual);
        check("host.example/a/b", usual);
        check("git@host.example:a/b.git", Some("ssh://git@host.example/a/b"));
        check("ssh://git@host.example/a/b.git", Some("ssh://git@host.example/a/b"));
        check("swift-collections", Some("swift-collections"));
        check("apple/swift-collections", Some("apple/swift-collections"));
        check("mona.LinkedList", Some("mona.LinkedList"));
        for bad in [
            "",
            "-x",
            "a b",
            "file:///etc/passwd",
            "ext::sh -c x",
            "ext::x",
            "http://host.example/a",
            "https://host.example/",
            "@scope/name",
            "git@scope:owner/name",
            "https://host.example/-x/a",
            "ssh://-oProxyCommand=x/a",
            "git://host.example/a/b",
            "a/../b",
            "a;b",
            "https://host.example/a\u{7}",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn the_last_part_is_the_identity() {
        assert_eq!(identity("https://host.example/a/Swift-B.git"), "swift-b");
        assert_eq!(identity("git@host.example:B.git"), "b");
        assert!(same("https://host.example/a/b", "B"));
        assert_eq!(Id::parse("mona.LinkedList").map(|id| id.scope).as_deref(), Some("mona"));
        assert_eq!(Id::parse("mona"), None);
        assert_eq!(Id::parse("mona.a/b"), None);
    }
}
