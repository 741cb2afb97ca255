//! Source code in a few colors: words of the language, texts, comments.
//!
//! One table for all languages, since an answer shows a few lines and a wrong color costs nothing.

use super::{Look, Span};

const WORDS: &str = " abstract actor any as async await bool boolean break case catch chan class \
    const constructor continue crate def default del delete do elif else enum export extends \
    extension false final finally fn for from func function get go guard if impl implements import \
    in infer init inout instanceof interface is keyof lambda let map match mod module mut mutating \
    namespace never new nil None not null number open or override package pass private protocol \
    pub public range raise readonly return self Self set static str string struct super switch \
    symbol throw throws trait True False true try type typealias typeof undefined union unique \
    unknown unsafe use var void where while with yield ";

/// One line of code.
pub(crate) fn spans(text: &str, language: &str) -> Vec<Span> {
    let hash =
        matches!(language, "python" | "py" | "sh" | "bash" | "shell" | "toml" | "yaml" | "ruby");
    let plain_text = matches!(language, "" | "text" | "txt" | "console" | "diff");
    if plain_text {
        return vec![Span::new(text, Look::Plain)];
    }
    let mut spans: Vec<Span> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, look) = match first {
            '#' if hash => (rest.len(), Look::Dim),
            '/' if !hash && (rest.starts_with("//") || rest.starts_with("/*")) => {
                (rest.len(), Look::Dim)
            }
            '"' | '\'' | '`' => (quoted(rest, first), Look::Text),
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let known = WORDS.contains(&format!(" {} ", &rest[..end]));
                (end, if known { Look::Kind } else { Look::Plain })
            }
            c => (c.len_utf8(), Look::Plain),
        };
        let (piece, after) = rest.split_at(length);
        match spans.last_mut() {
            Some(last) if last.look == look => last.text.push_str(&Span::new(piece, look).text),
            _ => spans.push(Span::new(piece, look)),
        }
        rest = after;
    }
    spans
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The length of a text in quotes; of the quote alone if it does not end on this line (a lifetime,
/// an apostrophe).
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    quote.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_texts_and_comments() {
        let check = |text: &str, language: &str, expected: &[(&str, Look)]| {
            let found = spans(text, language);
            let found: Vec<(&str, Look)> =
                found.iter().map(|span| (span.text.as_str(), span.look)).collect();
            assert_eq!(found, expected);
        };
        check(
            "def f(x=\"a\\\"b\"):  # why",
            "python",
            &[
                ("def", Look::Kind),
                (" f(x=", Look::Plain),
                ("\"a\\\"b\"", Look::Text),
                ("):  ", Look::Plain),
                ("# why", Look::Dim),
            ],
        );
        check(
            "fn a<'b>(x: &'b T)",
            "rust",
            &[
                ("fn", Look::Kind),
                (" a<", Look::Plain),
                ("'b>(x: &'", Look::Text),
                ("b T)", Look::Plain),
            ],
        );
        check("it's", "text", &[("it's", Look::Plain)]);
    }
}
