//! What a package says of itself, from the beginnings of its files: all that is read of most packages
//! of a module that is too large to be read at once.

use super::constraint::{header, is_looked_at};
use super::declare::read as declarations;
use super::folders::Folder;
use super::package::Package;
use crate::extract::Input;
use crate::tree::file_name;

/// Bytes of a file that its package clause is looked for in, with the documentation above it.
const HEAD_BYTES: u64 = 64 << 10;

/// A package without its declarations; nothing if no file of it is built.
pub(super) fn read(input: &Input<'_>, path: &str, folder: &Folder) -> Option<Package> {
    let mut files: Vec<&String> = folder.sources.iter().filter(|file| is_looked_at(file)).collect();
    // The file that is there for nothing else comes first.
    files.sort_by_key(|file| file_name(file) != "doc.go");
    let mut found: Option<Package> = None;
    for file in files {
        let Some(text) = input.head(input.package, file, HEAD_BYTES) else { continue };
        let Some(header) = header(&text).filter(|header| header.is_built()) else { continue };
        if header.package == "documentation" {
            continue;
        }
        let beginning = text.get(..header.end).unwrap_or_default();
        let docs = declarations(file, beginning).map(|file| file.docs).unwrap_or_default();
        let has_docs = !docs.text.is_empty();
        if has_docs || found.is_none() {
            found = Some(Package {
                path: path.to_owned(),
                name: header.package,
                docs,
                is_public: folder.is_public,
                main_file: file.clone(),
                ..Package::default()
            });
        }
        if has_docs {
            break;
        }
    }
    found
}
