//! Family 8: devices, pipes, and modes that give rights away.

use super::{manifest, module};
use crate::archives::tar::Member;
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Hostile};

pub(super) fn files() -> Vec<Hostile> {
    let mut family = Family::new(8);
    for (name, kind) in [
        ("character device", b'3'),
        ("block device", b'4'),
        ("named pipe", b'6'),
        ("volume label", b'V'),
        ("continuation of another volume", b'M'),
        ("dump folder", b'D'),
        ("old long name", b'N'),
        ("solaris extension", b'X'),
        ("unknown type", b'Z'),
        ("type that is no letter", 0xFF),
    ] {
        family.tar(format!("tar {name}"), Expected::Refused, move || {
            vec![manifest(), Member::of(kind, "package/evil.js")]
        });
    }
    for (name, mode) in [
        ("character device", 0o020_666),
        ("block device", 0o060_666),
        ("named pipe", 0o010_666),
        ("socket", 0o140_666),
        ("folder type without a slash", 0o040_755),
    ] {
        family.zip(format!("zip {name}"), Expected::Refused, move || {
            Zip::of([module(), Entry::stored("x/evil.py", "").mode(mode)])
        });
    }
    family.zip("zip file type with a slash", Expected::Refused, || {
        Zip::of([module(), Entry::stored("x/evil/", "").mode(0o100_644)])
    });
    family.zip("zip folder with data", Expected::Refused, || {
        Zip::of([module(), Entry::stored("x/evil/", "data")])
    });
    for (name, mode) in [("setuid", 0o4755), ("setgid", 0o2755), ("sticky", 0o1777), ("none", 0)] {
        family.tar(format!("tar mode {name}"), Expected::Opened, move || {
            vec![manifest(), Member { mode, ..Member::file("package/a.js", "fine") }]
        });
    }
    family.zip("zip mode setuid", Expected::Opened, || {
        Zip::of([module(), Entry::stored("x/a.py", "fine").mode(0o104_755)])
    });
    family.archives
}
