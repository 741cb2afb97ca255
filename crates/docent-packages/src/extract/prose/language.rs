//! Which natural language a file is written in, as far as its path says.
//!
//! Fed with all paths of a package, since a folder called `id` is Indonesian beside `ja` and `fr`
//! and identifiers everywhere else; asked by [`super::find`] for each file.

use std::collections::{BTreeMap, BTreeSet};

use super::is_listed;

/// Languages that documentation is translated into, and words people write for them. The third
/// column says that the code is also the name of something else (a file type, an abbreviation), so
/// that it counts only in the company of other languages.
const LANGUAGES: &[(&str, &[&str], bool)] = &[
    ("ar", &["arabic"], true),
    ("az", &[], false),
    ("bg", &["bulgarian"], false),
    ("bn", &["bengali"], true),
    ("ca", &["catalan"], true),
    ("cs", &["czech"], true),
    ("da", &["danish"], false),
    ("de", &["german", "deutsch"], false),
    ("el", &["greek"], true),
    ("en", &["english"], false),
    ("es", &["spanish", "espanol"], true),
    ("et", &["estonian"], true),
    ("fa", &["persian", "farsi"], true),
    ("fi", &["finnish"], false),
    ("fil", &["filipino"], false),
    ("fr", &["french", "francais"], false),
    ("he", &["hebrew"], false),
    ("hi", &["hindi"], false),
    ("hr", &["croatian"], true),
    ("hu", &["hungarian", "magyar"], false),
    ("id", &["indonesian"], true),
    ("it", &["italian", "italiano"], true),
    ("ja", &["japanese", "jp", "jpn"], false),
    ("ka", &["georgian"], true),
    ("kk", &["kazakh"], false),
    ("ko", &["korean", "kr", "kor"], false),
    ("lt", &["lithuanian"], true),
    ("lv", &["latvian"], true),
    ("mn", &["mongolian"], true),
    ("ms", &["malay"], true),
    ("nb", &["norwegian"], true),
    ("nl", &["dutch"], false),
    ("no", &[], true),
    ("pl", &["polish", "polski"], true),
    ("pt", &["portuguese", "portugues"], true),
    ("ro", &["romanian"], true),
    ("ru", &["russian", "rus"], false),
    ("sk", &["slovak"], true),
    ("sl", &["slovenian"], true),
    ("sq", &["albanian"], true),
    ("sr", &["serbian"], true),
    ("sv", &["swedish"], true),
    ("ta", &["tamil"], true),
    ("th", &["thai"], true),
    ("tr", &["turkish", "turkce"], true),
    ("uk", &["ukrainian", "ua"], false),
    ("ur", &["urdu"], true),
    ("uz", &["uzbek"], true),
    ("vi", &["vietnamese", "vn"], true),
    ("zh", &["chinese", "cn", "chs", "cht"], false),
];

/// Folders whose folders are languages.
const HOMES: &str = "\
    docs, doc, documentation, i18n, l10n, locale, locales, lang, langs, languages, translations, \
    translation, readme, readmes, translated_docs, website, content";

/// The languages of a package's files.
#[derive(Default)]
pub(super) struct Languages<'a> {
    /// The languages that the folders in each folder seem to be named after.
    siblings: BTreeMap<&'a str, BTreeSet<String>>,
    /// The languages that the files of each path without language and extension seem to have.
    versions: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> Languages<'a> {
    pub(super) fn new(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut languages = Self::default();
        for path in paths {
            for (at, _) in path.match_indices('/') {
                let (parent, name) = split(&path[..at]);
                if let Some((tag, _)) = language(name) {
                    languages.siblings.entry(parent).or_default().insert(tag);
                }
            }
            if let Some((base, tag, _)) = of_file(path) {
                languages.versions.entry(base).or_default().insert(tag);
            }
        }
        languages
    }

    /// The language of a file, if it is not the package's main one.
    pub(super) fn of(&self, path: &str) -> Option<String> {
        self.tag(path).filter(|tag| tag != "en" && !tag.starts_with("en-"))
    }

    fn tag(&self, path: &str) -> Option<String> {
        if let Some((base, tag, is_ambiguous)) = of_file(path) {
            let company = self.versions.get(base).map_or(1, BTreeSet::len);
            let is_readme = split(base).1.eq_ignore_ascii_case("readme");
            if company > 1 || (is_readme && !is_ambiguous) {
                return Some(tag);
            }
        }
        path.match_indices('/').find_map(|(at, _)| {
            let (parent, name) = split(&path[..at]);
            let (tag, is_ambiguous) = language(name)?;
            let company = self.siblings.get(parent).map_or(1, BTreeSet::len);
            let home = split(parent).1.to_ascii_lowercase();
            let is_home = is_listed(HOMES, home.as_str());
            (company > 2 || (is_home && (company > 1 || !is_ambiguous))).then_some(tag)
        })
    }
}

