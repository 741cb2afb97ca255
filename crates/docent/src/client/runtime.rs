//! The folder for what lives only as long as processes do: sockets, and calls that wait.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use docent_host::config::Machine;

use crate::failure::Failure;

/// The folder: with what belongs to a login, or else with our own settings.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|folder| folder.is_absolute()).map(|folder| folder.join("docent"));
    runtime.or_else(|| Some(Machine::of_process().own_folder()?.join("run"))).ok_or_else(|| {
        Failure::new("there is no folder for sockets").hint("set XDG_RUNTIME_DIR or HOME")
    })
}

/// Makes a folder that only its owner can look into.
pub(crate) fn make_private(folder: &Path) -> Result<(), Failure> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| Failure::file("made", folder, &error))
}

/// Lets only the owner of a file use it.
pub(crate) fn owner_only(path: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
}
