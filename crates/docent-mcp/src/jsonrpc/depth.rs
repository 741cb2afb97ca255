//! How deeply a JSON text is nested, found without recursion and before anything is parsed.

/// Whether arrays and objects nest deeper than `max` levels. The text must be valid JSON for the
/// answer to be exact; for anything else it is still an upper bound on what a parser would open.
pub(crate) fn exceeds(text: &[u8], max: usize) -> bool {
    // Most messages do not even hold `max` brackets, and counting them is vectorized.
    if memchr::memchr2_iter(b'{', b'[', text).nth(max).is_none() {
        return false;
    }
    let mut depth = 0usize;
    let mut rest = text;
    while let Some(at) =
        rest.iter().position(|byte| matches!(byte, b'{' | b'[' | b'}' | b']' | b'"'))
    {
        match rest[at] {
            b'{' | b'[' => depth += 1,
            b'"' => {
                let Some(end) = string_end(&rest[at + 1..]) else { return false };
                rest = &rest[at + 1 + end..];
                continue;
            }
            _ => depth = depth.saturating_sub(1),
        }
        if depth > max {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

/// The offset just past the closing quote of a string whose opening quote was already taken.
///
/// Looks for quotes and then back at what precedes them, because texts hold far more escaped line
/// ends than escaped quotes.
pub(crate) fn string_end(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'"', text).map(|at| at + 1).find(|end| {
        let before = text[..end - 1].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    })
}

#[cfg(test)]
mod tests {
    use super::exceeds;

    #[test]
    fn depth_is_exact_at_the_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for (text, max, expected) in [
            (nested(64), 64, false),
            (nested(65), 64, true),
            (nested(100_000), 64, true),
            (format!("[{}]", "[],".repeat(500) + "1"), 64, false),
            (format!("[\"{}\"]", "[".repeat(500)), 64, false),
            (format!("[\"\\\"{}\"]", "[".repeat(500)), 64, false),
            (format!("[\"\\\\\",{}]", nested(64)), 64, true),
            (format!("[\"\\\\\\\"{}\"]", "[".repeat(500)), 64, false),
        ] {
            assert_eq!(exceeds(text.as_bytes(), max), expected, "{}…", &text[..text.len().min(40)]);
        }
    }
}
