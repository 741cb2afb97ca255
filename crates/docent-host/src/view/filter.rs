//! Which tools of a server are offered: globs, in which `*` stands for any text.

use crate::config::Filter;

/// Whether a filter lets a tool through. What is denied stays denied, whatever allows it.
pub(crate) fn allows(filter: &Filter, name: &str) -> bool {
    let matches = |globs: &[String]| globs.iter().any(|glob| is_match(glob, name));
    (filter.allow.is_empty() || matches(&filter.allow)) && !matches(&filter.deny)
}

/// Whether a glob matches all of a text. Takes time in proportion to both lengths at worst.
fn is_match(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // Where the last star was, and how far it has reached: only that one ever has to grow.
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(one) if *one == text[seen] || *one == '?' => {
                at += 1;
                seen += 1;
            }
            _ => match &mut star {
                Some((from, reach)) => {
                    *reach += 1;
                    (at, seen) = (*from + 1, *reach);
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (glob, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "anything", true),
            ("read_*", "read_file", true),
            ("read_*", "write_file", false),
            ("*_file", "read_file", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("r??d", "read", true),
            ("r?d", "read", false),
            ("read", "reads", false),
        ] {
            assert_eq!(is_match(glob, text), expected, "{glob} {text}");
        }
        // A glob that makes naive matchers take forever.
        assert!(!is_match(&"*a".repeat(200), &"b".repeat(2000)));
    }

    #[test]
    fn what_is_denied_stays_denied() {
        let filter = Filter { allow: vec!["read_*".into()], deny: vec!["*_secret".into()] };
        assert!(allows(&filter, "read_file"));
        assert!(!allows(&filter, "read_secret"));
        assert!(!allows(&filter, "write_file"));
        assert!(allows(&Filter::default(), "write_file"));
    }
}
