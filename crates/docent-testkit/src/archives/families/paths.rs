//! Family 1: paths that lead out of the root.

use super::{manifest, module};
use crate::archives::tar::Member;
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Hostile};

const PATHS: &[&str] = &[
    "../evil.js",
    "package/../../evil.js",
    "package/..",
    "./../evil.js",
    "/etc/cron.d/evil.txt",
    "//host/share/evil.js",
    "\\\\host\\share\\evil.js",
    "package\\..\\..\\evil.js",
    "C:/evil.js",
    "C:\\evil.js",
    "c:evil.js",
    "package/a\nb.js",
    "package/\u{1b}[2J.js",
    "package/a\u{85}.js",
];

pub(super) fn outside() -> Vec<Hostile> {
    let mut family = Family::new(1);
    for path in PATHS {
        let name = path.escape_debug();
        family.tar(format!("tar path {name}"), Expected::Refused, move || {
            vec![manifest(), Member::file(path, "evil")]
        });
        family.zip(format!("zip path {name}"), Expected::Refused, move || {
            Zip::of([module(), Entry::stored(path, "evil")])
        });
    }
    family.zip("zip path with NUL", Expected::Refused, || {
        Zip::of([Entry::stored("x/a.py\0.png", "evil")])
    });
    family.tar("folder outside", Expected::Refused, || vec![manifest(), Member::folder("../d/")]);
    family.tar("prefix outside", Expected::Refused, || {
        let member = Member::file("evil.js", "evil");
        vec![manifest(), Member { prefix: b"package/../..".to_vec(), ..member }]
    });
    family.tar("pax path outside", Expected::Refused, || {
        vec![Member::pax(b'x', &[("path", "../evil.js")]), Member::file("package/a.js", "evil")]
    });
    family.tar("gnu name outside", Expected::Refused, || {
        vec![Member::long_name("../evil.js"), Member::file("package/a.js", "evil")]
    });
    family.tar("three dots are a name", Expected::Opened, || {
        vec![manifest(), Member::file("package/.../a.js", "fine")]
    });
    family.archives
}
