//! Loads the packages of a list from the user's registries, as `docent` would, and says of each
//! what was found.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docent_packages::worker::Isolation;
use docent_packages::{
    Ecosystem, Engine, Environment, Error, Extent, Kind, Loaded, Origin, PackageRef, Progress,
    Target,
};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// An ecosystem and the file of its names, as `npm=breadth/npm.txt`
    #[arg(long = "list")]
    lists: Vec<String>,
    /// The same, of which only sums are written to the file, and what has no items or problems
    #[arg(long = "sum")]
    sums: Vec<String>,
    /// A folder of checkouts, each called `name` or `name@version`, for packages that live in
    /// repositories rather than in a registry
    #[arg(long)]
    checkouts: Option<PathBuf>,
    /// Only so many of each
    #[arg(long)]
    limit: Option<usize>,
    /// Write the tables to this file, in place of those it has of the same ecosystems
    #[arg(long)]
    write: Option<PathBuf>,
    /// The command and the day, for a file that is written anew
    #[arg(long, default_value = "")]
    note: String,
}

/// What became of one package.
struct Outcome {
    name: String,
    time: Duration,
    found: Result<Found, Error>,
}

struct Found {
    version: String,
    /// Modules that are too large to be read together, and were listed.
    listed: usize,
    items: usize,
    documented: usize,
    prose: usize,
    problems: usize,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut text = String::new();
    let mut good = true;
    let lists = arguments.lists.iter().map(|list| (list, false));
    for (list, is_sum) in lists.chain(arguments.sums.iter().map(|list| (list, true))) {
        let (ecosystem, file) = list.split_once('=').ok_or("--list is ECOSYSTEM=FILE")?;
        let ecosystem =
            Ecosystem::named(ecosystem).ok_or_else(|| format!("`{ecosystem}` is no ecosystem"))?;
        let names = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let names = names.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let names: Vec<&str> = names.take(arguments.limit.unwrap_or(usize::MAX)).collect();
        let folder = std::env::temp_dir().join(format!(
            "docent-breadth-{}-{}",
            ecosystem.scheme(),
            std::process::id()
        ));
        let outcomes = load(ecosystem, &names, &folder, arguments.checkouts.as_deref()).await?;
        // What is left of it is in the way of nobody.
        let _ = std::fs::remove_dir_all(&folder);
        good &= summary(&outcomes);
        if is_sum {
            write_sums(&mut text, ecosystem, &outcomes);
        } else {
            write_table(&mut text, ecosystem, &outcomes);
        }
    }
    if let Some(file) = &arguments.write {
        let text = match std::fs::read_to_string(file) {
            Ok(before) if arguments.note.is_empty() => merged(&before, &text),
            _ => page(&text, &arguments.note),
        };
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(good)
}

/// Loads one after the other: each time is that of a machine with nothing else to do.
async fn load(
    ecosystem: Ecosystem,
    names: &[&str],
    folder: &Path,
    checkouts: Option<&Path>,
) -> Result<Vec<Outcome>, String> {
    // An empty project with an empty virtual environment: nothing is installed or locked, whatever
    // the machine's own interpreter has, and the registry decides.
    let project = folder.join("project");
    let python = project.join(".venv");
    let made = std::fs::create_dir_all(python.join("lib/python3.13/site-packages"))
        .and_then(|()| std::fs::write(python.join("pyvenv.cfg"), "version = 3.13.0\n"));
    made.map_err(|error| format!("{}: {error}", project.display()))?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let engine = Engine::builder()
        .environment(
            Environment::of_process()
                .in_directory(&project)
                .with("VIRTUAL_ENV", &python.to_string_lossy())
                .with("GOMODCACHE", &project.join("modules").to_string_lossy()),
        )
        .isolation(Isolation::Process(vec![program.into_os_string()]))
        .cache(folder.join("cache"))
        .build()
        .map_err(|error| error.to_string())?;
    let mut outcomes = Vec::new();
    for name in names {
        // A line may ask for a version: `name@1.2.3`.
        let package: Result<PackageRef, Error> = format!("{ecosystem}:{name}").parse();
        let package = package.map_err(|error| format!("{name}: {error}"))?;
        let checkout = checkouts.and_then(|folder| checkout(folder, name));
        let place = checkout.as_deref().unwrap_or(&project);
        let target = Target::new(package).in_project(place);
        let begin = Instant::now();
        let loaded = engine.load(&target, &Progress::default()).await;
        let time = begin.elapsed();
        let found = loaded.map(|loaded| found(&loaded));
        let outcome = Outcome { name: (*name).to_owned(), time, found };
        println!("{}", line(&outcome));
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// The folder that a package is checked out in: `name`, else the last of `name@version`.
fn checkout(folder: &Path, name: &str) -> Option<PathBuf> {
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    let plain = folder.join(last);
    if plain.is_dir() {
        return Some(plain);
    }
    let prefix = format!("{last}@");
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let versions = entries.filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
    });
    versions.max()
}

fn found(loaded: &Loaded) -> Found {
    let extraction = loaded.extraction();
    let items = extraction.items.iter().filter(|item| item.kind != Kind::Module);
    let (items, documented) = items.fold((0, 0), |(items, documented), item| {
        (items + 1, documented + usize::from(!item.docs.is_empty()))
    });
    let receipt = loaded.receipt();
    let version = &receipt.version;
    let is_listed = receipt.extent == Extent::Listed;
    let modules = || extraction.items.iter().filter(|item| item.kind == Kind::Module);
    Found {
        listed: if is_listed { modules().count() } else { 0 },
        // It would not be the registry's.
        version: match receipt.origin {
            Origin::Installed { .. } => format!("{version} (installed)"),
            _ => version.clone(),
        },
        items,
        documented,
        prose: extraction.prose.len(),
        problems: extraction.problems.len(),
    }
}

impl Found {
    fn is_empty(&self) -> bool {
        self.items == 0 && self.listed == 0
    }

