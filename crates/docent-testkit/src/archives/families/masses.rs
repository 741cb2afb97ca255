//! Family 11: too many, too long, too deep.

use super::{manifest, module};
use crate::archives::tar::{self, Member};
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Format, Hostile, gzip};

fn deep(depth: usize) -> String {
    "d/".repeat(depth) + "a.js"
}

/// So many small files.
fn many(count: usize) -> Vec<u8> {
    let mut bytes = tar::members(&[manifest()]);
    for at in 0..count {
        bytes.extend(Member::of(b'0', format!("package/f{at}.bin")).header());
    }
    bytes.extend([0; 2 * tar::BLOCK]);
    gzip::pack(&bytes)
}

pub(super) fn masses() -> Vec<Hostile> {
    let mut family = Family::new(11);
    let refused = Expected::Refused;
    family.add("1,000,000 entries", Format::TarGz, refused, || many(1_000_000));
    family.add("50,001 entries", Format::TarGz, refused, || many(50_000));
    family.add("200,000 folders", Format::TarGz, refused, || {
        let mut bytes = Vec::new();
        for at in 0..200_000 {
            bytes.extend(Member::folder(format!("package/d{at}/")).header());
        }
        bytes.extend([0; 2 * tar::BLOCK]);
        gzip::pack(&bytes)
    });
    family.add("300,000 global headers", Format::TarGz, refused, || {
        let header = tar::members(&[Member::pax(b'g', &[("comment", "x")])]);
        let mut bytes = header.repeat(300_000);
        bytes.extend(tar::archive(&[manifest()]));
        gzip::pack(&bytes)
    });
    family.zip("60,000 zip entries", refused, || {
        Zip::of((0..60_000).map(|at| Entry::stored(format!("x/f{at}.bin"), "")))
    });
    for bytes in [1025, 4096, 65_536, 1 << 20] {
        family.tar(format!("pax name of {bytes} bytes"), refused, move || {
            let path = format!("package/{}", "n".repeat(bytes - 8));
            vec![manifest(), Member::pax(b'x', &[("path", &path)]), Member::file("a.js", "x")]
        });
    }
    family.tar("gnu name of 65,536 bytes", refused, || {
        vec![manifest(), Member::long_name("n".repeat(65_536)), Member::file("a.js", "x")]
    });
    family.zip("zip name of 65,535 bytes", refused, || {
        Zip::of([module(), Entry::stored("n".repeat(65_535), "x")])
    });
    for depth in [600, 5000, 30_000] {
        family.tar(format!("path of {depth} folders"), refused, move || {
            vec![manifest(), Member::pax(b'x', &[("path", &deep(depth))]), Member::file("a", "x")]
        });
        family.zip(format!("zip path of {depth} folders"), refused, move || {
            Zip::of([module(), Entry::stored(deep(depth), "x")])
        });
    }
    family.tar("path of 500 folders", Expected::Opened, || {
        vec![manifest(), Member::pax(b'x', &[("path", &deep(500))]), Member::file("a", "x")]
    });
    family.add("20,000 long paths that share nothing", Format::TarGz, Expected::Opened, || {
        let mut bytes = Vec::new();
        for at in 0..20_000 {
            let path = format!("{at}/{}", deep(400));
            let pax = Member::pax(b'x', &[("path", &path)]);
            bytes.extend(tar::members(&[pax, Member::of(b'0', "a.js")]));
        }
        bytes.extend([0; 2 * tar::BLOCK]);
        gzip::pack(&bytes)
    });
    family.archives
}
