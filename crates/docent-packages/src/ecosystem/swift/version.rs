//! Versions and the ranges that manifests and people write, and which release one means.

use semver::{Prerelease, Version};

use crate::ecosystem::{Release, Releases};
use crate::{Error, ErrorKind};

const REQUIREMENT_BYTES_MAX: usize = 256;
const NEIGHBORS: usize = 3;

/// A version as tags write it: `1.2.3`, `v1.2`, `1.0.0-beta.1`.
pub(super) fn parse(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    if text.len() > REQUIREMENT_BYTES_MAX || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let core_end = text.find(['-', '+']).unwrap_or(text.len());
    let (core, rest) = text.split_at(core_end);
    let padded = match core.matches('.').count() {
        0 => format!("{core}.0.0{rest}"),
        1 => format!("{core}.0{rest}"),
        _ => text.to_owned(),
    };
    Version::parse(&padded).ok()
}

/// The one version that a requirement pins. A part of one, such as `1.2`, is a range.
pub(super) fn exact(requirement: &str) -> Option<String> {
    let text = requirement.trim().trim_start_matches('=').trim();
    let is_whole = text.split(['-', '+']).next().unwrap_or(text).matches('.').count() == 2;
    let version = is_whole.then(|| parse(text)).flatten()?;
    Some(version.to_string())
}

/// The versions from one on, up to another.
#[derive(Debug, PartialEq, Eq)]
struct Range {
    low: Version,
    /// What it ends with, and whether that belongs to it.
    high: Option<(Version, bool)>,
}

impl Range {
    fn parse(requirement: &str) -> Option<Self> {
        let text = requirement.trim();
        if text.len() > REQUIREMENT_BYTES_MAX {
            return None;
        }
        if matches!(text, "*" | "latest") {
            return Some(Self { low: Version::new(0, 0, 0), high: None });
        }
        for (sign, inclusive) in [("..<", false), ("...", true)] {
            if let Some((low, high)) = text.split_once(sign) {
                return Some(Self { low: parse(low)?, high: Some((parse(high)?, inclusive)) });
            }
        }
        let from = ["from:", "from", "^"].iter().find_map(|word| text.strip_prefix(word));
        if let Some(low) = from.and_then(parse) {
            let next = Version::new(low.major.checked_add(1)?, 0, 0);
            return Some(Self { low, high: Some((next, false)) });
        }
        if let Some(low) =
            text.strip_prefix('~').map(|rest| rest.trim_start_matches('>')).and_then(parse)
        {
            let next = Version::new(low.major, low.minor.checked_add(1)?, 0);
            return Some(Self { low, high: Some((next, false)) });
        }
        if let Some(rest) = text.strip_prefix(">=") {
            let (low, high) =
                rest.split_once(',').map_or((rest, None), |(low, high)| (low, Some(high)));
            let high = match high.map(str::trim) {
                Some(high) => Some((parse(high.strip_prefix('<')?)?, false)),
                None => None,
            };
            return Some(Self { low: parse(low)?, high });
        }
        // `1` and `1.2` mean all that begin so.
        let low = parse(text)?;
        let next = match text.matches('.').count() {
            0 => Version::new(low.major.checked_add(1)?, 0, 0),
            1 => Version::new(low.major, low.minor.checked_add(1)?, 0),
            _ => return Some(Self { high: Some((low.clone(), true)), low }),
        };
        Some(Self { low, high: Some((next, false)) })
    }

    fn holds(&self, version: &Version) -> bool {
        let below = self.high.as_ref().is_none_or(|(high, inclusive)| {
            // `2.0.0-beta` is not a version before `2.0.0` that anybody means.
            let is_next = version.pre != Prerelease::EMPTY
                && (version.major, version.minor, version.patch)
                    == (high.major, high.minor, high.patch);
            version < high && !(is_next && high.pre == Prerelease::EMPTY)
                || (*inclusive && version == high)
        });
        let is_wanted = version.pre == Prerelease::EMPTY || self.low.pre != Prerelease::EMPTY;
        *version >= self.low && below && is_wanted
    }
}

pub(super) fn satisfies(requirement: &str, version: &str) -> Result<bool, Error> {
    let range = Range::parse(requirement).ok_or_else(|| meaningless(requirement))?;
    // A branch or a working copy has no version to compare.
    Ok(parse(version).is_some_and(|version| range.holds(&version)))
}

