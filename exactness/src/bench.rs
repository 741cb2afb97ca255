//! How long the engine takes over installed packages, beside those who only parse or only search.
//!
//! `bench/README.md` says what each column is. Each measure is in [`extraction`] (what happens to
//! files) or [`answer`] (what a user waits for).

mod answer;
mod extraction;

use std::path::{Path, PathBuf};
use std::time::Duration;

use docent_packages::Ecosystem;

use crate::installed::Folder;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The list of packages: ecosystem, name or address, version and symbol on each line
    #[arg(long)]
    list: PathBuf,
    /// Where each is installed, in a folder `ecosystem-name-version` with `+` for `/`
    #[arg(long)]
    projects: PathBuf,
    /// The `docent` program
    #[arg(long)]
    docent: PathBuf,
    /// The script that times TypeScript's parser
    #[arg(long)]
    typescript: Option<PathBuf>,
    /// Only this package
    #[arg(long)]
    only: Option<String>,
    /// Only parsing and extraction, no answers
    #[arg(long)]
    no_answers: bool,
    /// A folder to write the extractions into, to be compared with those of another program
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// One line of the list.
struct Entry {
    ecosystem: Ecosystem,
    name: String,
    version: String,
    symbol: String,
    project: PathBuf,
}

/// What was measured for one package.
struct Row {
    ecosystem: Ecosystem,
    title: String,
    extraction: extraction::Times,
    answer: Option<answer::Times>,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<bool, String> {
    let list = std::fs::read_to_string(&arguments.list)
        .map_err(|error| format!("{}: {error}", arguments.list.display()))?;
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| Entry::read(line, &arguments.projects));
    let only = |entry: &Entry| arguments.only.as_ref().is_none_or(|only| *only == entry.name);
    println!(
        "{:<34}{:>6}{:>8}{:>8}{:>9}{:>7}{:>8}{:>8}{:>8}{:>8}{:>8}",
        "package", "files", "KB", "parse", "extract", "ratio", "tsc", "cold", "warm", "MB", "rg"
    );
    let mut rows = Vec::new();
    for entry in entries.filter(only) {
        let title = format!("{} {}@{}", entry.ecosystem, entry.name, entry.version);
        let environment = entry.project.join(".venv");
        let folder = Folder::of(entry.ecosystem, &entry.project, Some(&environment));
        // Whoever installs it leaves this behind when all of it is there.
        let folder = folder.filter(|_| entry.project.join(".installed").is_file());
        let loaded = folder.as_ref().and_then(|folder| Some((folder, folder.load(&entry.name)?.0)));
        let Some((folder, installed)) = loaded else {
            println!("{title:<34}not installed");
            continue;
        };
        if let Some(keep) = &arguments.keep {
            let file = keep.join(title.replace(['/', ' '], "+"));
            let text = format!("{:#?}", installed.extract(&|_| {}));
            std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let extraction = extraction::measure(&installed, folder, arguments.typescript.as_deref());
        let root = folder.root(&entry.name).unwrap_or_default();
        let answer = match arguments.no_answers {
            true => None,
            false => Some(answer::measure(&entry, &root, &arguments.docent).await?),
        };
        let row = Row { ecosystem: entry.ecosystem, title, extraction, answer };
        row.print();
        rows.push(row);
    }
    summary(&rows);
    Ok(!rows.is_empty())
}

impl Entry {
    fn read(line: &str, projects: &Path) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (scheme, name, version) = (words.next()?, words.next()?, words.next()?);
        let folder = format!("{scheme}-{}-{version}", name.replace('/', "+"));
        let ecosystem = Ecosystem::named(scheme)?;
        // A repository has the name of its last part.
        let last = name.rsplit('/').next().filter(|_| ecosystem == Ecosystem::Swift);
        Some(Self {
            ecosystem,
            name: last.unwrap_or(name).to_owned(),
            version: version.to_owned(),
            symbol: words.next()?.to_owned(),
            project: projects.join(folder),
        })
    }
}

