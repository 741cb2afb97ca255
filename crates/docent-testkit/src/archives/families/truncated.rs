//! Family 12: archives that end too early, and archives that do not end.

use super::{manifest, module};
use crate::archives::tar::{self, Member};
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Format, Hostile, gzip};

fn whole() -> Vec<u8> {
    tar::archive(&[
        manifest(),
        Member::pax(b'x', &[("path", "package/long.js")]),
        Member::file("package/a.js", "x".repeat(1500)),
        Member::folder("package/d/"),
    ])
}

pub(super) fn cuts() -> Vec<Hostile> {
    let mut family = Family::new(12);
    let refused = Expected::Refused;
    // The last two blocks are the end, of which one is enough.
    for blocks in 0..whole().len() / tar::BLOCK - 1 {
        family.add(format!("tar cut after {blocks} blocks"), Format::TarGz, refused, move || {
            gzip::pack(&whole()[..blocks * tar::BLOCK])
        });
    }
    for (name, cut) in [("in a header", 700), ("in data", 2500)] {
        family.add(format!("tar cut {name}"), Format::TarGz, refused, move || {
            gzip::pack(&whole()[..cut])
        });
    }
    for (name, keep) in
        [("its last byte", 1), ("its length", 4), ("its trailer", 8), ("its end", 40)]
    {
        family.add(format!("gzip without {name}"), Format::TarGz, refused, move || {
            let bytes = gzip::pack(&whole());
            bytes[..bytes.len() - keep].to_vec()
        });
    }
    family.add("gzip with a wrong trailer", Format::TarGz, refused, || {
        let mut bytes = gzip::pack(&whole());
        let at = bytes.len() - 6;
        bytes[at] ^= 0x40;
        bytes
    });
    family.add("gzip with junk after it", Format::TarGz, refused, || {
        [gzip::pack(&whole()), b"junk".to_vec()].concat()
    });
    family.add("gzip with a zip after it", Format::TarGz, refused, || {
        [gzip::pack(&whole()), Zip::of([module()]).bytes()].concat()
    });
    family.add("gzip with zeros after it", Format::TarGz, Expected::Opened, || {
        [gzip::pack(&whole()), vec![0; 1000]].concat()
    });
    for part in 1..8 {
        family.add(format!("zip cut after {part} eighths"), Format::Zip, refused, move || {
            let zip = Zip::of([module(), Entry::stored("x/a.py", "x".repeat(500))]).bytes();
            zip[..zip.len() * part / 8].to_vec()
        });
    }
    family.archives
}
