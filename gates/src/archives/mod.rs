//! Hostile archives through the worker: each is refused with a typed error or opened without
//! effect, no slower than it may be, and never understood differently than Python does.

mod oracle;
mod real;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docent_packages::worker::{Isolation, Job, Source, Workers};
use docent_packages::{ArchiveFormat, Ecosystem, Error, ErrorKind, Limits, Place, unpack};
use docent_testkit::archives::{self, Expected, Format, Hostile};
use docent_testkit::folder::Folder;

use crate::Result;
use crate::arguments::Options;
use crate::report::Report;

/// How long one archive may take.
const TIME_MAX: Duration = Duration::from_secs(2);

/// How many archives there must be, each as every ecosystem would read it.
const ARCHIVES_MIN: usize = 300;

pub(crate) fn run(_: &Options) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure())
}

/// What went wrong, counted.
#[derive(Default)]
struct Tally {
    archives: usize,
    wrong: usize,
    untyped: usize,
    slow: usize,
    slowest: Duration,
    /// What was opened, for the oracle.
    opened: Vec<(Place, String)>,
}

async fn measure() -> Result<Report> {
    let mut report = Report::new();
    let limits = Limits::default();
    let workers = Workers::new(Isolation::default(), &limits);
    let folder = Folder::new();
    let mut tally = Tally::default();
    let mut kept = BTreeMap::new();
    for (number, hostile) in archives::corpus().iter().enumerate() {
        let file = folder.write(&format!("{number:03}"), hostile.bytes());
        let opened = tally.open(&workers, hostile, &file, &limits).await;
        if opened {
            kept.insert(file, ());
        } else {
            std::fs::remove_file(file)?;
        }
    }
    let stray = stray(folder.path(), &kept)?;
    println!("{} hostile archives, the slowest {:?}", tally.archives, tally.slowest);
    let real = real::measure(&workers, &limits, &mut tally.opened).await?;
    let disagreements = oracle::compare(&tally.opened, &limits)?;

    report.count("archives_missing", ARCHIVES_MIN.saturating_sub(tally.archives), 0);
    report.count("not_as_expected", tally.wrong, 0);
    report.count("errors_of_another_kind", tally.untyped, 0);
    report.count("files_or_links_made", stray, 0);
    report.count("slower_than_2_s", tally.slow, 0);
    report.time("slowest_s", tally.slowest, TIME_MAX);
    report.count("real_refused_per_10000", real.refused_per_10000, 10);
    report.count("read_otherwise_by_python", disagreements, 0);
    Ok(report)
}

impl Tally {
    /// Has a worker open an archive; whether it did.
    async fn open(
        &mut self,
        workers: &Workers,
        hostile: &Hostile,
        file: &Path,
        limits: &Limits,
    ) -> bool {
        let place = place(file.to_owned(), hostile.format);
        let opened = self.read(workers, hostile, &place, Ecosystem::Npm, limits).await;
        match hostile.format {
            Format::Zip => {
                let place = go_module(file.to_owned(), None);
                self.read(workers, hostile, &place, Ecosystem::Go, limits).await;
            }
            // As a crate and as the files of a repository.
            Format::TarGz => {
                self.read(workers, hostile, &place, Ecosystem::Rust, limits).await;
                self.read(workers, hostile, &place, Ecosystem::Swift, limits).await;
            }
        }
        if opened {
            let label = format!("family {}: {}", hostile.family, hostile.name);
            self.opened.push((place, label));
        }
        opened
    }

    async fn read(
        &mut self,
        workers: &Workers,
        hostile: &Hostile,
        place: &Place,
        ecosystem: Ecosystem,
        limits: &Limits,
    ) -> bool {
        let started = Instant::now();
        let result = workers.run(job(place.clone(), ecosystem, limits)).await;
        let time = started.elapsed();
        self.archives += 1;
        self.slowest = self.slowest.max(time);
        let label = format!("{ecosystem}, family {}: {}", hostile.family, hostile.name);
        if time > TIME_MAX {
            self.slow += 1;
            println!("{label}: {time:?}");
        }
        let found = result.as_ref().map(|_| ()).map_err(Error::kind);
        match (found, hostile.expected) {
            (Ok(()), Expected::Opened) => {}
            (Err(ErrorKind::Refused | ErrorKind::LimitExceeded), Expected::Refused) => {}
            (Ok(()), Expected::Refused) | (Err(_), Expected::Opened) => {
                self.wrong += 1;
                println!("{label}: expected {:?}, but {found:?}", hostile.expected);
            }
            (Err(_), Expected::Refused) => {
                self.untyped += 1;
                println!("{label}: {result:?}");
            }
        }
        found.is_ok()
    }
}

fn place(file: PathBuf, format: Format) -> Place {
    let format = match format {
        Format::TarGz => ArchiveFormat::TarGz,
        Format::Zip => ArchiveFormat::Zip,
    };
    // With its top folder, so that names can be compared.
    Place::Archive { file, format, prefix: Some(String::new()) }
}

/// A zip as the proxies of Go modules give it, with the hash of its files if there is one.
fn go_module(file: PathBuf, h1: Option<[u8; 32]>) -> Place {
    let format = ArchiveFormat::GoModule { h1 };
    Place::Archive { file, format, prefix: Some(String::new()) }
}

fn job(place: Place, ecosystem: Ecosystem, limits: &Limits) -> Job {
    let package = Source { name: "hostile".to_owned(), version: "1.0.0".to_owned(), place };
    let limits = limits.clone();
    Job { ecosystem, package, part: None, companions: Vec::new(), reach: Vec::new(), limits }
}

/// Whatever is in the folder, or beside it, that was not put there.
fn stray(folder: &Path, kept: &BTreeMap<PathBuf, ()>) -> Result<usize> {
    let mut stray = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if !kept.contains_key(&path) {
            println!("made: {}", path.display());
            stray += 1;
        }
    }
    for outside in ["/tmp/evil.js", "/tmp/evil.py", "/etc/cron.d/evil.txt"] {
        stray += usize::from(Path::new(outside).exists());
    }
    stray += usize::from(folder.parent().is_some_and(|parent| parent.join("evil.js").exists()));
    Ok(stray)
}

/// The files of a place and, where they can be read and are ASCII, their checksums.
fn listing(place: &Place, limits: &Limits) -> Result<BTreeMap<String, Option<u32>>> {
    let tree = unpack::open(place, limits)?;
    let checksum = |path: &str| {
        let text = tree.text(path).filter(|text| text.is_ascii())?;
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        Some(crc.sum())
    };
    Ok(tree.paths().map(|path| (path.to_owned(), checksum(path))).collect())
}
