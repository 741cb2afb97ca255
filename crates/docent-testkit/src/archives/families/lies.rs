//! Family 14: archives that are not what they are said to be.

use super::{manifest, module};
use crate::archives::tar::{self, Member};
use crate::archives::zip::{Entry, Zip};
use crate::archives::{Expected, Family, Format, Hostile, gzip};

pub(super) fn lies() -> Vec<Hostile> {
    let mut family = Family::new(14);
    let (refused, opened) = (Expected::Refused, Expected::Opened);
    for (name, bytes) in [
        ("nothing", Vec::new()),
        ("one byte", vec![0x1F]),
        ("a page", b"<!doctype html><title>Not found</title>".to_vec()),
        ("JSON", br#"{"error":"not found"}"#.to_vec()),
        ("zeros", vec![0; 4096]),
        ("xz", b"\xFD7zXZ\0\0\x04\xE6\xD6\xB4\x46\x02\0!\x01".to_vec()),
        ("zstd", b"\x28\xB5\x2F\xFD\x04\x00\x01\x00\x00\x99\xE9\xD8\x51".to_vec()),
        ("bzip2", b"BZh91AY&SY\0\0\0\0".to_vec()),
        ("7z", b"7z\xBC\xAF\x27\x1C\0\x04\0\0\0\0".to_vec()),
    ] {
        let copy = bytes.clone();
        family.add(format!("{name} as tar"), Format::TarGz, refused, move || copy.clone());
        family.add(format!("{name} as zip"), Format::Zip, refused, move || bytes.clone());
    }
    family.add("zip as tar", Format::TarGz, refused, || Zip::of([module()]).bytes());
    family.add("tar as zip", Format::Zip, refused, || gzip::pack(&tar::archive(&[manifest()])));
    family.add("tar without gzip", Format::TarGz, refused, || tar::archive(&[manifest()]));
    family.add("gzip of text", Format::TarGz, refused, || gzip::pack("x".repeat(600).as_bytes()));
    family.tar("another top folder", opened, || vec![Member::file("not-package/a.js", "x")]);
    family.tar("two top folders", opened, || {
        vec![manifest(), Member::file("other/a.js", "x"), Member::file("other/b.js", "x")]
    });
    family.tar("no top folder", opened, || vec![Member::file("a.js", "x")]);
    family.tar("an empty archive", opened, Vec::new);
    family.zip("an empty zip", opened, Zip::default);
    family.zip("a record of files that are not there", opened, || {
        let record = "x/a.py,sha256=AAAA,1\n../../etc/passwd,,\n/etc/passwd,,\n";
        Zip::of([module(), Entry::stored("x-1.0.dist-info/RECORD", record)])
    });
    family.zip("a wheel of another name", opened, || {
        Zip::of([module(), Entry::stored("y-2.0.dist-info/METADATA", "Name: y\nVersion: 2.0\n")])
    });
    family.archives
}
