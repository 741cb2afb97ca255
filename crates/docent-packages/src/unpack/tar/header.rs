//! One header block of a tar archive, read strictly.
//!
//! Every field that any reader acts on must have one reading: numbers are octal digits or base-256,
//! without signs or anything between; the checksum must match.

use crate::unpack::fault::Fault;

pub(super) const BLOCK: usize = 512;

/// What an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    File,
    Folder,
    Link,
    /// PAX records for the next entry.
    Pax,
    /// PAX records for all entries that follow.
    PaxGlobal,
    /// The path of the next entry, in GNU's way.
    LongName,
    /// The target of the next link, in GNU's way.
    LongLink,
}

/// A header whose fields make sense.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) kind: Type,
    pub(super) size: u64,
    pub(super) path: Vec<u8>,
    /// Whether the name in the header itself ends with `/`.
    pub(super) slash: bool,
}

pub(super) fn is_zero(block: &[u8; BLOCK]) -> bool {
    block.iter().all(|&byte| byte == 0)
}

/// The name in a block that may make no sense, for errors.
pub(super) fn shown_name(block: &[u8; BLOCK]) -> String {
    String::from_utf8_lossy(text(&block[..100])).into_owned()
}

pub(super) fn parse(block: &[u8; BLOCK]) -> Result<Header, Fault> {
    verify(block)?;
    // Mode, owner, group, time and device numbers are of no interest, but another reader gives up
    // on a header in which one of them has no meaning.
    for (at, length) in [(100, 8), (108, 8), (116, 8), (136, 12), (329, 8), (337, 8)] {
        number(&block[at..at + length])?;
    }
    let size = number(&block[124..136])?;
    let size = size.ok_or(Fault::Rule("its size is negative or too large"))?;
    let name = text(&block[..100]);
    let slash = name.last() == Some(&b'/');
    let kind = match block[156] {
        // Old archives have folders as files whose names end with a slash.
        0 if slash => Type::Folder,
        0 | b'0' | b'7' => Type::File,
        b'1' | b'2' => Type::Link,
        b'5' => Type::Folder,
        b'x' => Type::Pax,
        b'g' => Type::PaxGlobal,
        b'L' => Type::LongName,
        b'K' => Type::LongLink,
        b'3' | b'4' => return Err(Fault::Rule("it is a device")),
        b'6' => return Err(Fault::Rule("it is a named pipe")),
        b'S' => return Err(Fault::Rule("it is a sparse file")),
        _ => return Err(Fault::Rule("it has a type that is not in use")),
    };
    if size > 0 && matches!(kind, Type::Folder | Type::Link) {
        return Err(Fault::Rule("it has a size, which its type cannot have"));
    }
    Ok(Header { kind, size, path: path(block, name, kind)?, slash })
}

/// The name, after the prefix if there is one.
fn path(block: &[u8; BLOCK], name: &[u8], kind: Type) -> Result<Vec<u8>, Fault> {
    let prefix = text(&block[345..500]);
    if prefix.is_empty() || matches!(kind, Type::LongName | Type::LongLink) {
        return Ok(name.to_owned());
    }
    // Formats before POSIX have other things in the place of the prefix, which not all readers know.
    if &block[257..263] != b"ustar\0" {
        return Err(Fault::Rule("it has a path prefix in a format that has none"));
    }
    Ok([prefix, b"/", name].concat())
}

/// A field up to its first NUL.
fn text(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    &field[..end]
}

/// The value of a numeric field; `None` if it is negative or has more than 63 bits.
fn number(field: &[u8]) -> Result<Option<u64>, Fault> {
    match field.first() {
        Some(0x80) => {
            let mut digits = field[1..].iter().copied();
            Ok(digits.try_fold(0u64, |value, digit| {
                (value < 1 << 55).then_some(value << 8 | u64::from(digit))
            }))
        }
        Some(0xFF) => Ok(None),
        _ => octal(field).map(Some),
    }
}

fn octal(field: &[u8]) -> Result<u64, Fault> {
    const RULE: Fault = Fault::Rule("a number in its header has no clear meaning");
    let digits = text(field);
    if field[digits.len()..].iter().any(|byte| !matches!(byte, 0 | b' ')) {
        return Err(RULE);
    }
    let digits = digits.trim_ascii();
    if digits.iter().any(|digit| !(b'0'..=b'7').contains(digit)) {
        return Err(RULE);
    }
    // At most twelve digits of three bits each.
    Ok(digits.iter().fold(0, |value, digit| value << 3 | u64::from(digit - b'0')))
}

fn verify(block: &[u8; BLOCK]) -> Result<(), Fault> {
    let stated = octal(&block[148..156])?;
    let counted = |at: usize| if (148..156).contains(&at) { b' ' } else { block[at] };
    let sum: u64 = (0..BLOCK).map(|at| u64::from(counted(at))).sum();
    if sum == stated { Ok(()) } else { Err(Fault::Rule("the checksum of its header is wrong")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_reading_or_none() {
        let check = |field: &[u8], expected: Result<Option<u64>, ()>| {
            assert_eq!(number(field).map_err(|_| ()), expected, "{}", field.escape_ascii());
        };
        check(b"0000644\0", Ok(Some(0o644)));
        check(b"   644 \0", Ok(Some(0o644)));
        check(b"00000000644\0", Ok(Some(0o644)));
        check(b"777777777777", Ok(Some(0o777_777_777_777)));
        check(b"\0\0\0\0", Ok(Some(0)));
        check(b"644\0 \0\0 ", Ok(Some(0o644)));
        check(b"644\x001", Err(()));
        check(b"-644", Err(()));
        check(b"+644", Err(()));
        check(b"0o644", Err(()));
        check(b"6_4", Err(()));
        check(b"6 4", Err(()));
        check(b"648", Err(()));
        check(b"\x80\0\0\0\0\0\0\0\0\0\x01\0", Ok(Some(256)));
        check(b"\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", Ok(Some(i64::MAX.cast_unsigned())));
        check(b"\x80\0\0\0\x80\0\0\0\0\0\0\0", Ok(None));
        check(b"\x80\x01\0\0\0\0\0\0\0\0\0\0", Ok(None));
        check(b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", Ok(None));
        check(b"\x81\0\0\0", Err(()));
    }
}
