//! A package at its repository: its tags are its versions.

use url::Url;

use super::version;
use crate::ecosystem::{Context, Release, Releases};
use crate::fetch::{Access, Artifact};
use crate::git::{self, Reference};
use crate::tree::ArchiveFormat;
use crate::{Error, ErrorKind};

/// What the repository has: each tag that is a version, and the branch or revision asked for.
pub(super) async fn releases(
    url: &str,
    requirement: Option<&str>,
    context: &Context<'_>,
) -> Result<Releases, Error> {
    let address = Url::parse(url).map_err(|error| {
        Error::new(ErrorKind::InvalidName, format!("`{url}` is not an address: {error}"))
    })?;
    let found =
        git::references(&address, context.environment, context.limits, context.tools.is_offline())
            .await?;
    let mut all: Vec<(semver::Version, Release)> = Vec::new();
    for reference in &found {
        let Some(tag) = reference.name.strip_prefix("refs/tags/") else { continue };
        let Some(number) = version::parse(tag) else { continue };
        let release = Release {
            version: number.to_string(),
            artifact: artifact(&address, reference),
            stable: number.pre.is_empty(),
        };
        all.push((number, release));
    }
    all.sort_by(|left, right| left.0.cmp(&right.0));
    // `1.0` and `v1.0.0` are one version.
    all.dedup_by(|left, right| left.0 == right.0);
    let mut all: Vec<Release> = all.into_iter().map(|(_, release)| release).collect();
    let mut tags = Vec::new();
    if let Some((written, reference)) =
        requirement.and_then(|text| Some((text, named(text, &found)?)))
    {
        let short = reference.commit.get(..12).unwrap_or(&reference.commit);
        let version = format!("0.0.0-{short}");
        tags.push((written.to_owned(), version.clone()));
        let artifact = artifact(&address, &reference);
        all.insert(0, Release { version, artifact, stable: false });
    }
    Ok(Releases { all, tags, name: Some(url.to_owned()) })
}

/// The branch or revision that a requirement names: `branch:main`, `revision:0123…`.
fn named(requirement: &str, found: &[Reference]) -> Option<Reference> {
    if let Some(branch) = requirement.strip_prefix("branch:") {
        let name = format!("refs/heads/{}", branch.trim());
        return found.iter().find(|reference| reference.name == name).cloned();
    }
    let commit = requirement.strip_prefix("revision:")?.trim();
    // One that a branch or tag points at is fetched by that name; servers like it better.
    let known = found.iter().find(|reference| reference.commit == commit).cloned();
    let is_commit = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    known.or_else(|| {
        is_commit.then(|| Reference { name: commit.to_owned(), commit: commit.to_owned() })
    })
}

fn artifact(address: &Url, reference: &Reference) -> Option<Artifact> {
    let url = git::address_of(address, reference)?;
    let (format, access) = (ArchiveFormat::TarGz, Access::default());
    Some(Artifact { url, format, digests: Vec::new(), access })
}