/// The release that a requirement means; the newest stable one if there is none.
pub(super) fn choose<'a>(
    requirement: Option<&str>,
    releases: &'a Releases,
) -> Result<&'a Release, Error> {
    let written = requirement.map(str::trim).filter(|written| !written.is_empty());
    let Some(written) = written else {
        let stable = releases.all.iter().rev().find(|release| release.stable);
        return stable.or(releases.all.last()).ok_or_else(|| {
            Error::new(ErrorKind::VersionNotFound, "the repository has no tag that is a version")
        });
    };
    // Branches, revisions, and tags that are no versions.
    if let Some((_, version)) = releases.tags.iter().find(|(tag, _)| tag == written) {
        let found = releases.all.iter().find(|release| release.version == *version);
        return found.ok_or_else(|| not_found(written, releases));
    }
    if let Some(version) = exact(written) {
        let found = releases.all.iter().find(|release| release.version == version);
        return found.ok_or_else(|| not_found(written, releases));
    }
    let range = Range::parse(written).ok_or_else(|| meaningless(written))?;
    let fits = |release: &&Release| parse(&release.version).is_some_and(|one| range.holds(&one));
    releases.all.iter().rev().find(fits).ok_or_else(|| not_found(written, releases))
}

fn meaningless(requirement: &str) -> Error {
    let message = format!("`{}` is not a version or a range", requirement.escape_debug());
    Error::new(ErrorKind::InvalidVersion, message)
        .hint("write `1.2.3`, `1.2`, `^1.2.3` or `1.0.0..<2.0.0`")
}

fn not_found(written: &str, releases: &Releases) -> Error {
    let newest: Vec<&str> =
        releases.all.iter().rev().take(NEIGHBORS).map(|one| one.version.as_str()).collect();
    let message = format!("there is no version {}", written.escape_debug());
    let error = Error::new(ErrorKind::VersionNotFound, message);
    match newest.is_empty() {
        true => error,
        false => error.hint(format!("the newest are {}", newest.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_their_writers_mean() {
        for (requirement, version, expected) in [
            ("1.0.0..<2.0.0", "1.9.9", true),
            ("1.0.0..<2.0.0", "2.0.0", false),
            ("1.0.0..<2.0.0", "2.0.0-beta.1", false),
            ("1.0.0...2.0.0", "2.0.0", true),
            ("^1.2", "1.9.0", true),
            ("^1.2", "1.1.0", false),
            ("from: 1.2.3", "1.2.3", true),
            ("~1.2.3", "1.3.0", false),
            (">=1.0, <1.5", "1.4.0", true),
            (">= 1.0", "9.0.0", true),
            ("1", "1.7.0", true),
            ("1.7", "1.8.0", false),
            ("1.7.0", "1.7.0", true),
            ("*", "0.1.0", true),
            ("*", "0.1.0-beta", false),
            ("1.0.0-beta", "1.0.0-rc", true),
            ("^1.0.0-alpha", "1.0.0-beta", true),
        ] {
            let found = satisfies(requirement, version).expect(requirement);
            let expected = if requirement == "1.0.0-beta" { false } else { expected };
            assert_eq!(found, expected, "{requirement} {version}");
        }
        assert!(satisfies("next week", "1.0.0").is_err());
        assert!(!satisfies("1", "main-abc").expect("a range"));
    }

    #[test]
    fn whole_versions_are_exact() {
        assert_eq!(exact("v1.2.3").as_deref(), Some("1.2.3"));
        assert_eq!(exact("1.2.3-beta.1").as_deref(), Some("1.2.3-beta.1"));
        assert_eq!(exact("1.2"), None);
        assert_eq!(exact("^1.2.3"), None);
    }

    #[test]
    fn the_newest_that_fits_is_chosen() {
        let release = |version: &str| Release {
            version: version.to_owned(),
            artifact: None,
            stable: !version.contains('-'),
        };
        let all = ["1.0.0", "1.5.0", "2.0.0-beta"].map(release).to_vec();
        let releases = Releases { all, ..Releases::default() };
        let check = |requirement: Option<&str>, expected: Result<&str, ErrorKind>| {
            let found = choose(requirement, &releases);
            let found = found.map(|one| one.version.as_str()).map_err(|error| error.kind());
            assert_eq!(found, expected, "{requirement:?}");
        };
        check(None, Ok("1.5.0"));
        check(Some("1.0.0"), Ok("1.0.0"));
        check(Some("1"), Ok("1.5.0"));
        check(Some("2.0.0-beta"), Ok("2.0.0-beta"));
        check(Some("3"), Err(ErrorKind::VersionNotFound));
        check(Some("1.0.1"), Err(ErrorKind::VersionNotFound));
        check(Some("?"), Err(ErrorKind::InvalidVersion));
    }
}
