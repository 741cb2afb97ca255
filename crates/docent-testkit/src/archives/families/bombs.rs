//! Family 9: little that becomes much.

use super::{manifest, module};
use crate::archives::tar::{self, Member};
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Format, Hostile, gzip};

const MIB: u64 = 1 << 20;

/// One file of so many zeros.
fn zeros(name: &str, bytes: u64) -> Vec<u8> {
    let member = Member::file(name, "").sized(format!("{bytes:011o}\0"));
    gzip::bomb(&tar::members(&[manifest(), member]), bytes, &[0; 2 * tar::BLOCK])
}

pub(super) fn bombs() -> Vec<Hostile> {
    let mut family = Family::new(9);
    for (name, file, bytes) in [
        ("of useless bytes", "package/a.bin", 300 * MIB),
        ("of text", "package/a.js", 300 * MIB),
        ("of 1 GiB", "package/a.bin", 1024 * MIB),
        ("just over the ratio", "package/a.md", 30 * MIB),
    ] {
        family.add(format!("tar bomb {name}"), Format::TarGz, Expected::Refused, move || {
            zeros(file, bytes)
        });
    }
    family.add("tar bomb after the end", Format::TarGz, Expected::Refused, || {
        gzip::bomb(&tar::archive(&[manifest()]), 1024 * MIB, &[])
    });
    family.add("tar bomb in a pax header", Format::TarGz, Expected::Refused, || {
        let header = Member { kind: b'x', ..Member::file("x", "") };
        let header = header.sized(format!("{:011o}\0", 256 * MIB));
        gzip::bomb(&tar::members(&[header]), 256 * MIB, &[0; 1024])
    });
    family.add("tar bomb in a gnu name", Format::TarGz, Expected::Refused, || {
        let header = Member { kind: b'L', ..Member::file("x", "") };
        let header = header.sized(format!("{:011o}\0", 256 * MIB));
        gzip::bomb(&tar::members(&[header]), 256 * MIB, &[0; 1024])
    });
    family.add("tar bomb in members of gzip", Format::TarGz, Expected::Refused, || {
        let member = Member::file("package/a.bin", "").sized(format!("{:011o}\0", 512 * MIB));
        let mut bytes = gzip::pack(&tar::members(&[manifest(), member]));
        let part = gzip::bomb(&[], 8 * MIB, &[]);
        for _ in 0..64 {
            bytes.extend(&part);
        }
        bytes.extend(gzip::pack(&[0; 1024]));
        bytes
    });
    family.add("gzip inside gzip", Format::TarGz, Expected::Refused, || {
        gzip::pack(&zeros("package/a.js", 64 * MIB))
    });
    family.tar("a bomb as a file", Expected::Opened, || {
        vec![manifest(), Member::file("package/bomb.tgz", zeros("a", 64 * MIB))]
    });
    family.add("empty members without end", Format::TarGz, Expected::Refused, || {
        gzip::pack(&[]).repeat(200_000)
    });
    family.zip("zip bomb", Expected::Refused, || {
        Zip::of([module(), Entry::deflated("x/a.py", vec![0; 64 << 20])])
    });
    family.zip("zip bomb that hides its size", Expected::Refused, || {
        let entry = Entry::deflated("x/a.py", vec![b' '; 64 << 20]);
        Zip::of([module(), entry.both(|record| record.size = 1000)])
    });
    family.zip("overlapping entries", Expected::Refused, || {
        let kernel = Entry::deflated("x/a.py", vec![b' '; 1 << 20]);
        let mut entries = vec![kernel.clone()];
        for at in 0..200 {
            let name = format!("x/b{at}.py");
            let mut entry = Entry { name: name.into(), packed: Vec::new(), ..kernel.clone() };
            entry.offset = Some(0);
            entries.push(entry);
        }
        Zip::of(entries)
    });
    family.zip("entries that quote the next one's record", Expected::Refused, || {
        let last = Entry::deflated("x/last.py", vec![b' '; 1 << 20]);
        let whole = Zip::of([last.clone()]).bytes();
        let quoted = u32::try_from(whole.len()).unwrap_or(0);
        let first = Entry::stored("x/first.py", "").both(|record| {
            record.packed = quoted;
            record.size = quoted;
        });
        Zip::of([first, last])
    });
    family.zip("a zip in a zip", Expected::Opened, || {
        let bomb = Zip::of([Entry::deflated("a.py", vec![0; 64 << 20])]).bytes();
        Zip::of([module(), Entry::deflated("x/bomb.zip", bomb)])
    });
    family.archives
}
