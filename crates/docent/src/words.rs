//! A line of words, as a shell splits it, where no shell takes part.

/// The words of a line: quotes keep blanks together. Nothing if a quote is left open.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_words_together() {
        let expected = ["call", "a.b", "x=one two", "y=", "z"].map(str::to_owned);
        let found = words("call a.b x='one two'  y=\"\" z");
        assert_eq!(found.as_deref(), Some(&expected[..]));
        assert_eq!(words("call 'a"), None);
        assert_eq!(words(" "), Some(Vec::new()));
    }
}
