//! A program that only notes that it was started: this one, under other names.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::Result;

/// The variable that holds the file to note it in.
pub(super) const VARIABLE: &str = "DOCENT_GATE_RECORD";

/// Programs that somebody might think of starting.
const PROGRAMS: &[&str] = &[
    "npm", "npx", "node", "yarn", "pnpm", "bun", "pip", "pip3", "python", "python3", "uv",
    "poetry", "pipenv", "conda", "git", "hg", "svn", "cargo", "rustc", "rustdoc", "go", "swift",
    "tar", "unzip", "curl", "wget", "sh", "bash", "dash", "zsh", "env", "xdg-open", "open",
    "keyring",
];

/// Puts a recorder for each of them into a folder.
pub(super) fn install(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let this = std::env::current_exe()?;
    for program in PROGRAMS {
        #[cfg(unix)]
        std::os::unix::fs::symlink(&this, folder.join(program))?;
        #[cfg(not(unix))]
        std::fs::copy(&this, folder.join(program))?;
    }
    Ok(())
}

/// Puts one recorder into a folder. It notes its calls in a file beside it.
pub(crate) fn install_one(folder: &Path, program: &str) -> Result<PathBuf> {
    let place = folder.join(program);
    #[cfg(unix)]
    std::os::unix::fs::symlink(std::env::current_exe()?, &place)?;
    #[cfg(not(unix))]
    std::fs::copy(std::env::current_exe()?, &place)?;
    std::fs::write(place.with_extension("record"), "")?;
    Ok(place)
}

/// Notes the call, if this process was started under one of the names.
pub(crate) fn run_if_recorder() -> bool {
    let mut words = std::env::args_os();
    let Some(program) = words.next() else { return false };
    let name = Path::new(&program).file_name().unwrap_or(OsStr::new("")).to_owned();
    if !PROGRAMS.iter().any(|program| name == *program) {
        return false;
    }
    let arguments: Vec<_> = words.collect();
    // A tool starts without our variables, unless they were handed on; the trace has it then.
    let beside = Path::new(&program).with_extension("record");
    let record = std::env::var_os(VARIABLE).map(PathBuf::from);
    if let Some(record) = record.or_else(|| beside.exists().then_some(beside)) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(record);
        let line = format!("recorded exec({name:?}, {arguments:?})\n");
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
    true
}
