//! What a package is called: the ecosystem, the name and the version somebody asked for.
//!
//! Feeds every later stage. A [`PackageRef`] holds what was written; whether the name is one that
//! the ecosystem allows is for [`crate::ecosystem`] to say.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind};

/// A family of packages with one registry protocol and one language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Ecosystem {
    /// JavaScript and TypeScript packages.
    Npm,
    /// Python distributions.
    Python,
    /// Rust crates.
    Rust,
    /// Go modules.
    Go,
    /// Swift packages.
    Swift,
}

/// Each ecosystem with the scheme it is written with and the other words people use for it.
const ECOSYSTEMS: &[(Ecosystem, &str, &[&str])] = &[
    (Ecosystem::Npm, "npm", &["node", "nodejs", "javascript", "js", "typescript", "ts"]),
    (Ecosystem::Python, "pypi", &["python", "pip", "py"]),
    (Ecosystem::Rust, "cargo", &["rust", "crates", "crate"]),
    (Ecosystem::Go, "go", &["golang"]),
    (Ecosystem::Swift, "swift", &["spm"]),
];

impl Ecosystem {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        ECOSYSTEMS.iter().map(|row| row.0)
    }

    /// The scheme of its package references: `npm`, `pypi`, `cargo`, `go`, `swift`.
    #[inline]
    #[must_use]
    pub fn scheme(self) -> &'static str {
        ECOSYSTEMS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The ecosystem of that name, under any of the words in use for it.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let row = ECOSYSTEMS
            .iter()
            .find(|(_, scheme, others)| *scheme == word || others.contains(&word.as_str()));
        row.map(|row| row.0)
    }
}

impl fmt::Display for Ecosystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scheme())
    }
}

/// A package as somebody wrote it: `npm:zod@4`, `pypi:requests`, `cargo:tokio@1.47`.
///
/// ```
/// use docent_packages::{Ecosystem, PackageRef};
///
/// let zod: PackageRef = "npm:@scope/name@^4.1".parse()?;
/// assert_eq!(zod.ecosystem, Ecosystem::Npm);
/// assert_eq!(zod.name, "@scope/name");
/// assert_eq!(zod.version.as_deref(), Some("^4.1"));
/// assert_eq!(zod.to_string(), "npm:@scope/name@^4.1");
/// # Ok::<(), docent_packages::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct PackageRef {
    /// Which ecosystem it belongs to.
    pub ecosystem: Ecosystem,
    /// The name as written; it may carry a module, as in `zod/v4` or `os.path`.
    pub name: String,
    /// The version or range as written, in the ecosystem's own syntax.
    pub version: Option<String>,
}

impl PackageRef {
    /// A reference from its parts.
    #[must_use]
    pub fn new(ecosystem: Ecosystem, name: &str, version: Option<&str>) -> Self {
        let version = version.map(str::trim).filter(|version| !version.is_empty());
        Self { ecosystem, name: name.trim().to_owned(), version: version.map(str::to_owned) }
    }
}

impl fmt::Display for PackageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.ecosystem, self.name)?;
        self.version.as_ref().map_or(Ok(()), |version| write!(f, "@{version}"))
    }
}

impl FromStr for PackageRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let invalid = || {
            let message = format!("`{}` is not a package reference", text.escape_debug());
            Error::new(ErrorKind::InvalidName, message)
                .hint("write it as `npm:zod@4`, `pypi:requests` or `cargo:tokio@1.47`")
        };
        let text = text.strip_prefix("pkg:").unwrap_or(text);
        let (scheme, rest) = text.split_once(':').ok_or_else(invalid)?;
        let ecosystem = Ecosystem::named(scheme).ok_or_else(invalid)?;
        // An `@` that opens the name is a scope, and one inside `https://user@host` is not a version.
        let at = rest.rfind('@').filter(|&at| at > 0 && !rest[at..].contains('/'));
        let (name, version) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 1..])));
        if name.trim().is_empty() {
            return Err(invalid());
        }
        Ok(Self::new(ecosystem, name, version))
    }
}
