//! The registry's protocol: where a package is described, and what the description says.
//!
//! Fed by [`super::config`], which knows the registry, and by [`crate::fetch`]; feeds
//! [`super::version`], which chooses among the releases.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::config::Registry;
use super::version;
use crate::ecosystem::{Release, Releases};
use crate::fetch::{Algorithm, Artifact, Digest, Document};
use crate::tree::ArchiveFormat;
use crate::{Error, ErrorKind};

/// The abbreviated description, where a registry has it.
pub(super) const ACCEPT: &str =
    "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

/// The address of a package's description; the name has been checked before.
pub(super) fn packument_url(registry: &Url, package: &str) -> Result<Url, Error> {
    registry.join(&package.replace('/', "%2F")).map_err(|error| {
        let message = format!("{package} has no address at the registry {registry}: {error}");
        Error::new(ErrorKind::NoRegistry, message)
    })
}

#[derive(Deserialize)]
struct Packument {
    #[serde(default)]
    name: Value,
    #[serde(default, rename = "dist-tags")]
    tags: BTreeMap<String, Value>,
    #[serde(default)]
    versions: BTreeMap<String, Manifest>,
}

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    dist: Value,
    #[serde(default)]
    deprecated: Value,
}

/// The releases in a description.
pub(super) fn releases(
    document: &Document,
    package: &str,
    registry: &Registry,
) -> Result<Releases, Error> {
    let nonsense = |what: &str| {
        let message = format!("what {} says of {package} {what}", document.url);
        Error::new(ErrorKind::Network, message)
    };
    let body = document.body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&document.body);
    // An array would pass for an object without any field.
    let is_object = body.trim_ascii_start().starts_with(b"{");
    let packument = is_object.then(|| serde_json::from_slice::<Packument>(body).ok()).flatten();
    let packument =
        packument.ok_or_else(|| nonsense("is not the description of an npm package"))?;
    if packument.name.as_str().is_some_and(|name| !name.eq_ignore_ascii_case(package)) {
        return Err(nonsense("is about another package"));
    }
    let published = packument.versions.into_iter();
    let mut all: Vec<Release> = published
        .filter(|(number, _)| version::parse(number).is_some())
        .map(|(number, manifest)| Release {
            stable: !version::is_prerelease(&number) && !is_deprecated(&manifest.deprecated),
            artifact: artifact(&manifest.dist, document, registry),
            version: number,
        })
        .collect();
    all.sort_by(|left, right| version::order(&left.version, &right.version));
    let tags = packument.tags.into_iter();
    let tags = tags.filter_map(|(tag, version)| Some((tag, version.as_str()?.to_owned())));
    Ok(Releases { all, tags: tags.collect(), name: None })
}

/// npm writes the reason; an empty one takes the deprecation back.
fn is_deprecated(deprecated: &Value) -> bool {
    match deprecated {
        Value::String(reason) => !reason.is_empty(),
        Value::Bool(deprecated) => *deprecated,
        _ => false,
    }
}

fn artifact(dist: &Value, document: &Document, registry: &Registry) -> Option<Artifact> {
    let url = document.url.join(dist.get("tarball")?.as_str()?).ok()?;
    let mut url = matches!(url.scheme(), "http" | "https").then_some(url)?;
    // A credential inside an address would go wherever the registry says.
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    let url = registry.replace_host(url);
    let access = registry.access.clone();
    Some(Artifact { url, format: ArchiveFormat::TarGz, digests: digests(dist), access })
}

fn digests(dist: &Value) -> Vec<Digest> {
    let text = |key: &str| dist.get(key).and_then(Value::as_str);
    let integrity = text("integrity").unwrap_or_default();
    let published: Vec<Digest> = integrity.split_whitespace().filter_map(integrity_hash).collect();
    if !published.is_empty() {
        return published;
    }
    let digest = |sum: &str| Digest { algorithm: Algorithm::Sha1, bytes: hexadecimal(sum) };
    text("shasum").filter(|sum| !sum.is_empty()).map(digest).into_iter().collect()
}

/// One hash of a subresource integrity value. One of a known algorithm that makes no sense is kept
/// without bytes, so that nothing can match it.
fn integrity_hash(hash: &str) -> Option<Digest> {
    let (algorithm, value) = hash.split_once('-')?;
    let algorithm = match algorithm.to_ascii_lowercase().as_str() {
        "sha512" => Algorithm::Sha512,
        "sha384" => Algorithm::Sha384,
        "sha256" => Algorithm::Sha256,
        "sha1" => Algorithm::Sha1,
        _ => return None,
    };
    let value = value.split_once('?').map_or(value, |(value, _)| value);
    let bytes = base64::engine::general_purpose::STANDARD.decode(value).unwrap_or_default();
    Some(Digest { algorithm, bytes })
}

fn hexadecimal(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    });
    pairs.collect::<Option<Vec<u8>>>().unwrap_or_default()
}

#[cfg(test)]
mod tests;
