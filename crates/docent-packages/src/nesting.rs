//! How deeply brackets nest in a text, found without recursion, before a recursive parser sees it.

/// Whether brackets are open more than `limit` deep anywhere; strings and comments are not told
/// apart, since a closing bracket inside one only makes the count smaller.
pub(crate) fn deeper_than(text: &str, limit: usize) -> bool {
    let mut open = 0usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                if open > limit {
                    return true;
                }
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    false
}
