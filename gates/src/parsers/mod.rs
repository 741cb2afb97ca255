//! Every parser, with input that is deeper and longer than anybody writes: the process that asks
//! lives on, nothing takes longer than its limit, and time grows with size and no faster.

mod shapes;

use std::time::{Duration, Instant};

use docent_packages::worker::{Isolation, Job, Source, Workers};
use docent_packages::{Ecosystem, Error, ErrorKind, Extraction, Limits, Place};
use docent_testkit::folder::Folder;

use self::shapes::{File, Shape};
use crate::Result;
use crate::arguments::Options;
use crate::report::Report;

/// Processor time for one file.
const PROCESSOR_MAX: Duration = Duration::from_secs(2);

/// Below this, a time says more about the machine than about the parser.
const MEASURABLE: Duration = Duration::from_millis(200);

/// How many times as long twice the size may take: what grows as the square takes four times.
const RATIO_MAX: f64 = 2.6;

/// The same on a machine that does other work meanwhile.
const RATIO_MAX_QUICK: f64 = 3.5;

pub(crate) fn run(options: &Options) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure(options.quick))
}

async fn measure(quick: bool) -> Result<Report> {
    let mut report = Report::new();
    let mut limits = Limits::default();
    limits.worker_cpu = PROCESSOR_MAX;
    let bench = Bench { workers: Workers::new(Isolation::default(), &limits), limits };
    let start = bench.start_time().await?;
    println!("a worker starts, reads nothing and ends in {start:?}");

    let depths: &[usize] =
        if quick { &[100, 10_000] } else { &[100, 1000, 10_000, 100_000, 1_000_000] };
    let mut tally = Tally::default();
    for shape in shapes::deep() {
        for &depth in depths {
            tally.add(&shape, depth, &bench.read(&shape, &(shape.text)(depth)).await?);
        }
    }
    let size = if quick { 10_000 } else { 100_000 };
    let limit = if quick { RATIO_MAX_QUICK } else { RATIO_MAX };
    let mut ratio_max: f64 = 0.0;
    for shape in shapes::long() {
        tally.add(&shape, size, &bench.read(&shape, &(shape.text)(size)).await?);
        if let Some((count, ratio)) = bench.ratio(&shape).await? {
            // Caches and neighbors make one figure; what is really quadratic makes two.
            let again = if ratio > limit { bench.ratio(&shape).await? } else { None };
            let ratio = again.map_or(ratio, |(_, again)| ratio.min(again));
            println!(
                "{:?} {}: twice {count} takes {ratio:.2} times as long",
                shape.file, shape.name
            );
            ratio_max = ratio_max.max(ratio);
        }
    }
    let attributes =
        Shape { name: "1,000,000 attributes", file: File::Html, text: |n| n.to_string() };
    let text =
        format!("<p {}>a</p>", (0..1_000_000).map(|at| format!("a{at}=b ")).collect::<String>());
    tally.add(&attributes, 1_000_000, &bench.read(&attributes, &text).await?);
    for file in [
        File::TypeScript,
        File::JavaScript,
        File::Python,
        File::Go,
        File::Rust,
        File::Swift,
        File::Markdown,
        File::Html,
        File::Rest,
    ] {
        let line = Shape { name: "a line of 100 MB", file, text: |n| n.to_string() };
        tally.add(&line, 100_000_000, &bench.read(&line, &"a ".repeat(50_000_000)).await?);
    }
    // Whatever came before, the next package is read.
    let good = Shape { name: "good", file: File::TypeScript, text: |n| n.to_string() };
    let after = bench.read(&good, "export declare const good: number;\n").await?;
    let alive = after.result.is_ok_and(|found| found.problems.is_empty());

    println!(
        "{} files: {} read, {} left out with a reason, {} packages refused",
        tally.files, tally.read, tally.left_out, tally.refused
    );
    report.count("dead_after_all", usize::from(!alive), 0);
    report.count("errors_of_another_kind", tally.untyped, 0);
    report.count("over_their_time", tally.slow, 0);
    report.time("slowest_s", tally.slowest, 2 * PROCESSOR_MAX);
    report.number("time_of_twice_the_size", ratio_max, limit);
    if !quick {
        report.time("worker_start_s", start, Duration::from_millis(15));
    }
    Ok(report)
}

#[derive(Default)]
struct Tally {
    files: usize,
    read: usize,
    left_out: usize,
    refused: usize,
    untyped: usize,
    slow: usize,
    slowest: Duration,
}

struct Outcome {
    result: std::result::Result<Extraction, Error>,
    time: Duration,
    /// What the worker took of the processor, which does not depend on what else the machine does;
    /// the time, where the system does not tell.
    processor: Duration,
}

/// Processor time of all children that have ended, to the hundredth of a second.
fn children_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in parentheses, the fourteenth and fifteenth field.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(13);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Duration::from_millis(10 * (user + system)))
}

