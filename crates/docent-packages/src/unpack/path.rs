//! Decides whether the path of an entry is acceptable, and gives its normal form.
//!
//! Every reader of this module asks here and nowhere else. A path is refused rather than repaired:
//! what one program repairs in one way, another repairs in another.

use std::fmt;

/// Why a path is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    Empty,
    TooLong,
    Absolute,
    Drive,
    Parent,
    Backslash,
    Control,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "its path is empty",
            Self::TooLong => "its path is longer than the limit",
            Self::Absolute => "its path is absolute",
            Self::Drive => "its path starts with a drive letter",
            Self::Parent => "its path contains `..`",
            Self::Backslash => "its path contains a backslash",
            Self::Control => "its path contains a control character",
        })
    }
}

/// The normal form of a path: parts separated by one `/`, none of them `.`; empty for the root.
pub(crate) fn normal(path: &str, bytes_max: usize) -> Result<String, Fault> {
    if path.is_empty() {
        return Err(Fault::Empty);
    }
    if path.len() > bytes_max {
        return Err(Fault::TooLong);
    }
    if path.chars().any(char::is_control) {
        return Err(Fault::Control);
    }
    // A separator on one system and part of a name on another.
    if path.contains('\\') {
        return Err(Fault::Backslash);
    }
    if path.starts_with('/') {
        return Err(Fault::Absolute);
    }
    let mut normal = String::with_capacity(path.len());
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err(Fault::Parent),
            part => {
                if normal.is_empty() && is_drive(part) {
                    return Err(Fault::Drive);
                }
                if !normal.is_empty() {
                    normal.push('/');
                }
                normal.push_str(part);
            }
        }
    }
    Ok(normal)
}

fn is_drive(part: &str) -> bool {
    matches!(part.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Result<&str, Fault>) {
        assert_eq!(normal(path, 20), expected.map(str::to_owned), "{path:?}");
    }

    #[test]
    fn good_paths_get_their_normal_form() {
        check("a", Ok("a"));
        check("a/b.c", Ok("a/b.c"));
        check("./a//b/./c/", Ok("a/b/c"));
        check(".", Ok(""));
        check("a..b/..c/d..", Ok("a..b/..c/d.."));
        check("héé/日本", Ok("héé/日本"));
        check("doc/C:x", Ok("doc/C:x"));
        check("aaaaaaaaaaaaaaaaaaaa", Ok("aaaaaaaaaaaaaaaaaaaa"));
    }

    #[test]
    fn bad_paths_are_refused_by_rule() {
        check("", Err(Fault::Empty));
        check("aaaaaaaaaaaaaaaaaaaaa", Err(Fault::TooLong));
        check("..", Err(Fault::Parent));
        check("a/../b", Err(Fault::Parent));
        check("a/b/..", Err(Fault::Parent));
        check("./../a", Err(Fault::Parent));
        check("/etc/passwd", Err(Fault::Absolute));
        check("//host/share", Err(Fault::Absolute));
        check("C:/x", Err(Fault::Drive));
        check("./c:x", Err(Fault::Drive));
        check("a\\b", Err(Fault::Backslash));
        check("\\\\host\\x", Err(Fault::Backslash));
        check("a\0b", Err(Fault::Control));
        check("a\nb", Err(Fault::Control));
        check("a\u{85}b", Err(Fault::Control));
    }
}
