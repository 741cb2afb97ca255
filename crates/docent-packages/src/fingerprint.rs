//! Says whether the files of a place are still those that were read.

use std::path::Path;
use std::time::UNIX_EPOCH;

use ring::digest::{Context, SHA256};

use crate::tree::{ArchiveFormat, Content, Listed, Place, Tree};
use crate::worker::Job;
use crate::{Error, Limits};

/// A name for what a job reads, that changes whenever the files do: from their paths, sizes and
/// times on disk, or from the digest in an archive's name.
pub(crate) fn of_job(job: &Job) -> Result<String, Error> {
    /// Raised whenever extraction gives something else for the same files.
    const EXTRACTION_VERSION: u32 = 6;
    let mut hash = Context::new(&SHA256);
    let mut add = |text: &str| {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    add(&format!("{EXTRACTION_VERSION} {}", job.ecosystem));
    for source in std::iter::once(&job.package).chain(&job.companions) {
        add(&source.name);
        add(&source.version);
        match &source.place {
            Place::Folder { .. } => folder(&source.place, &job.limits, &mut add)?,
            Place::Archive { file, prefix, format } => {
                add(&file.to_string_lossy());
                add(prefix.as_deref().unwrap_or_default());
                add(&times(file));
                // What was read without a check, or with another one, does not count.
                if let ArchiveFormat::GoModule { h1: Some(h1) } = format {
                    add(&crate::fetch::hex(h1));
                }
            }
        }
    }
    Ok(crate::fetch::hex(hash.finish().as_ref()))
}

fn folder(place: &Place, limits: &Limits, add: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let tree: Tree = crate::unpack::open(place, limits)?;
    for (path, content) in tree.entries() {
        add(path);
        if let Content::OnDisk(_, listed) = content {
            add(&shown(*listed));
        }
    }
    Ok(())
}

fn times(file: &Path) -> String {
    let Ok(metadata) = std::fs::metadata(file) else { return String::new() };
    shown(Listed { bytes: metadata.len(), modified: metadata.modified().ok() })
}

fn shown(listed: Listed) -> String {
    let modified = listed.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {modified:?}", listed.bytes)
}
