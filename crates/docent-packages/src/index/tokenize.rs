//! Text as the words that are searched for: identifiers taken apart, endings cut off.
//!
//! Used for what is indexed and for what is asked, so that both sides agree.

/// Calls `each` with every term of a text, in order: `differenceInDays` gives `differenceindays`,
/// `difference`, `in`, `day`.
///
/// An identifier of several words also counts as a whole, so that asking for it by its exact name
/// beats everything that merely shares its words.
pub(crate) fn terms(text: &str, mut each: impl FnMut(&str)) {
    let mut lower = String::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')) {
        let mut parts = 0;
        for part in identifier_parts(word) {
            parts += 1;
            lower.clear();
            lower.extend(part.chars().flat_map(char::to_lowercase));
            each(stem(&lower));
        }
        if parts > 1 {
            each(&whole(word));
        }
    }
}

/// An identifier in the one spelling that all its spellings share: `max_retries`, `maxRetries` and
/// `MaxRetries` are all `maxretries`.
pub(crate) fn whole(identifier: &str) -> String {
    let mut folded = String::with_capacity(identifier.len());
    fold(identifier, &mut folded);
    folded
}

/// Adds an identifier to a text in that spelling.
pub(crate) fn fold(identifier: &str, to: &mut String) {
    if identifier.is_ascii() {
        let letters = identifier.bytes().filter(u8::is_ascii_alphanumeric);
        to.extend(letters.map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        let letters = identifier.chars().filter(|c| c.is_alphanumeric());
        to.extend(letters.flat_map(char::to_lowercase));
    }
}

/// The words inside an identifier: `HTTPServerV2`, `http_server_v2` → `HTTP`, `Server`, `V2`.
fn identifier_parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(['_', '$']).filter(|part| !part.is_empty()).flat_map(camel_parts)
}

fn camel_parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = camel_end(rest);
        let (part, tail) = rest.split_at(end);
        rest = tail;
        Some(part)
    })
}

/// Where the first word of a camel-case identifier ends.
fn camel_end(word: &str) -> usize {
    let mut characters = word.char_indices().peekable();
    let mut previous: Option<char> = None;
    while let Some((at, c)) = characters.next() {
        if let Some(before) = previous {
            let next_is_lower = characters.peek().is_some_and(|(_, next)| next.is_lowercase());
            let rises = c.is_uppercase() && !before.is_uppercase();
            let last_capital = c.is_uppercase() && before.is_uppercase() && next_is_lower;
            if rises || last_capital {
                return at;
            }
        }
        previous = Some(c);
    }
    word.len()
}

/// The word without the commonest English endings; short words stay whole.
///
/// Deliberately weak: it only has to bring `timeouts` and `timeout`, `parsing` and `parse` together,
/// and a stronger one would bring together names that differ on purpose.
pub(crate) fn stem(word: &str) -> &str {
    if !word.is_ascii() || word.len() < 4 {
        return word;
    }
    for (ending, keep) in [
        ("ions", 4),
        ("ion", 4),
        ("ings", 4),
        ("ing", 4),
        ("ies", 4),
        ("ers", 4),
        ("ors", 4),
        ("ed", 4),
        ("er", 4),
        ("or", 4),
        ("es", 4),
        ("ly", 4),
        ("s", 3),
        ("e", 3),
        ("y", 4),
    ] {
        let Some(base) = word.strip_suffix(ending) else { continue };
        if base.len() < keep || (ending == "s" && base.ends_with(['s', 'u', 'i'])) {
            continue;
        }
        // `running` and `run`, `dropped` and `drop`: a doubled consonant was put there by the ending.
        let doubled = base.len() > keep.max(4) - 1
            && matches!(ending, "ing" | "ings" | "ed" | "er" | "ers")
            && base.as_bytes()[base.len() - 1] == base.as_bytes()[base.len() - 2]
            && !base.ends_with(['l', 's', 'e', 'o', 'f']);
        return if doubled { &base[..base.len() - 1] } else { base };
    }
    word
}

/// Words that say nothing about what is looked for.
pub(crate) fn is_filler(term: &str) -> bool {
    const FILLERS: &[&str] = &[
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from",
        "hav", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on",
        "or", "so", "than", "that", "the", "their", "them", "then", "there", "this", "to", "us",
        "use", "using", "was", "what", "when", "wher", "where", "which", "while", "who", "why",
        "will", "with", "without", "you", "your", "should", "would", "need", "want", "way", "one",
        "some", "any", "it's", "e.g", "eg", "etc",
    ];
    FILLERS.contains(&term)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        terms(text, |term| found.push(term.to_owned()));
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn identifiers_are_taken_apart_and_kept_whole() {
        check("differenceInDays", "differenc in day differenceindays");
        check("max_retries", "max retr maxretries");
        check("HTTPServerV2", "http serv v2 httpserverv2");
        check("Arg::value_parser", "arg valu pars valueparser");
        check("z.string()", "z string");
        check("$ref __all__", "ref all");
        check("ÜberGröße", "über größe übergröße");
    }

    #[test]
    fn forms_of_a_word_meet() {
        for (one, other) in [
            ("parsing", "parse"),
            ("timeouts", "timeout"),
            ("running", "run"),
            ("dropped", "drop"),
            ("options", "option"),
            ("cached", "cache"),
            ("validator", "validate"),
            ("validation", "validate"),
            ("queries", "query"),
            ("requests", "request"),
        ] {
            assert_eq!(stem(one), stem(other), "{one}, {other}");
        }
        assert_eq!(stem("class"), "class");
        assert_eq!(stem("status"), "status");
    }
}