impl Tally {
    fn add(&mut self, shape: &Shape, size: usize, outcome: &Outcome) {
        let label = format!("{:?} {} × {size}", shape.file, shape.name);
        self.files += 1;
        self.slowest = self.slowest.max(outcome.time);
        match &outcome.result {
            Ok(found) => match found.problems.first() {
                None => self.read += 1,
                Some(problem) => {
                    self.left_out += 1;
                    if problem.message.contains("parser") {
                        println!("{label}: {}", problem.message);
                    }
                }
            },
            Err(error) if matches!(error.kind(), ErrorKind::LimitExceeded | ErrorKind::Worker) => {
                self.refused += 1;
                println!("{label}: {error}");
            }
            Err(error) => {
                self.untyped += 1;
                println!("{label}: {error}");
            }
        }
        // A file that is given up for its processor time costs that time, and a second attempt.
        if outcome.time > 2 * PROCESSOR_MAX {
            self.slow += 1;
            println!("{label}: {:?}", outcome.time);
        }
    }
}

struct Bench {
    workers: Workers,
    limits: Limits,
}

impl Bench {
    async fn read(&self, shape: &Shape, text: &str) -> Result<Outcome> {
        let folder = Folder::new();
        let ecosystem = write(&folder, shape.file, text);
        let place = Place::Folder { root: folder.path().to_owned(), files: None };
        let package = Source { name: "x".to_owned(), version: "1.0.0".to_owned(), place };
        let limits = self.limits.clone();
        let job = Job {
            ecosystem,
            package,
            part: None,
            companions: Vec::new(),
            reach: Vec::new(),
            limits,
        };
        let (started, before) = (Instant::now(), children_time());
        let result = self.workers.run(job).await;
        let time = started.elapsed();
        let processor = before.zip(children_time()).map(|(before, after)| after - before);
        Ok(Outcome { result, time, processor: processor.unwrap_or(time) })
    }

    /// The shortest of several times for a package with nothing in it.
    async fn start_time(&self) -> Result<Duration> {
        let empty = Shape { name: "empty", file: File::TypeScript, text: |n| n.to_string() };
        let mut shortest = Duration::MAX;
        for _ in 0..20 {
            shortest = shortest.min(self.read(&empty, "").await?.time);
        }
        Ok(shortest)
    }

    /// How many times as long twice the size takes, at a size that can be measured and is read.
    async fn ratio(&self, shape: &Shape) -> Result<Option<(usize, f64)>> {
        let mut count = 2000;
        loop {
            let Some(time) = self.shortest(shape, count, 1).await? else { return Ok(None) };
            if time >= MEASURABLE {
                break;
            }
            if count > 500_000 {
                return Ok(None);
            }
            count *= if time < MEASURABLE / 8 { 4 } else { 2 };
        }
        let Some(once) = self.shortest(shape, count, 3).await? else { return Ok(None) };
        let Some(twice) = self.shortest(shape, 2 * count, 3).await? else { return Ok(None) };
        Ok(Some((count, twice.as_secs_f64() / once.as_secs_f64())))
    }

    async fn shortest(&self, shape: &Shape, count: usize, runs: usize) -> Result<Option<Duration>> {
        let text = (shape.text)(count);
        let mut shortest = Duration::MAX;
        for _ in 0..runs {
            let outcome = self.read(shape, &text).await?;
            if !outcome.result.is_ok_and(|found| found.problems.is_empty()) {
                return Ok(None);
            }
            shortest = shortest.min(outcome.processor);
        }
        Ok(Some(shortest))
    }
}

/// Puts a text where its parser finds it.
fn write(folder: &Folder, file: File, text: &str) -> Ecosystem {
    const TYPES: &str = r#"{"name":"x","version":"1.0.0","types":"index.d.ts"}"#;
    const MAIN: &str = r#"{"name":"x","version":"1.0.0","main":"index.js"}"#;
    let path = match file {
        File::TypeScript => "index.d.ts",
        File::JavaScript => "index.js",
        File::Jsx => "index.jsx",
        File::Python => "x/__init__.py",
        File::Go => "x.go",
        File::Rust => "src/lib.rs",
        File::Swift => "Sources/X/X.swift",
        File::Markdown => "README.md",
        File::Html => "docs/index.html",
        File::Rest => "README.rst",
    };
    folder.write(path, text);
    if file == File::Python {
        folder.write("x-1.0.0.dist-info/METADATA", "Name: x\nVersion: 1.0.0\n");
        folder.write("x-1.0.0.dist-info/RECORD", "x/__init__.py,,\n");
        return Ecosystem::Python;
    }
    if file == File::Go {
        folder.write("go.mod", "module x.example/x\n");
        return Ecosystem::Go;
    }
    if file == File::Rust {
        folder.write(
            "Cargo.toml",
            "[package]\nname = \"x\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
        );
        return Ecosystem::Rust;
    }
    if file == File::Swift {
        folder.write(
            "Package.swift",
            "// swift-tools-version: 6.0\nimport PackageDescription\n\
             let package = Package(name: \"x\", products: [.library(name: \"X\", targets: [\"X\"])], \
             targets: [.target(name: \"X\")])\n",
        );
        return Ecosystem::Swift;
    }
    let manifest = match file {
        File::JavaScript => MAIN.to_owned(),
        File::Jsx => MAIN.replace("index.js", "index.jsx"),
        _ => TYPES.to_owned(),
    };
    folder.write("package.json", manifest);
    Ecosystem::Npm
}
