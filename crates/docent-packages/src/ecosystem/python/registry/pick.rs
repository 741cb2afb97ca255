//! Which file of a release is best to read.

use super::Link;
use super::file_name::Kind;
use crate::tree::ArchiveFormat;

/// What a file is worth, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A wheel that fits everywhere: all that can be imported, and nothing compiled.
    Pure,
    /// A wheel for this kind of machine.
    ForThisMachine,
    /// A wheel for another one, whose Python files are mostly the same.
    ForAnother,
    /// The source, in which files that are made when it is built are missing.
    Source,
    /// A wheel for Python 2 alone.
    Old,
}

/// The best file and its format: of several as good, the smallest; none larger than `limit` if
/// there is a smaller one.
pub(crate) fn best<'a>(
    files: &[(Kind, &'a Link)],
    limit: u64,
) -> Option<(ArchiveFormat, &'a Link)> {
    let readable = files.iter().filter_map(|(kind, link)| {
        let (rank, format) = match kind {
            Kind::Wheel { python, platform } => (wheel(python, platform), ArchiveFormat::Zip),
            Kind::Source(format) => (Rank::Source, *format),
            Kind::Other => return None,
        };
        let too_large = link.size.is_some_and(|size| size > limit);
        let size = link.size.unwrap_or(u64::MAX);
        let zip = format == ArchiveFormat::Zip;
        Some(((too_large, rank, size, zip, &link.file), (format, *link)))
    });
    readable.min_by(|a, b| a.0.cmp(&b.0)).map(|(_, found)| found)
}

fn wheel(python: &str, platform: &str) -> Rank {
    if python.split('.').all(|tag| tag.starts_with("py2") || tag.starts_with("cp2")) {
        return Rank::Old;
    }
    let mut tags = platform.split('.');
    if platform == "any" {
        Rank::Pure
    } else if tags.any(|tag| is_for(tag, std::env::consts::OS, std::env::consts::ARCH)) {
        Rank::ForThisMachine
    } else {
        Rank::ForAnother
    }
}

/// Whether a platform tag is of an operating system and processor, by Rust's words for them.
fn is_for(tag: &str, system: &str, processor: &str) -> bool {
    match system {
        "linux" => tag.contains("linux") && tag.ends_with(processor),
        "macos" => {
            let processor = if processor == "aarch64" { "arm64" } else { processor };
            tag.starts_with("macosx") && (tag.ends_with(processor) || tag.ends_with("universal2"))
        }
        "windows" => match processor {
            "x86_64" => tag == "win_amd64",
            "aarch64" => tag == "win_arm64",
            _ => tag == "win32",
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_machines() {
        for (tag, system, processor, expected) in [
            ("manylinux_2_17_x86_64", "linux", "x86_64", true),
            ("musllinux_1_1_aarch64", "linux", "aarch64", true),
            ("manylinux1_i686", "linux", "x86_64", false),
            ("macosx_11_0_arm64", "macos", "aarch64", true),
            ("macosx_10_9_universal2", "macos", "x86_64", true),
            ("macosx_11_0_arm64", "linux", "aarch64", false),
            ("win_amd64", "windows", "x86_64", true),
            ("win32", "windows", "x86_64", false),
        ] {
            assert_eq!(is_for(tag, system, processor), expected, "{tag} {system} {processor}");
        }
    }
}
