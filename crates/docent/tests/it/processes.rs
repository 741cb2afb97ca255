//! Processes that must be gone, and servers that do not want to.

use std::time::{Duration, Instant};

/// Long enough for the busiest machine; nobody waits for it unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

/// A shell script that ignores the end of its input and SIGTERM, and has a child that does too. It
/// writes the numbers of both to the file `pids` before it runs `rest`.
pub(crate) fn stubborn(rest: &str) -> String {
    format!(
        "trap '' TERM HUP; (while :; do sleep 0.1; done) & echo $$ $! > pids.new; \
         mv pids.new pids; {rest}\nwhile :; do sleep 0.1; done"
    )
}

/// Waits until something is there.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The numbers that a script has written to a file.
#[track_caller]
pub(crate) fn pids(file: &std::path::Path) -> Vec<String> {
    let text = until("the script has not begun", || std::fs::read_to_string(file).ok());
    text.split_whitespace().map(str::to_owned).collect()
}

/// Whether a process runs, dead ones that nobody reaped yet not counted.
pub(crate) fn runs(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Waits until none of them runs.
#[track_caller]
pub(crate) fn gone(processes: &[String]) {
    until(&format!("{processes:?} do not end"), || {
        (!processes.iter().any(|process| runs(process))).then_some(())
    });
}
