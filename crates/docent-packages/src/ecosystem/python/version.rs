//! Versions and requirements: PEP 440, and what Poetry and people write besides.
//!
//! Used to check an installed or locked version against what was asked for, and to choose among the
//! releases that [`super::registry`] found.

use std::str::FromStr as _;

use pep440_rs::{Operator, Version, VersionPattern, VersionSpecifier, VersionSpecifiers};

use crate::ecosystem::{Release, Releases};
use crate::{Error, ErrorKind};

const REQUIREMENT_BYTES_MAX: usize = 1000;
const NEAREST_SHOWN: usize = 5;

/// What somebody asks for.
enum Requirement {
    /// Nothing in particular.
    Any,
    /// A full version, written alone or after `==`.
    Exact(Version),
    /// `2` or `2.31`: that version if it exists, or else the newest of its series.
    Series(Version),
    /// Sets of conditions, of which one must hold.
    Sets(Vec<VersionSpecifiers>),
}

/// The version that a requirement pins, in its normal form.
pub(crate) fn exact(requirement: &str) -> Option<String> {
    match parse(requirement).ok()? {
        Requirement::Exact(version) => Some(version.to_string()),
        _ => None,
    }
}

/// Whether a version satisfies a requirement.
pub(crate) fn satisfies(requirement: &str, version: &str) -> Result<bool, Error> {
    let requirement = parse(requirement)?;
    Ok(Version::from_str(version).is_ok_and(|version| matches(&requirement, &version)))
}

/// The release that a requirement means.
pub(crate) fn choose<'a>(
    requirement: Option<&str>,
    releases: &'a Releases,
) -> Result<&'a Release, Error> {
    let parsed = requirement.map_or(Ok(Requirement::Any), parse)?;
    let known = Known::new(releases);
    let found = match &parsed {
        Requirement::Exact(wanted) => known.newest(|version, _| equal(wanted, version)),
        Requirement::Series(wanted) => {
            known.newest(|version, _| wanted == version).or_else(|| known.best(&parsed))
        }
        Requirement::Sets(sets) if sets.iter().any(names_a_prerelease) => known
            .newest(|version, release| matches(&parsed, version) && !withdrawn(version, release))
            .or_else(|| known.newest(|version, _| matches(&parsed, version))),
        Requirement::Any | Requirement::Sets(_) => known.best(&parsed),
    };
    found.ok_or_else(|| none_fits(requirement, &parsed, &known))
}

/// The releases whose versions can be read.
struct Known<'a>(Vec<(Version, &'a Release)>);

impl<'a> Known<'a> {
    fn new(releases: &'a Releases) -> Self {
        let all = releases.all.iter();
        let read =
            |release: &'a Release| Some((Version::from_str(&release.version).ok()?, release));
        Self(all.filter_map(read).collect())
    }

    fn newest(&self, fits: impl Fn(&Version, &Release) -> bool) -> Option<&'a Release> {
        let fitting = self.0.iter().filter(|(version, release)| fits(version, release));
        fitting.max_by_key(|(version, _)| version).map(|(_, release)| *release)
    }

    /// The newest release that a user would get, or else what comes closest to one.
    fn best(&self, requirement: &Requirement) -> Option<&'a Release> {
        let fits = |version: &Version| matches(requirement, version);
        self.newest(|version, one| fits(version) && one.stable && one.artifact.is_some())
            .or_else(|| self.newest(|version, one| fits(version) && one.stable))
            .or_else(|| self.newest(|version, one| fits(version) && !withdrawn(version, one)))
            .or_else(|| self.newest(|version, _| fits(version)))
    }
}

/// Whether a release was yanked: it is not stable, and not because of its number.
fn withdrawn(version: &Version, release: &Release) -> bool {
    !release.stable && !version.any_prerelease()
}

fn names_a_prerelease(set: &VersionSpecifiers) -> bool {
    set.iter().any(VersionSpecifier::any_prerelease)
}

fn matches(requirement: &Requirement, version: &Version) -> bool {
    match requirement {
        Requirement::Any => true,
        Requirement::Exact(wanted) => equal(wanted, version),
        Requirement::Series(wanted) => {
            wanted == version
                || VersionSpecifier::equals_star_version(wanted.clone()).contains(version)
        }
        Requirement::Sets(sets) => sets.iter().any(|set| set.contains(version)),
    }
}

/// PEP 440's `==`: a local label counts only if one was asked for.
fn equal(wanted: &Version, version: &Version) -> bool {
    VersionSpecifier::equals_version(wanted.clone()).contains(version)
}

