//! Families 5 and 6: extension headers and sizes on which readers of tar archives disagree.

use super::manifest;
use crate::archives::tar::{self, Member, record};
use crate::archives::{Expected, Family, Format, Hostile, gzip};

/// A PAX header with exactly these bytes.
fn raw(data: impl AsRef<[u8]>) -> Member {
    Member { kind: b'x', ..Member::file("PaxHeader/x", data) }
}

fn pax_size(size: &str) -> Member {
    Member::pax(b'x', &[("size", size)])
}

/// A file in whose data lies a whole archive that another reading of sizes brings to light.
fn nested() -> Vec<u8> {
    tar::members(&[Member::file("package/hidden.js", "evil")])
}

pub(super) fn pax() -> Vec<Hostile> {
    let mut family = Family::new(5);
    let file = || Member::file("package/a.js", "fine");
    family.tar("pax size zero over a real one", Expected::Refused, || {
        vec![manifest(), pax_size("0"), Member::file("package/a.bin", nested())]
    });
    family.tar("pax size over zero", Expected::Refused, || {
        let empty = Member::file("package/a.bin", "");
        vec![manifest(), pax_size("1024"), empty, Member::file("package/hidden.js", "evil")]
    });
    for size in ["1", "4096", "-1", "99999999999999999999", "4 ", "0x4", ""] {
        family.tar(format!("pax size {size:?}"), Expected::Refused, move || {
            vec![manifest(), pax_size(size), file()]
        });
    }
    family.tar("pax size that agrees", Expected::Opened, move || {
        vec![manifest(), pax_size("4"), file()]
    });
    for (name, data) in [
        ("without line break", "15 path=evil.js".to_owned()),
        ("without length", "path=evil.js\n".to_owned()),
        ("length zero", "0 path=evil.js\n".to_owned()),
        ("length too short", "9 path=evil.js\n".to_owned()),
        ("length too long", "99 path=evil.js\n".to_owned()),
        ("without value", "6 path\n".to_owned()),
        ("with NUL in the path", record("path", "package/a.js\0.png")),
        ("with an empty path", record("path", "")),
        ("with a path twice", record("path", "package/a.js") + &record("path", "package/b.js")),
        ("with junk after the records", record("comment", "x") + "\0\0\0"),
        ("with spaces before the length", "  16 path=evil.js\n".to_owned()),
        ("with a line break in the key", record("a\npath", "evil.js")),
    ] {
        family.tar(format!("pax {name}"), Expected::Refused, move || {
            vec![manifest(), raw(&data), file()]
        });
    }
    family.tar("pax over a gnu name", Expected::Refused, move || {
        vec![Member::long_name("package/b.js"), raw(record("path", "package/c.js")), file()]
    });
    family.tar("gnu name over pax", Expected::Refused, move || {
        vec![raw(record("path", "package/c.js")), Member::long_name("package/b.js"), file()]
    });
    family.tar("two pax headers", Expected::Refused, move || {
        vec![raw(record("path", "package/b.js")), raw(record("path", "package/c.js")), file()]
    });
    family.tar("two gnu names", Expected::Refused, move || {
        vec![Member::long_name("package/b.js"), Member::long_name("package/c.js"), file()]
    });
    family.tar("gnu name with two ends", Expected::Refused, move || {
        vec![Member::long_name("package/b.js\0package/c.js"), file()]
    });
    family.tar("pax header for nothing", Expected::Refused, move || {
        vec![manifest(), raw(record("path", "package/c.js"))]
    });
    for (key, value) in [("path", "package/all.js"), ("size", "0"), ("linkpath", "/etc/passwd")] {
        family.tar(format!("global pax {key}"), Expected::Refused, move || {
            vec![Member::pax(b'g', &[(key, value)]), manifest(), file()]
        });
    }
    family.tar("global pax between a header and its entry", Expected::Refused, move || {
        let global = Member::pax(b'g', &[("comment", "x")]);
        vec![raw(record("path", "package/b.js")), global, file()]
    });
    family.tar("global pax comment", Expected::Opened, move || {
        vec![Member::pax(b'g', &[("comment", "0123456789abcdef")]), manifest(), file()]
    });
    family.tar("pax path to a folder", Expected::Refused, move || {
        vec![raw(record("path", "package/a.js/")), file()]
    });
    family.archives
}

