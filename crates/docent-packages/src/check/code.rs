//! What is to be checked, and in which language it is.

use serde::{Deserialize, Serialize};

use crate::Ecosystem;
use crate::tree::file_name;

/// Code of a user's, or of a model's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeToCheck {
    /// The whole text of the file.
    pub text: String,
    /// The language it is in.
    pub language: Language,
    /// What the file is called in findings; it need not exist.
    pub file: String,
}

/// A language whose code can be checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Language {
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// Python.
    Python,
    /// Go.
    Go,
    /// Swift.
    Swift,
    /// Rust.
    Rust,
}

/// Each language with its ecosystem, its name, other words for it, and the endings of its files.
type Row = (Language, Ecosystem, &'static [&'static str], &'static [&'static str]);

const LANGUAGES: &[Row] = &[
    (Language::TypeScript, Ecosystem::Npm, &["typescript", "ts"], &["ts", "mts", "cts"]),
    (Language::Tsx, Ecosystem::Npm, &["tsx", "typescriptreact"], &["tsx"]),
    (
        Language::JavaScript,
        Ecosystem::Npm,
        &["javascript", "js", "jsx", "javascriptreact", "node"],
        &["js", "mjs", "cjs", "jsx"],
    ),
    (Language::Python, Ecosystem::Python, &["python", "py", "python3"], &["py", "pyi"]),
    (Language::Go, Ecosystem::Go, &["go", "golang"], &["go"]),
    (Language::Swift, Ecosystem::Swift, &["swift"], &["swift"]),
    (Language::Rust, Ecosystem::Rust, &["rust", "rs"], &["rs"]),
];

impl Language {
    /// The language of that name, in any of the words in use for it.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase();
        LANGUAGES.iter().find(|row| row.2.contains(&word.as_str())).map(|row| row.0)
    }

    /// The language that a file is in, by its name.
    #[must_use]
    pub fn of_file(path: &str) -> Option<Self> {
        let (_, ending) = file_name(path).rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        LANGUAGES.iter().find(|row| row.3.contains(&ending.as_str())).map(|row| row.0)
    }

    /// The ecosystem that its packages come from.
    #[must_use]
    pub fn ecosystem(self) -> Ecosystem {
        LANGUAGES.iter().find(|row| row.0 == self).map_or(Ecosystem::Npm, |row| row.1)
    }

    /// A file name as its files have it, which decides how the text is scanned and parsed.
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::TypeScript => "code.ts",
            Self::Tsx => "code.tsx",
            Self::JavaScript => "code.jsx",
            Self::Python => "code.py",
            Self::Go => "code.go",
            Self::Swift => "code.swift",
            Self::Rust => "code.rs",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_known_by_word_and_by_file() {
        for (word, language) in [
            ("ts", Some(Language::TypeScript)),
            ("TypeScript", Some(Language::TypeScript)),
            ("tsx", Some(Language::Tsx)),
            ("jsx", Some(Language::JavaScript)),
            (" python ", Some(Language::Python)),
            ("golang", Some(Language::Go)),
            ("Swift", Some(Language::Swift)),
            ("Rust", Some(Language::Rust)),
            ("cobol", None),
        ] {
            assert_eq!(Language::named(word), language, "{word}");
        }
        for (file, language) in [
            ("src/a.mts", Some(Language::TypeScript)),
            ("A.TSX", Some(Language::Tsx)),
            ("a.b.cjs", Some(Language::JavaScript)),
            ("a/b.py", Some(Language::Python)),
            ("src/main.rs", Some(Language::Rust)),
            ("py", None),
            ("a.py/b", None),
        ] {
            assert_eq!(Language::of_file(file), language, "{file}");
        }
    }
}
