//! The page of a project as JSON (PEP 691), with the sizes of PEP 700.

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{Digest, Link};
use crate::fetch::Algorithm;

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    meta: Value,
    #[serde(default)]
    files: Vec<Row>,
}

/// Values stay open where servers differ: a field that is wrong costs no more than itself.
#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    filename: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    hashes: Value,
    #[serde(default)]
    yanked: Value,
    #[serde(default)]
    size: Value,
}

/// The files of a page; an error says why it is none.
pub(crate) fn links(body: &[u8], base: &Url) -> Result<Vec<Link>, String> {
    // A list would pass for an object whose fields are all missing.
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err("JSON that is no object".to_owned());
    }
    let page: Page = serde_json::from_slice(body)
        .map_err(|error| format!("JSON, line {}, column {}", error.line(), error.column()))?;
    if let Some(version) = page.meta.get("api-version").and_then(Value::as_str)
        && !version.starts_with("1.")
    {
        return Err("a version of the simple API that is not known".to_owned());
    }
    let link = |row: Row| {
        let url = base.join(&row.url).ok()?;
        let digests = row.hashes.as_object().into_iter().flatten();
        let digests = digests.filter_map(|(algorithm, value)| digest(algorithm, value.as_str()?));
        Some(Link {
            file: row.filename,
            digests: digests.collect(),
            // A reason in its place means yes.
            yanked: row.yanked.is_string() || row.yanked.as_bool().unwrap_or(false),
            size: row.size.as_u64(),
            url,
        })
    };
    Ok(page.files.into_iter().filter_map(link).collect())
}

/// A digest of an algorithm that is worth checking.
pub(crate) fn digest(algorithm: &str, hexadecimal: &str) -> Option<Digest> {
    let (algorithm, length) = match algorithm {
        "sha1" => (Algorithm::Sha1, 20),
        "sha256" => (Algorithm::Sha256, 32),
        "sha384" => (Algorithm::Sha384, 48),
        "sha512" => (Algorithm::Sha512, 64),
        _ => return None,
    };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = hexadecimal.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> = pairs
        .map(|pair| match *pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        })
        .collect();
    Some(Digest { algorithm, bytes: bytes.filter(|bytes| bytes.len() == length)? })
}