impl Row {
    fn print(&self) {
        let Self { title, extraction, answer, .. } = self;
        let some = |time: Option<Duration>| {
            time.map_or("–".to_owned(), |time| format!("{:.1}", ms(time)))
        };
        print!(
            "{title:<34}{:>6}{:>8}{:>8}{:>9.1}{:>7}{:>8}",
            extraction.files,
            extraction.bytes / 1000,
            some(extraction.parse),
            ms(extraction.extract),
            extraction.ratio().map_or("–".to_owned(), |ratio| format!("{ratio:.2}")),
            some(extraction.typescript),
        );
        match answer {
            Some(answer) => println!(
                "{:>8.0}{:>8.2}{:>8.0}{:>8}",
                ms(median(&answer.cold)),
                ms(median(&answer.warm)),
                answer.peak_bytes as f64 / 1e6,
                some(answer.ripgrep),
            ),
            None => println!(),
        }
    }
}

fn summary(rows: &[Row]) {
    // Where there is a parser to compare with.
    let all: Vec<&Row> = rows.iter().filter(|row| row.extraction.parse.is_some()).collect();
    let ratio = |rows: &[&Row]| {
        let parse = rows.iter().filter_map(|row| row.extraction.parse).sum();
        share(rows.iter().map(|row| row.extraction.extract).sum(), parse)
    };
    println!("\nextract : parse of all files       {:.2} (goal ≤ 2)", ratio(&all));
    for own in all.chunk_by(|row, next| row.ecosystem == next.ecosystem) {
        println!("{:<35}{:.2}", format!("  of {}", own[0].ecosystem), ratio(own));
    }
    let compared: Vec<&Row> =
        rows.iter().filter(|row| row.extraction.typescript.is_some()).collect();
    if !compared.is_empty() {
        let typescript = compared.iter().filter_map(|row| row.extraction.typescript).sum();
        let ours = compared.iter().map(|row| row.extraction.extract).sum();
        println!("TypeScript's parser : our extract   {:.2}", share(typescript, ours));
    }
    let answers: Vec<&answer::Times> = rows.iter().filter_map(|row| row.answer.as_ref()).collect();
    if !answers.is_empty() {
        summary_of_answers(&answers);
    }
}

fn summary_of_answers(answers: &[&answer::Times]) {
    let cold: Vec<Duration> = answers.iter().flat_map(|answer| answer.cold.clone()).collect();
    let warm: Vec<Duration> = answers.iter().flat_map(|answer| answer.warm.clone()).collect();
    println!(
        "cold answer, ms                    p50 {:.0}  p95 {:.0} (goal ≤ 300)",
        ms(median(&cold)),
        ms(percentile(&cold, 95))
    );
    println!(
        "warm answer, ms                    p50 {:.2}  p95 {:.2} (goal ≤ 5)",
        ms(median(&warm)),
        ms(percentile(&warm, 95))
    );
    let peak = answers.iter().map(|answer| answer.peak_bytes).max().unwrap_or(0);
    println!("peak memory of a process, MB       {:.0} (goal ≤ 200)", peak as f64 / 1e6);
    let ripgrep: Vec<Duration> = answers.iter().filter_map(|answer| answer.ripgrep).collect();
    if ripgrep.is_empty() {
        println!("ripgrep                            skipped: `rg` is not on PATH");
    } else {
        println!(
            "ripgrep for the symbol, ms         p50 {:.1}  p95 {:.1}",
            ms(median(&ripgrep)),
            ms(percentile(&ripgrep, 95))
        );
    }
}

fn ms(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}

fn share(one: Duration, other: Duration) -> f64 {
    if other.is_zero() { 0.0 } else { one.as_secs_f64() / other.as_secs_f64() }
}

fn median(times: &[Duration]) -> Duration {
    percentile(times, 50)
}

fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = (times.len().saturating_sub(1) * percent).div_ceil(100);
    times.get(at).copied().unwrap_or_default()
}
