//! Yarn 1's `yarn.lock`: a format of its own, with a block for each version.
//!
//! A block's heading lists what was asked for, `name@range`; a line below gives the version. What
//! the project asks for in these words is what it gets.

use super::{ELSEWHERE, Importer, Package, is_version, split_at_version};
use crate::Limits;

pub(super) fn parse(
    text: &str,
    importer: &Importer,
    _limits: &Limits,
) -> Result<Vec<Package>, String> {
    let mut packages = Vec::new();
    let mut heading = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        if !line.starts_with(' ') {
            heading = patterns(line);
        } else if let Some(version) = line.strip_prefix("  version ") {
            let version = version.trim().trim_matches('"');
            let asked = std::mem::take(&mut heading);
            packages.extend(asked.iter().filter_map(|asked| package(asked, version, importer)));
        }
    }
    if packages.is_empty() && text.lines().any(|line| !line.starts_with('#') && !line.is_empty()) {
        return Err("is not in a format of Yarn's".to_owned());
    }
    Ok(packages)
}

/// `"@scope/name@^1", name@^2:` as its parts.
fn patterns(heading: &str) -> Vec<&str> {
    let heading = heading.trim_end().trim_end_matches(':');
    heading.split(", ").map(|pattern| pattern.trim().trim_matches('"')).collect()
}

fn package(asked: &str, version: &str, importer: &Importer) -> Option<Package> {
    let (import, range) = split_at_version(asked)?;
    let target = range.strip_prefix("npm:");
    let name = target.map_or(import, |target| split_at_version(target).map_or(target, |it| it.0));
    let direct = importer.ranges.iter().any(|(name, wanted)| name == import && wanted == range);
    is_version(version).then(|| Package {
        import: import.to_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
        distance: if direct { 0 } else { ELSEWHERE },
    })
}
