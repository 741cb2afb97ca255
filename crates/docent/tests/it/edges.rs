//! A home that cannot be written, no home, a full disk, odd paths, a shared cache: it works, or says
//! why not. None of it needs the rights of anybody else, or the lack of rights.

use std::process::Stdio;

use crate::stage::{Stage, ran};

#[test]
fn a_home_that_cannot_be_written() {
    let stage = Stage::new();
    // A file where a folder should be refuses even the administrator.
    stage.folder.write("home/.cache", "not a folder");
    let ran = stage.run(&["describe", "kit", "saw"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("Cuts wood"), "{}", ran.out);
    assert!(
        ran.err.starts_with("warning: ") && ran.err.contains("cannot be written"),
        "{}",
        ran.err
    );
    let passing = std::fs::read_dir(stage.path("temporary")).expect("a folder").count();
    assert_eq!(passing, 1);
}

#[test]
fn a_cache_that_was_named_is_not_replaced() {
    let stage = Stage::new();
    let file = stage.folder.write("file", "not a folder");
    let ran = stage.run(&["describe", "kit", "--cache", file.to_str().expect("a path")]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("cannot be made") && ran.err.contains("`--cache`"), "{}", ran.err);
}

#[test]
fn neither_home_nor_temporary_folder() {
    let stage = Stage::new();
    stage.folder.write("home/.cache", "not a folder");
    let mut command = stage.docent(&["describe", "kit"]);
    let ran = ran(command.env("TMPDIR", stage.path("home/.cache")));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("`DOCENT_CACHE`"), "{}", ran.err);
}

#[test]
fn no_home_at_all() {
    let stage = Stage::new();
    let cache = stage.path("cache");
    let cache = cache.to_str().expect("a path");
    let mut command = stage.docent(&["describe", "kit", "saw", "--cache", cache]);
    assert!(ran(command.env_remove("HOME")).fine().out.contains("Cuts wood"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let stage = Stage::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let mut command = stage.docent(&["describe", "kit", "saw"]);
    let out = command.stdout(full).stderr(Stdio::piped()).output().expect("the program");
    let err = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        err.contains("the answer could not be written") && err.contains("disk is full"),
        "{err}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_without_room_for_a_single_byte() {
    let stage = Stage::new();
    let own = "{ \"mcpServers\": {} }\n";
    stage.folder.write("home/.cursor/mcp.json", own);
    stage.folder.write("project/AGENTS.md", "# Mine\n");
    let ran = stage.run_without_room(&["describe", "kit", "saw"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("Cuts wood"), "{}", ran.out);

    let ran = stage.run_without_room(&["setup", "cursor", "--yes"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("cannot be written"), "{}", ran.out);
    assert_eq!(stage.read("home/.cursor/mcp.json"), own);
    let left = std::fs::read_dir(stage.path("home/.cursor")).expect("a folder").count();
    assert_eq!(left, 1, "nothing half written stays");

    let ran = stage.run_without_room(&["index", "--agents", "AGENTS.md"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("AGENTS.md` cannot be written"), "{}", ran.err);
    assert_eq!(stage.read("project/AGENTS.md"), "# Mine\n");

    let ran = stage.run_without_room(&["doctor"]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.out.contains("✗ the cache cannot be written"), "{}", ran.out);
}

#[test]
#[cfg(unix)]
fn a_reader_that_has_seen_enough() {
    let stage = Stage::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = stage.docent(&["symbols", "kit"]);
    let out = command.stdout(writer).stderr(Stdio::piped()).output().expect("the program");
    assert_eq!((out.status.code(), out.stderr.len()), (Some(0), 0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_that_is_not_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let stage = Stage::new();
    let odd = stage.folder.path().join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::rename(stage.path("project"), &odd).expect("renamed");
    for arguments in [&["describe", "kit", "saw"][..], &["symbols", "kit"], &["index"], &["doctor"]]
    {
        let mut command = stage.docent(arguments);
        command.env("DOCENT_REGISTRY_NPM", "https://registry.example/").current_dir(&odd);
        let ran = ran(&mut command);
        assert_eq!(ran.code, Some(0), "{arguments:?} {} {}", ran.out, ran.err);
        let ran = ran_json(&stage, arguments, &odd);
        assert!(ran.is_object(), "{arguments:?}");
    }
    let mut command = stage.docent(&["describe", "kit", "saw", "--project"]);
    command.arg(&odd).current_dir(stage.path("home"));
    assert!(ran(&mut command).fine().out.contains("Cuts wood"));
}

#[cfg(target_os = "linux")]
fn ran_json(stage: &Stage, arguments: &[&str], folder: &std::path::Path) -> serde_json::Value {
    ran(stage.docent(arguments).arg("--json").current_dir(folder)).json()
}

#[test]
fn two_programs_share_a_cache() {
    let stage = Stage::new();
    let start = |arguments: &[&str]| {
        let mut command = stage.docent(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program")
    };
    let running: Vec<_> = (0..6)
        .map(|number| match number % 3 {
            0 => start(&["index"]),
            1 => start(&["describe", "kit", "saw"]),
            _ => start(&["cache", "clear"]),
        })
        .collect();
    for child in running {
        let out = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!((out.status.code(), err.as_str()), (Some(0), ""));
    }
    stage.run(&["cache", "verify"]).fine();
}
