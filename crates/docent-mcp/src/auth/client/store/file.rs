//! Credentials in a folder, which several programs may share.
//!
//! Each value is a file that only its owner can read, written beside and moved into place, so that
//! a reader sees the old value or the new one. A lock is a file too: the system frees it when its
//! holder ends, however it ends. Names are hashed: addresses may hold what file names cannot.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ring::digest::{SHA256, digest};

use super::{CredentialStore, StoreLock};
use crate::auth::Secret;
use crate::auth::client::random;
use crate::error::{Error, Result};
use crate::transport::BoxFuture;
use crate::transport::http::HookError;

/// The form of the files. Another form is another folder.
const VERSION: &str = "v1";
/// How often a lock that somebody holds is tried again.
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// A value is JSON of a few tokens.
const VALUE_BYTES_MAX: u64 = 1 << 20;

/// Keeps credentials in a folder, readable by its owner only, across programs and restarts. A folder
/// holds one login for each server: programs with several users give each a folder.
///
/// ```no_run
/// use docent_mcp::auth::{FileStore, OAuth};
///
/// # fn run(state: std::path::PathBuf) -> docent_mcp::Result<()> {
/// let login = OAuth::user("my app").store(FileStore::open(state.join("credentials"))?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileStore {
    folder: PathBuf,
}

impl FileStore {
    /// Opens the store in `folder`, and makes it if need be.
    pub fn open(folder: impl AsRef<Path>) -> Result<FileStore> {
        let folder = folder.as_ref().join(VERSION);
        let failed = |error: io::Error| {
            let message = format!("credentials cannot be kept in {}", folder.display());
            Error::invalid_input(message).with_source(error)
        };
        private_folder(&folder).map_err(failed)?;
        Ok(FileStore { folder })
    }

    fn path(&self, key: &str, kind: &str) -> PathBuf {
        use std::fmt::Write as _;
        let hash = digest(&SHA256, key.as_bytes());
        let mut name = String::new();
        for byte in &hash.as_ref()[..16] {
            write!(name, "{byte:02x}").expect("a string takes everything");
        }
        self.folder.join(format!("{name}.{kind}"))
    }
}

impl CredentialStore for FileStore {
    fn load<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Secret>, HookError>> {
        let path = self.path(key, "json");
        Box::pin(blocking(move || match read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            outcome => outcome.map(Some),
        }))
    }

    fn save<'a>(&'a self, key: &'a str, value: &'a Secret) -> BoxFuture<'a, Result<(), HookError>> {
        let (path, value) = (self.path(key, "json"), value.clone());
        Box::pin(blocking(move || write(&path, &value)))
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), HookError>> {
        let path = self.path(key, "json");
        Box::pin(blocking(move || match fs::remove_file(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            outcome => outcome,
        }))
    }

    fn lock<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<StoreLock, HookError>> {
        let path = self.path(key, "lock");
        Box::pin(async move {
            let file = blocking(move || private_file().truncate(false).open(path)).await?;
            // Asked again and again rather than waited for: a wait could not be given up.
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(Box::new(file) as StoreLock),
                    Err(fs::TryLockError::WouldBlock) => tokio::time::sleep(LOCK_PAUSE).await,
                    Err(fs::TryLockError::Error(error)) => return Err(error.into()),
                }
            }
        })
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, HookError> {
    Ok(tokio::task::spawn_blocking(work).await??)
}

fn read(path: &Path) -> io::Result<Secret> {
    use std::io::Read as _;
    let mut text = String::new();
    File::open(path)?.take(VALUE_BYTES_MAX).read_to_string(&mut text)?;
    Ok(Secret::new(text))
}

fn write(path: &Path, value: &Secret) -> io::Result<()> {
    let name = random::text().map_err(io::Error::other)?;
    let beside = path.with_extension(format!("{name}.new"));
    let written = private_file().create_new(true).open(&beside).and_then(|mut file| {
        file.write_all(value.expose().as_bytes())?;
        file.sync_all()
    });
    let moved = written.and_then(|()| fs::rename(&beside, path));
    if moved.is_err() {
        let _ = fs::remove_file(&beside);
    }
    moved
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // One that was there already may be open to others.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    /// [BOTH-AUTH-18] what is kept can be read by its owner only, and survives.
    #[tokio::test]
    async fn values_are_kept_and_private() {
        let folder = Folder::new();
        let store = FileStore::open(folder.path()).unwrap();
        assert_eq!(store.load("a").await.unwrap(), None);
        for value in ["one", "two"] {
            store.save("a", &Secret::new(value)).await.unwrap();
        }
        let again = FileStore::open(folder.path()).unwrap();
        assert_eq!(again.load("a").await.unwrap(), Some(Secret::new("two")));
        #[cfg(unix)]
        for entry in fs::read_dir(folder.path().join(VERSION)).unwrap() {
            use std::os::unix::fs::PermissionsExt as _;
            let entry = entry.unwrap();
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        store.remove("a").await.unwrap();
        store.remove("a").await.unwrap();
        assert_eq!(again.load("a").await.unwrap(), None);
    }

    /// Two stores over one folder are two programs, as far as locks are concerned.
    #[tokio::test]
    async fn locks_exclude_each_other() {
        let folder = Folder::new();
        let (one, other) =
            (FileStore::open(folder.path()).unwrap(), FileStore::open(folder.path()).unwrap());
        let held = one.lock("a").await.unwrap();
        drop(other.lock("b").await.unwrap());
        let short = Duration::from_millis(60);
        assert!(tokio::time::timeout(short, other.lock("a")).await.is_err());
        drop(held);
        other.lock("a").await.unwrap();
    }
}