fn parse(requirement: &str) -> Result<Requirement, Error> {
    let text = requirement.trim();
    let invalid = || {
        let shown: String = requirement.chars().take(80).collect();
        let message = format!("`{}` is not a version of a Python package", shown.escape_debug());
        Error::new(ErrorKind::InvalidVersion, message)
            .hint("write a version, as in `2.31.0`, or conditions, as in `>=2,<3`")
    };
    if text.len() > REQUIREMENT_BYTES_MAX {
        return Err(invalid());
    }
    if matches!(text, "" | "*") || text.eq_ignore_ascii_case("latest") {
        return Ok(Requirement::Any);
    }
    if let Ok(version) = Version::from_str(text) {
        let numbers_only = version.only_release() == version && version.epoch() == 0;
        let short = version.release().len() < 3 && numbers_only;
        return Ok(if short { Requirement::Series(version) } else { Requirement::Exact(version) });
    }
    let sets: Option<Vec<VersionSpecifiers>> = text.split("||").map(set).collect();
    let sets = sets.ok_or_else(invalid)?;
    if let [set] = sets.as_slice()
        && let Some(pinned) = pinned(set)
    {
        return Ok(Requirement::Exact(pinned));
    }
    Ok(Requirement::Sets(sets))
}

/// The version of a set that is one `==` without a star.
fn pinned(set: &VersionSpecifiers) -> Option<Version> {
    let mut all = set.iter();
    let only = all.next().filter(|_| all.next().is_none())?;
    let pins = matches!(only.operator(), Operator::Equal | Operator::ExactEqual);
    pins.then(|| only.version().clone())
}

/// Conditions of which all must hold, separated by commas, or by spaces as Poetry allows.
fn set(text: &str) -> Option<VersionSpecifiers> {
    let mut all = Vec::new();
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        // An operator may stand apart from its version: `>= 2`.
        let mut words = part.split_whitespace();
        while let Some(word) = words.next() {
            let lone = word.bytes().all(|byte| b"<>=!~^".contains(&byte));
            let condition = if lone { format!("{word}{}", words.next()?) } else { word.to_owned() };
            specifiers(&condition, &mut all)?;
        }
    }
    (!all.is_empty()).then(|| all.into_iter().collect())
}

fn specifiers(condition: &str, all: &mut Vec<VersionSpecifier>) -> Option<()> {
    if condition == "*" {
        all.push(VersionSpecifier::greater_than_equal_version(Version::new([0]).with_dev(Some(0))));
        return Some(());
    }
    if let Some(version) = condition.strip_prefix('^') {
        let version = Version::from_str(version).ok()?;
        // The leftmost number that is not zero stays; `^0.0` keeps all that was written.
        let release = version.release();
        let fixed = release.iter().position(|&number| number != 0).unwrap_or(release.len() - 1);
        return between(&version, fixed, all);
    }
    if let Some(version) = condition.strip_prefix('~').filter(|rest| !rest.starts_with('=')) {
        let version = Version::from_str(version).ok()?;
        let fixed = usize::from(version.release().len() > 1);
        return between(&version, fixed, all);
    }
    if condition.starts_with(|first: char| first.is_ascii_digit()) {
        // Poetry writes an exact version and a series without an operator.
        let pattern = VersionPattern::from_str(condition).ok()?;
        all.push(VersionSpecifier::from_pattern(Operator::Equal, pattern).ok()?);
        return Some(());
    }
    all.push(VersionSpecifier::from_str(condition).ok()?);
    Some(())
}

/// From a version to just before the next one that differs in the number at `fixed`.
fn between(version: &Version, fixed: usize, all: &mut Vec<VersionSpecifier>) -> Option<()> {
    let mut above: Vec<u64> = version.release().iter().copied().take(fixed + 1).collect();
    let last = above.last_mut()?;
    *last = last.checked_add(1)?;
    let above = Version::new(above).with_epoch(version.epoch());
    all.push(VersionSpecifier::greater_than_equal_version(version.clone()));
    all.push(VersionSpecifier::less_than_version(above));
    Some(())
}

