//! Characters and escapes: reading those of ECMA-262, writing those of the engine.
//!
//! Fed by `translate` and `class`, which share them.

use std::fmt::Write as _;

/// ECMA-262 `\s` with the Unicode spaces, as class items.
pub(super) const SPACE: &str =
    r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

/// Everything that [`SPACE`] leaves out, as class items.
pub(super) const NOT_SPACE: &str = concat!(
    r"\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}",
    r"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}",
);

/// The character that the escape after a backslash stands for.
pub(super) fn escaped_char(rest: &mut &str) -> Result<char, String> {
    let mut chars = rest.chars();
    let Some(c) = chars.next() else { return Err("ends in a backslash".to_owned()) };
    let unknown = || format!("unknown escape `\\{c}`");
    let hex = |digits: &str| -> Option<u32> {
        let hex = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    };
    let after = chars.as_str();
    let (value, behind) = match c {
        't' => ('\t', after),
        'n' => ('\n', after),
        'r' => ('\r', after),
        'v' => ('\u{b}', after),
        'f' => ('\u{c}', after),
        '0' if !after.starts_with(|c: char| c.is_ascii_digit()) => ('\0', after),
        'c' => {
            let letter = after.chars().next().filter(char::is_ascii_alphabetic);
            let letter = letter.ok_or_else(unknown)?;
            (char::from(letter as u8 % 32), &after[1..])
        }
        'x' => {
            let code = after.get(..2).and_then(hex).ok_or_else(unknown)?;
            (char::from_u32(code).ok_or_else(unknown)?, &after[2..])
        }
        'u' => unicode(after, hex).ok_or_else(unknown)?,
        'p' | 'P' => {
            return Err(format!("Unicode property classes (`\\{c}`) are not supported"));
        }
        _ if c.is_ascii_alphanumeric() => return Err(unknown()),
        _ => (c, after),
    };
    *rest = behind;
    Ok(value)
}

/// `\u{1F600}`, `\u0041`, or a pair of surrogates; `text` begins after the `u`.
fn unicode(text: &str, hex: impl Fn(&str) -> Option<u32>) -> Option<(char, &str)> {
    if let Some(braced) = text.strip_prefix('{') {
        let (digits, behind) = braced.split_once('}')?;
        return Some((char::from_u32(hex(digits)?)?, behind));
    }
    let high = hex(text.get(..4)?)?;
    let behind = &text[4..];
    if !(0xd800..0xdc00).contains(&high) {
        return Some((char::from_u32(high)?, behind));
    }
    let low = hex(behind.strip_prefix("\\u")?.get(..4)?)?;
    let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    Some((char::from_u32(0x10000 + ((high - 0xd800) << 10) + low)?, &behind[6..]))
}

/// Writes a character so that the engine takes it literally, inside a class or outside.
pub(super) fn literal(c: char, out: &mut String) {
    if c.is_ascii_punctuation() || c.is_ascii_control() {
        let _ = write!(out, "\\x{{{:x}}}", c as u32);
    } else {
        out.push(c);
    }
}
