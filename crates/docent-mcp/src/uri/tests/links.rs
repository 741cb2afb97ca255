//! Hostile paths on disk: symbolic links and folders with similar names.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::uri::{contained, file_path};

/// A folder that goes away with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Scratch> {
        let path = std::env::temp_dir().join(format!("docent-uri-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("root/inner"))?;
        fs::create_dir_all(path.join("root-evil"))?;
        fs::write(path.join("root/inner/good.txt"), "good")?;
        fs::write(path.join("root-evil/canary.txt"), "canary")?;
        fs::write(path.join("canary.txt"), "canary")?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// [SRV-RES-05] links, prefix twins and `..` give 0 bytes of the canary
#[test]
fn links_do_not_lead_out_of_the_root() -> io::Result<()> {
    let scratch = Scratch::new()?;
    let (outside, root) = (&scratch.0, &scratch.0.join("root"));
    symlink(outside.join("canary.txt"), root.join("link.txt"))?;
    symlink("..", root.join("up"))?;
    symlink("../root-evil", root.join("inner/twin"))?;
    symlink("inner/good.txt", root.join("fine.txt"))?;
    symlink("loop", root.join("loop"))?;
    symlink("/nowhere/at/all", root.join("dangling"))?;
    let here = root.canonicalize()?;

    for (path, expected) in [
        ("inner/good.txt", Some("inner/good.txt")),
        ("inner", Some("inner")),
        ("", Some("")),
        ("fine.txt", Some("inner/good.txt")),
        ("inner/../fine.txt", Some("inner/good.txt")),
        ("up/root/fine.txt", Some("inner/good.txt")),
        ("link.txt", None),
        ("up", None),
        ("up/canary.txt", None),
        ("inner/twin", None),
        ("inner/twin/canary.txt", None),
        ("../root-evil/canary.txt", None),
        ("../canary.txt", None),
        ("/proc/self/root/etc/passwd", None),
        ("/etc/passwd", None),
        ("/etc/passwd/x", None),
        ("/etc/no-such-file", None),
        ("no-such-file", None),
        ("loop", None),
        ("dangling", None),
    ] {
        match (contained(root, Path::new(path)), expected) {
            (Ok(found), Some(expected)) => assert_eq!(found, here.join(expected), "{path}"),
            (Err(error), None) => {
                assert_eq!(error.kind(), io::ErrorKind::NotFound, "{path}");
                assert_eq!(error.to_string(), "no such file inside the root", "{path}");
            }
            (found, _) => panic!("{path}: {found:?}"),
        }
    }

    // The whole way that a server goes, from the URI to the bytes.
    let folder = root.to_str().unwrap_or_default();
    for uri in [
        format!("file://{folder}/link.txt"),
        format!("file://{folder}/up/canary.txt"),
        format!("file://{folder}/inner/twin/canary.txt"),
        format!("file://{folder}-evil/canary.txt"),
        format!("file://{folder}/../canary.txt"),
        format!("file://{folder}/%2e%2e/canary.txt"),
        format!("file://{folder}/..%2fcanary.txt"),
        format!("file://{folder}/inner/good.txt"),
    ] {
        let path = file_path(root, &uri).ok().and_then(|path| contained(root, &path).ok());
        let bytes = path.and_then(|path| fs::read_to_string(path).ok());
        let expected = uri.ends_with("good.txt").then_some("good");
        assert_eq!(bytes.as_deref(), expected, "{uri}");
    }
    Ok(())
}
