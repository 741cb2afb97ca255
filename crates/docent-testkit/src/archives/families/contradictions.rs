//! Family 10: zip archives that say two things.

use super::module;
use crate::archives::zip::{Entry, Record, Zip, extra, longs};
use crate::archives::{Expected, Family, Hostile};

fn file() -> Entry {
    Entry::deflated("x/a.py", "def a(): ...\n")
}

fn zip64_sizes(record: &mut Record, size: u64, packed: u64) {
    record.extra = extra(1, &longs(&[size, packed]));
    (record.size, record.packed) = (u32::MAX, u32::MAX);
}

pub(super) fn zips() -> Vec<Hostile> {
    let mut family = Family::new(10);
    let one = |family: &mut Family, name: &str, expected, change: fn(Entry) -> Entry| {
        family.zip(name, expected, move || Zip::of([module(), change(file())]));
    };
    let refused = Expected::Refused;
    one(&mut family, "local name differs", refused, |entry| {
        entry.local(|record| record.name = Some(b"x/b.py".to_vec()))
    });
    one(&mut family, "local name is longer", refused, |entry| {
        entry.local(|record| record.name = Some(b"x/a.py.exe".to_vec()))
    });
    one(&mut family, "local method differs", refused, |entry| {
        entry.local(|record| record.method = 0)
    });
    one(&mut family, "local size differs", refused, |entry| entry.local(|record| record.size = 3));
    one(&mut family, "local packed size differs", refused, |entry| {
        entry.local(|record| record.packed = 3)
    });
    one(&mut family, "local checksum differs", refused, |entry| {
        entry.local(|record| record.crc ^= 1)
    });
    one(&mut family, "local flags differ", refused, |entry| {
        entry.local(|record| record.flags |= 1)
    });
    one(&mut family, "wrong checksum", refused, |entry| entry.both(|record| record.crc ^= 1));
    one(&mut family, "wrong size", refused, |entry| entry.both(|record| record.size += 1));
    one(&mut family, "size too small", refused, |entry| entry.both(|record| record.size -= 1));
    one(&mut family, "stored with two sizes", refused, |entry| {
        entry.both(|record| record.method = 0)
    });
    one(&mut family, "encrypted", refused, |entry| entry.both(|record| record.flags |= 1));
    one(&mut family, "strongly encrypted", refused, |entry| {
        entry.both(|record| record.flags |= 1 << 6)
    });
    one(&mut family, "masked directory", refused, |entry| {
        entry.both(|record| record.flags |= 1 << 13)
    });
    one(&mut family, "patch data", refused, |entry| entry.both(|record| record.flags |= 1 << 5));
    for method in [1, 9, 12, 14, 93, 95, 99] {
        family.zip(format!("packing method {method}"), refused, move || {
            Zip::of([module(), file().both(|record| record.method = method)])
        });
    }
    one(&mut family, "data descriptor", Expected::Opened, Entry::with_descriptor);
    one(&mut family, "data descriptor that is wrong", refused, |entry| {
        let mut entry = entry.with_descriptor();
        entry.after[4] ^= 1;
        entry
    });
    one(&mut family, "data descriptor that is missing", refused, |entry| Entry {
        after: Vec::new(),
        ..entry.with_descriptor()
    });
    one(&mut family, "data descriptor without its flag", refused, |entry| {
        let after = entry.clone().with_descriptor().after;
        Entry { after, ..entry }
    });
    one(&mut family, "bytes after packed data", refused, |mut entry| {
        entry.packed.extend(b"hidden");
        entry.both(|record| record.packed += 6)
    });
    one(&mut family, "bytes between entries", refused, |entry| Entry {
        after: b"hidden".to_vec(),
        ..entry
    });
    one(&mut family, "unicode path of another file", refused, |entry| {
        entry.both(|record| record.extra = extra(0x7075, b"\x01\0\0\0\0x/b.py"))
    });
    one(&mut family, "extra fields that are damaged", refused, |entry| {
        entry.both(|record| record.extra = vec![0x99, 0, 0xFF, 0])
    });
    one(&mut family, "zip64 sizes", Expected::Opened, |entry| {
        let (size, packed) = (u64::from(entry.central.size), u64::from(entry.central.packed));
        entry.both(|record| zip64_sizes(record, size, packed))
    });
    one(&mut family, "zip64 sizes that lie", refused, |entry| {
        let (size, packed) = (u64::from(entry.central.size), u64::from(entry.central.packed));
        let entry = entry.central(|record| zip64_sizes(record, size, packed));
        entry.local(|record| zip64_sizes(record, size + 1, packed))
    });
    one(&mut family, "zip64 sizes beside others", refused, |entry| {
        entry.both(|record| record.extra = extra(1, &longs(&[1, 1])))
    });
    one(&mut family, "zip64 sizes twice", refused, |entry| {
        let (size, packed) = (u64::from(entry.central.size), u64::from(entry.central.packed));
        entry.both(|record| {
            zip64_sizes(record, size, packed);
            record.extra = record.extra.repeat(2);
        })
    });
    one(&mut family, "zip64 sizes that are missing", refused, |entry| {
        entry.both(|record| record.size = u32::MAX)
    });
    one(&mut family, "directory points elsewhere", refused, |entry| Entry {
        offset: Some(4),
        ..entry
    });
    whole(&mut family);
    family.archives
}

