//! Which names cargo allows, and what a path in code says: the package, and a module inside it.
//!
//! A name that passes is safe as a part of a path and of an address: ASCII letters, digits, `-` and
//! `_` only.

use crate::ecosystem::Name;
use crate::{Error, ErrorKind};

/// The bound that registries have.
const NAME_BYTES_MAX: usize = 64;

/// The crates that come with the compiler.
const BUNDLED: &[&str] = &["std", "core", "alloc", "proc_macro", "std_detect", "test"];

/// Takes a name apart: `tokio`, `tokio::task`.
pub(super) fn parse(written: &str) -> Result<Name, Error> {
    let mut parts = written.trim().split("::");
    let package = parts.next().unwrap_or_default();
    check(package).map_err(|why| {
        let shown: String = written.chars().take(80).collect();
        let message = format!("`{}` is not the name of a crate: {why}", shown.escape_debug());
        Error::new(ErrorKind::InvalidName, message)
    })?;
    let rest: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let is_path = rest.iter().all(|part| check(part).is_ok());
    let module = (!rest.is_empty() && is_path)
        .then(|| format!("{}::{}", package.replace('-', "_"), rest.join("::")));
    Ok(Name { package: package.to_owned(), module })
}

/// Whether it comes with the compiler rather than from a registry.
pub(super) fn is_bundled(package: &str) -> bool {
    BUNDLED.contains(&package)
}

/// Whether two names are the same to a registry, which keeps `a-b` and `a_b` together.
pub(super) fn same(one: &str, other: &str) -> bool {
    let fold = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    one.len() == other.len() && one.bytes().map(fold).eq(other.bytes().map(fold))
}

fn check(package: &str) -> Result<(), &'static str> {
    if package.is_empty() {
        return Err("it is empty");
    }
    if package.len() > NAME_BYTES_MAX {
        return Err("it is too long");
    }
    if !package.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
        return Err("it has characters that no crate's name has");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths() {
        let check = |written: &str, package: &str, module: Option<&str>| {
            let name = parse(written).expect("a name");
            assert_eq!((name.package.as_str(), name.module.as_deref()), (package, module));
        };
        check("tokio", "tokio", None);
        check("tokio::task", "tokio", Some("tokio::task"));
        check("my-kit::a::b", "my-kit", Some("my_kit::a::b"));
        for written in ["", "../x", "a/b", "a b", "é", &"a".repeat(65), "::a"] {
            assert!(parse(written).is_err(), "{written}");
        }
        assert!(same("serde-json", "serde_json"));
        assert!(!same("serde", "serde_json"));
    }
}
