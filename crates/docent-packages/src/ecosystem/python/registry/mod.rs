//! Asks package indexes: the simple repository API, as JSON (PEP 691, 700) or HTML (PEP 503).
//!
//! Fed by [`super::config`], which says whom to ask and as whom; gives releases, each with the one
//! file that is best to read. The separate metadata files of PEP 658 are not asked for: they hold
//! dependencies and a description, and the file itself, which is needed anyway, holds them too.

mod file_name;
mod html;
mod json;
mod pick;

use std::collections::BTreeMap;

use pep440_rs::Version;
use url::Url;

use self::file_name::Kind;
use super::config::{self, Configuration, Index};
use super::files::Files;
use super::{lockfile, manifest, name, project, stdlib};
use crate::ecosystem::{Context, Name, Release, Releases};
use crate::fetch::{Access, Artifact, Digest, Document, Request};
use crate::{Error, ErrorKind, Limits};

const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, \
                      application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01";

/// One file on the page of a project.
#[derive(Clone, Debug)]
struct Link {
    file: String,
    url: Url,
    digests: Vec<Digest>,
    yanked: bool,
    size: Option<u64>,
}

/// What the indexes know of the distribution that a name means.
pub(crate) async fn releases(name: &Name, context: &Context<'_>) -> Result<Releases, Error> {
    if let Some(module) = stdlib::module_of(name) {
        // Asking an index would find whoever has taken the name there.
        let message = format!("`{module}` comes with Python, but no Python that has it was found");
        return Err(Error::new(ErrorKind::PackageNotFound, message)
            .hint("make a virtual environment in the project, or put `python3` on the path"));
    }
    let files = Files::new(context.limits);
    let folders = project::folders(context.project);
    let configuration = config::read(&folders, context.environment, &files)?;
    let mut fallback = None;
    let mut missing = None;
    for candidate in to_ask(name, &folders, &files) {
        match ask(&candidate, &configuration, context).await {
            Err(error) if error.kind() == ErrorKind::PackageNotFound => {
                missing = Some(error);
            }
            Err(error) => return Err(error),
            Ok(links) => {
                let sure = candidate == name.package || is_written_so(name, &links.0);
                let found = group(&links.0, &candidate, &links.1, context.limits);
                let known = (candidate != name.package).then_some(candidate);
                let found = Releases { name: known, ..found };
                if sure {
                    return Ok(found);
                }
                fallback.get_or_insert(found);
            }
        }
    }
    fallback.ok_or_else(|| missing.unwrap_or_else(|| not_found(&name.package, &[])))
}

/// The distributions to ask for. An import path may itself be the name of one; which it is, the
/// project's own files may tell.
fn to_ask(name: &Name, folders: &[std::path::PathBuf], files: &Files<'_>) -> Vec<String> {
    let candidates = name::candidates(name);
    if candidates.len() > 1 {
        let locked = lockfile::all(folders, files).into_iter().map(|one| one.name);
        let named = manifest::all(folders, files).into_iter().map(|(entry, _)| entry.name);
        let used: Vec<String> = locked.chain(named).collect();
        if let Some(used) = candidates.iter().find(|candidate| used.contains(candidate)) {
            return vec![used.clone()];
        }
    }
    let (first, last) = (candidates.first().cloned(), candidates.last().cloned());
    let mut ask: Vec<String> = first.into_iter().chain(last).collect();
    ask.dedup();
    ask
}

/// Whether a project's files show that its name is written with dots, as the import is: otherwise
/// `a.b` is rather the module `b` of `a` than the distribution `a-b`.
fn is_written_so(name: &Name, links: &[Link]) -> bool {
    let Some(module) = &name.module else { return true };
    let start = format!("{}-", module.to_ascii_lowercase());
    links.iter().any(|link| link.file.to_ascii_lowercase().starts_with(&start))
}

/// The addresses of the indexes that every package may come from.
pub(crate) async fn addresses(context: &Context<'_>) -> Result<Vec<String>, Error> {
    let files = Files::new(context.limits);
    let folders = project::folders(context.project);
    let configuration = config::read(&folders, context.environment, &files)?;
    let shown = |index: &Index| crate::fetch::shown(&index.url);
    let mut all: Vec<String> = configuration.for_package("")?.into_iter().map(shown).collect();
    if !configuration.has_default {
        all.push(shown(&config::default_index(&configuration, context).await?));
    }
    Ok(all)
}

