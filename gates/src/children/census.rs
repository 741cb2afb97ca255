//! Who is there: processes as `/proc` shows them.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::Ended;
use crate::Result;

/// The variable that marks children.
pub(super) const MARK: &str = "DOCENT_GATES_MARK";

/// How often to look.
const LOOK: Duration = Duration::from_millis(10);

pub(super) struct Process {
    pub(super) id: u32,
    parent: u32,
    state: String,
}

impl Process {
    pub(super) fn is_zombie(&self) -> bool {
        matches!(self.state.as_str(), "Z" | "X")
    }
}

/// Reads `pid (name) state parent …`; the name may hold anything.
fn parse(stat: &str) -> Option<Process> {
    let (id, rest) = stat.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?.to_owned();
    Some(Process { id: id.parse().ok()?, parent: fields.next()?.parse().ok()?, state })
}

/// All processes. Those that end meanwhile are left out.
fn all() -> Result<impl Iterator<Item = Process>> {
    let stat = |folder: &Path| fs::read_to_string(folder.join("stat")).ok();
    Ok(fs::read_dir("/proc")?.flatten().filter_map(move |entry| parse(&stat(&entry.path())?)))
}

pub(super) fn children_of(parent: u32) -> Result<Vec<Process>> {
    Ok(all()?.filter(|process| process.parent == parent).collect())
}

/// The processes that have a mark which `matches`. Zombies have no environment any more.
fn with_mark(matches: impl Fn(&str) -> bool) -> Result<Vec<Process>> {
    let prefix = format!("{MARK}=");
    let has_mark = |process: &Process| {
        let environment = fs::read(format!("/proc/{}/environ", process.id)).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| {
            let mark =
                std::str::from_utf8(variable).ok().and_then(|text| text.strip_prefix(&prefix));
            mark.is_some_and(&matches)
        })
    };
    Ok(all()?.filter(has_mark).collect())
}

/// How many processes run that have this mark.
pub(super) fn marked(mark: &str) -> Result<usize> {
    Ok(with_mark(|seen| seen == mark)?.len())
}

/// Ends what a run that failed left behind.
pub(super) fn kill_all(mark_prefix: &str) -> Result<()> {
    for process in with_mark(|seen| seen.starts_with(mark_prefix))? {
        let id = i32::try_from(process.id).ok().and_then(Pid::from_raw);
        // It may have ended by itself meanwhile.
        let _ = id.map(|id| kill_process(id, Signal::KILL));
    }
    Ok(())
}

/// The watchdog among the children of a process.
pub(super) fn watchdog_of(parent: u32) -> Result<Option<u32>> {
    let is_watchdog = |process: &Process| {
        fs::read(format!("/proc/{}/cmdline", process.id))
            .is_ok_and(|line| line.split(|byte| *byte == 0).any(|word| word == b"docent-watchdog"))
    };
    Ok(children_of(parent)?.iter().find(|child| is_watchdog(child)).map(|child| child.id))
}

pub(super) fn runs(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok();
    stat.and_then(|stat| parse(&stat)).is_some_and(|process| !process.is_zombie())
}

/// Waits until nobody with this mark is left, and a bit longer than allowed if need be.
pub(super) async fn gone(mark: &str, since: Instant) -> Result<Ended> {
    loop {
        let left = marked(mark)?;
        let took = since.elapsed();
        if left == 0 || took > super::END_MAX {
            return Ok(Ended { took, left });
        }
        tokio::time::sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_read_behind_any_name() {
        let process = parse("71 (a) b (c) S 12 70 5 0 -1").unwrap();
        assert_eq!((process.id, process.parent, process.is_zombie()), (71, 12, false));
        assert!(parse("71 (sh) Z 1 70 5 0 -1").unwrap().is_zombie());
        assert!(parse("").is_none());
    }

    #[test]
    fn a_marked_process_is_counted() {
        let mut child =
            std::process::Command::new("sleep").arg("99").env(MARK, "a-1.").spawn().unwrap();
        // A process has its environment only a moment after it was started.
        while marked("a-1.").unwrap() == 0 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(LOOK);
        }
        assert_eq!((marked("a-1.").unwrap(), marked("a-1").unwrap()), (1, 0));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(marked("a-1.").unwrap(), 0);
    }
}
