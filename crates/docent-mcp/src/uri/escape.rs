//! Percent-escapes: written by `expand` and `parse`, undone by `bind` and `files`.

use super::characters::Class;

/// Whether `bytes` begins with `%` and two hexadecimal digits.
pub(super) fn starts_with_escape(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// Appends `text`, escaping the UTF-8 bytes of every character outside `allowed`. With
/// `keep_escapes`, an escape that `text` already contains stays as it is.
pub(super) fn encode_into(out: &mut String, text: &str, allowed: Class, keep_escapes: bool) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for (at, byte) in text.bytes().enumerate() {
        let kept = keep_escapes && starts_with_escape(&text.as_bytes()[at..]);
        if allowed.has(byte) || kept {
            out.push(char::from(byte));
        } else {
            let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

/// Undoes the escapes; `None` when one is broken or the bytes are not UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    if memchr::memchr(b'%', text.as_bytes()).is_none() {
        return Some(text.to_owned());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let high = char::from(bytes.next()?).to_digit(16)?;
        let low = char::from(bytes.next()?).to_digit(16)?;
        out.push(u8::try_from(high << 4 | low).ok()?);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::super::characters::{RESERVED, UNRESERVED};
    use super::{decode, encode_into};

    #[test]
    fn escapes_are_written_and_undone() {
        for (text, plain, reserved) in [
            ("", "", ""),
            ("aZ09-._~", "aZ09-._~", "aZ09-._~"),
            ("50%", "50%25", "50%25"),
            ("%41%4", "%2541%254", "%41%254"),
            ("a/b?c", "a%2Fb%3Fc", "a/b?c"),
            ("é漢\u{1F600}\0", "%C3%A9%E6%BC%A2%F0%9F%98%80%00", "%C3%A9%E6%BC%A2%F0%9F%98%80%00"),
        ] {
            let mut out = String::new();
            encode_into(&mut out, text, UNRESERVED, false);
            assert_eq!(out, plain, "{text:?}");
            assert_eq!(decode(&out).as_deref(), Some(text), "{text:?}");
            let mut out = String::new();
            encode_into(&mut out, text, UNRESERVED.with(RESERVED), true);
            assert_eq!(out, reserved, "{text:?}");
        }
    }

    #[test]
    fn broken_escapes_do_not_decode() {
        for text in
            ["%", "%4", "a%", "%zz", "%+1", "%é", "%FF", "%C3", "%C3x", "%C0%AE", "%ED%A0%80"]
        {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
