//! npm's versions, ranges and tags, and which release a requirement means.
//!
//! Fed by what a user or a manifest wrote and by [`super::registry`]; feeds resolution. Exact means
//! exact: a version that does not exist is an error that names its neighbors, never a near one.

use nodejs_semver::{Range, Version};

use crate::ecosystem::{Release, Releases};
use crate::{Error, ErrorKind};

/// Longer than any requirement that means something.
const REQUIREMENT_BYTES_MAX: usize = 1024;
const NEIGHBORS: usize = 3;
const LATEST: &str = "latest";

/// The one version that a requirement pins, in its normal form.
pub(super) fn exact(requirement: &str) -> Option<String> {
    let text = requirement.trim();
    let text = text.strip_prefix('=').unwrap_or(text).trim_start();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let starts_with_digit = text.starts_with(|first: char| first.is_ascii_digit());
    let whole = starts_with_digit && !text.contains(char::is_whitespace);
    whole.then(|| parse(text)).flatten().map(|version| normal(&version))
}

/// Whether a version satisfies a requirement. A tag has no meaning without a registry: an error.
pub(super) fn satisfies(requirement: &str, version: &str) -> Result<bool, Error> {
    let version = parse(version).ok_or_else(|| {
        let message = format!("`{}` is not a version", version.escape_debug());
        Error::new(ErrorKind::InvalidVersion, message)
    })?;
    Ok(range(requirement)?.satisfies(&version))
}

/// The release that npm would choose: of a tag, an exact version, or a range; `None` is `latest`.
pub(super) fn choose<'a>(
    requirement: Option<&str>,
    releases: &'a Releases,
) -> Result<&'a Release, Error> {
    let written = requirement.map(str::trim).filter(|requirement| !requirement.is_empty());
    let Some(written) = written else { return newest(releases) };
    if let Some(version) = tagged(releases, written) {
        return release(releases, version).ok_or_else(|| not_found(written, None, releases));
    }
    if let Some(version) = exact(written) {
        let found = release(releases, &version);
        return found.ok_or_else(|| not_found(&version, parse(&version), releases));
    }
    let range = range(written)?;
    best(&range, written == "*", releases)
        .ok_or_else(|| not_found(written, range.min_version(), releases))
}

/// Sorts versions, oldest first; what is no version comes before all.
pub(super) fn order(left: &str, right: &str) -> std::cmp::Ordering {
    parse(left).cmp(&parse(right))
}

/// A version in the registry's own writing.
pub(super) fn parse(version: &str) -> Option<Version> {
    // The library forgives whatever follows the numbers, as npm does with versions of old.
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
    let plausible = version.len() <= REQUIREMENT_BYTES_MAX && version.bytes().all(allowed);
    plausible.then(|| Version::parse(version).ok()).flatten()
}

/// Whether a release is out of the ordinary: `1.0.0-beta.1`.
pub(super) fn is_prerelease(version: &str) -> bool {
    parse(version).is_some_and(|version| version.is_prerelease())
}

/// Without build metadata, which no registry distinguishes versions by.
fn normal(version: &Version) -> String {
    let text = version.to_string();
    text.split_once('+').map_or(text.clone(), |(version, _)| version.to_owned())
}

fn range(requirement: &str) -> Result<Range, Error> {
    let text = requirement.trim();
    let text = alias_range(text).unwrap_or(text);
    let parsed = (text.len() <= REQUIREMENT_BYTES_MAX).then(|| Range::parse(text).ok()).flatten();
    parsed.ok_or_else(|| invalid(requirement))
}

/// The range in `npm:other-name@range`.
fn alias_range(requirement: &str) -> Option<&str> {
    let target = requirement.strip_prefix("npm:")?;
    let at = target.rfind('@').filter(|&at| at > 0);
    Some(at.map_or("*", |at| &target[at + 1..]))
}

fn tagged<'a>(releases: &'a Releases, tag: &str) -> Option<&'a str> {
    releases.tags.iter().find(|(name, _)| name == tag).map(|(_, version)| version.as_str())
}

