//! Bun's `bun.lock`: JSON with comments and commas at the end.
//!
//! `packages` has a key for each place of a package, `name` or `holder/name`, and an array that
//! starts with `name@version`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{ELSEWHERE, Importer, Package, is_version, split_at_version};
use crate::Limits;
use crate::ecosystem::npm::read;

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    packages: BTreeMap<String, Value>,
}

pub(super) fn parse(
    text: &str,
    importer: &Importer,
    limits: &Limits,
) -> Result<Vec<Package>, String> {
    let document: Document = read::json(&plain_json(text), limits)?;
    let packages = document.packages.iter().filter_map(|(key, value)| {
        let (name, version) = split_at_version(value.get(0)?.as_str()?)?;
        let (holder, import) = split_place(key);
        let distance = match holder {
            None => 1,
            Some(holder) if Some(holder) == importer.name.as_deref() => 0,
            Some(_) => ELSEWHERE,
        };
        is_version(version).then(|| Package {
            import: import.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            distance,
        })
    });
    Ok(packages.collect())
}

/// What holds a package, and the name it is imported by: `app/@scope/name` is the latter in `app`.
fn split_place(key: &str) -> (Option<&str>, &str) {
    let last = key.rfind('/').map_or(0, |at| at + 1);
    let before = key[..last].trim_end_matches('/');
    let scope = before.rfind('/').map_or(0, |at| at + 1);
    let start = if before[scope..].starts_with('@') { scope } else { last };
    let holder = key[..start].trim_end_matches('/');
    (Some(holder).filter(|holder| !holder.is_empty()), &key[start..])
}

/// The text without comments, and without commas before a closing bracket.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // Where a comma stands that may turn out to be the last one of its list.
    let mut comma = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('"', _) => {
                comma = None;
                plain.push('"');
                while let Some(inside) = characters.next() {
                    plain.push(inside);
                    match inside {
                        '\\' => plain.extend(characters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                // The end of the line stays, so that lines can still be counted.
                while characters.next_if(|&inside| inside != '\n').is_some() {}
            }
            ('/', Some('*')) => {
                characters.next();
                let mut star = false;
                for inside in characters.by_ref() {
                    if star && inside == '/' {
                        break;
                    }
                    star = inside == '*';
                }
            }
            (',', _) => {
                comma = Some(plain.len());
                plain.push(',');
            }
            (closing @ (']' | '}'), _) => {
                if let Some(at) = comma.take() {
                    plain.remove(at);
                }
                plain.push(closing);
            }
            (other, _) => {
                if !other.is_whitespace() {
                    comma = None;
                }
                plain.push(other);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_go() {
        let check = |text: &str, expected: &str| assert_eq!(plain_json(text), expected);
        check("{\"a\": [1, 2,],}", "{\"a\": [1, 2]}");
        check("[1, // one,\n 2, /* two */ ]", "[1, \n 2  ]");
        check("[\"a,]\", \"//\", \"\\\",]\",\n]", "[\"a,]\", \"//\", \"\\\",]\"\n]");
        check("\"open", "\"open");
        check("/* open", "");
        check("\"\\", "\"\\");
    }

    #[test]
    fn places() {
        let check = |key: &str, holder: Option<&str>, import: &str| {
            assert_eq!(split_place(key), (holder, import), "{key}");
        };
        check("zod", None, "zod");
        check("@scope/name", None, "@scope/name");
        check("app/zod", Some("app"), "zod");
        check("app/@scope/name", Some("app"), "@scope/name");
        check("@scope/app/zod", Some("@scope/app"), "zod");
        check("a/b/c", Some("a/b"), "c");
        check("/", None, "");
        check("", None, "");
    }
}