pub(super) fn sizes() -> Vec<Hostile> {
    let mut family = Family::new(6);
    let file = || Member::file("package/a.js", "fine");
    let base256 = |sign: u8, value: i64| {
        let fill = if value < 0 { 0xFF } else { 0 };
        let mut field = [fill; 12];
        field[4..].copy_from_slice(&value.to_be_bytes());
        field[0] = sign;
        field
    };
    for (name, size) in [
        ("negative", base256(0xFF, -1024)),
        ("very negative", base256(0xFF, i64::MIN)),
        ("very large", base256(0x80, i64::MAX)),
        ("beyond 64 bits", [0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4]),
        ("with an unknown sign", base256(0x81, 4)),
        ("with another unknown sign", base256(0xC0, 4)),
    ] {
        family.tar(format!("base-256 size {name}"), Expected::Refused, move || {
            vec![manifest(), file().sized(size), Member::file("package/b.js", "x")]
        });
    }
    family.tar("base-256 size that is right", Expected::Opened, move || {
        vec![manifest(), file().sized(base256(0x80, 4)), Member::file("package/b.js", "x")]
    });
    for size in [
        "-0000000004",
        "+0000000004",
        "0o000000004",
        "0000000_004",
        "000000 0004",
        "4\x001",
        "00000000008",
    ] {
        let name = size.escape_debug();
        family.tar(format!("octal size {name}"), Expected::Refused, move || {
            vec![manifest(), file().sized(size), Member::file("package/b.js", "x")]
        });
    }
    family.tar("size larger than the archive", Expected::Refused, move || {
        vec![manifest(), file().sized("77777777777\0")]
    });
    family.tar("folder with a size", Expected::Refused, || {
        let folder = Member::folder("package/d/").sized("00000001000\0");
        vec![manifest(), folder, Member::file("package/hidden.js", "evil")]
    });
    family.tar("symlink with a size", Expected::Refused, || {
        let link = Member::symlink("package/l", "x").sized("00000001000\0");
        vec![manifest(), link, Member::file("package/hidden.js", "evil")]
    });
    family.tar("gnu sparse file", Expected::Refused, || {
        let sparse =
            Member { kind: b'S', magic: *b"ustar  \0", ..Member::file("package/a.js", "x") };
        vec![manifest(), sparse.patched(386, "00000000000\x0000000000001\0")]
    });
    for (key, value) in [
        ("GNU.sparse.major", "1"),
        ("GNU.sparse.size", "1099511627776"),
        ("GNU.sparse.map", "0,1099511627776"),
        ("GNU.sparse.name", "../evil.js"),
        ("GNU.sparse.realsize", "1099511627776"),
    ] {
        family.tar(format!("pax {key}"), Expected::Refused, move || {
            vec![manifest(), Member::pax(b'x', &[(key, value)]), file()]
        });
    }
    family.tar("mode that is no number", Expected::Refused, move || {
        vec![manifest(), file().patched(100, "rw-r--r--")]
    });
    family.tar("checksum that is wrong", Expected::Refused, move || {
        vec![manifest(), Member { checksum_error: 1, ..file() }]
    });
    family.tar("prefix in a gnu header", Expected::Refused, move || {
        vec![manifest(), Member { magic: *b"ustar  \0", prefix: b"other".to_vec(), ..file() }]
    });
    family.tar("prefix in an old header", Expected::Refused, move || {
        vec![manifest(), Member { magic: [0; 8], prefix: b"other".to_vec(), ..file() }]
    });
    family.tar("file whose name ends with a slash", Expected::Refused, || {
        vec![manifest(), Member::file("package/a.js/", "fine")]
    });
    family.add("a zero block between entries", Format::TarGz, Expected::Refused, move || {
        let mut bytes = tar::members(&[manifest()]);
        bytes.extend([0; tar::BLOCK]);
        bytes.extend(tar::archive(&[file()]));
        gzip::pack(&bytes)
    });
    family.add("entries after the end", Format::TarGz, Expected::Refused, move || {
        let mut bytes = tar::archive(&[manifest()]);
        bytes.extend(tar::archive(&[file()]));
        gzip::pack(&bytes)
    });
    family.archives
}
