//! What the program tells by its exit code; the table is in `docs/cli.md`.

use std::process::{ExitCode, ExitStatus};

/// What was asked for is not there: no such symbol, package or version.
pub(crate) const ABSENT: u8 = 2;
/// The command did its work and found something wrong.
pub(crate) const FINDINGS: u8 = 3;
/// A server asks something, and `docent answer` goes on.
const ASKED: u8 = 4;
/// The command line could not be understood; the number is that of `sysexits.h`.
pub(crate) const USAGE: u8 = 64;

pub(crate) fn absent() -> ExitCode {
    ExitCode::from(ABSENT)
}

pub(crate) fn findings() -> ExitCode {
    ExitCode::from(FINDINGS)
}

pub(crate) fn asked() -> ExitCode {
    ExitCode::from(ASKED)
}

pub(crate) fn usage() -> ExitCode {
    ExitCode::from(USAGE)
}

/// Ends as another program has ended.
pub(crate) fn of(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    // As shells tell it.
    let code = status.code().or(signal.map(|signal: i32| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
