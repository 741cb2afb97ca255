//! Whole archives and folders, opened.

use std::path::PathBuf;

use docent_testkit::archives::tar::{self, Member};
use docent_testkit::archives::zip::{Entry, Zip};
use docent_testkit::archives::{Expected, Format, corpus, gzip};
use docent_testkit::folder::Folder;

use super::*;
use crate::ErrorKind;

fn archive_of(folder: &Folder, bytes: &[u8], format: ArchiveFormat, prefix: Option<&str>) -> Place {
    let file = folder.write("archive", bytes);
    Place::Archive { file, format, prefix: prefix.map(str::to_owned) }
}

fn open_tar(members: &[Member], prefix: Option<&str>, limits: &Limits) -> Result<String, Error> {
    let folder = Folder::new();
    let bytes = gzip::pack(&tar::archive(members));
    let place = archive_of(&folder, &bytes, ArchiveFormat::TarGz, prefix);
    Ok(open(&place, limits)?.paths().collect::<Vec<_>>().join(" "))
}

fn open_zip(zip: &Zip, prefix: Option<&str>, limits: &Limits) -> Result<String, Error> {
    let folder = Folder::new();
    let place = archive_of(&folder, &zip.bytes(), ArchiveFormat::Zip, prefix);
    Ok(open(&place, limits)?.paths().collect::<Vec<_>>().join(" "))
}

/// All of the corpus but its bombs and masses, which take a while to make: the gate has them.
#[test]
fn hostile_archives_are_refused_or_have_no_effect() {
    are_refused_or_have_no_effect(&Limits::default());
}

#[test]
fn they_are_if_nothing_is_held_in_memory() {
    are_refused_or_have_no_effect(&Limits { held_bytes_max: 0, ..Limits::default() });
}

