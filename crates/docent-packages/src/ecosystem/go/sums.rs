//! `go.sum`: the hashes of modules that the project has downloaded once.

use std::path::Path;

use base64::Engine as _;

use super::version;
use crate::ecosystem::python::files::Files;

/// The hash of a module's files, if one of the project's `go.sum` has it.
pub(super) fn hash(
    roots: &[&Path],
    module: &str,
    version: &str,
    files: &Files<'_>,
) -> Option<[u8; 32]> {
    roots.iter().find_map(|root| {
        let texts = ["go.sum", "go.work.sum"].map(|name| files.text(&root.join(name)));
        texts.into_iter().flatten().find_map(|text| {
            let mut lines = text.lines().filter_map(line);
            let (_, _, hash) =
                lines.find(|(path, number, _)| *path == module && *number == version)?;
            decoded(hash)
        })
    })
}

/// The highest version of a module whose files the project has downloaded once.
pub(super) fn highest(text: &str, module: &str) -> Option<String> {
    let versions = text.lines().filter_map(line).filter(|(path, ..)| *path == module);
    let versions = versions.map(|(_, number, _)| number.to_owned());
    versions.max_by(|left, right| version::order(left, right))
}

/// A line about the files of a module, not about its `go.mod` alone.
fn line(line: &str) -> Option<(&str, &str, &str)> {
    let mut words = line.split_whitespace();
    let (path, number, hash) = (words.next()?, words.next()?, words.next()?);
    let is_whole = !number.ends_with("/go.mod") && words.next().is_none();
    (is_whole && version::parse(number).is_some()).then_some((path, number, hash))
}

fn decoded(hash: &str) -> Option<[u8; 32]> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(hash.strip_prefix("h1:")?).ok()?;
    bytes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_modules_count() {
        let hash = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        let text = format!(
            "m.example/a v1.2.0 {hash}\nm.example/a v1.10.0 {hash}\nm.example/a v1.11.0/go.mod {hash}\n\nbroken\n"
        );
        assert_eq!(highest(&text, "m.example/a").as_deref(), Some("v1.10.0"));
        assert_eq!(highest(&text, "m.example/b"), None);
        assert_eq!(decoded(hash), Some([0; 32]));
        assert_eq!(decoded("h1:AAAA"), None);
        assert_eq!(decoded("h2:AAAA"), None);
    }
}
