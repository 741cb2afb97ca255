//! What others say when they refuse, made fit to be shown: short, in one line, and without the
//! secrets that some of them repeat. Feeds the errors of `token`, `registration` and `authorize`.

use serde::Deserialize;

use super::address::percent_encode;
use super::fetch::Answer;

/// Less than this is no secret, and may be part of any word.
const SECRET_BYTES_MIN: usize = 4;

/// A refusal as OAuth has it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Problem {
    pub(super) error: Option<String>,
    error_description: Option<String>,
}

/// What is wrong, if something is.
pub(super) fn problem(answer: &Answer) -> Problem {
    match answer.is_success() {
        true => Problem::default(),
        false => answer.json().unwrap_or_default(),
    }
}

/// What a refusal says: the words of the server, or the status. `secrets` are left out.
pub(super) fn said(answer: &Answer, secrets: &[String]) -> String {
    let Problem { error, error_description } = problem(answer);
    let words: Vec<_> = [error, error_description].into_iter().flatten().collect();
    match words.is_empty() {
        true => format!(": HTTP {}", answer.status),
        false => format!(": {}", shown(&words.join(", "), secrets)),
    }
}

/// The words of others, short, in one line, and without `secrets`, as they are or in a form.
pub(super) fn shown(text: &str, secrets: &[String]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= SECRET_BYTES_MIN) {
        let mut encoded = String::new();
        percent_encode(secret, &mut encoded);
        text = text.replace(secret.as_str(), "…").replace(&encoded, "…");
    }
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_left_out() {
        let secrets = ["c/de+1".to_owned(), "abc".to_owned()];
        for (text, expected) in [
            ("no\nsuch code", "no such code"),
            ("code c/de+1 is used", "code … is used"),
            ("code=c%2Fde%2B1&abc", "code=…&abc"),
        ] {
            assert_eq!(shown(text, &secrets), expected);
        }
        assert_eq!(shown(&"x".repeat(1000), &[]).len(), 200);
    }
}
