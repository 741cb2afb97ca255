//! The part of a changelog that is about one version.
//!
//! Takes the sections of [`super::markdown`]; asked by [`super::extract`].

use super::find::is_list_of_changes as is_list;
use super::markdown::{Section, Shape};
use crate::tree::file_name;

/// The sections about a version, and those below them; none if the file does not mention it.
pub(super) fn about(
    version: &str,
    path: &str,
    sections: Vec<Section>,
) -> Vec<(Vec<String>, Section)> {
    let is_whole = is_file_about(path, version);
    let first = if is_whole { Some(0) } else { find(version, &sections) };
    let Some((first, level)) = first.and_then(|first| Some((first, sections.get(first)?.level)))
    else {
        return Vec::new();
    };
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut kept = Vec::new();
    for (number, mut section) in sections.into_iter().enumerate().skip(first) {
        // A smaller release may have a smaller heading, so the next version ends this one too.
        let is_next = section.level <= level || versions(&section.title).next().is_some();
        if number > first && is_next && !is_whole {
            break;
        }
        path.retain(|(level, _)| *level < section.level);
        if section.level > 0 {
            path.push((section.level, section.title.clone()));
        }
        section.blocks.retain(|block| block.words > 0 || block.shape == Shape::Code);
        if !section.blocks.is_empty() {
            kept.push((path.iter().map(|(_, title)| title.clone()).collect(), section));
        }
    }
    kept
}

fn find(version: &str, sections: &[Section]) -> Option<usize> {
    let wanted = short(version);
    let position = |is_wanted: &dyn Fn(&str) -> bool| {
        let is_about =
            |section: &Section| section.level > 0 && versions(&section.title).any(is_wanted);
        sections.iter().position(is_about)
    };
    // A list may name only the line of releases; `4.1.0` names one release.
    position(&|found| short(found) == wanted).or_else(|| {
        let line = minor(version)?;
        position(&|found| found == line || found.strip_suffix(".x") == Some(line))
    })
}

/// Whether a file can be about a version: a list of all versions, or a file of its own for it.
pub(super) fn may_be_about(path: &str, version: &str) -> bool {
    is_list(&stem(path).to_ascii_lowercase()) || is_file_about(path, version)
}

/// Whether a file of its own, such as `releases/4.1.md`, is about a version.
pub(super) fn is_file_about(path: &str, version: &str) -> bool {
    let line = minor(version);
    versions(stem(path)).any(|found| short(found) == short(version) || Some(found) == line)
}

fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// `4.1` of `4.1.12`.
fn minor(version: &str) -> Option<&str> {
    let second = version.match_indices('.').nth(1)?.0;
    Some(&version[..second])
}

/// A version without zeros that change nothing: 2.0 and 2.0.0 are the same release.
fn short(mut version: &str) -> &str {
    while let Some(shorter) = version.strip_suffix(".0") {
        version = shorter;
    }
    version
}

/// The versions that a heading names.
fn versions(title: &str) -> impl Iterator<Item = &str> {
    let parts = title.split(|c: char| c.is_whitespace() || "[](){}<>,@=/:".contains(c));
    parts.filter_map(|part| {
        let part = part.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let from = part.find(|c: char| c.is_ascii_digit())?;
        let is_word = part[..from].chars().all(|c| c.is_ascii_alphabetic() || c == '-');
        let number = &part[from..];
        (is_word && number.contains('.')).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: &str, titles: &[(usize, &str)], expected: Option<usize>) {
        let section = |&(level, title): &(usize, &str)| Section {
            level,
            title: title.to_owned(),
            ..Section::default()
        };
        let sections: Vec<Section> = titles.iter().map(section).collect();
        assert_eq!(find(version, &sections), expected, "{titles:?}");
    }

    #[test]
    fn headings_name_versions_in_many_ways() {
        for title in [
            "4.1.12",
            "[4.1.12] - 2026-01-01",
            "v4.1.12 (2026)",
            "Version 4.1.12",
            "x@4.1.12",
            "4.1.12 / 2026-01-01",
        ] {
            check("4.1.12", &[(1, "Changelog"), (2, "4.1.121"), (2, title)], Some(2));
        }
        check("4.1.12", &[(1, "v4.1"), (1, "v4.0")], Some(0));
        check("2.0.0", &[(1, "Version 2.0")], Some(0));
        check("4.1.12", &[(1, "4.1.0"), (1, "4.2.0"), (1, "2026-04-01")], None);
    }

    #[test]
    fn a_file_can_be_about_a_version() {
        assert!(is_file_about("docs/releases/5.2.txt", "5.2.3"));
        assert!(is_file_about("changelogs/v5.2.3.md", "5.2.3"));
        assert!(!is_file_about("docs/releases/5.1.txt", "5.2.3"));
        assert!(!is_file_about("docs/releases/index.txt", "5.2.3"));
    }
}
