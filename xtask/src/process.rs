//! Starting other programs: cargo for most steps, and the tools of the interop peers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the workspace: the folder above this package.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable when it runs us; the built-in value serves a binary started by hand.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map(Path::to_path_buf).unwrap_or(package)
}

/// A program, started at the root of the workspace.
///
/// What `cargo run` put into our environment about *this* package is taken out again: build
/// scripts watch these variables (ring's does), so a cargo that inherits them would rebuild what
/// a cargo started by hand has built, and the other way around.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    for (key, _) in std::env::vars_os() {
        if key.to_str().is_some_and(is_about_this_package) {
            command.env_remove(key);
        }
    }
    command
}

fn is_about_this_package(key: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| key.starts_with(prefix))
        || ["CARGO_BIN_NAME", "CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR"].contains(&key)
}

/// The cargo that started us.
pub(crate) fn cargo() -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs to the end with our own output.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}`: {status}", line(command))) }
}

/// Runs to the end and returns stdout; stderr stays visible.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        return Err(format!("`{}`: {}", line(command), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first line that a program prints, or nothing where it is missing or fails.
pub(crate) fn version(name: &str, arguments: &[&str]) -> Option<String> {
    let output = program(name).args(arguments).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
}

/// The command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}", line(command))
}
