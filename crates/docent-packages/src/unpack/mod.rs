//! Opens a [`Place`]: reads a folder or an archive through limits into a [`Tree`].
//!
//! Nothing is written to disk, so nothing can be written in the wrong place; what an archive says
//! about links, devices and modes is never acted on. The steps: `gzip` and `tar`, or `zip`,
//! give a `listing`, whose paths `path` has accepted and of which `keep` says what is worth
//! its memory; `folder` does the same for what is installed.

mod fault;
mod folder;
mod gzip;
mod keep;
mod listing;
mod path;
mod tar;
#[cfg(test)]
mod tests;
mod zip;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use self::fault::Fault;
pub(crate) use self::zip::Packed;
use crate::tree::{ArchiveFormat, Content, Place, Tree, file_name};
use crate::{Error, Limits};

/// The files of a place.
///
/// Links in archives are left out. The files of an archive are held in memory up to
/// [`Limits::held_bytes_max`]; of a larger zip archive each is unpacked when it is read. A file that
/// is larger than [`Limits::file_bytes_max`] is there, but cannot be read.
///
/// # Errors
/// If the place is not there, breaks a rule, or exceeds a limit.
pub fn open(place: &Place, limits: &Limits) -> Result<Tree, Error> {
    let files = match place {
        Place::Folder { root, files } => folder::read(root, files.as_deref(), limits)?,
        Place::Archive { file, format, prefix } => {
            archive(file, *format, prefix.as_deref(), limits)?
        }
    };
    Ok(Tree::bounded(files, limits.file_bytes_max))
}

fn archive(
    path: &Path,
    format: ArchiveFormat,
    prefix: Option<&str>,
    limits: &Limits,
) -> Result<BTreeMap<String, Content>, Error> {
    let doing = format_args!("the archive {}", path.display());
    let file = File::open(path).map_err(|error| Error::io(doing, &error))?;
    let metadata = file.metadata().map_err(|error| Error::io(doing, &error))?;
    if !metadata.is_file() {
        return Err(Fault::Rule("it is not a file").error(None));
    }
    let length = metadata.len();
    let listing = match format {
        ArchiveFormat::TarGz => {
            let file = BufReader::with_capacity(1 << 16, file);
            tar::read(gzip::Gzip::new(file, length, limits), limits)
        }
        ArchiveFormat::Zip => zip::read(file, length, None, limits),
        ArchiveFormat::GoModule { h1 } => zip::read(file, length, h1, limits),
    };
    let listing = listing.map_err(|(entry, fault)| fault.error(entry.as_deref()))?;
    let files = listing.files().map_err(|(entry, fault)| fault.error(Some(&entry)))?;
    let prefix = match (prefix, format) {
        (Some(prefix), _) => prefix.trim_matches('/').to_owned(),
        (None, ArchiveFormat::Zip) => wrapping(&files).to_owned(),
        (None, ArchiveFormat::TarGz) => only_folder(&files).unwrap_or_default().to_owned(),
        (None, ArchiveFormat::GoModule { .. }) => versioned_folder(&files).to_owned(),
    };
    Ok(below(files, &prefix))
}

/// The folder that everything is in. Files that macOS adds beside the real ones do not count.
fn only_folder(files: &BTreeMap<String, Content>) -> Option<&str> {
    let real = |path: &&String| !path.starts_with("._") && !file_name(path).starts_with("._");
    let mut tops = files.keys().filter(real).map(|path| path.split_once('/').map(|parts| parts.0));
    let first = tops.next()??;
    tops.all(|top| top == Some(first)).then_some(first)
}

/// The folder `module@version` that all files of a Go module are in.
fn versioned_folder(files: &BTreeMap<String, Content>) -> &str {
    let first = files.keys().next().map(String::as_str).unwrap_or_default();
    let version = first.find('@').unwrap_or(first.len());
    let end = first[version..].find('/').map_or(version, |end| version + end);
    &first[..end]
}

/// The folder that a zip archive wraps everything in. A wheel may well hold one folder, which is
/// then its module; it is a wrapping only if the manifest of a package is in it.
fn wrapping(files: &BTreeMap<String, Content>) -> &str {
    let folder = only_folder(files).unwrap_or_default();
    if files.contains_key(&format!("{folder}/Package.swift")) { folder } else { "" }
}

/// The files of a folder, with paths from there.
fn below(files: BTreeMap<String, Content>, folder: &str) -> BTreeMap<String, Content> {
    if folder.is_empty() {
        return files;
    }
    let inside = |path: &str| Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
    files.into_iter().filter_map(|(path, content)| Some((inside(&path)?, content))).collect()
}
