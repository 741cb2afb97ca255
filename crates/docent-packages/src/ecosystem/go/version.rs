//! Versions of modules: semantic ones with a `v`, pseudo-versions among them, and what people ask
//! for.

use std::cmp::Ordering;

use semver::Version;

use crate::ecosystem::{Release, Releases};
use crate::{Error, ErrorKind};

/// The tag of a list that holds nothing but what was asked for, so that its last one says nothing about
/// what is newest.
pub(super) const ONLY: &str = "only";

const REQUIREMENT_BYTES_MAX: usize = 200;

/// A version of a module: `v1.2.3`, `v0.0.0-20240102030405-0123456789ab`, `v2.0.0+incompatible`.
pub(super) fn parse(version: &str) -> Option<Version> {
    let number = version.strip_prefix('v')?;
    (version.len() <= REQUIREMENT_BYTES_MAX).then(|| Version::parse(number).ok()).flatten()
}

/// The order of versions; what is none comes first.
pub(super) fn order(left: &str, right: &str) -> Ordering {
    parse(left).cmp(&parse(right)).then_with(|| left.cmp(right))
}

/// Whether a version is made of a commit, because there was no tag: it ends with a time and a hash.
pub(super) fn is_pseudo(version: &str) -> bool {
    let version = version.strip_suffix("+incompatible").unwrap_or(version);
    let mut parts = version.rsplitn(3, '-');
    let (Some(hash), Some(time)) = (parts.next(), parts.next()) else { return false };
    let time = time.rsplit('.').next().unwrap_or(time);
    let is_hash = hash.len() == 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash && time.len() == 14 && time.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn is_prerelease(version: &str) -> bool {
    parse(version).is_some_and(|version| !version.pre.is_empty())
}

/// Whether a module of that version has no `go.mod` although it should have another path.
pub(super) fn is_incompatible(version: &str) -> bool {
    version.ends_with("+incompatible")
}

/// The exact version that a requirement names, with its `v`.
pub(super) fn exact(requirement: &str) -> Option<String> {
    let text = requirement.trim();
    let text = text.strip_prefix('=').map_or(text, str::trim_start);
    let written = if text.starts_with('v') { text.to_owned() } else { format!("v{text}") };
    parse(&written).map(|_| written)
}

/// What a requirement asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Query {
    /// The newest.
    Latest,
    /// This one.
    Exact(String),
    /// The newest that begins so: `v1`, `v1.2`.
    Prefix(u64, Option<u64>),
    /// The one nearest to a bound: `>=v1.2.0`, `<v2`.
    Bound(Bound, Version),
    /// The one that a branch, a tag or a commit leads to.
    Revision(String),
}

/// On which side of a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What a requirement means.
pub(super) fn query(requirement: &str) -> Result<Query, Error> {
    let text = requirement.trim();
    if matches!(text, "" | "latest" | "upgrade" | "patch" | "*") {
        return Ok(Query::Latest);
    }
    if let Some(exact) = exact(text) {
        return Ok(Query::Exact(exact));
    }
    let bounds = [
        ("<=", Bound::LessOrEqual),
        (">=", Bound::GreaterOrEqual),
        ("<", Bound::Less),
        (">", Bound::Greater),
    ];
    for (sign, bound) in bounds {
        if let Some(version) = text.strip_prefix(sign) {
            let padded = padded(version.trim()).ok_or_else(|| invalid(requirement))?;
            return Ok(Query::Bound(bound, padded));
        }
    }
    let mut numbers = text.strip_prefix('v').unwrap_or(text).split('.');
    let mut number = || numbers.next().map(|number| number.parse::<u64>().ok());
    match (number(), number(), number()) {
        (Some(Some(major)), None, None) => return Ok(Query::Prefix(major, None)),
        (Some(Some(major)), Some(Some(minor)), None) => {
            return Ok(Query::Prefix(major, Some(minor)));
        }
        _ => {}
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte);
    let is_revision = text.len() <= REQUIREMENT_BYTES_MAX
        && text.bytes().all(allowed)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !text.contains("..")
        && !text.contains("//");
    if is_revision { Ok(Query::Revision(text.to_owned())) } else { Err(invalid(requirement)) }
}

/// A version whose missing numbers are zero.
fn padded(version: &str) -> Option<Version> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let missing = 2usize.checked_sub(version.split(['-', '+']).next()?.matches('.').count())?;
    let written =
        if missing == 0 { version.to_owned() } else { version.to_owned() + &".0".repeat(missing) };
    Version::parse(&written).ok()
}

/// Whether a version is one that a requirement asks for.
pub(super) fn satisfies(requirement: &str, version: &str) -> Result<bool, Error> {
    let query = query(requirement)?;
    let Some(number) = parse(version) else { return Ok(false) };
    Ok(fits(&query, version, &number))
}

fn fits(query: &Query, version: &str, number: &Version) -> bool {
    match query {
        Query::Latest => false,
        Query::Exact(exact) => is_same(exact, version),
        Query::Prefix(major, minor) => {
            number.major == *major && minor.is_none_or(|minor| number.minor == minor)
        }
        Query::Bound(bound, limit) => {
            let order = number.cmp_precedence(limit);
            match bound {
                Bound::Less => order.is_lt(),
                Bound::LessOrEqual => order.is_le(),
                Bound::Greater => order.is_gt(),
                Bound::GreaterOrEqual => order.is_ge(),
            }
        }
        Query::Revision(_) => false,
    }
}

