//! Packages that live in git repositories: which tags there are, and the files at one of them.
//!
//! The second place, beside [`crate::tool`], where a program is started: `git` of `PATH`, without a
//! shell. An address comes from a user or a manifest, so it is checked again here, stands behind
//! `--`, and only https and ssh are allowed as transports. A tag is fetched without its history into
//! a bare repository of our own, without hooks, submodules and filters, and written out as a tar
//! archive that [`crate::unpack`] reads like any other: no file of it is ever written to disk.

mod process;
#[cfg(test)]
mod tests;

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ring::digest::{Context, SHA256};
use tokio::io::AsyncReadExt as _;
use url::Url;

use self::process::{Git, Reach};
use crate::cache::{Bucket, Cache};
use crate::fetch::{Blob, hex};
use crate::{Environment, Error, ErrorKind, Limits};

/// A name in a repository and the commit that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// `refs/tags/1.0.0`, `refs/heads/main`, or a commit.
    pub(crate) name: String,
    pub(crate) commit: String,
}

/// What the addresses of artifacts begin with that come out of repositories.
const SCHEME: &str = "git+";
const REFERENCE_BYTES_MAX: usize = 256;
/// Bytes of the list of references.
const LIST_BYTES_MAX: u64 = 32 << 20;

/// All tags and branches of a repository.
pub(crate) async fn references(
    address: &Url,
    environment: &Environment,
    limits: &Limits,
    offline: bool,
) -> Result<Vec<Reference>, Error> {
    let url = checked(address)?;
    let git = Git::find(environment, limits, offline, &url)?;
    let home = environment.home().unwrap_or_else(|| environment.directory());
    let list = git
        .ask(&["ls-remote", "--tags", "--heads", "--", &url], Reach::Network, home, LIST_BYTES_MAX)
        .await?;
    Ok(parse(&String::from_utf8_lossy(&list)))
}

/// The lines of `git ls-remote`; what a tag with a message leads to stands in a line of its own.
fn parse(list: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    for line in list.lines() {
        let Some((commit, name)) = line.split_once('\t') else { continue };
        if !is_commit(commit) {
            continue;
        }
        match name.strip_suffix("^{}") {
            Some(tag) => {
                if let Some(known) = found.iter_mut().rev().find(|known| known.name == tag) {
                    commit.clone_into(&mut known.commit);
                }
            }
            None if is_name(name) => {
                found.push(Reference { name: name.to_owned(), commit: commit.to_owned() });
            }
            None => {}
        }
    }
    found
}

/// The address of the files at a reference.
pub(crate) fn address_of(repository: &Url, reference: &Reference) -> Option<Url> {
    let Reference { name, commit } = reference;
    let is_safe = is_commit(commit) && (is_name(name) || is_commit(name));
    is_safe.then(|| Url::parse(&format!("{SCHEME}{repository}#{name}@{commit}")).ok()).flatten()
}

/// Whether an artifact is to be had from a repository.
pub(crate) fn is_repository(url: &Url) -> bool {
    url.scheme().starts_with(SCHEME)
}

/// Gets the files at a reference into the cache, as an archive.
pub(crate) async fn archive(
    artifact: &Url,
    environment: &Environment,
    limits: &Limits,
    cache: &Cache,
    offline: bool,
) -> Result<Blob, Error> {
    let (url, reference) = taken_apart(artifact)?;
    // A commit is what it is, whichever name led to it.
    let key = format!("git {url} {}", reference.commit);
    let known = cache.read(Bucket::Digests, &key).and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some((sha256, path)) = known.and_then(|sum| cache.artifact(&sum).map(|path| (sum, path)))
    {
        return Ok(Blob { path, sha256 });
    }
    let git = Git::find(environment, limits, offline, &url)?;
    let folder = cache.working_folder()?;
    fetch(&git, &url, &reference, folder.path()).await?;
    let blob = write(&git, folder.path(), limits, cache).await?;
    // Without the entry it is fetched again some day, and that is all.
    let _ = cache.write(Bucket::Digests, &key, blob.sha256.as_bytes());
    Ok(blob)
}

/// The name that the commit gets in our own repository.
const FETCHED: &str = "refs/docent/fetched";

