//! Family 13: files with names that caches and tools give a meaning to.
//!
//! Nothing is written to disk, so none of them can stand beside the reader's own files.

use super::{manifest, module};
use crate::archives::tar::Member;
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Hostile};

pub(super) fn markers() -> Vec<Hostile> {
    let mut family = Family::new(13);
    for name in [
        ".ok",
        ".cargo-ok",
        ".lock",
        "index.json",
        ".npmrc",
        "pip.conf",
        "docent.toml",
        ".git/config",
        ".git/hooks/post-checkout",
        ".pnp.cjs",
        "node_modules/other/package.json",
        "sitecustomize.py",
        "conftest.py",
        "setup.py",
        "evil.pth",
    ] {
        family.tar(format!("tar marker {name}"), Expected::Opened, move || {
            vec![manifest(), Member::file(format!("package/{name}"), "evil")]
        });
        family.zip(format!("zip marker {name}"), Expected::Opened, move || {
            Zip::of([module(), Entry::stored(name, "evil")])
        });
    }
    family.tar("a link as marker", Expected::Opened, || {
        vec![manifest(), Member::symlink("package/.ok", "/etc/passwd")]
    });
    family.archives
}
