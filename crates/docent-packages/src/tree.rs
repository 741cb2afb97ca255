//! The files of one package, read-only, wherever they are.
//!
//! A [`Place`] says where they are and can be sent to the worker; opening it ([`crate::unpack`])
//! gives a [`Tree`], which extraction reads. Paths are relative, with `/`, and never leave the root.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::unpack::Packed;

/// Where the files of a package are.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Place {
    /// A folder on disk.
    Folder {
        /// The folder.
        #[serde(with = "crate::paths")]
        root: PathBuf,
        /// The files that belong to the package, or `None` for all of the folder except the
        /// packages nested in it.
        files: Option<Vec<String>>,
    },
    /// An archive on disk.
    Archive {
        /// The archive.
        #[serde(with = "crate::paths")]
        file: PathBuf,
        /// Its format.
        format: ArchiveFormat,
        /// The folder inside the archive that is the package's root; `None` to drop the one folder
        /// that everything is in, if there is one.
        prefix: Option<String>,
    },
}

/// The formats of archives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ArchiveFormat {
    /// A tar archive inside gzip: npm tarballs, source distributions, crates.
    TarGz,
    /// A zip archive: wheels, Yarn's cache.
    Zip,
    /// A zip archive whose files are all below `module@version/`.
    GoModule {
        /// The hash of its files as `go.sum` has it behind `h1:`, if they are to be checked.
        h1: Option<[u8; 32]>,
    },
}

/// The files of one package. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: Arc<BTreeMap<String, Content>>,
    /// No more is read of a file, however large it has become since it was listed.
    file_bytes_max: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A file on disk, and what it was like when it was listed.
    OnDisk(PathBuf, Listed),
    /// Bytes in memory.
    InMemory(Vec<u8>),
    /// A file of an archive that holds too much to have all of it in memory.
    Packed(Packed),
    /// A file that exists but is of no use for documentation, so that its bytes were not kept.
    Skipped,
    /// A file that is larger than the limit, and how large.
    TooLarge(u64),
}

/// What tells whether a file has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
}

impl Tree {
    pub(crate) fn new(files: BTreeMap<String, Content>) -> Self {
        Self { files: Arc::new(files), file_bytes_max: None }
    }

    /// A tree of files of which none is read beyond a number of bytes.
    pub(crate) fn bounded(files: BTreeMap<String, Content>, file_bytes_max: u64) -> Self {
        Self { files: Arc::new(files), file_bytes_max: Some(file_bytes_max) }
    }

    /// A tree of made-up files.
    pub fn in_memory<P: Into<String>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Self {
        let files = files.into_iter();
        Self::new(
            files.map(|(path, bytes)| (path.into(), Content::InMemory(bytes.into()))).collect(),
        )
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &Content)> {
        self.files.iter().map(|(path, content)| (path.as_str(), content))
    }

    /// All paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// All paths that start with `prefix`, sorted.
    pub fn paths_under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self
            .files
            .range::<str, _>((std::ops::Bound::Included(prefix), std::ops::Bound::Unbounded));
        from.map(|(path, _)| path.as_str()).take_while(move |path| path.starts_with(prefix))
    }

    /// Whether there is such a file.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The text of a file, without a byte order mark and with what is not UTF-8 replaced; `None` if
    /// there is no such file, or no use in reading it.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        self.text_of(path).map(Cow::into_owned)
    }

    /// The same, borrowed where it is in memory as it should be.
    pub(crate) fn text_of(&self, path: &str) -> Option<Cow<'_, str>> {
        match self.files.get(path)? {
            Content::OnDisk(file, listed) => self.read(file, listed.bytes).map(owned),
            Content::InMemory(bytes) => Some(borrowed(bytes)),
            Content::Packed(packed) => packed.bytes().ok().map(owned),
            Content::Skipped | Content::TooLarge(_) => None,
        }
    }

    /// The beginning of a file, as text: so many bytes, or all if there are fewer.
    pub(crate) fn head(&self, path: &str, bytes_max: u64) -> Option<Cow<'_, str>> {
        match self.files.get(path)? {
            Content::OnDisk(file, _) => {
                let mut bytes = Vec::new();
                File::open(file).ok()?.take(bytes_max).read_to_end(&mut bytes).ok()?;
                Some(owned(bytes))
            }
            Content::InMemory(bytes) => {
                let end = usize::try_from(bytes_max).unwrap_or(usize::MAX).min(bytes.len());
                Some(borrowed(&bytes[..end]))
            }
            Content::Packed(packed) => packed.head(bytes_max).ok().map(owned),
            Content::Skipped | Content::TooLarge(_) => None,
        }
    }

    /// How large a file is that can be read; 0 for any other.
    pub(crate) fn bytes(&self, path: &str) -> u64 {
        match self.files.get(path) {
            Some(Content::OnDisk(_, listed)) => listed.bytes,
            Some(Content::InMemory(bytes)) => bytes.len() as u64,
            Some(Content::Packed(packed)) => packed.size(),
            Some(Content::Skipped | Content::TooLarge(_)) | None => 0,
        }
    }

    /// How large a file is, if that is too large for reading it.
    pub(crate) fn too_large(&self, path: &str) -> Option<u64> {
        match self.files.get(path)? {
            Content::TooLarge(size) => Some(*size),
            _ => None,
        }
    }

    /// The bytes of a file on disk; `None` if it has grown over the limit since it was listed.
    fn read(&self, file: &Path, size: u64) -> Option<Vec<u8>> {
        let most = self.file_bytes_max.unwrap_or(u64::MAX);
        let mut bytes = Vec::with_capacity(usize::try_from(size.min(most)).ok()?.saturating_add(1));
        let file = File::open(file).ok()?;
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= most).then_some(bytes)
    }
}

/// The byte order mark, which is no part of a text.
const MARK: &[u8] = b"\xEF\xBB\xBF";

fn owned(mut bytes: Vec<u8>) -> Cow<'static, str> {
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    let text = String::from_utf8(bytes);
    Cow::Owned(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn borrowed(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    // Almost all text is what it should be, and this is the quicker way to see it.
    let text = std::str::from_utf8(bytes).map(Cow::Borrowed);
    text.unwrap_or_else(|_| String::from_utf8_lossy(bytes))
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder a path is in; empty at the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
}

/// `path` seen from `folder`, with `.` and `..` resolved; `None` if it leaves the root.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> =
        if path.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.retain(|part| !part.is_empty());
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    Some(parts.join("/"))
}

impl Place {
    /// The folder or archive, for people to read.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Folder { root, .. } => root,
            Self::Archive { file, .. } => file,
        }
    }
}
