//! Processes killed at any moment of writing, evicting and reading, and disks that fail at any
//! step: what the cache serves afterwards is right, and nobody has to repair it.

mod faults;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use docent_packages::Limits;
use docent_packages::cache::{Bucket, Cache};

use crate::Result;
use crate::arguments::Options;
use crate::cache::content::{self, Folder, KEYS, Look};
use crate::cache::race;
use crate::random::Random;
use crate::report::Report;

/// Processes that are killed in one round.
const AT_ONCE: usize = 2;
/// The latest moment of a kill, after a process has begun.
const LATEST: Duration = Duration::from_millis(60);
/// A dead process's unfinished files are cleared when they are older than an hour.
const ABANDONED: Duration = Duration::from_secs(2 * 60 * 60);

pub(crate) fn run(options: &Options) -> Result<Report> {
    let kills = if options.quick { 50 } else { 500 };
    let mut random = Random::new(options.seed);
    let mut report = Report::new();
    let folder = Folder::new("crashloop")?;
    let (mut total, mut slowest, mut unfinished, mut accused) =
        (Look::default(), Duration::ZERO, 0, 0);
    for _ in 0..kills / AT_ONCE {
        let processes: Result<Vec<Child>> = (0..AT_ONCE)
            .map(|_| race::start("cache-racer", folder.path(), random.next() >> 1, 0))
            .collect();
        for mut process in processes? {
            accused += usize::from(!kill(&mut process, random.time(LATEST))?);
        }
        unfinished += content::files(&folder.path().join("temporary")).len();
        // What whoever starts next waits for: opening, and the first answer.
        let begin = Instant::now();
        content::look(&Cache::open(folder.path(), &Limits::default())?, 0);
        slowest = slowest.max(begin.elapsed());
        total.add(look_through(folder.path())?);
    }
    println!("{kills} kills, {unfinished} unfinished files seen: {total:?}");
    let left = repair(folder.path())?;
    let faults = faults::run()?;
    println!("{} failing disks: {:?}", faults.runs, faults.look);
    report.count("served_wrong_after_kill", total.wrong, 0);
    report.count("served_wrong_to_the_killed", accused, 0);
    report.count("kills_that_left_nothing_to_read", usize::from(total.right < kills), 0);
    report.count("kills_that_interrupted_nothing", usize::from(unfinished == 0), 0);
    report.count("left_over", left, 0);
    report.count("served_wrong_after_fault", faults.look.wrong, 0);
    report.count("not_repaired_after_fault", faults.unrepaired, 0);
    report.time("restart_s_max", slowest, Duration::from_secs(1));
    Ok(report)
}

/// Kills a process some time after it has begun; `false` if it ended by itself before, which it
/// does only if it was served something wrong.
fn kill(process: &mut Child, after: Duration) -> Result<bool> {
    let mut line = String::new();
    let stdout = process.stdout.take().ok_or("no stdout")?;
    BufReader::new(stdout).read_line(&mut line)?;
    std::thread::sleep(after);
    let running = process.try_wait()?.is_none() && line.trim() == "ready";
    process.kill()?;
    process.wait()?;
    Ok(running)
}

/// What a process that starts now gets.
fn look_through(folder: &Path) -> Result<Look> {
    let cache = Cache::open(folder, &Limits::default())?;
    let mut total = Look::default();
    for number in 0..KEYS {
        total.add(content::look(&cache, number));
    }
    for file in content::files(&folder.join("artifacts-v1")) {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        total.add(race::look_at_any(&cache, name));
    }
    Ok(total)
}

/// Time passes, and the cache is used as ever: what is left then that should not be.
fn repair(folder: &Path) -> Result<usize> {
    let temporary = folder.join("temporary");
    for file in content::files(&temporary) {
        content::age(&file, ABANDONED);
    }
    let cache = Cache::open(folder, &Limits::default())?;
    cache.evict();
    let mut left = content::files(&temporary).len();
    for number in 0..KEYS {
        cache.write(Bucket::Metadata, &content::key(number), &content::bytes(number, 7))?;
        left += usize::from(content::look(&cache, number).right != 1);
    }
    Ok(left)
}
