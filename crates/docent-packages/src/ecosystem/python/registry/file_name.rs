//! What the name of a distribution file tells: the version, and what kind of file it is.

use std::str::FromStr as _;

use pep440_rs::Version;

use crate::ecosystem::python::name::normalized;
use crate::tree::ArchiveFormat;

/// A kind of file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A wheel, with its Python and platform tags.
    Wheel { python: String, platform: String },
    /// A source distribution that can be opened.
    Source(ArchiveFormat),
    /// A file that shows that the version exists, and cannot be opened.
    Other,
}

/// The version and the kind; `None` if the file is not one of this package.
pub(crate) fn parse(file: &str, package: &str) -> Option<(Version, Kind)> {
    if let Some(stem) = file.strip_suffix(".whl") {
        let parts: Vec<&str> = stem.split('-').collect();
        let ([name, version, python, _, platform] | [name, version, _, python, _, platform]) =
            *parts
        else {
            return None;
        };
        let kind = Kind::Wheel { python: python.to_owned(), platform: platform.to_owned() };
        let version = Version::from_str(&version.replace('_', "-")).ok()?;
        return (normalized(name) == package).then_some((version, kind));
    }
    let archives = [
        (".tar.gz", Kind::Source(ArchiveFormat::TarGz)),
        (".tgz", Kind::Source(ArchiveFormat::TarGz)),
        (".zip", Kind::Source(ArchiveFormat::Zip)),
        (".tar.bz2", Kind::Other),
        (".tar.xz", Kind::Other),
    ];
    let (stem, kind) =
        archives.into_iter().find_map(|(end, kind)| Some((file.strip_suffix(end)?, kind)))?;
    // Both the name and, in old files, the version may hold a `-`.
    let version = stem.match_indices('-').find_map(|(at, _)| {
        let version = Version::from_str(&stem[at + 1..]).ok()?;
        (normalized(&stem[..at]) == package).then_some(version)
    });
    Some((version?, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_kinds() {
        for (file, package, expected) in [
            ("click-8.1.7-py3-none-any.whl", "click", Some("8.1.7 py3 any")),
            (
                "PyYAML-6.0-cp311-cp311-manylinux_2_17_x86_64.whl",
                "pyyaml",
                Some("6.0 cp311 manylinux_2_17_x86_64"),
            ),
            ("a-1.0-2-py3-none-any.whl", "a", Some("1.0 py3 any")),
            ("zope.interface-5.0-py3-none-any.whl", "zope-interface", Some("5.0 py3 any")),
            ("a-1.0_1-py3-none-any.whl", "a", Some("1.0.post1 py3 any")),
            ("python-dateutil-2.9.0.post0.tar.gz", "python-dateutil", Some("2.9.0.post0 TarGz")),
            ("python_dateutil-2.9.zip", "python-dateutil", Some("2.9 Zip")),
            ("a-1.0-rc1.tar.gz", "a", Some("1.0rc1 TarGz")),
            ("a-1.0.tar.bz2", "a", Some("1.0 other")),
            ("a-b-1.0.tar.gz", "a", None),
            ("other-1.0.tar.gz", "a", None),
            ("a-1.0.win32-py2.7.exe", "a", None),
            ("a-1.0-py2.7.egg", "a", None),
            ("a.whl", "a", None),
            ("-.tar.gz", "", None),
            ("a-x.tar.gz", "a", None),
            ("", "a", None),
        ] {
            let found = parse(file, package).map(|(version, kind)| match kind {
                Kind::Wheel { python, platform } => format!("{version} {python} {platform}"),
                Kind::Source(format) => format!("{version} {format:?}"),
                Kind::Other => format!("{version} other"),
            });
            assert_eq!(found.as_deref(), expected, "{file}");
        }
    }
}
