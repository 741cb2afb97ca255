//! Cargo's versions and requirements, and which release a requirement means.

use semver::{Comparator, Op, Version, VersionReq};

use crate::ecosystem::{Release, Releases};
use crate::{Error, ErrorKind};

const NEIGHBORS: usize = 3;

/// Longer than any requirement that means something.
const REQUIREMENT_BYTES_MAX: usize = 1024;

/// The one version that a requirement pins: a whole version, or `=` and one. In a manifest a bare
/// version is a range, but who asks for `1.47.1` means that one.
pub(super) fn exact(requirement: &str) -> Option<String> {
    let text = requirement.trim();
    let text = text.strip_prefix('=').unwrap_or(text).trim_start();
    let text = text.strip_prefix('v').unwrap_or(text);
    parse(text).map(|version| version.to_string())
}

pub(super) fn parse(version: &str) -> Option<Version> {
    Version::parse(version).ok()
}

/// What a requirement of a manifest allows.
pub(super) fn range(requirement: &str) -> Result<VersionReq, Error> {
    let text = requirement.trim();
    let parsed = (text.len() <= REQUIREMENT_BYTES_MAX).then(|| VersionReq::parse(text).ok());
    parsed.flatten().ok_or_else(|| {
        let shown: String = text.chars().take(80).collect();
        let message = format!("`{}` is not a version or a requirement", shown.escape_debug());
        Error::new(ErrorKind::InvalidVersion, message)
            .hint("write it as cargo does: `1.47`, `^1.2`, `~0.8.5`, `=1.0.3`, `>=1, <2`")
    })
}

/// Whether a version satisfies a requirement, as in a manifest.
pub(super) fn satisfies(requirement: &str, version: &str) -> Result<bool, Error> {
    let version = parse(version).ok_or_else(|| {
        let message = format!("`{}` is not a version", version.escape_debug());
        Error::new(ErrorKind::InvalidVersion, message)
    })?;
    Ok(range(requirement)?.matches(&version))
}

/// Sorts versions, oldest first; what is no version comes before all.
pub(super) fn order(left: &str, right: &str) -> std::cmp::Ordering {
    parse(left).cmp(&parse(right))
}

/// The release that cargo would choose; `None` is the newest that is neither yanked nor a prerelease.
pub(super) fn choose<'a>(
    requirement: Option<&str>,
    releases: &'a Releases,
) -> Result<&'a Release, Error> {
    let written = requirement.map(str::trim).filter(|it| !it.is_empty() && *it != "latest");
    let Some(written) = written else { return newest(releases) };
    if let Some(exact) = exact(written) {
        let wanted = parse(&exact);
        // Build metadata does not tell versions apart.
        let found = releases.all.iter().find(|release| {
            release.version == exact
                || parse(&release.version)
                    .zip(wanted.as_ref())
                    .is_some_and(|(known, wanted)| known.cmp_precedence(wanted).is_eq())
        });
        return found.ok_or_else(|| not_found(written, wanted.as_ref(), releases));
    }
    let range = range(written)?;
    let fits =
        |release: &&Release| parse(&release.version).is_some_and(|version| range.matches(&version));
    let mut fitting = releases.all.iter().rev().filter(fits);
    let best = fitting.clone().find(|release| !is_yanked(release)).or_else(|| fitting.next());
    best.ok_or_else(|| not_found(written, least(&range).as_ref(), releases))
}

fn newest(releases: &Releases) -> Result<&Release, Error> {
    let all = || releases.all.iter().rev();
    let found = all().find(|release| release.stable);
    let found =
        found.or_else(|| all().find(|release| !is_yanked(release))).or_else(|| all().next());
    found.ok_or_else(|| {
        Error::new(ErrorKind::VersionNotFound, "the registry lists no version of this crate")
    })
}

pub(super) fn is_prerelease(version: &str) -> bool {
    parse(version).is_some_and(|version| !version.pre.is_empty())
}

fn is_yanked(release: &Release) -> bool {
    !release.stable && !is_prerelease(&release.version)
}

/// Where a requirement begins.
fn least(range: &VersionReq) -> Option<Version> {
    let Comparator { op, major, minor, patch, .. } = range.comparators.first()?;
    let is_bound = !matches!(op, Op::Less | Op::LessEq);
    is_bound.then(|| Version::new(*major, minor.unwrap_or(0), patch.unwrap_or(0)))
}

fn not_found(written: &str, near: Option<&Version>, releases: &Releases) -> Error {
    let shown: String = written.chars().take(80).collect();
    let message = format!("no release fits `{}`", shown.escape_debug());
    let error = Error::new(ErrorKind::VersionNotFound, message);
    let position = near.map_or(releases.all.len(), |near| {
        releases.all.partition_point(|it| parse(&it.version).as_ref() < Some(near))
    });
    let from = position.saturating_sub(NEIGHBORS);
    let near: Vec<&str> = releases.all[from..]
        .iter()
        .take(2 * NEIGHBORS)
        .map(|release| release.version.as_str())
        .collect();
    if near.is_empty() { error } else { error.hint(format!("near it: {}", near.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn releases(versions: &[(&str, bool)]) -> Releases {
        let release = |(version, stable): &(&str, bool)| Release {
            version: (*version).to_owned(),
            artifact: None,
            stable: *stable,
        };
        Releases { all: versions.iter().map(release).collect(), ..Releases::default() }
    }

    #[test]
    fn cargo_would_choose_the_same() {
        let known = releases(&[
            ("0.8.5", true),
            ("1.0.0", true),
            ("1.2.0", true),
            ("1.3.0", false),
            ("2.0.0-rc.1", false),
        ]);
        let check = |requirement: Option<&str>, expected: Option<&str>| {
            let chosen = choose(requirement, &known).ok().map(|release| release.version.as_str());
            assert_eq!(chosen, expected, "{requirement:?}");
        };
        check(None, Some("1.2.0"));
        check(Some("1"), Some("1.2.0"));
        check(Some("~1.0"), Some("1.0.0"));
        check(Some("0.8"), Some("0.8.5"));
        check(Some("=1.3.0"), Some("1.3.0"));
        check(Some("1.0.0"), Some("1.0.0"));
        check(Some("1.0.1"), None);
        check(Some(">=2.0.0-rc.0"), Some("2.0.0-rc.1"));
        check(Some("*"), Some("1.2.0"));
        check(Some("3"), None);
        check(Some("nonsense"), None);
        let error = choose(Some("1.0.1"), &known).expect_err("none");
        assert!(error.hints()[0].contains("1.0.0"), "{error:?}");
    }
}
