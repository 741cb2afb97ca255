//! The hash of all files of an archive that Go calls `h1`: of the list of their names and hashes.

use crate::cache::entry::{hex, sha256};
use crate::unpack::fault::Fault;

/// The hash of one file, in hexadecimal.
pub(super) fn of(bytes: &[u8]) -> String {
    hex(&sha256(&[bytes]))
}

/// Checks the hash over all files, if there is one to check.
pub(super) fn check(
    wanted: Option<[u8; 32]>,
    files: Option<Vec<(String, String)>>,
) -> Result<(), Fault> {
    let (Some(wanted), Some(mut files)) = (wanted, files) else { return Ok(()) };
    files.sort_unstable();
    let mut list = String::new();
    for (name, hash) in files {
        list.push_str(&hash);
        list.push_str("  ");
        list.push_str(&name);
        list.push('\n');
    }
    if sha256(&[list.as_bytes()]) == wanted { Ok(()) } else { Err(Fault::Hash) }
}