async fn fetch(
    git: &Git<'_>,
    url: &str,
    reference: &Reference,
    folder: &Path,
) -> Result<(), Error> {
    let Reference { name, commit } = reference;
    git.ask(&["init", "--quiet", "--bare", "--template="], Reach::Nothing, folder, 4096).await?;
    let specification = format!("+{name}:{FETCHED}");
    let arguments = [
        "fetch",
        "--quiet",
        "--depth=1",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--",
        url,
        &specification,
    ];
    git.ask(&arguments, Reach::Network, folder, 4096).await?;
    let peeled = format!("{FETCHED}^{{commit}}");
    let question = ["rev-parse", "--verify", "--quiet", &peeled];
    let found = git.ask(&question, Reach::Nothing, folder, 4096).await?;
    if String::from_utf8_lossy(&found).trim() != commit {
        let message = format!("{name} of {url} is another commit than it was a moment ago");
        return Err(Error::new(ErrorKind::Integrity, message).hint("try again"));
    }
    Ok(())
}

/// Writes the commit out as an archive, within limits.
async fn write(
    git: &Git<'_>,
    folder: &Path,
    limits: &Limits,
    cache: &Cache,
) -> Result<Blob, Error> {
    let mut child = git.start(&["archive", "--format=tar", FETCHED], Reach::Nothing, folder)?;
    let mut output = child.output()?;
    let mut file = cache.temporary()?;
    let mut hash = Context::new(&SHA256);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut buffer = vec![0; 1 << 16];
    let (mut unpacked, mut packed) = (0u64, 0u64);
    let failed = |error: &std::io::Error| Error::io("what git writes cannot be read", error);
    loop {
        let read = output.read(&mut buffer).await.map_err(|error| failed(&error))?;
        unpacked = unpacked.saturating_add(read as u64);
        if unpacked > limits.unpacked_bytes_max {
            let message = "the repository holds more than the limit for an unpacked package";
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        encoder.write_all(&buffer[..read]).map_err(|error| failed(&error))?;
        if read == 0 {
            encoder.try_finish().map_err(|error| failed(&error))?;
        }
        let bytes = std::mem::take(encoder.get_mut());
        hash.update(&bytes);
        packed = packed.saturating_add(bytes.len() as u64);
        file.write(&bytes)?;
        if read == 0 {
            break;
        }
    }
    child.end().await?;
    let sha256 = hex(hash.finish().as_ref());
    let path = cache.keep_artifact(file, &sha256, packed)?;
    Ok(Blob { path, sha256 })
}

/// The repository and the reference that an artifact's address holds.
fn taken_apart(artifact: &Url) -> Result<(String, Reference), Error> {
    let parts = || {
        let (name, commit) = artifact.fragment()?.rsplit_once('@')?;
        let mut whole = artifact.clone();
        whole.set_fragment(None);
        let url = Url::parse(whole.as_str().strip_prefix(SCHEME)?).ok()?;
        let reference = Reference { name: name.to_owned(), commit: commit.to_owned() };
        let is_safe = is_commit(commit) && (is_name(name) || is_commit(name));
        is_safe.then_some((url, reference))
    };
    let (url, reference) = parts().ok_or_else(|| {
        Error::new(ErrorKind::Refused, "an address in a repository makes no sense")
    })?;
    Ok((checked(&url)?, reference))
}

/// An address that git may be given.
fn checked(url: &Url) -> Result<String, Error> {
    let host = url.host_str().unwrap_or_default();
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    let is_allowed = match url.scheme() {
        "https" | "ssh" => true,
        "http" => is_local,
        _ => false,
    };
    let is_plain = |text: &str| !text.starts_with('-') && !text.contains(['\\', '\0', '\n']);
    let parts = [host, url.username(), url.path()];
    let no_option = url.path_segments().into_iter().flatten().all(is_plain);
    if !is_allowed || host.is_empty() || !parts.into_iter().all(is_plain) || !no_option {
        let message = format!("{} is not a repository that may be asked", crate::fetch::shown(url));
        return Err(Error::new(ErrorKind::Refused, message).hint("only https and ssh are allowed"));
    }
    let mut bare = url.clone();
    // A password in an address would be seen by everybody who lists processes.
    let _ = bare.set_password(None);
    bare.set_fragment(None);
    bare.set_query(None);
    Ok(bare.to_string())
}

/// Whether a name is one that git allows, and no option or pattern.
fn is_name(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/+@!#%=,".contains(&byte);
    name.starts_with("refs/")
        && name.len() <= REFERENCE_BYTES_MAX
        && name.bytes().all(legal)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.contains("//")
        && name.split('/').all(|part| !part.starts_with(['-', '.']) && !part.ends_with(".lock"))
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
