//! Why an archive is refused, before and after it is known where.

use std::{fmt, io};

use super::path;
use crate::{Error, ErrorKind};

/// A rule that an archive breaks, or a limit it exceeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The path of an entry is not acceptable.
    Path(path::Fault),
    /// A rule of the format, as an English clause.
    Rule(&'static str),
    /// It ends too early.
    Truncated,
    /// It is not gzip, or damaged.
    Gzip,
    /// Something follows its end.
    Trailing,
    /// Too many bytes in all.
    UnpackedBytes,
    /// Too many bytes for its size.
    Ratio,
    /// Too many entries.
    Entries,
    /// Its files are not those that were published.
    Hash,
    /// It could not be read.
    Io(String),
}

impl Fault {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Path(path::Fault::TooLong)
            | Self::UnpackedBytes
            | Self::Ratio
            | Self::Entries => ErrorKind::LimitExceeded,
            Self::Hash => ErrorKind::Integrity,
            Self::Io(_) => ErrorKind::Io,
            _ => ErrorKind::Refused,
        }
    }

    /// The error for an archive, at an entry if one is to blame. Whose archive it is adds who knows:
    /// where the cache keeps it tells nobody anything.
    pub(crate) fn error(&self, entry: Option<&str>) -> Error {
        let entry = entry.map_or(String::new(), |entry| format!(" at `{}`", shown(entry)));
        let verb = if matches!(self, Self::Io(_)) { "could not be read" } else { "was refused" };
        Error::new(self.kind(), format!("the archive {verb}{entry}: {self}"))
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // All files together are more than a worker may have in memory.
            io::ErrorKind::OutOfMemory => Self::UnpackedBytes,
            _ => Self::Io(error.to_string()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(fault) => fault.fmt(f),
            Self::Rule(rule) => f.write_str(rule),
            Self::Truncated => f.write_str("it ends too early"),
            Self::Gzip => f.write_str("it is not gzip, or damaged"),
            Self::Trailing => f.write_str("something follows its end"),
            Self::UnpackedBytes => f.write_str("it unpacks to more bytes than the limit"),
            Self::Ratio => f.write_str("it unpacks to too many times its size"),
            Self::Entries => f.write_str("it has more entries than the limit"),
            Self::Hash => f.write_str("its files are not those that `go.sum` has the hash of"),
            Self::Io(error) => f.write_str(error),
        }
    }
}

/// A name that can be printed anywhere, and is not too long to.
fn shown(entry: &str) -> String {
    const LENGTH_MAX: usize = 120;
    let mut text: String = entry.chars().take(LENGTH_MAX).flat_map(char::escape_debug).collect();
    if entry.chars().nth(LENGTH_MAX).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_entry_and_the_rule() {
        let check = |fault: Fault, entry: Option<&str>, kind, expected: &str| {
            let error = fault.error(entry);
            assert_eq!((error.kind(), error.to_string().as_str()), (kind, expected));
        };
        let refused = "the archive was refused at `../\\n`: its path contains `..`";
        check(Fault::Path(path::Fault::Parent), Some("../\n"), ErrorKind::Refused, refused);
        let limit = "the archive was refused: it has more entries than the limit";
        check(Fault::Entries, None, ErrorKind::LimitExceeded, limit);
        let io = "the archive could not be read: no such file";
        check(Fault::Io("no such file".to_owned()), None, ErrorKind::Io, io);
        assert_eq!(shown(&"a".repeat(500)).chars().count(), 121);
    }
}
