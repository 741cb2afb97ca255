//! Where strings, regular expressions and comments of Swift end.
//!
//! Used by [`super::lex`]. Strings hold code, which holds strings: an explicit stack keeps count.

/// What is open inside a string.
enum Open {
    /// A string with that many `#` around it, of one line or of many.
    Text { hashes: usize, lines: bool },
    /// Code inside a string, with that many brackets open in it.
    Code { brackets: usize },
}

/// The end of the string that begins at `start`, with `"` or with `#`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut open = Vec::new();
    let mut at = begin(bytes, start, &mut open);
    while let Some(&byte) = bytes.get(at) {
        match open.last_mut() {
            None => return at,
            Some(Open::Text { hashes, lines }) => {
                let (hashes, lines) = (*hashes, *lines);
                match byte {
                    b'\\' if has_hashes(bytes, at + 1, hashes) => {
                        at += 1 + hashes;
                        if bytes.get(at) == Some(&b'(') {
                            open.push(Open::Code { brackets: 0 });
                        }
                        at += 1;
                    }
                    b'"' => {
                        let quotes = if lines { 3 } else { 1 };
                        let is_end = bytes[at..].starts_with(&b"\"\"\""[..quotes])
                            && has_hashes(bytes, at + quotes, hashes);
                        at += if is_end { quotes + hashes } else { 1 };
                        if is_end {
                            open.pop();
                        }
                    }
                    // A string of one line that is not closed ends there, and all around it.
                    b'\n' if !lines => return at,
                    _ => at += 1,
                }
            }
            Some(Open::Code { brackets }) => match byte {
                b'(' => {
                    *brackets += 1;
                    at += 1;
                }
                b')' if *brackets == 0 => {
                    open.pop();
                    at += 1;
                }
                b')' => {
                    *brackets -= 1;
                    at += 1;
                }
                b'"' => at = begin(bytes, at, &mut open),
                b'#' if bytes[at..].iter().find(|&&byte| byte != b'#') == Some(&b'"') => {
                    at = begin(bytes, at, &mut open);
                }
                _ => at += 1,
            },
        }
    }
    bytes.len()
}

/// Opens a string, and gives the place after its quotes.
fn begin(bytes: &[u8], start: usize, open: &mut Vec<Open>) -> usize {
    let hashes = bytes[start..].iter().take_while(|&&byte| byte == b'#').count();
    let quote = start + hashes;
    let rest = bytes.get(quote..).unwrap_or_default();
    // `""` with nothing but the end after it is an empty string, not the start of a long one.
    let lines = rest.starts_with(b"\"\"\"") && !(hashes > 0 && is_short(rest, hashes));
    open.push(Open::Text { hashes, lines });
    (quote + if lines { 3 } else { 1 }).min(bytes.len())
}

/// Whether `#"""#` is a string of one line that holds one quote.
fn is_short(rest: &[u8], hashes: usize) -> bool {
    has_hashes(rest, 3, hashes)
}

fn has_hashes(bytes: &[u8], at: usize, hashes: usize) -> bool {
    let after = bytes.get(at..).unwrap_or_default();
    after.len() >= hashes && after[..hashes].iter().all(|&byte| byte == b'#')
}

/// The end of a comment between `/*` and `*/`, which may hold others.
pub(super) fn comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth = depth.saturating_sub(1);
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// The end of a regular expression between single slashes, all on one line. As the language has it,
/// a bracket that closes too much means that the slash was an operator.
pub(super) fn regex_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    let (mut brackets, mut in_class) = (0usize, false);
    loop {
        match *bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => brackets += 1,
            b')' if !in_class => brackets = brackets.checked_sub(1)?,
            b'/' if at > start + 1 => return Some(at + 1),
            b'/' => return None,
            _ => {}
        }
        at += 1;
    }
}

/// The end of a regular expression between `#/` and `/#`, which may have many lines.
pub(super) fn extended_regex_end(bytes: &[u8], start: usize, hashes: usize) -> usize {
    let mut at = start + hashes + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'/' if has_hashes(bytes, at + 1, hashes) => return at + 1 + hashes,
            _ => at += 1,
        }
    }
    bytes.len()
}