/// Whether two versions are the same, whether or not they say that they are incompatible.
fn is_same(one: &str, other: &str) -> bool {
    let bare = |version: &str| version.strip_suffix("+incompatible").unwrap_or(version).to_owned();
    one == other || bare(one) == bare(other)
}

/// The release that a requirement means. For a commit or branch the proxy has said which it is, and
/// that is the only one there.
pub(super) fn choose<'a>(
    requirement: Option<&str>,
    releases: &'a Releases,
) -> Result<&'a Release, Error> {
    let query = requirement.map_or(Ok(Query::Latest), query)?;
    let found = match &query {
        Query::Latest if releases.tags.iter().any(|(tag, _)| tag == ONLY) => None,
        Query::Latest => newest(releases),
        Query::Revision(_) => releases.all.last(),
        query => {
            let fitting = || {
                releases.all.iter().filter(|release| {
                    parse(&release.version)
                        .is_some_and(|number| fits(query, &release.version, &number))
                })
            };
            let exact = matches!(query, Query::Exact(_));
            let upward = matches!(query, Query::Bound(Bound::Greater | Bound::GreaterOrEqual, _));
            let stable = || fitting().filter(|release| release.stable);
            if exact {
                fitting().next()
            } else if upward {
                stable().next().or_else(|| fitting().next())
            } else {
                stable().next_back().or_else(|| fitting().next_back())
            }
        }
    };
    found.ok_or_else(|| not_found(requirement.unwrap_or("latest"), releases))
}

/// What `go get` would take: the highest release, else the highest prerelease.
fn newest(releases: &Releases) -> Option<&Release> {
    let all = || releases.all.iter().rev();
    all().find(|release| release.stable).or_else(|| all().next())
}

fn invalid(requirement: &str) -> Error {
    let shown: String = requirement.chars().take(80).collect();
    let message = format!("`{}` is not a version of a Go module", shown.escape_debug());
    Error::new(ErrorKind::InvalidVersion, message)
        .hint("write an exact version such as `v1.2.3`, a beginning such as `v1.2`, or `latest`")
}

fn not_found(written: &str, releases: &Releases) -> Error {
    let shown: String = written.chars().take(80).collect();
    let message = format!("no published version is `{}`", shown.escape_debug());
    let mut error = Error::new(ErrorKind::VersionNotFound, message);
    if let Some(newest) = newest(releases) {
        error = error.hint(format!("the newest is {}", newest.version));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn releases(versions: &[&str]) -> Releases {
        let mut all: Vec<Release> = versions
            .iter()
            .map(|version| Release {
                version: (*version).to_owned(),
                artifact: None,
                stable: !is_prerelease(version) && !is_incompatible(version),
            })
            .collect();
        all.sort_by(|left, right| order(&left.version, &right.version));
        Releases { all, ..Releases::default() }
    }

    #[test]
    fn a_requirement_means_a_release() {
        let all = releases(&["v1.10.0", "v1.9.1", "v0.3.0", "v1.11.0-rc.1", "v2.0.0+incompatible"]);
        for (requirement, expected) in [
            (None, Some("v1.10.0")),
            (Some("latest"), Some("v1.10.0")),
            (Some("v1.9.1"), Some("v1.9.1")),
            (Some("1.9.1"), Some("v1.9.1")),
            (Some("v1"), Some("v1.10.0")),
            (Some("v1.9"), Some("v1.9.1")),
            (Some("<v1.10"), Some("v1.9.1")),
            (Some(">v0.3.0"), Some("v1.9.1")),
            (Some(">= 1.10.0"), Some("v1.10.0")),
            (Some("v1.11"), Some("v1.11.0-rc.1")),
            (Some("v2.0.0"), Some("v2.0.0+incompatible")),
            (Some("v3"), None),
            (Some("v1.9.9"), None),
            (Some("^1.9"), None),
            (Some("../x"), None),
        ] {
            let found = choose(requirement, &all).ok().map(|release| release.version.as_str());
            assert_eq!(found, expected, "{requirement:?}");
        }
        assert_eq!(choose(Some("main"), &releases(&["v1.2.3"])).unwrap().version, "v1.2.3");
    }

    #[test]
    fn pseudo_versions_are_exact() {
        for (version, expected) in [
            ("v0.0.0-20240102030405-0123456789ab", true),
            ("v1.2.4-0.20240102030405-0123456789ab", true),
            ("v1.2.3-pre.0.20240102030405-0123456789ab", true),
            ("v2.0.0-20240102030405-0123456789ab+incompatible", true),
            ("v1.2.3", false),
            ("v1.2.3-rc.1", false),
            ("v1.2.3-a-b", false),
        ] {
            assert_eq!(is_pseudo(version), expected, "{version}");
            assert_eq!(exact(version).as_deref(), Some(version));
        }
        for not_exact in ["v1", "v1.2", "latest", "main", "", "v1.2.3.4", "vv1.2.3"] {
            assert_eq!(exact(not_exact), None, "{not_exact}");
        }
    }
}
