//! Where the cache is when nobody says where.

use std::path::{Path, PathBuf};

use super::Cache;
use crate::{Environment, Error, Limits};

impl Cache {
    /// The folder in the user's cache folder; `None` without a home.
    #[must_use]
    pub fn default_folder(environment: &Environment) -> Option<PathBuf> {
        let set = environment.variable("XDG_CACHE_HOME").map(PathBuf::from);
        let set = set.filter(|folder| folder.is_absolute());
        let base = set.or_else(|| environment.home().map(|home| home.join(".cache")));
        base.map(|base| base.join("docent"))
    }

    /// Opens the default folder; where there is no home, or it cannot be written, one of this user's
    /// own among the temporary files.
    pub(crate) fn open_default(environment: &Environment, limits: &Limits) -> Result<Self, Error> {
        let wanted = Self::default_folder(environment).map(|folder| Self::open(&folder, limits));
        match wanted {
            Some(Ok(cache)) => Ok(cache),
            Some(Err(error)) => Self::open_passing(limits).map_err(|_| error),
            None => Self::open_passing(limits),
        }
    }

    fn open_passing(limits: &Limits) -> Result<Self, Error> {
        let folder = std::env::temp_dir().join(passing_name());
        let cache = Self::open(&folder, limits)?;
        // Everybody may write there: what another user has put in the place is not to be believed.
        if is_own(&folder) {
            return Ok(cache);
        }
        let message = format!("`{}` belongs to somebody else", folder.display());
        Err(Error::io(message, &std::io::ErrorKind::PermissionDenied.into()).hint(NAME_ONE))
    }
}

const NAME_ONE: &str = "name a cache folder with `--cache` or `DOCENT_CACHE`";

#[cfg(unix)]
fn passing_name() -> String {
    format!("docent-{}", rustix::process::getuid().as_raw())
}

#[cfg(unix)]
fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::getuid().as_raw();
    let found = std::fs::symlink_metadata(folder);
    found.is_ok_and(|found| found.is_dir() && found.uid() == own && found.mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn passing_name() -> String {
    "docent".to_owned()
}

/// Elsewhere the folder of temporary files is the user's own.
#[cfg(not(unix))]
fn is_own(_: &Path) -> bool {
    true
}