fn release<'a>(releases: &'a Releases, version: &str) -> Option<&'a Release> {
    releases.all.iter().find(|release| release.version == version)
}

fn newest(releases: &Releases) -> Result<&Release, Error> {
    let latest = tagged(releases, LATEST).and_then(|version| release(releases, version));
    let stable = || releases.all.iter().rev().find(|release| release.stable);
    let found = latest.or_else(stable).or_else(|| releases.all.last());
    found.ok_or_else(|| {
        Error::new(ErrorKind::VersionNotFound, "the registry lists no version of this package")
    })
}

/// What npm picks: the latest one if it fits, else the highest; deprecated ones only if all are.
fn best<'a>(range: &Range, any: bool, releases: &'a Releases) -> Option<&'a Release> {
    let fits = |release: &Release| {
        parse(&release.version).is_some_and(|version| range.satisfies(&version))
    };
    let latest = tagged(releases, LATEST).and_then(|version| release(releases, version));
    let latest = latest.filter(|release| !is_deprecated(release) && (any || fits(release)));
    let fitting = || releases.all.iter().rev().filter(|release| fits(release));
    latest
        .or_else(|| fitting().find(|release| !is_deprecated(release)))
        .or_else(|| fitting().next())
}

fn is_deprecated(release: &Release) -> bool {
    !release.stable && !is_prerelease(&release.version)
}

/// A requirement as it can be shown: an address in it may hold a credential.
pub(super) fn without_credentials(requirement: &str) -> String {
    let Some((scheme, rest)) = requirement.split_once("://") else { return requirement.to_owned() };
    let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host_start = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host_start..])
}

fn invalid(requirement: &str) -> Error {
    let shown: String = without_credentials(requirement).chars().take(80).collect();
    let shown = shown.escape_debug();
    let message = format!("`{shown}` is not a version, a range or a tag of this package");
    let error = Error::new(ErrorKind::InvalidVersion, message);
    if requirement.contains(':') {
        return error.hint("it names a place other than the registry; ask for a published version");
    }
    error.hint("write an exact version, a range such as `^4.1`, or a tag such as `latest`")
}

fn not_found(written: &str, near: Option<Version>, releases: &Releases) -> Error {
    let shown: String = written.chars().take(80).collect();
    let message = format!("no published version is `{}`", shown.escape_debug());
    let mut error = Error::new(ErrorKind::VersionNotFound, message);
    let neighbors = near.map(|near| neighbors(&near, releases)).unwrap_or_default();
    if !neighbors.is_empty() {
        error = error.hint(format!("nearest published versions: {}", neighbors.join(", ")));
    }
    if let Ok(newest) = newest(releases) {
        error = error.hint(format!("the newest is {}", newest.version));
    }
    error
}