fn none_fits(requirement: Option<&str>, parsed: &Requirement, known: &Known<'_>) -> Error {
    if known.0.is_empty() {
        return Error::new(ErrorKind::VersionNotFound, "the index has no release of this package");
    }
    let shown: String = requirement.unwrap_or("*").chars().take(80).collect();
    let error = Error::new(
        ErrorKind::VersionNotFound,
        format!("no release fits `{}`", shown.escape_debug()),
    );
    let mut sorted: Vec<&Version> = known.0.iter().map(|(version, _)| version).collect();
    sorted.sort();
    let around = match parsed {
        Requirement::Exact(wanted) | Requirement::Series(wanted) => {
            sorted.partition_point(|version| *version < wanted)
        }
        _ => sorted.len(),
    };
    // Half below and half above where it would be, shifted to stay inside.
    let start = around.saturating_sub(NEAREST_SHOWN / 2);
    let start = start.min(sorted.len().saturating_sub(NEAREST_SHOWN));
    let nearest: Vec<String> = sorted
        .iter()
        .skip(start)
        .take(NEAREST_SHOWN)
        .map(|version| format!("`{version}`"))
        .collect();
    let newest = sorted.last().map(|version| format!("; the newest is `{version}`"));
    error.hint(format!("the nearest are {}{}", nearest.join(", "), newest.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_means_a_whole_version() {
        for (requirement, expected) in [
            ("2.9.0.post0", Some("2.9.0.post0")),
            ("==1.2.3", Some("1.2.3")),
            ("== 1.2", Some("1.2")),
            ("===1.2", Some("1.2")),
            ("1.2.3-RC1", Some("1.2.3rc1")),
            ("v1.2.3", Some("1.2.3")),
            ("1.0rc1", Some("1.0rc1")),
            ("1.0+cpu", Some("1.0+cpu")),
            ("1.2.3.4", Some("1.2.3.4")),
            ("2", None),
            ("1.47", None),
            ("==1.2.*", None),
            (">=1.2.3", None),
            ("^1.2.3", None),
            ("latest", None),
            ("==1,==2", None),
        ] {
            assert_eq!(exact(requirement).as_deref(), expected, "{requirement}");
        }
    }

    #[test]
    fn conditions_hold_or_not() {
        for (requirement, version, expected) in [
            ("2", "2.31.0", true),
            ("2", "2.0", true),
            ("2", "3.0", false),
            ("2.3", "2.31", false),
            ("2.31.0", "2.31", true),
            ("2.31.0", "2.31.1", false),
            ("1.2.3", "1.2.3+cpu", true),
            ("==1.2.3+cpu", "1.2.3", false),
            (">=2,<3", "2.9", true),
            (">= 2 , < 3", "3", false),
            (">=2 <3", "2.9", true),
            ("~=2.9.0", "2.9.5", true),
            ("~=2.9.0", "2.10", false),
            ("^1.2.3", "1.9", true),
            ("^1.2.3", "1.2.2", false),
            ("^1.2.3", "2.0", false),
            ("^0.2.3", "0.2.9", true),
            ("^0.2.3", "0.3", false),
            ("^0.0.3", "0.0.4", false),
            ("^0.0", "0.0.9", true),
            ("^0", "0.9", true),
            ("~1.2.3", "1.2.9", true),
            ("~1.2", "1.3", false),
            ("~1", "1.9", true),
            ("1.2.*", "1.2.9", true),
            ("^1 || ^3", "3.1", true),
            ("^1 || ^3", "2.1", false),
            ("*", "1.0", true),
            ("!=1.5,>=1", "1.5", false),
            ("1!2.0", "1!2.0", true),
            (">=1", "not a version", false),
        ] {
            assert_eq!(
                satisfies(requirement, version).unwrap(),
                expected,
                "{requirement} {version}"
            );
        }
    }

    #[test]
    fn nonsense_is_an_error() {
        let numbers = "9".repeat(40);
        let long = ">=1,".repeat(300);
        for requirement in
            ["x", ">=", "^", "~", "^x", "1.2.x", ">=1;rm", "||", ",", "=>1", "^ ", &numbers, &long]
        {
            let kind = satisfies(requirement, "1").unwrap_err().kind();
            assert_eq!(kind, ErrorKind::InvalidVersion, "{requirement}");
        }
        assert!(satisfies("^18446744073709551615", "1").is_err());
    }

    /// Releases in order; `!` marks a yanked one.
    fn releases(versions: &str) -> Releases {
        let all = versions.split_whitespace().map(|text| {
            let version = text.trim_end_matches('!');
            let pre = Version::from_str(version).unwrap().any_prerelease();
            Release { version: version.to_owned(), artifact: None, stable: !pre && version == text }
        });
        Releases { all: all.collect(), ..Releases::default() }
    }

    #[test]
    fn the_release_that_is_meant() {
        let all = "1.0 1.1rc1 1.1 1.2! 2.0.0 2.31.0 2.32.0! 3.0a1";
        for (requirement, expected) in [
            (None, "2.31.0"),
            (Some("2"), "2.0.0"),
            (Some("2.31"), "2.31.0"),
            (Some("1"), "1.0"),
            (Some("1.2"), "1.2"),
            (Some("2.32.0"), "2.32.0"),
            (Some("3"), "3.0a1"),
            (Some(">=2.32"), "3.0a1"),
            (Some(">1.0,<1.3"), "1.1"),
            (Some(">=3.0a0"), "3.0a1"),
            (Some("==1.1rc1"), "1.1rc1"),
            (Some("latest"), "2.31.0"),
        ] {
            let releases = releases(all);
            assert_eq!(
                choose(requirement, &releases).unwrap().version,
                expected,
                "{requirement:?}"
            );
        }
        assert_eq!(choose(None, &releases("1.0a1 1.0a2")).unwrap().version, "1.0a2");
        assert_eq!(choose(Some("2"), &releases("1.0 2.1 2.4 2.5rc1")).unwrap().version, "2.4");
    }

    #[test]
    fn a_version_that_is_not_there_names_its_neighbors() {
        let releases = releases("1.0 1.1 1.2 1.3 2.0 2.1 2.2 3.0");
        let error = choose(Some("1.9.9"), &releases).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::VersionNotFound);
        let expected = "the nearest are `1.2`, `1.3`, `2.0`, `2.1`, `2.2`; the newest is `3.0`";
        assert_eq!(error.hints(), [expected]);
        let error = choose(Some("0.0.1"), &releases).unwrap_err();
        assert!(error.hints()[0].starts_with("the nearest are `1.0`, `1.1`"), "{error:?}");
    }
}
