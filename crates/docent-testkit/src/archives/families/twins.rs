//! Family 7: several entries for one name, or for names that some systems take for one.

use super::{manifest, module};
use crate::archives::tar::Member;
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Hostile};

pub(super) fn names() -> Vec<Hostile> {
    let mut family = Family::new(7);
    // Every reader of tar archives takes the last one; zip readers differ.
    for (name, first, second, in_zip) in [
        ("the same name", "package/a.js", "package/a.js", Expected::Refused),
        ("a dot", "package/a.js", "package/./a.js", Expected::Refused),
        ("two slashes", "package/a.js", "package//a.js", Expected::Refused),
        ("a leading dot", "package/a.js", "./package/a.js", Expected::Refused),
        ("upper case", "package/a.js", "package/A.js", Expected::Opened),
        ("upper case folder", "package/a/b.js", "package/A/b.js", Expected::Opened),
        ("composed", "package/\u{e9}.js", "package/e\u{301}.js", Expected::Opened),
        ("sharp s", "package/ss.js", "package/\u{df}.js", Expected::Opened),
        ("dotless i", "package/i.js", "package/\u{131}.js", Expected::Opened),
        ("long s", "package/s.js", "package/\u{17f}.js", Expected::Opened),
        ("full width", "package/a.js", "package/\u{ff41}.js", Expected::Opened),
        ("zero width", "package/a.js", "package/a\u{200b}.js", Expected::Opened),
    ] {
        family.tar(format!("tar twins by {name}"), Expected::Opened, move || {
            vec![manifest(), Member::file(first, "first"), Member::file(second, "second")]
        });
        family.zip(format!("zip twins by {name}"), in_zip, move || {
            Zip::of([Entry::stored(first, "first"), Entry::stored(second, "second")])
        });
    }
    family.tar("tar manifest twice", Expected::Opened, || {
        vec![manifest(), Member::file("package/package.json", r#"{"name":"y"}"#)]
    });
    family.tar("file and file below it", Expected::Refused, || {
        vec![manifest(), Member::file("package/a", "x"), Member::file("package/a/b.js", "y")]
    });
    family.tar("file below and file", Expected::Refused, || {
        vec![manifest(), Member::file("package/a/b.js", "y"), Member::file("package/a", "x")]
    });
    family.zip("zip folder twice", Expected::Refused, || {
        Zip::of([module(), Entry::stored("x/d/", ""), Entry::stored("x/d/", "")])
    });
    family.tar("names that are not UTF-8", Expected::Opened, || {
        vec![
            manifest(),
            Member::file(b"package/\xE9.js", "x"),
            Member::file(b"package/\xE8.js", "y"),
        ]
    });
    family.zip("zip name without an encoding", Expected::Refused, || {
        let entry = Entry::stored(b"x/\x82.py", "x").both(|record| record.flags = 0);
        Zip::of([module(), entry])
    });
    family.archives
}