/// The versions around one that does not exist, oldest first.
fn neighbors<'a>(near: &Version, releases: &'a Releases) -> Vec<&'a str> {
    let below = |release: &Release| parse(&release.version).is_some_and(|version| version < *near);
    let at = releases.all.partition_point(below);
    let around = at.saturating_sub(NEIGHBORS)..(at + NEIGHBORS).min(releases.all.len());
    releases.all[around].iter().map(|release| release.version.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn releases() -> Releases {
        let release = |version: &str, stable: bool| Release {
            version: version.to_owned(),
            artifact: None,
            stable,
        };
        let tag = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        Releases {
            name: None,
            all: vec![
                release("1.0.0", true),
                release("1.1.0", true),
                release("1.2.0", false),
                release("2.0.0-beta.1", false),
                release("2.0.0", true),
                release("2.1.0", true),
                release("2.2.0", true),
                release("3.0.0-rc.0", false),
            ],
            tags: vec![tag("latest", "2.1.0"), tag("next", "3.0.0-rc.0"), tag("gone", "9.0.0")],
        }
    }

    #[test]
    fn exact_versions() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(exact(text).as_deref(), expected, "{text}");
        };
        check("4.1.12", Some("4.1.12"));
        check("=4.1.12", Some("4.1.12"));
        check("v4.1.12", Some("4.1.12"));
        check(" = v4.1.12 ", Some("4.1.12"));
        check("1.0.0-beta.1", Some("1.0.0-beta.1"));
        check("1.0.0+build.5", Some("1.0.0"));
        for text in
            ["4", "4.1", "^4.1.12", "4.x", "*", "", "latest", "4.1.12 || 5", ">=1.0.0", "🦀"]
        {
            check(text, None);
        }
        check(&"1".repeat(5000), None);
    }

    #[test]
    fn ranges() {
        let check = |range: &str, version: &str, expected: bool| {
            assert_eq!(satisfies(range, version).ok(), Some(expected), "{range} {version}");
        };
        check("^4.1.0", "4.1.12", true);
        check("^4.1.0", "5.0.0", false);
        check("~1.2", "1.2.9", true);
        check("1 - 2", "2.9.9", true);
        check(">=1 <3 || 5", "5.1.0", true);
        check("", "1.0.0", true);
        check("*", "1.0.0-beta.1", false);
        check("^1.0.0-beta.0", "1.0.0-beta.1", true);
        check("npm:other@^2", "2.5.0", true);
        check("npm:@scope/other", "2.5.0", true);
        for range in ["latest", "github:user/repository", "file:../x", "not a range", "^^"] {
            let error = satisfies(range, "1.0.0").expect_err(range);
            assert_eq!(error.kind(), ErrorKind::InvalidVersion);
        }
        assert!(satisfies("*", "one").is_err());
    }

    #[test]
    fn credentials_are_not_shown() {
        let check = |requirement: &str, expected: &str| {
            assert_eq!(without_credentials(requirement), expected);
        };
        check("^1.0.0", "^1.0.0");
        check(
            "git+https://me:s3cret@host.example/a.git#v1@2",
            "git+https://host.example/a.git#v1@2",
        );
        check("https://a@b@host.example", "https://host.example");
        check("git+ssh://é@", "git+ssh://");
        let error =
            satisfies("git+https://me:s3cret@host.example/a.git", "1.0.0").expect_err("git");
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }

    #[test]
    fn choices() {
        let releases = releases();
        let check = |requirement: Option<&str>, expected: &str| {
            let chosen = choose(requirement, &releases);
            let chosen = chosen.unwrap_or_else(|error| panic!("{requirement:?}: {error}"));
            assert_eq!(chosen.version, expected, "{requirement:?}");
        };
        check(None, "2.1.0");
        check(Some(""), "2.1.0");
        check(Some("latest"), "2.1.0");
        check(Some("next"), "3.0.0-rc.0");
        check(Some("*"), "2.1.0");
        check(Some("^2.0.0"), "2.1.0");
        check(Some("2.2"), "2.2.0");
        check(Some(">2.1.0"), "2.2.0");
        check(Some("^1"), "1.1.0");
        check(Some("~1.2"), "1.2.0");
        check(Some("=2.0.0"), "2.0.0");
        check(Some("2.0.0-beta.1"), "2.0.0-beta.1");
        check(Some("^3.0.0-rc"), "3.0.0-rc.0");
    }

    #[test]
    fn what_is_not_there_is_said() {
        let releases = releases();
        let check = |requirement: &str, kind: ErrorKind, hint: &str| {
            let error = choose(Some(requirement), &releases).expect_err(requirement);
            assert_eq!(error.kind(), kind, "{requirement}");
            assert!(error.hints().iter().any(|found| found.contains(hint)), "{:?}", error.hints());
        };
        check("2.0.5", ErrorKind::VersionNotFound, "1.2.0, 2.0.0-beta.1, 2.0.0, 2.1.0, 2.2.0");
        check("^3.0.0", ErrorKind::VersionNotFound, "the newest is 2.1.0");
        check("gone", ErrorKind::VersionNotFound, "the newest is 2.1.0");
        check("canary", ErrorKind::InvalidVersion, "a tag such as");
        check("github:user/repository", ErrorKind::InvalidVersion, "other than the registry");
        assert!(choose(None, &Releases::default()).is_err());
        assert!(choose(Some("1.0.0"), &Releases::default()).is_err());
    }
}
