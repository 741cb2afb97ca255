//! Says whether the files of a place are still those that were read.

use std::path::Path;
use std::time::UNIX_EPOCH;

use ring::digest::{Context, SHA256};

use crate::tree::{ArchiveFormat, Content, Listed, Place, Tree};
use crate::worker::Job;
use crate::{Error, Limits};

/// What a job reads.
pub(crate) struct Fingerprint {
    /// A name for it, that changes whenever the files do.
    pub(crate) key: String,
    /// The bytes of the code in it, or an estimate where it is packed.
    pub(crate) code_bytes: u64,
}

/// A name for what a job reads, that changes whenever the files do: from their paths, sizes and
/// times on disk, or from the digest in an archive's name.
pub(crate) fn of_job(job: &Job) -> Result<Fingerprint, Error> {
    /// Raised whenever extraction gives something else for the same files.
    const EXTRACTION_VERSION: u32 = 14;
    /// What packed code is, unpacked.
    const UNPACKED: u64 = 5;
    let mut code_bytes = 0u64;
    let mut hash = Context::new(&SHA256);
    let mut add = |text: &str| {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    add(&format!("{EXTRACTION_VERSION} {}", job.ecosystem));
    if let Some(part) = &job.part {
        add(part);
    }
    for source in std::iter::once(&job.package).chain(&job.companions) {
        add(&source.name);
        add(&source.version);
        match &source.place {
            Place::Folder { .. } => {
                let bytes = folder(&source.place, &job.limits, &mut add)?;
                code_bytes = code_bytes.saturating_add(bytes);
            }
            Place::Archive { file, prefix, format } => {
                add(&file.to_string_lossy());
                add(prefix.as_deref().unwrap_or_default());
                add(&times(file));
                let packed = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
                code_bytes = code_bytes.saturating_add(packed.saturating_mul(UNPACKED));
                // What was read without a check, or with another one, does not count.
                if let ArchiveFormat::GoModule { h1: Some(h1) } = format {
                    add(&crate::fetch::hex(h1));
                }
            }
        }
    }
    Ok(Fingerprint { key: crate::fetch::hex(hash.finish().as_ref()), code_bytes })
}

/// The bytes of the code in a folder.
fn folder(place: &Place, limits: &Limits, add: &mut dyn FnMut(&str)) -> Result<u64, Error> {
    let tree: Tree = crate::unpack::open(place, limits)?;
    let mut code_bytes = 0u64;
    for (path, content) in tree.entries() {
        add(path);
        if let Content::OnDisk(_, listed) = content {
            add(&shown(*listed));
            if is_code(path) {
                code_bytes = code_bytes.saturating_add(listed.bytes);
            }
        }
    }
    Ok(code_bytes)
}

/// Whether a file is likely to be read for its declarations.
fn is_code(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    ["rs", "go", "swift", "ts", "mts", "cts", "py", "pyi"].contains(&ending)
}

fn times(file: &Path) -> String {
    let Ok(metadata) = std::fs::metadata(file) else { return String::new() };
    shown(Listed { bytes: metadata.len(), modified: metadata.modified().ok() })
}

fn shown(listed: Listed) -> String {
    let modified = listed.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {modified:?}", listed.bytes)
}
