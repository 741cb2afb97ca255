//! Words that stay out of tracked files: machines, registries, leftovers.
//!
//! Which registry a machine uses is the machine's business, so the repository names none and
//! works behind any mirror. The words are written here in pieces, or this file would be its own
//! first problem.

use super::Problem;
use super::tree::Tree;
use crate::workspace::Workspace;

/// A word, where it counts, and what to do.
struct Word {
    pieces: &'static [&'static str],
    /// Endings of the files where it counts; empty means everywhere.
    files: &'static [&'static str],
    /// Only as a word of its own: `_` and letters around it make it part of another word.
    whole: bool,
    advice: &'static str,
}

const HOST: &str = "is a registry's host; leave the choice to the machine's configuration";
const PATH: &str = "is a path of one machine; use a relative path";
const LEFTOVER: &str = "marks unfinished work; finish it or open an issue";
const IGNORED: &str = "hides a test; fix it, or delete it with a reason in the commit message";
const SETTING: &str = "chooses a registry; leave the choice to the machine's configuration";
const SPELLING: &str = "is British; the project writes American English";

const fn host(pieces: &'static [&'static str]) -> Word {
    Word { pieces, files: &[], whole: false, advice: HOST }
}

const fn home(pieces: &'static [&'static str]) -> Word {
    Word { pieces, files: &[], whole: true, advice: PATH }
}

const fn setting(pieces: &'static [&'static str], files: &'static [&'static str]) -> Word {
    Word { pieces, files, whole: false, advice: SETTING }
}

const fn british(pieces: &'static [&'static str]) -> Word {
    Word { pieces, files: &[".rs", ".md"], whole: false, advice: SPELLING }
}

const WORDS: &[Word] = &[
    host(&["npm", "js.org"]),
    host(&["yarn", "pkg.com"]),
    host(&["pypi", ".org"]),
    host(&["python", "hosted.org"]),
    host(&["index.", "crates.io"]),
    host(&["static.", "crates.io"]),
    host(&["proxy.", "golang.org"]),
    host(&["sum.", "golang.org"]),
    home(&["/ho", "me/"]),
    home(&["/ro", "ot/"]),
    home(&["/Us", "ers/"]),
    home(&["/wo", "rk/"]),
    home(&["C:\\Us", "ers"]),
    Word { pieces: &["FIX", "ME"], files: &[], whole: true, advice: LEFTOVER },
    Word { pieces: &["X", "XX"], files: &[], whole: true, advice: LEFTOVER },
    Word { pieces: &["todo", "!("], files: &[".rs"], whole: true, advice: LEFTOVER },
    Word { pieces: &["#[ig", "nore"], files: &[".rs"], whole: false, advice: IGNORED },
    setting(&["\"resol", "ved\":"], &["package-lock.json"]),
    setting(&["index", "-url"], &[".txt", ".toml", ".conf"]),
    setting(&["find", "-links"], &[".txt", ".toml", ".conf"]),
    setting(&["regis", "try="], &[".npmrc"]),
    setting(&["[sou", "rce."], &[".cargo/config.toml"]),
    british(&["behavi", "our"]),
    british(&["col", "our"]),
    british(&["hon", "our"]),
    british(&["arte", "fact"]),
    british(&["lic", "ence"]),
    british(&["recogn", "ise"]),
    british(&["serial", "ise"]),
    british(&["initial", "ise"]),
    british(&["normal", "ise"]),
];

/// Files of hashes, where a word is chance. The settings above still apply to them.
const HASHES: &[&str] = &["package-lock.json", "Cargo.lock", "go.sum"];

pub(crate) fn check(tree: &Tree, _: &Workspace) -> Vec<Problem> {
    let words: Vec<(&Word, String)> =
        WORDS.iter().map(|word| (word, word.pieces.concat())).collect();
    let mut problems = Vec::new();
    for (file, text) in tree.files() {
        let hashes = HASHES.iter().any(|name| file.ends_with(name));
        let relevant = |word: &Word| {
            let everywhere = word.files.is_empty() && !(hashes && word.advice == LEFTOVER);
            everywhere || word.files.iter().any(|ending| file.ends_with(ending))
        };
        for (number, line) in text.lines().enumerate() {
            for (word, written) in words.iter().filter(|(word, _)| relevant(word)) {
                let lower = line.to_lowercase();
                let line = if word.advice == SPELLING { lower.as_str() } else { line };
                if occurs(line, written, word.whole) {
                    let what = format!("`{written}` {}", word.advice);
                    problems.push(Problem::new(file, number + 1, what));
                }
            }
        }
    }
    problems
}

/// A whole word has no letter, digit, `_`, `.`, `-` or `/` before it (an example such as a
/// `file://` URI or `a/b/` is not a path of this machine) and no letter, digit or `_` after it
/// where it ends in one.
fn occurs(line: &str, word: &str, whole: bool) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let starts = !before.is_some_and(|c| is_part(c) || "./-".contains(c));
        let ends = !word.ends_with(is_part) || !after.is_some_and(is_part);
        !whole || (starts && ends)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problems_of;

    fn check_file(file: &str, text: &str) -> String {
        problems_of(check, &Workspace::default(), &[(file, text)])
    }

    #[test]
    fn each_word_can_fail() {
        for word in WORDS {
            let file = word.files.first().map_or("a.rs".to_owned(), |ending| match ending {
                ending if ending.starts_with(".cargo") => (*ending).to_owned(),
                ending => format!("a/{ending}"),
            });
            let written = word.pieces.concat();
            let expected = format!("{file}:2: `{written}` {}\n", word.advice);
            assert_eq!(check_file(&file, &format!("\n a {written} b")), expected);
        }
    }

    #[test]
    fn examples_and_parts_of_words_pass() {
        for pieces in [
            ["\"file:///ho", "me/user\""],
            ["a/wo", "rk/b"],
            ["mktemp X", "XXXXX"],
            ["aX", "XX"],
            ["MY_FIX", "ME"],
        ] {
            assert_eq!(check_file("a.rs", &pieces.concat()), "");
        }
    }

    #[test]
    fn hashes_hold_words_by_chance_but_no_registry() {
        assert_eq!(check_file("package-lock.json", &["+X", "XX="].concat()), "");
        assert_ne!(check_file("package-lock.json", &["//registry.npm", "js.org/"].concat()), "");
    }
}
