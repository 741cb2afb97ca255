//! A package at a registry, as SE-0292 has it: a list of releases, metadata of one, an archive.

use serde::Deserialize;
use serde_json::Value;

use super::name::Id;
use super::registries::Registry;
use super::version;
use crate::ecosystem::{Context, Release, Releases};
use crate::fetch::{Algorithm, Artifact, Digest, Request};
use crate::hashing::HashMap;
use crate::tree::ArchiveFormat;
use crate::{Error, ErrorKind};

const ACCEPT: &str = "application/vnd.swift.registry.v1+json";

#[derive(Deserialize)]
struct List {
    releases: HashMap<String, Value>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    name: String,
    #[serde(default)]
    checksum: Option<String>,
}

/// All releases; the one that a requirement means has its checksum.
pub(super) async fn releases(
    registry: &Registry,
    id: &Id,
    requirement: Option<&str>,
    context: &Context<'_>,
) -> Result<Releases, Error> {
    let list: List = ask(registry, &format!("{}/{}", id.scope, id.name), context).await?;
    let mut all: Vec<(semver::Version, Release)> = Vec::new();
    for (number, release) in list.releases {
        let Some(parsed) = version::parse(&number) else { continue };
        // What has been taken back says why.
        let is_there = release.get("problem").is_none();
        let artifact = artifact(registry, id, &number).filter(|_| is_there);
        let stable = parsed.pre.is_empty() && is_there;
        all.push((parsed, Release { version: number, artifact, stable }));
    }
    all.sort_by(|left, right| left.0.cmp(&right.0));
    let all = all.into_iter().map(|(_, release)| release).collect();
    let name = Some(format!("{}.{}", id.scope, id.name));
    let mut releases = Releases { all, tags: Vec::new(), name };
    let chosen = version::choose(requirement, &releases).map(|release| release.version.clone());
    if let Ok(chosen) = chosen {
        let digest = checksum(registry, id, &chosen, context).await?;
        let release = releases.all.iter_mut().find(|release| release.version == chosen);
        if let Some(artifact) = release.and_then(|release| release.artifact.as_mut()) {
            artifact.digests = vec![digest];
        }
    }
    Ok(releases)
}

/// The checksum that a registry has to publish with each release.
async fn checksum(
    registry: &Registry,
    id: &Id,
    number: &str,
    context: &Context<'_>,
) -> Result<Digest, Error> {
    let path = format!("{}/{}/{number}", id.scope, id.name);
    let metadata: Metadata = ask(registry, &path, context).await?;
    let archive = metadata.resources.into_iter().find(|one| one.name == "source-archive");
    let sum = archive.and_then(|archive| archive.checksum).unwrap_or_default();
    let pairs = sum.as_bytes().chunks(2).map(|pair| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    });
    let bytes = pairs.collect::<Option<Vec<u8>>>().filter(|bytes| bytes.len() == 32);
    let bytes = bytes.ok_or_else(|| {
        let message = format!("the registry has no checksum for {}.{} {number}", id.scope, id.name);
        Error::new(ErrorKind::Integrity, message)
    })?;
    Ok(Digest { algorithm: Algorithm::Sha256, bytes })
}

async fn ask<T: serde::de::DeserializeOwned>(
    registry: &Registry,
    path: &str,
    context: &Context<'_>,
) -> Result<T, Error> {
    let nonsense = |what: &str| {
        let message = format!("what the registry at {} says of {path} {what}", registry.url);
        Error::new(ErrorKind::Network, message)
    };
    let url = registry.url.join(path).map_err(|_| nonsense("has no address"))?;
    let request = Request { url, accept: ACCEPT, access: &registry.access };
    let document = context.fetcher.document(&request).await?;
    serde_json::from_slice(&document.body).map_err(|_| nonsense("is not as SE-0292 has it"))
}

fn artifact(registry: &Registry, id: &Id, number: &str) -> Option<Artifact> {
    let url = registry.url.join(&format!("{}/{}/{number}.zip", id.scope, id.name)).ok()?;
    let access = registry.access.clone();
    Some(Artifact { url, format: ArchiveFormat::Zip, digests: Vec::new(), access })
}
