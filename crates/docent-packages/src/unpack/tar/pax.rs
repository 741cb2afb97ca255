//! The records of a PAX header: `LENGTH KEY=VALUE`, one after another, read strictly.
//!
//! Only the path is ever taken over. A size that differs from the header's would move everything
//! after it, and readers disagree on which one counts; sparse files are not supported at all.

use crate::unpack::fault::Fault;

/// What the records say that matters here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
}

const MALFORMED: Fault = Fault::Rule("its PAX header is malformed");

/// Reads the records for one entry.
pub(super) fn parse(mut rest: &[u8]) -> Result<Pax, Fault> {
    let mut found = Pax::default();
    while let Some((key, value)) = record(&mut rest)? {
        match key {
            b"path" if found.path.is_some() => return Err(TWICE),
            b"path" => {
                if value.is_empty() || value.contains(&0) {
                    return Err(MALFORMED);
                }
                found.path = Some(value.to_owned());
            }
            b"size" if found.size.is_some() => return Err(TWICE),
            b"size" => found.size = Some(decimal(value).ok_or(MALFORMED)?),
            key => known(key)?,
        }
    }
    Ok(found)
}

const TWICE: Fault = Fault::Rule("its PAX header says one thing twice");

/// Checks the records for all entries that follow: they may hold comments and times, nothing else.
pub(super) fn check_global(mut rest: &[u8]) -> Result<(), Fault> {
    while let Some((key, _)) = record(&mut rest)? {
        if matches!(key, b"path" | b"size" | b"linkpath" | b"hdrcharset") {
            return Err(Fault::Rule("a global PAX header has a path or a size"));
        }
        known(key)?;
    }
    Ok(())
}

fn known(key: &[u8]) -> Result<(), Fault> {
    if key.starts_with(b"GNU.sparse") {
        return Err(Fault::Rule("it is a sparse file"));
    }
    // Everything after the first `=` is value, so a key never contains one; a line break or a NUL
    // in it is read in different ways.
    if key.is_empty() || key.iter().any(|byte| *byte < b' ') {
        return Err(MALFORMED);
    }
    Ok(())
}

/// A key and its value.
type Record<'a> = (&'a [u8], &'a [u8]);

/// Takes the next record off; `None` at the end.
fn record<'a>(rest: &mut &'a [u8]) -> Result<Option<Record<'a>>, Fault> {
    if rest.is_empty() {
        return Ok(None);
    }
    let space = rest.iter().take(12).position(|&byte| byte == b' ').ok_or(MALFORMED)?;
    let length = decimal(&rest[..space]).and_then(|length| usize::try_from(length).ok());
    let length = length.filter(|&length| length > space + 1).ok_or(MALFORMED)?;
    let record = rest.get(space + 1..length).ok_or(MALFORMED)?;
    let record = record.strip_suffix(b"\n").ok_or(MALFORMED)?;
    let equals = record.iter().position(|&byte| byte == b'=').ok_or(MALFORMED)?;
    *rest = &rest[length..];
    Ok(Some((&record[..equals], &record[equals + 1..])))
}

fn decimal(digits: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(digits).ok()?;
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(records: &str, expected: Result<(Option<&str>, Option<u64>), Fault>) {
        let expected = expected
            .map(|(path, size)| Pax { path: path.map(|path| path.as_bytes().to_owned()), size });
        assert_eq!(parse(records.as_bytes()), expected, "{records:?}");
    }

    #[test]
    fn records_are_read_strictly() {
        check("", Ok((None, None)));
        check("10 path=a\n", Ok((Some("a"), None)));
        check("12 path=a=b\n11 size=10\n", Ok((Some("a=b"), Some(10))));
        check("18 comment=a\nb=cd\n", Ok((None, None)));
        check("10 path=a", Err(MALFORMED));
        check("10 path=ab\n", Err(MALFORMED));
        check("9 path=a\n", Ok((Some("a"), None)));
        check("8 path=a\n", Err(MALFORMED));
        check("99 path=a\n", Err(MALFORMED));
        check("0 path=a\n", Err(MALFORMED));
        check("-1 path=a\n", Err(MALFORMED));
        check("+10 path=a\n", Err(MALFORMED));
        check("99999999999999999999 path=a\n", Err(MALFORMED));
        check("8 path=\n", Err(MALFORMED));
        check("11 path=a\0\n", Err(MALFORMED));
        check("6 path\n", Err(MALFORMED));
        check("5 =a\n", Err(MALFORMED));
        check("10 path=a\n\0\0", Err(MALFORMED));
        check("11 size=-1\n", Err(MALFORMED));
        check("10 path=a\n10 path=b\n", Err(TWICE));
        check("10 size=1\n10 size=1\n", Err(TWICE));
        check("22 GNU.sparse.major=1\n", Err(Fault::Rule("it is a sparse file")));
    }

    #[test]
    fn a_global_header_holds_comments_only() {
        assert_eq!(check_global(b"13 comment=a\n"), Ok(()));
        let rule = Err(Fault::Rule("a global PAX header has a path or a size"));
        assert_eq!(check_global(b"10 path=a\n"), rule);
        assert_eq!(check_global(b"10 size=1\n"), rule);
    }
}
