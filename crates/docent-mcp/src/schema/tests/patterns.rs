//! ECMA-262 patterns: what matches, and what is refused.

use super::super::{SchemaError, SchemaLimits, Validator};
use serde_json::json;

fn compile(pattern: &str) -> Result<Validator, SchemaError> {
    Validator::new(&json!({ "pattern": pattern }), &SchemaLimits::default())
}

#[test]
fn patterns_match_as_ecma_262_says() {
    // Pattern, texts that match, texts that do not.
    let table: &[(&str, &[&str], &[&str])] = &[
        ("", &["", "a"], &[]),
        ("a|b", &["xbx"], &["c"]),
        (r"^\d+$", &["123"], &["१२३", "12a"]),
        (r"^\w$", &["a", "_"], &["é", "-"]),
        (r"^\s$", &[" ", "\u{a0}", "\u{feff}", "\u{2003}"], &["a", "\u{200b}"]),
        (r"^\S$", &["a", "\u{200b}"], &[" ", "\u{a0}", "\u{2028}"]),
        (r"^[^\S]$", &[" ", "\u{3000}"], &["a"]),
        (r"^[\s\d]$", &["1", "\u{2029}"], &["a"]),
        ("^.$", &["a", "\u{1F600}"], &["\n", "\r", "\u{2028}", ""]),
        ("^a$", &["a"], &["a\n", "\na"]),
        (r"^\cA\x41\u0042\u{43}\t\0$", &["\u{1}ABC\t\0"], &["ABC"]),
        (r"^\uD83D\uDE00$", &["\u{1F600}"], &["\u{1F601}"]),
        (r"^\/\-\.\$$", &["/-.$"], &["/-a$"]),
        ("^[]$|^[^]$", &["x", "\n"], &["", "xx"]),
        (r"^[[&&\]~~-]+$", &["[&]~-"], &["a"]),
        (r"^[\w-.]+$", &["a-._"], &["a b"]),
        (r"^[a\-z]+$", &["a-z"], &["b"]),
        (r"^[\b]$", &["\u{8}"], &["b"]),
        ("^{a}$", &["{a}"], &["a"]),
        ("^a{2}b{1,}c{0,1}$", &["aab", "aabbc"], &["ab", "aabcc"]),
        ("^x{,3}]}$", &["x{,3}]}"], &["xx]}"]),
        ("^(?:a)(b)(?<name>c)(?P<other>d)$", &["abcd"], &["abc"]),
        ("^(?i:a)b$", &["Ab", "ab"], &["AB"]),
        (r"\bcat\b", &["a cat."], &["concat"]),
        ("^a+?$", &["aaa"], &["b"]),
        // Look-ahead at the start, as schema generators write it.
        (r"^(?=.*\d)(?=.*[a-z])(?!.*\s).{4,}$", &["abc1"], &["abcd", "1234", "ab 1", "a1"]),
        (r"^(?!\.)(?!.*\.\.)([a-z.]*)[a-z]@[a-z]+$", &["a.b@c"], &[".a@c", "a..b@c"]),
        (r"^(?!(?:con|aux)$)[a-z)]+$", &["cons", "a)"], &["con", "aux"]),
    ];
    for (pattern, matching, others) in table {
        let validator = compile(pattern).unwrap_or_else(|error| panic!("{error}"));
        for text in *matching {
            assert!(validator.is_valid(&json!(text)), "{pattern} should match {text:?}");
        }
        for text in *others {
            assert!(!validator.is_valid(&json!(text)), "{pattern} should not match {text:?}");
        }
    }
}

#[test]
fn what_cannot_be_expressed_is_refused() {
    let table = [
        ("a(?=b)", "look-around"),
        ("^(?<=a)b", "look-around"),
        ("^(?=a)b|c", "look-around"),
        ("^(?!(?!a)b)c", "look-around"),
        (r"(a)\1", "back-references"),
        (r"(?<a>b)\k<a>", "back-references"),
        (r"\p{Letter}", "Unicode property"),
        (r"[\P{L}]", "Unicode property"),
        (r"\a", "unknown escape"),
        (r"\u12", "unknown escape"),
        (r"\uD83D", "unknown escape"),
        ("a\\", "ends in a backslash"),
        ("[a", "unclosed `[`"),
        ("[z-a]", "reversed"),
        ("a)", "unmatched `)`"),
        ("(a", "group"),
        ("(?x:a)", "unknown group"),
        ("*a", ""),
        ("a{3,1}", ""),
    ];
    for (pattern, reason) in table {
        match compile(pattern) {
            Err(SchemaError::Pattern { reason: given, .. }) => {
                assert!(given.contains(reason), "{pattern}: {given}");
            }
            other => panic!("{pattern}: {other:?}"),
        }
    }
}
