//! Families 2 to 4: links, and what is written through them.

use super::{manifest, module};
use crate::archives::tar::Member;
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Hostile};

fn zip_link(name: &str, target: &str) -> Entry {
    Entry::stored(name, target).mode(0o120_777)
}

/// A chain of links, each to the next, the last to `end`.
fn chain(length: usize, end: &str) -> Vec<Member> {
    let mut members = vec![manifest()];
    for at in 1..length {
        let (name, target) = (format!("package/l{at}"), format!("l{}", at + 1));
        members.push(Member::symlink(name, target));
    }
    members.push(Member::symlink(format!("package/l{length}"), end));
    members
}

pub(super) fn symbolic() -> Vec<Hostile> {
    let mut family = Family::new(2);
    for (name, target) in [
        ("to a file outside", "../../../../etc/passwd"),
        ("to an absolute file", "/etc/passwd"),
        ("to the root of a process", "/proc/self/root/etc/passwd"),
        ("to itself", "evil.js"),
        ("to nothing", "nothing"),
        ("to the root", "."),
    ] {
        family.tar(format!("tar symlink {name}"), Expected::Opened, move || {
            vec![manifest(), Member::symlink("package/evil.js", target)]
        });
        family.zip(format!("zip symlink {name}"), Expected::Opened, move || {
            Zip::of([module(), zip_link("x/evil.py", target)])
        });
    }
    family.tar("symlink chain", Expected::Opened, || chain(40, "/etc"));
    family.tar("symlink loop", Expected::Opened, || chain(40, "l1"));
    family.tar("symlink chain, then a file behind it", Expected::Refused, || {
        let mut members = chain(5, "/tmp");
        members.push(Member::file("package/l1/evil.js", "evil"));
        members
    });
    family.zip("zip symlink, then a file behind it", Expected::Refused, || {
        Zip::of([zip_link("x/l", "/tmp"), Entry::stored("x/l/evil.py", "evil")])
    });
    family.tar("symlink with a long gnu target", Expected::Opened, || {
        let target = Member { kind: b'K', ..Member::long_name("../".repeat(60)) };
        vec![manifest(), target, Member::symlink("package/l", "x")]
    });
    family.archives
}

pub(super) fn hard() -> Vec<Hostile> {
    let mut family = Family::new(3);
    for (name, target) in [
        ("to a file outside", "../../etc/passwd"),
        ("to an absolute file", "/etc/shadow"),
        ("to a file of the archive", "package/package.json"),
        ("to itself", "package/evil.js"),
        ("to a later file", "package/later.js"),
        ("to nothing", ""),
    ] {
        family.tar(format!("hard link {name}"), Expected::Opened, move || {
            vec![
                manifest(),
                Member::hardlink("package/evil.js", target),
                Member::file("package/later.js", "fine"),
            ]
        });
    }
    family.tar("hard link, then a file of its name", Expected::Refused, || {
        vec![Member::hardlink("package/a.js", "/etc/passwd"), Member::file("package/a.js", "evil")]
    });
    family.tar("a file, then a hard link of its name", Expected::Refused, || {
        vec![Member::file("package/a.js", "fine"), Member::hardlink("package/a.js", "/etc/passwd")]
    });
    family.tar("hard link to a symlink", Expected::Opened, || {
        vec![
            manifest(),
            Member::symlink("package/s", "/etc/passwd"),
            Member::hardlink("package/h.js", "package/s"),
        ]
    });
    family.tar("hard link with data", Expected::Refused, || {
        let link = Member::hardlink("package/h.js", "package/package.json");
        vec![manifest(), Member { data: vec![b'x'; 700], ..link }]
    });
    family.tar("hard link whose size hides an entry", Expected::Refused, || {
        let link = Member::hardlink("package/h.js", "package/package.json").sized("00000001000\0");
        vec![manifest(), link, Member::file("package/hidden.js", "evil")]
    });
    family.tar("hard link outside by its own path", Expected::Refused, || {
        vec![manifest(), Member::hardlink("../h.js", "package/package.json")]
    });
    family.archives
}

pub(super) fn then_folder() -> Vec<Hostile> {
    let mut family = Family::new(4);
    let link = || Member::symlink("package/d", "/tmp");
    for (name, after) in [
        ("a folder", Member::folder("package/d")),
        ("a folder with a slash", Member::folder("package/d/")),
        ("a writable folder", Member { mode: 0o777, ..Member::folder("package/d/") }),
        ("a folder inside", Member::folder("package/d/e/")),
        ("a file inside", Member::file("package/d/evil.js", "evil")),
        ("a link inside", Member::symlink("package/d/e", "/etc")),
        ("a file of its name", Member::file("package/d", "evil")),
        ("an old folder", Member::of(0, "package/d/")),
        ("the same path, written otherwise", Member::folder("./package//./d/")),
    ] {
        family.tar(format!("symlink, then {name}"), Expected::Refused, move || {
            vec![manifest(), link(), after.clone()]
        });
    }
    family.tar("a folder, then a symlink of its name", Expected::Refused, move || {
        vec![Member::folder("package/d/"), link(), Member::file("package/d/evil.js", "evil")]
    });
    family.tar("a file, then a symlink above it", Expected::Refused, move || {
        vec![Member::file("package/d/evil.js", "evil"), link()]
    });
    family.tar("a file, then a folder of its name", Expected::Refused, || {
        vec![Member::file("package/d", "x"), Member::folder("package/d/")]
    });
    family.zip("zip symlink, then a folder of its name", Expected::Refused, || {
        Zip::of([module(), zip_link("x/d", "/tmp"), Entry::stored("x/d/", "")])
    });
    family.archives
}