/// Whether a part of a path looks like a language at all.
pub(super) fn has_one(path: &str) -> bool {
    let folders = path.match_indices('/').map(|(at, _)| split(&path[..at]).1);
    of_file(path).is_some() || folders.into_iter().any(|name| language(name).is_some())
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A file such as `docs/intro.pt-BR.md`, as `docs/intro`, its language, and whether that is
/// ambiguous.
fn of_file(path: &str) -> Option<(&str, String, bool)> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let folder = stem.rfind('/').map_or(0, |at| at + 1);
    // `README.zh_CN` and `README_zh_CN` both hold two separators, and the language has one.
    let separators = stem[folder..].match_indices(['.', '_', '-']).map(|(at, _)| at + folder);
    for at in separators {
        if let Some((tag, is_ambiguous)) = language(&stem[at + 1..])
            && at > folder
        {
            return Some((&stem[..at], tag, is_ambiguous));
        }
    }
    None
}

/// The tag that a name stands for, and whether the name could well mean something else.
fn language(name: &str) -> Option<(String, bool)> {
    if name.len() > 12 || !name.is_ascii() {
        return None;
    }
    let name = name.to_ascii_lowercase().replace('_', "-");
    let (code, region) =
        name.split_once('-').map_or((name.as_str(), None), |(code, region)| (code, Some(region)));
    let row = LANGUAGES.iter().find(|row| row.0 == code || row.1.contains(&code))?;
    match region {
        None => {
            // `cn` and `ua` are countries: people mean the language, others the country.
            let is_country = code.len() == 2 && code != row.0;
            Some((row.0.to_owned(), row.2 || is_country))
        }
        Some(region) if is_region(region) => Some((format!("{}-{region}", row.0), false)),
        Some(_) => None,
    }
}

/// A country (`br`), a region by number (`419`) or a script (`hans`).
fn is_region(region: &str) -> bool {
    let is_country = region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_number = region.len() == 3 && region.bytes().all(|byte| byte.is_ascii_digit());
    is_country || is_number || matches!(region, "hans" | "hant" | "latn" | "cyrl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], expected: &[Option<&str>]) {
        let languages = Languages::new(paths.iter().copied());
        let found: Vec<Option<String>> = paths.iter().map(|path| languages.of(path)).collect();
        let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, expected, "{paths:?}");
    }

    #[test]
    fn readmes_name_their_language() {
        check(
            &["README.md", "README.ja.md", "README_zh-CN.md", "readme-ko.rst", "README.zh_TW.md"],
            &[None, Some("ja"), Some("zh-cn"), Some("ko"), Some("zh-tw")],
        );
        check(&["README.md", "README.en.md", "README-en-US.md"], &[None, None, None]);
        check(
            &["README.md", "README-french.md", "README.pt-br.md"],
            &[None, Some("fr"), Some("pt-br")],
        );
    }

    #[test]
    fn an_ambiguous_name_needs_company() {
        check(&["README.md", "README.cs.md"], &[None, None]);
        check(&["README.cn.md", "README.cs.md"], &[Some("zh"), Some("cs")]);
        check(&["docs/id/x.md", "docs/api/x.md"], &[None, None]);
        check(&["docs/id/x.md", "docs/ja/x.md"], &[Some("id"), Some("ja")]);
    }

    #[test]
    fn folders_of_documentation_can_be_languages() {
        check(
            &["docs/ja/x.md", "docs/zh-cn/a/b.md", "i18n/fr/current/x.md", "docs/en/x.md"],
            &[Some("ja"), Some("zh-cn"), Some("fr"), None],
        );
        check(
            &["docs/guide.md", "docs/guide.de.md", "docs/guide.ru.md"],
            &[None, Some("de"), Some("ru")],
        );
    }

    #[test]
    fn other_short_names_are_not_languages() {
        for folder in
            ["js", "go", "ts", "py", "ui", "db", "io", "id", "it", "cs", "api", "v2", "no"]
        {
            check(&[&format!("docs/{folder}/x.md")], &[None]);
        }
        check(&["src/de/x.md", "lib/fr.md", "docs/quick-start.md", "docs/use-it.md"], &[None; 4]);
    }
}