/// Asks one index after the other; the first that knows the name has it. An index that fails ends
/// the search: the next one might know the name of a private package, too.
async fn ask(
    package: &str,
    configuration: &Configuration,
    context: &Context<'_>,
) -> Result<(Vec<Link>, Access), Error> {
    if !name::is_distribution(package) {
        return Err(not_found(package, &[]));
    }
    let mut asked = Vec::new();
    for index in configuration.for_package(package)? {
        if let Some(links) = ask_one(package, index, context, &mut asked).await? {
            return Ok((links, index.access.clone()));
        }
    }
    if !configuration.has_default && !configuration.is_pinned(package) {
        let index = config::default_index(configuration, context).await?;
        if let Some(links) = ask_one(package, &index, context, &mut asked).await? {
            return Ok((links, index.access));
        }
    }
    Err(not_found(package, &asked))
}

async fn ask_one(
    package: &str,
    index: &Index,
    context: &Context<'_>,
    asked: &mut Vec<String>,
) -> Result<Option<Vec<Link>>, Error> {
    let host = index.url.host_str().unwrap_or_default();
    let url = index.url.join(&format!("{package}/")).map_err(|_| not_found(package, asked))?;
    let request = Request { url, accept: ACCEPT, access: &index.access };
    match context.fetcher.document(&request).await {
        Ok(document) => Ok(Some(links(&document)?)),
        Err(error) if error.kind() == ErrorKind::PackageNotFound => {
            asked.push(format!("`{host}`"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn not_found(package: &str, asked: &[String]) -> Error {
    let at = if asked.is_empty() { String::new() } else { format!(" at {}", asked.join(", ")) };
    let message = format!("no Python package `{package}`{at}");
    Error::new(ErrorKind::PackageNotFound, message).hint(
        "what is imported may be distributed under another name: ask for the name that is given to \
         `pip install`",
    )
}

/// The files on a page, in the format it came in.
fn links(document: &Document) -> Result<Vec<Link>, Error> {
    let body = &document.body;
    // Mirrors that ignore what is accepted may also be wrong about what they send.
    let is_json = match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => true,
        Some(b'<') => false,
        _ => document.content_type.ends_with("json"),
    };
    let mut links = if is_json {
        json::links(body, &document.url).map_err(|why| {
            let host = document.url.host_str().unwrap_or_default();
            Error::new(
                ErrorKind::Network,
                format!("the package index `{host}` sent nonsense: {why}"),
            )
        })?
    } else {
        html::links(&String::from_utf8_lossy(body), &document.url)
    };
    // A page that came encrypted leads to plain files only where their digest is known.
    let encrypted = document.url.scheme() == "https";
    links.retain(|link| match link.url.scheme() {
        "https" => true,
        "http" => !encrypted || !link.digests.is_empty(),
        _ => false,
    });
    Ok(links)
}

/// Releases, oldest first, each with its best file.
fn group(links: &[Link], package: &str, access: &Access, limits: &Limits) -> Releases {
    let mut versions: BTreeMap<Version, Vec<(Kind, &Link)>> = BTreeMap::new();
    for link in links {
        if let Some((version, kind)) = file_name::parse(&link.file, package) {
            versions.entry(version).or_default().push((kind, link));
        }
    }
    let release = |(version, mut files): (Version, Vec<(Kind, &Link)>)| {
        let yanked = files.iter().all(|(_, link)| link.yanked);
        files.retain(|(_, link)| yanked || !link.yanked);
        let best = pick::best(&files, limits.download_bytes_max);
        let artifact = best.map(|(format, link)| Artifact {
            url: link.url.clone(),
            format,
            digests: link.digests.clone(),
            access: access.clone(),
        });
        let stable = !yanked && !version.any_prerelease();
        Release { version: version.to_string(), artifact, stable }
    };
    Releases { all: versions.into_iter().map(release).collect(), ..Releases::default() }
}

#[cfg(test)]
mod tests;
