//! What the kernel says of a process: CPU time and memory, from `/proc`.

use std::fs;
use std::time::Duration;

use crate::Result;

/// `/proc` counts CPU time in ticks of this length on every Linux that Rust supports.
const TICK_MS: u64 = 10;

/// CPU time of a process so far, all threads, user and system.
pub(crate) fn cpu(pid: u32) -> Result<Duration> {
    ticks(&fs::read_to_string(format!("/proc/{pid}/stat"))?, [14, 15])
}

/// CPU time of this process so far.
pub(crate) fn own_cpu() -> Result<Duration> {
    cpu(std::process::id())
}

/// CPU time of all children that this process has waited for, and of theirs.
pub(crate) fn children_cpu() -> Result<Duration> {
    ticks(&fs::read_to_string("/proc/self/stat")?, [16, 17])
}

/// Time that the CPUs of the machine were not idle, summed over them.
pub(crate) fn machine_cpu() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/stat")?;
    let line = stat.lines().next().ok_or("/proc/stat is empty")?;
    let mut sum = 0;
    for (n, count) in line.split_whitespace().enumerate() {
        // cpu user nice system idle iowait irq softirq steal …
        if matches!(n, 1..=3 | 6..=8) {
            sum += count.parse::<u64>()?;
        }
    }
    Ok(Duration::from_millis(sum * TICK_MS))
}

/// Sums fields of a `stat` line, numbered from one as proc(5) does.
fn ticks(stat: &str, fields: [usize; 2]) -> Result<Duration> {
    // The second field is the program's name, which may itself hold spaces and parentheses.
    let (_, rest) = stat.rsplit_once(") ").ok_or("malformed stat line")?;
    let mut sum = 0;
    for field in fields {
        let text = rest.split(' ').nth(field - 3).ok_or("short stat line")?;
        sum += text.parse::<u64>()?;
    }
    Ok(Duration::from_millis(sum * TICK_MS))
}

/// Resident memory of a process, in MiB.
pub(crate) struct Memory {
    pub(crate) now: f64,
    /// The part of it that is no file: pages of a program's file are shared, and come and go as the
    /// kernel likes.
    pub(crate) own: f64,
    pub(crate) peak: f64,
}

/// The memory of a process, unless it has exited.
pub(crate) fn memory(pid: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let mebibytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: f64 = line.trim_end_matches("kB").trim().parse().ok()?;
        Some(kibibytes / 1024.0)
    };
    Some(Memory {
        now: mebibytes("VmRSS:")?,
        own: mebibytes("RssAnon:")?,
        peak: mebibytes("VmHWM:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_found_behind_any_program_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 0 9 9 9 9 12 30 100 200 20 0";
        assert_eq!(ticks(stat, [14, 15]).unwrap(), Duration::from_millis(420));
        assert_eq!(ticks(stat, [16, 17]).unwrap(), Duration::from_secs(3));
    }
}
