//! Has the linker make a program that takes less memory, where its flags work.
//!
//! A gateway is meant to run all day beside an editor, and most of what it keeps in memory is this
//! program itself. A position-independent program has a table of the addresses to adjust when it is
//! started, which is read once and then stays: packed, it is a sixtieth (1 MB becomes 16 kB). And functions that are
//! compiled to the same code need not be there for each type and each crate again. Those that the compiler knows to run
//! often, or hardly ever, lie together, so that the latter are not brought into memory with what is around them.
//!
//! Not every linker knows these flags, and not every C library can start what they make. So an empty
//! program is built with each and started: what works here is used.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// Each stands alone: one that does not work leaves the others.
const FLAGS: [&str; 3] =
    ["-Wl,-z,pack-relative-relocs", "-Wl,--icf=all", "-Wl,-z,keep-text-section-prefix"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let says = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    let here = env::var_os("HOST") == env::var_os("TARGET");
    // Nobody runs an unoptimized one all day, and trying takes a second.
    if !here || !says("CARGO_CFG_TARGET_OS", "linux") || !says("PROFILE", "release") {
        return;
    }
    let (Some(rustc), Some(folder)) = (env::var_os("RUSTC"), env::var_os("OUT_DIR")) else {
        return;
    };
    for flag in FLAGS {
        if works(&rustc, Path::new(&folder), flag) {
            println!("cargo::rustc-link-arg-bins={flag}");
        }
    }
}

/// Whether an empty program can be linked with a flag, and then be started.
fn works(rustc: &OsString, folder: &Path, flag: &str) -> bool {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    if std::fs::write(&source, "fn main() {}").is_err() {
        return false;
    }
    let given = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let given = given.split('\u{1f}').filter(|flag| !flag.is_empty());
    let mut link = Command::new(rustc);
    link.args(given).arg("-C").arg(format!("link-arg={flag}"));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut with = OsString::from("linker=");
        with.push(linker);
        link.arg("-C").arg(with);
    }
    succeeds(link.arg(&source).arg("-o").arg(&program)) && succeeds(&mut Command::new(&program))
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
