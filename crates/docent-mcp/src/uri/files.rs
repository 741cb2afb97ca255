//! From a URI to a path that is certain to be inside a folder.
//!
//! Two steps, and a server of files needs both. First the *text*: [`file_path`] for `file:` URIs
//! and [`join_inside`] for a path out of a template refuse everything that could name a place
//! outside, without touching the disk. Then the *disk*: [`contained`] follows symbolic links and
//! looks where they end.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::check::{check_uri, is_safe_segment, scheme};
use super::error::{UriError, UriProblem};
use super::escape::decode;

/// The path that a `file:` URI names, if it lies inside `root` going by the text alone.
///
/// The URI holds the absolute path, root included, as clients and editors write it. Each segment
/// is decoded by itself and must be [safe](is_safe_segment), so neither `..` nor `%2e%2e` nor
/// `%2F` nor `%5C` nor `%00` gets through; nor do other hosts, queries and fragments. `root` must
/// be absolute, without `..`.
///
/// Symbolic links are not followed: give the result to [`contained`] before opening it.
///
/// ```
/// # #[cfg(unix)] {
/// use docent_mcp::uri::file_path;
/// use std::path::Path;
///
/// let root = Path::new("/srv/docs");
/// let path = file_path(root, "file:///srv/docs/a%20guide.md").unwrap();
/// assert_eq!(path, Path::new("/srv/docs/a guide.md"));
///
/// for outside in [
///     "file:///etc/passwd",
///     "file:///srv/docs-old/a.md",
///     "file:///srv/docs/../../etc/passwd",
///     "file:///srv/docs/%2e%2e/%2E%2E/etc/passwd",
/// ] {
///     assert!(file_path(root, outside).is_err());
/// }
/// # }
/// ```
pub fn file_path(root: &Path, uri: &str) -> Result<PathBuf, UriError> {
    const NOT_A_FILE: UriError = UriError(UriProblem::NotAFile);
    check_uri(uri)?;
    let scheme = scheme(uri).filter(|scheme| scheme.eq_ignore_ascii_case("file"));
    let rest = &uri[scheme.ok_or(NOT_A_FILE)?.len() + 1..];
    if rest.contains(['?', '#']) {
        return Err(NOT_A_FILE);
    }
    let path = match rest.strip_prefix("//") {
        None => rest.strip_prefix('/'),
        Some(rest) => rest
            .split_once('/')
            .filter(|(host, _)| host.is_empty() || host.eq_ignore_ascii_case("localhost"))
            .map(|(_, path)| path),
    };
    let mut path = path.ok_or(NOT_A_FILE)?;
    let mut found = PathBuf::from("/");
    if cfg!(windows) {
        let (drive, rest) = path.split_once('/').ok_or(NOT_A_FILE)?;
        if !matches!(drive.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic()) {
            return Err(NOT_A_FILE);
        }
        found = PathBuf::from(format!("{drive}\\"));
        path = rest;
    }
    for segment in segments(path) {
        let segment = decode(segment).ok_or(UriError(UriProblem::Unsafe))?;
        push(&mut found, &segment)?;
    }
    match is_plain(root) && root.is_absolute() && found.starts_with(root) {
        true => Ok(found),
        false => Err(UriError(UriProblem::Outside)),
    }
}

/// `relative` below `root`, for a path that was found by a template such as `docs://{+path}`.
///
/// `relative` is decoded text with `/` between segments, each of which must be
/// [safe](is_safe_segment). A leading `/` is refused: [`Path::join`] would drop the root for it.
///
/// Symbolic links are not followed: give the result to [`contained`] before opening it.
///
/// ```
/// use docent_mcp::uri::join_inside;
/// use std::path::Path;
///
/// let root = Path::new("docs");
/// assert_eq!(join_inside(root, "guide/intro.md").unwrap(), root.join("guide").join("intro.md"));
/// for hostile in ["/etc/passwd", "../secret", "a/../../secret", "a//b", "a\\..\\b", ""] {
///     assert!(join_inside(root, hostile).is_err());
/// }
/// ```
pub fn join_inside(root: &Path, relative: &str) -> Result<PathBuf, UriError> {
    if relative.is_empty() {
        return Err(UriError(UriProblem::Unsafe));
    }
    let mut found = root.to_path_buf();
    segments(relative).try_for_each(|segment| push(&mut found, segment))?;
    Ok(found)
}

/// Where `path` really is, if that is inside `root` or `root` itself.
///
/// Both are canonicalized, so symbolic links are followed to their end, and compared component by
/// component, so `/root-evil` is not inside `/root`. A relative `path` is taken from `root`. What
/// is outside, what does not exist and what cannot be reached give the same error, of kind
/// [`io::ErrorKind::NotFound`]: a server tells nobody which files exist elsewhere.
///
/// Open the returned path, not the one passed in, and do not keep it: someone who can write
/// inside `root` can still put a link in its place between this check and the opening.
///
/// ```
/// use docent_mcp::uri::contained;
///
/// let root = std::env::temp_dir();
/// assert_eq!(contained(&root, &root)?, root.canonicalize()?);
/// assert!(contained(&root, &root.join("..")).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn contained(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let root = root.canonicalize()?;
    match root.join(path).canonicalize() {
        Ok(found) if found.starts_with(&root) => Ok(found),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such file inside the root")),
    }
}

/// The segments of a path; one `/` at its end is allowed, as folders have it.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path);
    path.split('/').filter(move |_| !path.is_empty())
}

fn push(path: &mut PathBuf, segment: &str) -> Result<(), UriError> {
    let mut components = Path::new(segment).components();
    // The first test is ours, the second is the platform's own idea of a name.
    match (is_safe_segment(segment), components.next(), components.next()) {
        (true, Some(Component::Normal(name)), None) if name == segment => path.push(name),
        _ => return Err(UriError(UriProblem::Unsafe)),
    }
    Ok(())
}

/// Whether a path has no `..`, so that comparing it as text means something.
fn is_plain(path: &Path) -> bool {
    !path.components().any(|component| component == Component::ParentDir)
}
