//! The grammar of `_meta` keys: an optional dotted prefix ending in a slash, then a name.

/// Whether a key has a permitted form.
///
/// ```
/// # use docent_mcp::types::meta_key_is_valid;
/// assert!(meta_key_is_valid("com.example/trace-id"));
/// assert!(meta_key_is_valid("progressToken"));
/// assert!(!meta_key_is_valid("com..example/x"));
/// assert!(!meta_key_is_valid("-x"));
/// ```
pub fn meta_key_is_valid(key: &str) -> bool {
    match key.split_once('/') {
        Some((prefix, name)) => prefix.split('.').all(label_is_valid) && name_is_valid(name),
        None => !key.is_empty() && name_is_valid(key),
    }
}

/// Whether a key's prefix belongs to the protocol itself, so that nobody else may define keys
/// under it: the second label is `mcp` or `modelcontextprotocol`.
pub fn meta_key_is_reserved(key: &str) -> bool {
    key.split_once('/')
        .and_then(|(prefix, _)| prefix.split('.').nth(1))
        .is_some_and(|label| label == "mcp" || label == "modelcontextprotocol")
}

/// A letter first, a letter or digit last, hyphens only between.
fn label_is_valid(label: &str) -> bool {
    let bytes = label.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    first.is_ascii_alphabetic()
        && last.is_ascii_alphanumeric()
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Letters or digits at both ends; `-`, `_` and `.` too between. After a prefix it may be empty.
fn name_is_valid(name: &str) -> bool {
    let bytes = name.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return true };
    first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [BOTH-META-01] the grammar of keys
    #[test]
    fn keys_follow_the_grammar() {
        for key in [
            "progressToken",
            "a",
            "0",
            "a.b_c-d9",
            "com.example/",
            "com.example/name",
            "x/y",
            "a1-b.c2/n.a-m_e",
            "io.modelcontextprotocol/related-task",
        ] {
            assert!(meta_key_is_valid(key), "{key:?}");
        }
        for key in [
            "",
            "/",
            "/name",
            "-a",
            "a-",
            "_a",
            "a.",
            ".a",
            "a b",
            "ä",
            "com./x",
            ".com/x",
            "com..x/y",
            "1com/x",
            "com-/x",
            "-com/x",
            "com_x/y",
            "com/x/y",
            "com/-x",
            "com/x-",
            "com/é",
            "com.example/na me",
            "a\n",
        ] {
            assert!(!meta_key_is_valid(key), "{key:?}");
        }
    }

    /// [BOTH-META-01] reserved prefixes
    #[test]
    fn the_second_label_decides_what_is_reserved() {
        for key in [
            "io.modelcontextprotocol/x",
            "dev.mcp/x",
            "org.modelcontextprotocol.api/x",
            "com.mcp.tools/",
        ] {
            assert!(meta_key_is_reserved(key), "{key:?}");
        }
        for key in ["com.example.mcp/x", "mcp/x", "mcp", "com.mcpx/y", "progressToken", "a.mcp"] {
            assert!(!meta_key_is_reserved(key), "{key:?}");
        }
    }
}
