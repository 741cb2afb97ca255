//! The gate that no process is left: whatever the children do, however their connection ends, and
//! even if their parent is killed.
//!
//! Every child gets a mark in its environment, which whatever it starts inherits, so that
//! [`census`] can count those that are left. [`cycle`] opens and ends connections, [`killed`] kills
//! a [`parent`] that has some open, [`gateway`] puts a gateway in the middle, and [`kinds`] are the
//! children.

mod census;
mod cycle;
pub(crate) mod gateway;
mod killed;
mod kinds;
pub(crate) mod parent;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Result;
use crate::arguments::Options;
use crate::random::Random;
use crate::report::Report;

/// How long ending a connection may take.
const END_MAX: Duration = Duration::from_secs(3);
/// How long children may outlive a parent that is killed.
const KILLED_MAX: Duration = Duration::from_secs(2);

/// How long a gateway may take to end, and all of its servers with it.
const GATEWAY_MAX: Duration = Duration::from_secs(2);

/// After this time a run hangs.
const RUN_MAX: Duration = Duration::from_secs(20);

/// Runs at the same time: most of the time of a run is waiting for somebody stubborn.
const AT_ONCE: usize = 8;

pub(crate) fn run(options: &Options) -> Result<Report> {
    let (cycles, rounds, gateways) = if options.quick { (30, 8, 11) } else { (200, 50, 110) };
    let mut report = Report::new();
    let mut random = Random::new(options.seed);
    let stage = Stage::new()?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;

    let cycles = runtime.block_on(cycle::run(&stage, &mut random, cycles))?;
    cycles.print("cycles");
    let killed = runtime.block_on(killed::run(&stage, &mut random, rounds))?;
    killed.print("killed parents");
    let through = runtime.block_on(gateway::run(&stage, &mut random, gateways))?;
    through.print("gateways");
    let (own, zombies) = own_children()?;
    println!("own children: {own} left, {zombies} of them zombies");

    report.count("left", cycles.left + killed.left + through.left + own, 0);
    report.count("zombies", zombies, 0);
    report.count("failed", cycles.failed + killed.failed + through.failed, 0);
    report.time("close_s_max", cycles.slowest(), END_MAX);
    report.time("killed_s_max", killed.slowest(), KILLED_MAX);
    report.time("gateway_s_max", through.slowest(), GATEWAY_MAX);
    Ok(report)
}

/// Children of this process that are left at the end, the watchdog's shell included, and zombies
/// among them.
fn own_children() -> Result<(usize, usize)> {
    let begin = Instant::now();
    loop {
        let children = census::children_of(std::process::id())?;
        let zombies = children.iter().filter(|child| child.is_zombie()).count();
        if children.is_empty() || begin.elapsed() > END_MAX {
            return Ok((children.len() - zombies, zombies));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

async fn within<T>(time: Duration, run: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(time, run).await.unwrap_or_else(|_| Err("hangs".into()))
}

/// What was counted and timed in one phase.
#[derive(Default)]
struct Tally {
    left: usize,
    failed: usize,
    times: Vec<Duration>,
}

impl Tally {
    /// Takes the outcome of one run: how long it took until all was gone, and what was left.
    fn take(&mut self, name: &str, outcome: Result<Ended>) {
        match outcome {
            Ok(ended) => {
                if ended.left > 0 || ended.took > END_MAX {
                    println!("{name}: {} left after {:?}", ended.left, ended.took);
                }
                self.left += ended.left;
                self.times.push(ended.took);
            }
            Err(error) => {
                println!("{name}: {error}");
                self.failed += 1;
            }
        }
    }

    fn slowest(&self) -> Duration {
        self.times.iter().max().copied().unwrap_or_default()
    }

    fn print(&self, phase: &str) {
        let mut times = self.times.clone();
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        println!(
            "{phase}: {} ended, median {} ms, slowest {} ms; {} processes left, {} runs failed",
            times.len(),
            median.as_millis(),
            self.slowest().as_millis(),
            self.left,
            self.failed,
        );
    }
}

/// How a run ended.
struct Ended {
    took: Duration,
    left: usize,
}

/// Where the scripts are, and the mark of this run.
struct Stage {
    folder: PathBuf,
    mark: String,
}

impl Stage {
    fn new() -> Result<Self> {
        let mark = format!("docent-gates-{}", std::process::id());
        let folder = std::env::temp_dir().join(&mark);
        std::fs::create_dir_all(&folder)?;
        // All at once and before anything is started: a script that is still open for writing
        // somewhere cannot be run.
        kinds::write_scripts(&folder)?;
        Ok(Stage { folder, mark })
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    /// A mark for one run of many.
    fn mark(&self, phase: &str, number: usize) -> String {
        format!("{}-{phase}-{number}.", self.mark)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Both are courtesy: what was left has been counted.
        let _ = census::kill_all(&format!("{}-", self.mark));
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