/// Lies about the archive as a whole.
fn whole(family: &mut Family) {
    let refused = Expected::Refused;
    let good = || Zip::of([module(), file()]);
    family.zip("a comment", Expected::Opened, move || Zip { comment: b"hello".to_vec(), ..good() });
    family.zip("bytes before the archive", refused, move || Zip {
        prefix: b"#!/bin/sh\n".to_vec(),
        ..good()
    });
    family.zip("bytes after the archive", refused, move || Zip {
        suffix: b"more".to_vec(),
        ..good()
    });
    family.zip("bytes before the directory", refused, move || Zip { gap: vec![7; 40], ..good() });
    family.zip("bytes after the directory", refused, move || Zip {
        before_end: vec![7; 40],
        ..good()
    });
    family.zip("two end records, one a comment", refused, move || {
        let other = Zip::of([Entry::stored("x/evil.py", "evil")]).bytes();
        Zip { comment: other, ..good() }
    });
    family.zip("two archives in a row", refused, move || Zip { prefix: good().bytes(), ..good() });
    family.zip("an end record inside the comment", refused, move || Zip {
        comment: [&b"PK\x05\x06"[..], &[0; 18]].concat(),
        ..good()
    });
    for (name, at, bytes) in [
        ("fewer entries", 8, vec![1, 0, 1, 0]),
        ("more entries", 8, vec![9, 0, 9, 0]),
        ("other counts", 8, vec![1, 0, 2, 0]),
        ("another size", 12, vec![1, 0, 0, 0]),
        ("another offset", 16, vec![1, 0, 0, 0]),
        ("another disk", 4, vec![1, 0]),
        ("an offset for zip64", 16, vec![0xFF; 4]),
    ] {
        family.zip(format!("end record with {name}"), refused, move || Zip {
            end_patch: vec![(at, bytes.clone())],
            ..good()
        });
    }
    family.zip("zip64 end record", Expected::Opened, move || Zip {
        zip64: Some(Vec::new()),
        end_patch: vec![(8, vec![0xFF; 12])],
        ..good()
    });
    for (name, at, bytes) in [
        ("another offset", 48, vec![1]),
        ("another size", 40, vec![1]),
        ("fewer entries", 24, vec![1, 0, 0, 0, 0, 0, 0, 0, 1]),
        ("a huge count", 24, vec![0xFF; 16]),
        ("another length", 4, vec![99]),
    ] {
        family.zip(format!("zip64 end record with {name}"), refused, move || Zip {
            zip64: Some(vec![(at, bytes.clone())]),
            ..good()
        });
    }
}
