//! What a user waits for: the first answer from an installed package by a new process with an empty
//! cache, and the next ones from an engine that has it at hand.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use docent_packages::{Engine, Environment, PackageRef, Style, Target};

use super::{Entry, median};

const COLD_ROUNDS: usize = 3;
const WARM_ROUNDS: usize = 50;

pub(super) struct Times {
    pub(super) cold: Vec<Duration>,
    pub(super) warm: Vec<Duration>,
    /// The largest resident size that `docent` or one of its workers had.
    pub(super) peak_bytes: u64,
    /// ripgrep for the symbol's name in the package's folder.
    pub(super) ripgrep: Option<Duration>,
}

pub(super) async fn measure(entry: &Entry, folder: &Path, docent: &Path) -> Result<Times, String> {
    let mut cold = Vec::new();
    for _ in 0..COLD_ROUNDS {
        let cache = Cache::new();
        let time = until_answered(describe(entry, docent, &cache.0));
        cold.push(time.map_err(|error| format!("{}: {error}", docent.display()))?);
    }
    Ok(Times {
        cold,
        warm: warm(entry).await?,
        peak_bytes: peak(entry, docent),
        ripgrep: ripgrep(entry, folder),
    })
}

/// From the start of a program to the last byte that it says. It then keeps what it has read for the
/// next question, which nobody waits for.
fn until_answered(mut command: Command) -> io::Result<Duration> {
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut buffer = vec![0; 1 << 16];
    let mut last = None;
    while output.read(&mut buffer)? > 0 {
        last = Some(begin.elapsed());
    }
    child.wait()?;
    last.ok_or_else(|| io::Error::other("it said nothing"))
}

/// A cache folder that nothing is in yet.
struct Cache(PathBuf);

impl Cache {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("docent-bench-{}", std::process::id()));
        // It is not there the first time.
        let _ = std::fs::remove_dir_all(&folder);
        Self(folder)
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        // What is left of it is in the way of nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn describe(entry: &Entry, docent: &Path, cache: &Path) -> Command {
    let mut command = Command::new(docent);
    command.args(["--offline", "--cache"]).arg(cache).arg("describe");
    command.arg(format!("{}:{}", entry.ecosystem, entry.name)).arg(&entry.symbol);
    command.arg("--project").arg(&entry.project).current_dir(&entry.project);
    command.env_remove("VIRTUAL_ENV").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

async fn warm(entry: &Entry) -> Result<Vec<Duration>, String> {
    let cache = Cache::new();
    let environment = Environment::of_process().in_directory(&entry.project);
    let engine = Engine::builder().environment(environment).cache(&cache.0).offline(true).build();
    let engine = engine.map_err(|error| error.to_string())?;
    let package = PackageRef::new(entry.ecosystem, &entry.name, None);
    let target = Target::new(package).in_project(&entry.project);
    let mut times = Vec::new();
    for round in 0..=WARM_ROUNDS {
        let begin = Instant::now();
        let answer = engine.describe(&target, Some(&entry.symbol), &Style::default()).await;
        let time = begin.elapsed();
        answer.map_err(|error| format!("{}: {error}", entry.name))?;
        if round > 0 {
            times.push(time);
        }
    }
    Ok(times)
}

/// Looks at the processes while they run, since what they needed is gone with them.
fn peak(entry: &Entry, docent: &Path) -> u64 {
    let cache = Cache::new();
    let Ok(mut child) = describe(entry, docent, &cache.0).spawn() else { return 0 };
    let mut peak = 0;
    while let Ok(None) = child.try_wait() {
        let mut open = vec![child.id()];
        while let Some(id) = open.pop() {
            peak = peak.max(high_water(id).unwrap_or(0));
            open.extend(children(id));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    peak
}

fn high_water(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}

fn children(id: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let texts = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    texts
        .flat_map(|text| {
            text.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        })
        .collect()
}

fn ripgrep(entry: &Entry, folder: &Path) -> Option<Duration> {
    let name = entry.symbol.rsplit(['.', ':']).next().unwrap_or(&entry.symbol);
    let mut times = Vec::new();
    for _ in 0..COLD_ROUNDS {
        let begin = Instant::now();
        let mut command = Command::new("rg");
        command
            .args(["--no-ignore", "--hidden", "--word-regexp", "--line-number", name])
            .arg(folder);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        times.push(begin.elapsed());
    }
    Some(median(&times))
}
