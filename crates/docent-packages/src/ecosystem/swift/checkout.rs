//! Which version a folder holds: the tag at the commit that is checked out, or what the folder is
//! called.
//!
//! Reads git's own files; the program is not needed for it.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::version;
use crate::ecosystem::python::files::Files;

/// Tags kept as files of their own that are looked at.
const TAGS_MAX: usize = 4096;
/// Bytes of a tag's object that are read: what it points to comes first.
const OBJECT_BYTES: u64 = 4096;

/// The version in a folder, if it can be told.
pub(super) fn version(root: &Path, files: &Files<'_>) -> Option<String> {
    tagged(root, files).or_else(|| named(root))
}

/// The name without the version: `swift-log` for `swift-log-1.5.0` and `swift-log@1.5.0`.
pub(super) fn bare_name(folder: &str) -> &str {
    let separators = folder.match_indices(['@', '-']);
    let mut ends = separators.filter(|(at, _)| is_version(&folder[at + 1..]));
    ends.next().map_or(folder, |(at, _)| &folder[..at])
}

/// Archives unpack into folders that are named after the package and its version.
fn named(root: &Path) -> Option<String> {
    let folder = root.file_name()?.to_str()?;
    let bare = bare_name(folder);
    version::parse(folder.get(bare.len() + 1..)?).map(|version| version.to_string())
}

fn is_version(text: &str) -> bool {
    text.contains('.') && version::parse(text).is_some()
}

fn tagged(root: &Path, files: &Files<'_>) -> Option<String> {
    let folder = git_folder(root, files)?;
    let shared = match files.text(&folder.join("commondir")) {
        Some(path) => folder.join(path.trim()),
        None => folder.clone(),
    };
    let packed = files.text(&shared.join("packed-refs")).unwrap_or_default();
    let head = head(&folder, &shared, &packed, files)?;
    let mut tags = packed_tags(&packed, &head);
    tags.extend(loose_tags(&shared, &head, files));
    let versions = tags.iter().filter_map(|tag| version::parse(tag));
    versions.max().map(|version| version.to_string())
}

/// `.git`, which may be a file that says where the folder is.
fn git_folder(root: &Path, files: &Files<'_>) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = files.text(&git)?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The commit that is checked out.
fn head(folder: &Path, shared: &Path, packed: &str, files: &Files<'_>) -> Option<String> {
    let head = files.text(&folder.join("HEAD"))?;
    let head = head.trim();
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else {
        return is_commit(head).then(|| head.to_owned());
    };
    if name.split('/').any(|part| part == "..") || name.starts_with('/') {
        return None;
    }
    let loose = files.text(&shared.join(name)).map(|text| text.trim().to_owned());
    let in_pack = || {
        let row = packed
            .lines()
            .find(|line| line.ends_with(name) && line[..line.len() - name.len()].ends_with(' '));
        row.and_then(|line| line.split(' ').next()).map(str::to_owned)
    };
    loose.or_else(in_pack).filter(|commit| is_commit(commit))
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The tags of `packed-refs` that lead to a commit, by themselves or through the line below them.
fn packed_tags(packed: &str, head: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut last = None;
    for line in packed.lines() {
        if let Some(peeled) = line.strip_prefix('^') {
            if peeled.trim() == head {
                found.extend(last.take());
            }
            continue;
        }
        last = None;
        let Some((commit, name)) = line.split_once(' ') else { continue };
        if let Some(tag) = name.trim().strip_prefix("refs/tags/") {
            if commit == head {
                found.push(tag.to_owned());
            } else {
                last = Some(tag.to_owned());
            }
        }
    }
    found
}

fn loose_tags(shared: &Path, head: &str, files: &Files<'_>) -> Vec<String> {
    let folder = shared.join("refs/tags");
    let Ok(entries) = std::fs::read_dir(&folder) else { return Vec::new() };
    let names =
        entries.flatten().take(TAGS_MAX).filter_map(|one| one.file_name().into_string().ok());
    let leads = |tag: &String| {
        let Some(object) = files.text(&folder.join(tag)) else { return false };
        let object = object.trim();
        object == head || pointed_at(shared, object).is_some_and(|commit| commit == head)
    };
    names.filter(|tag| version::parse(tag).is_some()).filter(leads).collect()
}

/// What a tag with a message of its own points at.
fn pointed_at(shared: &Path, object: &str) -> Option<String> {
    if !is_commit(object) {
        return None;
    }
    let (folder, name) = object.split_at(2);
    let file = std::fs::File::open(shared.join("objects").join(folder).join(name)).ok()?;
    let mut bytes = Vec::new();
    let mut inflated = flate2::read::ZlibDecoder::new(file.take(OBJECT_BYTES)).take(OBJECT_BYTES);
    // The end of what was read is not the end of the object.
    let _ = inflated.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let body = text.strip_prefix("tag ")?.split_once('\0')?.1;
    body.strip_prefix("object ")?.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    const HEAD: &str = "0123456789012345678901234567890123456789";

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let folder = Folder::new();
        for (path, text) in files {
            folder.write(&format!("pkg/{path}"), text);
        }
        let limits = Limits::default();
        let found = version(&folder.path().join("pkg"), &Files::new(&limits));
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn the_tag_at_the_commit_is_the_version() {
        let other = HEAD.replace('0', "f");
        check(&[(".git/HEAD", HEAD), (".git/refs/tags/v1.2.3", HEAD)], Some("1.2.3"));
        let packed = format!(
            "# pack-refs with: peeled\n{other} refs/tags/1.0.0\n^{HEAD}\n{HEAD} refs/tags/junk\n\
             {other} refs/tags/2.0.0\n"
        );
        check(&[(".git/HEAD", HEAD), (".git/packed-refs", &packed)], Some("1.0.0"));
        let branch = [(".git/HEAD", "ref: refs/heads/main\n"), (".git/refs/tags/3.0.0", HEAD)];
        check(&[branch[0], branch[1], (".git/refs/heads/main", HEAD)], Some("3.0.0"));
        let packed = format!("{HEAD} refs/heads/main\n");
        check(&[branch[0], branch[1], (".git/packed-refs", &packed)], Some("3.0.0"));
        check(
            &[
                (".git", "gitdir: ../w/g"),
                ("../w/g/HEAD", HEAD),
                ("../w/g/commondir", "../c"),
                ("../w/c/refs/tags/4.0.0", HEAD),
            ],
            Some("4.0.0"),
        );
        check(&[(".git/HEAD", HEAD), (".git/refs/tags/1.0.0", &other)], None);
        check(&[(".git/HEAD", "ref: ../../../x")], None);
    }

    #[test]
    fn folders_of_archives_say_their_version() {
        let check = |folder: &str, name: &str, expected: Option<&str>| {
            assert_eq!(bare_name(folder), name);
            assert_eq!(named(Path::new(folder)).as_deref(), expected);
        };
        check("swift-log-1.5.0", "swift-log", Some("1.5.0"));
        check("swift-log@1.5.0-beta.1", "swift-log", Some("1.5.0-beta.1"));
        check("swift-5", "swift-5", None);
        check("swift-log", "swift-log", None);
    }
}
