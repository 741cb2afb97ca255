//! One dependency as PEP 508 writes it: `name[extra] >=1,<2 ; marker`.
//!
//! Only name and range are taken. Markers and extras would tell whether it applies on some machine,
//! which does not matter for what its documentation is.

use super::name::{is_distribution, normalized};

/// A name and the range that is asked for; an empty range is any version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// In normal form.
    pub(crate) name: String,
    pub(crate) range: String,
}

/// Reads one dependency; `None` if it is no such thing.
pub(crate) fn parse(text: &str) -> Option<Entry> {
    let text = text.split(" #").next().unwrap_or(text).trim();
    let end = text.find(|char: char| !char.is_ascii_alphanumeric() && !"-_.".contains(char));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    if !is_distribution(name) {
        return None;
    }
    let mut rest = rest.trim_start();
    if let Some(extras) = rest.strip_prefix('[') {
        rest = extras.split_once(']')?.1.trim_start();
    }
    // A direct address says nothing of the version.
    let range = if rest.starts_with('@') { "" } else { rest.split(';').next().unwrap_or(rest) };
    let range = range.trim();
    let bare = range.strip_prefix('(').and_then(|range| range.strip_suffix(')')).unwrap_or(range);
    Some(Entry { name: normalized(name), range: bare.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_range() {
        for (text, expected) in [
            ("click>=8", Some(("click", ">=8"))),
            ("Python_Dateutil ~= 2.9", Some(("python-dateutil", "~= 2.9"))),
            ("requests[socks,x] (>=2,<3) ; python_version < '3'", Some(("requests", ">=2,<3"))),
            ("a;os_name=='nt'", Some(("a", ""))),
            ("a==1.0 # why", Some(("a", "==1.0"))),
            ("a @ https://files.example/a.whl", Some(("a", ""))),
            ("a", Some(("a", ""))),
            ("a[b", None),
            ("-e .", None),
            ("./path", None),
            ("", None),
            ("https://x.example", Some(("https", "://x.example"))),
        ] {
            let found = parse(text);
            let found = found.as_ref().map(|entry| (entry.name.as_str(), entry.range.as_str()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