fn are_refused_or_have_no_effect(limits: &Limits) {
    let folder = Folder::new();
    let mut wrong = Vec::new();
    for hostile in corpus().iter().filter(|hostile| !matches!(hostile.family, 9 | 11)) {
        let format = match hostile.format {
            Format::TarGz => ArchiveFormat::TarGz,
            Format::Zip => ArchiveFormat::Zip,
        };
        let result = open(&archive_of(&folder, &hostile.bytes(), format, None), limits);
        let as_expected = match &result {
            Ok(tree) => hostile.expected == Expected::Opened && tree.paths().all(is_normal),
            Err(error) => {
                hostile.expected == Expected::Refused
                    && matches!(error.kind(), ErrorKind::Refused | ErrorKind::LimitExceeded)
            }
        };
        if !as_expected {
            wrong.push(format!("{} {}: {result:?}", hostile.family, hostile.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_normal(path: &str) -> bool {
    path::normal(path, 4096).as_deref() == Ok(path)
}

#[test]
fn the_folder_that_everything_is_in_is_dropped() {
    let check = |paths: &str, prefix: Option<&str>, expected: &str| {
        let members: Vec<Member> =
            paths.split_whitespace().map(|path| Member::file(path, "x")).collect();
        let found = open_tar(&members, prefix, &Limits::default()).expect("a good archive");
        assert_eq!(found, expected, "{paths} {prefix:?}");
    };
    check("package/a.js package/lib/b.js", None, "a.js lib/b.js");
    check("name-1.0/a.py", None, "a.py");
    check("./name/a.py", None, "a.py");
    check("._package package/a.js package/._a.js", None, "._a.js a.js");
    check("package/a.js other/b.js", None, "other/b.js package/a.js");
    check("package/a.js b.js", None, "b.js package/a.js");
    check("a.js", None, "a.js");
    check("", None, "");
    check("package/a.js other/b.js", Some("other"), "b.js");
    check("a/b/c.js a/bc.js", Some("a/b/"), "c.js");
    check("package/a.js", Some(""), "package/a.js");
}

#[test]
fn a_zip_keeps_its_folders_unless_told() {
    let zip =
        Zip::of([Entry::deflated("click/__init__.py", "x"), Entry::stored("click/a.so", "y")]);
    let check = |prefix: Option<&str>, expected: &str| {
        let found = open_zip(&zip, prefix, &Limits::default()).expect("a good archive");
        assert_eq!(found, expected, "{prefix:?}");
    };
    check(None, "click/__init__.py click/a.so");
    check(Some("click"), "__init__.py a.so");
    check(Some("cli"), "");
}

#[test]
fn useful_files_can_be_read_and_others_are_known_to_exist() {
    let folder = Folder::new();
    let members = [
        Member::file("p/a.js", "first"),
        Member::file("p/a.js", "\u{feff}second"),
        Member::file("p/b.png", "picture"),
        Member::file("p/c.md", "x".repeat(11)),
        Member::file("p/d.md", "x".repeat(10)),
    ];
    let limits = Limits { file_bytes_max: 10, ..Limits::default() };
    let bytes = gzip::pack(&tar::archive(&members));
    let tree = open(&archive_of(&folder, &bytes, ArchiveFormat::TarGz, None), &limits);
    let tree = tree.expect("a good archive");
    assert_eq!(tree.text("a.js").as_deref(), Some("second"));
    assert_eq!((tree.contains("b.png"), tree.text("b.png")), (true, None));
    assert_eq!((tree.too_large("c.md"), tree.text("c.md")), (Some(11), None));
    assert_eq!((tree.too_large("d.md"), tree.text("d.md").is_some()), (None, true));
}

#[test]
fn limits_hold_at_their_last_entry_and_byte() {
    let members = [Member::file("p/a.js", "x".repeat(600)), Member::file("p/b.js", "y")];
    let check = |limits: Limits, expected: Result<&str, ErrorKind>| {
        let found = open_tar(&members, None, &limits).map_err(|error| error.kind());
        assert_eq!(found, expected.map(str::to_owned), "{limits:?}");
    };
    let default = Limits::default;
    check(Limits { entries_max: 2, ..default() }, Ok("a.js b.js"));
    check(Limits { entries_max: 1, ..default() }, Err(ErrorKind::LimitExceeded));
    check(Limits { path_bytes_max: 6, ..default() }, Ok("a.js b.js"));
    check(Limits { path_bytes_max: 5, ..default() }, Err(ErrorKind::LimitExceeded));
    // Two headers, three blocks of data, and the end.
    check(Limits { unpacked_bytes_max: 7 * 512, ..default() }, Ok("a.js b.js"));
    check(Limits { unpacked_bytes_max: 7 * 512 - 1, ..default() }, Err(ErrorKind::LimitExceeded));

    let zip = Zip::of([Entry::deflated("a.py", "x".repeat(600)), Entry::stored("b.py", "y")]);
    let check = |limits: Limits, expected: Result<&str, ErrorKind>| {
        let found = open_zip(&zip, None, &limits).map_err(|error| error.kind());
        assert_eq!(found, expected.map(str::to_owned), "{limits:?}");
    };
    check(Limits { entries_max: 2, ..default() }, Ok("a.py b.py"));
    check(Limits { entries_max: 1, ..default() }, Err(ErrorKind::LimitExceeded));
    check(Limits { unpacked_bytes_max: 601, ..default() }, Ok("a.py b.py"));
    check(Limits { unpacked_bytes_max: 600, ..default() }, Err(ErrorKind::LimitExceeded));
    let ratio = |free| Limits { unpack_ratio_max: 0, unpack_ratio_free_bytes: free, ..default() };
    check(ratio(601), Ok("a.py b.py"));
    check(ratio(600), Err(ErrorKind::LimitExceeded));
}

#[test]
fn files_of_a_large_archive_are_unpacked_when_they_are_read() {
    let folder = Folder::new();
    let long = "// A line of text.\n".repeat(10_000);
    let entries = [
        Entry::deflated("long.go", long.clone()),
        Entry::stored("short.go", "\u{feff}package p\n"),
        Entry::deflated("picture.png", "x".repeat(100)),
        Entry::deflated("empty.go", ""),
    ];
    let place = archive_of(&folder, &Zip::of(entries).bytes(), ArchiveFormat::Zip, None);
    let size = long.len() as u64 + 13;
    for (held_bytes_max, is_held) in [(size, true), (size - 1, false)] {
        let limits = Limits { held_bytes_max, ..Limits::default() };
        let tree = open(&place, &limits).expect("a good archive");
        let packed = tree.entries().filter(|(_, content)| matches!(content, Content::Packed(_)));
        assert_eq!(packed.count(), if is_held { 0 } else { 3 });
        assert_eq!(tree.text("long.go").as_deref(), Some(long.as_str()));
        assert_eq!(tree.text("short.go").as_deref(), Some("package p\n"));
        assert_eq!(tree.text("picture.png"), None);
        assert_eq!(tree.text("empty.go").as_deref(), Some(""));
        assert_eq!(tree.bytes("long.go"), long.len() as u64);
        assert_eq!(tree.head("long.go", 100).as_deref(), Some(&long[..100]));
        assert_eq!(tree.head("short.go", 10).as_deref(), Some("package"));
        assert_eq!(tree.head("long.go", u64::MAX).as_deref(), Some(long.as_str()));
    }
}

#[test]
fn what_is_not_there_or_not_a_file_is_said_to_be() {
    let folder = Folder::new();
    let check = |file: PathBuf, kind: ErrorKind| {
        let place = Place::Archive { file, format: ArchiveFormat::Zip, prefix: None };
        assert_eq!(open(&place, &Limits::default()).expect_err("no archive").kind(), kind);
    };
    check(folder.path().join("missing.whl"), ErrorKind::Io);
    check(folder.path().to_owned(), ErrorKind::Refused);
    let place = Place::Folder { root: folder.path().join("missing"), files: None };
    assert_eq!(open(&place, &Limits::default()).expect_err("no folder").kind(), ErrorKind::Io);
}

#[cfg(unix)]
mod folders {
    use std::os::unix::fs::symlink;

    use super::*;

    fn list(root: PathBuf, files: Option<&[&str]>, limits: &Limits) -> Result<String, ErrorKind> {
        let files = files.map(|files| files.iter().map(|file| (*file).to_owned()).collect());
        let tree = open(&Place::Folder { root, files }, limits).map_err(|error| error.kind())?;
        Ok(tree.paths().collect::<Vec<_>>().join(" "))
    }

    fn package() -> Folder {
        let folder = Folder::new();
        folder.write("secret.md", b"secret");
        folder.write("out/hidden.md", b"hidden");
        for file in ["a.js", "lib/b.js", "node_modules/c/index.js", ".git/config", "lib/d.png"] {
            folder.write(&format!("pkg/{file}"), b"text");
        }
        let link = |target: &str, name: &str| {
            symlink(target, folder.path().join("pkg").join(name)).expect("a link");
        };
        link("../secret.md", "leak.md");
        link("../out", "out");
        link("lib/b.js", "inside.js");
        link("lib", "twice");
        link(".", "loop");
        folder
    }

    #[test]
    fn nothing_outside_is_listed_and_nothing_twice() {
        let folder = package();
        let pkg = || folder.path().join("pkg");
        let limits = Limits::default();
        assert_eq!(list(pkg(), None, &limits).as_deref(), Ok("a.js inside.js lib/b.js lib/d.png"));
        let files =
            ["a.js", "../secret.md", "leak.md", "out/hidden.md", "./lib/b.js", "nothing.py"];
        assert_eq!(list(pkg(), Some(&files), &limits).as_deref(), Ok("a.js lib/b.js"));
        symlink(pkg(), folder.path().join("link")).expect("a link");
        let through = list(folder.path().join("link"), Some(&["a.js"]), &limits);
        assert_eq!(through.as_deref(), Ok("a.js"));
    }

    #[test]
    fn files_are_counted() {
        let folder = Folder::new();
        folder.write("a.js", b"");
        folder.write("b.js", b"");
        let check = |entries_max, expected: Result<&str, ErrorKind>| {
            let limits = Limits { entries_max, ..Limits::default() };
            let expected = expected.map(str::to_owned);
            assert_eq!(list(folder.path().to_owned(), None, &limits), expected);
            assert_eq!(list(folder.path().to_owned(), Some(&["a.js", "b.js"]), &limits), expected);
        };
        check(2, Ok("a.js b.js"));
        check(1, Err(ErrorKind::LimitExceeded));
    }

    #[test]
    fn a_file_that_grows_is_not_read() {
        let folder = Folder::new();
        let file = folder.write("a.js", b"12345");
        let place = Place::Folder { root: folder.path().to_owned(), files: None };
        let limits = Limits { file_bytes_max: 5, ..Limits::default() };
        let tree = open(&place, &limits).expect("a folder");
        assert_eq!(tree.text("a.js").as_deref(), Some("12345"));
        std::fs::write(&file, "123456").expect("writes");
        assert_eq!(tree.text("a.js"), None);
    }
}