    fn counted(&self) -> String {
        match self.listed {
            0 => self.items.to_string(),
            listed => format!("{} and a list of {listed} packages", self.items),
        }
    }

    fn documented_percent(&self) -> usize {
        (100 * self.documented).checked_div(self.items).unwrap_or(0)
    }
}

fn line(outcome: &Outcome) -> String {
    let Outcome { name, time, found } = outcome;
    match found {
        Ok(found) => format!(
            "{name:<28}{:<24}{:>8} items{:>5} % documented{:>6} prose{:>6} problems{:>8.2} s",
            found.version,
            found.counted(),
            found.documented_percent(),
            found.prose,
            found.problems,
            time.as_secs_f64(),
        ),
        Err(error) => format!("{name:<28}{error}"),
    }
}

/// Says what went wrong; whether nothing did.
fn summary(outcomes: &[Outcome]) -> bool {
    let failed = names(outcomes, |found| found.is_err());
    let is_empty =
        |found: &Result<Found, Error>| found.as_ref().is_ok_and(|found| found.is_empty());
    let empty = names(outcomes, is_empty);
    println!(
        "\n{} packages: {} failed{failed}; {} without items{empty}\n",
        outcomes.len(),
        outcomes.iter().filter(|one| one.found.is_err()).count(),
        outcomes.iter().filter(|one| is_empty(&one.found)).count(),
    );
    failed.is_empty() && empty.is_empty()
}

fn names(outcomes: &[Outcome], which: impl Fn(&Result<Found, Error>) -> bool) -> String {
    let names = outcomes.iter().filter(|one| which(&one.found)).map(|one| one.name.as_str());
    let names: Vec<&str> = names.collect();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

fn write_table(text: &mut String, ecosystem: Ecosystem, outcomes: &[Outcome]) {
    let _ = write!(text, "\n## {ecosystem}\n\n{HEAD}");
    write_rows(text, outcomes.iter());
}

/// What all have together, and each that has nothing or problems.
fn write_sums(text: &mut String, ecosystem: Ecosystem, outcomes: &[Outcome]) {
    let found = || outcomes.iter().filter_map(|one| one.found.as_ref().ok());
    let times: Vec<Duration> = outcomes.iter().map(|one| one.time).collect();
    let slowest = times.iter().max().copied().unwrap_or_default();
    let _ = write!(
        text,
        "\n## {ecosystem}, everything that was unpacked on the machine\n\n\
         {} packages: {} items, {} sections of prose, {} failed, in {:.0} s; the slowest took {:.2} s. Those\n\
         without items and those with problems:\n\n{HEAD}",
        outcomes.len(),
        found().map(|one| one.items).sum::<usize>(),
        found().map(|one| one.prose).sum::<usize>(),
        outcomes.len() - found().count(),
        times.iter().sum::<Duration>().as_secs_f64(),
        slowest.as_secs_f64(),
    );
    let is_good = |one: &&Outcome| {
        one.found.as_ref().is_ok_and(|found| !found.is_empty() && found.problems == 0)
    };
    write_rows(text, outcomes.iter().filter(|one| !is_good(one)));
}

const HEAD: &str = "| package | version | items | documented | prose | problems | seconds |\n\
                    |---|---|---:|---:|---:|---:|---:|\n";

fn write_rows<'a>(text: &mut String, outcomes: impl Iterator<Item = &'a Outcome>) {
    for Outcome { name, time, found } in outcomes {
        let _ = match found {
            Ok(found) => writeln!(
                text,
                "| {name} | {} | {} | {} % | {} | {} | {:.2} |",
                found.version,
                found.counted(),
                found.documented_percent(),
                found.prose,
                found.problems,
                time.as_secs_f64(),
            ),
            Err(error) => writeln!(text, "| {name} | | {error} | | | | |"),
        };
    }
}

/// The page with these sections in place of its own of the same headings.
fn merged(page: &str, tables: &str) -> String {
    let sections = |text: &str| -> Vec<String> {
        let starts = text.match_indices("\n## ").map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(starts).chain([text.len()]).collect();
        starts.windows(2).map(|pair| text[pair[0]..pair[1]].trim_end().to_owned()).collect()
    };
    let heading = |section: &str| section.lines().next().unwrap_or_default().to_owned();
    let mut new: Vec<String> =
        sections(tables).into_iter().filter(|section| !section.is_empty()).collect();
    let mut all = sections(page);
    for section in &mut all {
        if let Some(at) = new.iter().position(|one| heading(one) == heading(section)) {
            *section = new.remove(at);
        }
    }
    all.extend(new);
    format!("{}\n", all.join("\n\n"))
}

fn page(tables: &str, note: &str) -> String {
    format!(
        "# What is found in the most used packages\n\n\
         Written by {note}. Each package was loaded at its newest version from the machine's own\n\
         registry (Swift packages from checkouts) into an empty cache, one after the other, by a worker\n\
         process as `docent` starts it.\n\n\
         *Items* are public names with their members, *documented* the share of them that has\n\
         documentation of its own, *prose* the sections of README, guides and change log, *problems*\n\
         what could not be read, *seconds* the whole way from the name to an index, download included.\n\
         {tables}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_take_the_place_of_those_before() {
        let page = "# Title\n\nWords.\n\n## npm\n\n| old |\n\n## go\n\n| go |\n";
        let found = merged(page, "\n## npm\n\n| new |\n\n## pypi\n\n| more |\n");
        assert_eq!(
            found,
            "# Title\n\nWords.\n\n## npm\n\n| new |\n\n## go\n\n| go |\n\n## pypi\n\n| more |\n"
        );
        assert_eq!(merged(page, ""), page);
    }
}
