//! `docent index`: makes all dependencies of the projects below a folder ready, with progress.
//!
//! `agents` writes what is there into a file for agents.

mod agents;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use docent_packages::{Ecosystem, Engine, Item, Kind, PackageRef, Target};
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::project;
use crate::terminal::progress::Many;
use crate::terminal::{Look, Span, Table, count, line, plain, size};

#[derive(Args)]
pub(crate) struct Index {
    /// Where to look for lockfiles; the working folder by default
    pub(crate) folder: Option<PathBuf>,
    /// Only what the projects' own manifests name
    #[arg(long)]
    pub(crate) direct: bool,
    /// Write a short list of what is there for agents into this file, such as `AGENTS.md`, between
    /// marks so that it can be refreshed; `-` prints it
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: Option<PathBuf>,
    /// Packages that are worked on at once
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=32))]
    pub(crate) jobs: u8,
}

/// What there is to do: one package version, and a project that has it.
struct Work {
    package: PackageRef,
    project: PathBuf,
    direct: bool,
}

/// What became of one package.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Done {
    pub(super) package: String,
    pub(super) direct: bool,
    pub(super) items: usize,
    sections: usize,
    milliseconds: u64,
    /// The names that somebody would begin with.
    pub(super) names: Vec<String>,
}

#[derive(Serialize)]
struct Failed {
    package: String,
    direct: bool,
    #[serde(flatten)]
    why: serde_json::Value,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary<'a> {
    folder: &'a str,
    projects: Vec<(String, &'static str)>,
    packages: &'a [Done],
    failed: &'a [Failed],
    items: usize,
    sections: usize,
    seconds: f64,
    cache_folder: String,
    cache_bytes: u64,
}

pub(crate) async fn run(
    engine: &Engine,
    index: &Index,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let here = std::env::current_dir().unwrap_or_default();
    let folder = index.folder.as_ref().map_or(here.clone(), |folder| here.join(folder));
    let folder = folder.canonicalize().map_err(|error| Failure::file("read", &folder, &error))?;
    let projects = project::projects(&project::below(&folder));
    if projects.is_empty() {
        let message = format!("there is no lockfile or manifest below `{}`", folder.display());
        return Err(Failure::absent(message).hint("name another folder: `docent index DIR`"));
    }
    let work = all_work(engine, &projects.iter().cloned().collect::<Vec<_>>(), index.direct);
    let (mut done, mut failed) = load_all(engine, work, index.jobs).await;
    // The first question to all of them need not wait for it; should it fail, that one does.
    let folders: Vec<PathBuf> = projects.iter().map(|(folder, _)| folder.clone()).collect();
    let _ = engine.ready_project(&folders).await;
    done.sort_by(|a, b| (!a.direct, &a.package).cmp(&(!b.direct, &b.package)));
    failed.sort_by(|a, b| (!a.direct, &a.package).cmp(&(!b.direct, &b.package)));
    let summary = Summary {
        folder: &folder.to_string_lossy(),
        projects: projects
            .iter()
            .map(|(path, ecosystem)| (shown(path, &folder), ecosystem.scheme()))
            .collect(),
        packages: &done,
        failed: &failed,
        items: done.iter().map(|one| one.items).sum(),
        sections: done.iter().map(|one| one.sections).sum(),
        seconds: (start.elapsed().as_secs_f64() * 10.0).round() / 10.0,
        cache_folder: engine.cache().folder().display().to_string(),
        cache_bytes: engine.cache().stages().iter().map(|stage| stage.bytes).sum(),
    };
    let printed = index.agents.as_deref() == Some(Path::new("-"));
    if printed {
        console.print(&agents::block(&done))?;
    } else {
        console.value(&summary, &text(&summary, console))?;
    }
    if let Some(file) = index.agents.as_deref().filter(|_| !printed) {
        let file = here.join(file);
        let change = agents::write(&file, &done)?;
        if !console.json {
            console.print(&format!("{change} `{}`\n", file.display()))?;
        }
    }
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { exit::findings() })
}

/// Every package version once, for the first project that has it.
fn all_work(engine: &Engine, projects: &[(PathBuf, Ecosystem)], direct_only: bool) -> Vec<Work> {
    let mut all: BTreeMap<(Ecosystem, String, Option<String>), Work> = BTreeMap::new();
    for (project, ecosystem) in projects {
        // An ecosystem that is not supported yet has nothing to say.
        let dependencies = engine.dependencies(*ecosystem, project);
        for (package, direct) in
            dependencies.into_iter().filter(|(_, direct)| *direct || !direct_only)
        {
            let key = (*ecosystem, package.name.clone(), package.version.clone());
            let work = Work { package, project: project.clone(), direct };
            all.entry(key).and_modify(|known| known.direct |= direct).or_insert(work);
        }
    }
    let mut all: Vec<Work> = all.into_values().collect();
    all.sort_by_key(|work| !work.direct);
    all
}

async fn load_all(engine: &Engine, work: Vec<Work>, jobs: u8) -> (Vec<Done>, Vec<Failed>) {
    let many = Arc::new(Many::new(work.len()));
    let room = Arc::new(Semaphore::new(usize::from(jobs)));
    let mut tasks = JoinSet::new();
    for (number, work) in work.into_iter().enumerate() {
        let (engine, many, room) = (engine.clone(), Arc::clone(&many), Arc::clone(&room));
        tasks.spawn(async move {
            let _place = room.acquire_owned().await;
            let outcome = load(&engine, &work, &many, number).await;
            many.end(number);
            outcome
        });
    }
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    while let Some(outcome) = tasks.join_next().await {
        match outcome {
            Ok(Ok(one)) => done.push(one),
            Ok(Err(one)) => failed.push(one),
            // A task that panicked has said so already.
            Err(_) => {}
        }
    }
    many.finish();
    (done, failed)
}

async fn load(engine: &Engine, work: &Work, many: &Many, number: usize) -> Result<Done, Failed> {
    let start = Instant::now();
    let progress = many.begin(number, &work.package.to_string());
    let target = Target::new(work.package.clone()).in_project(&work.project);
    match engine.load(&target, &progress).await {
        Ok(loaded) => {
            let extraction = loaded.extraction();
            Ok(Done {
                package: loaded.receipt().package.clone(),
                direct: work.direct,
                items: extraction.items.len(),
                sections: extraction.prose.len(),
                milliseconds: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                names: if work.direct { main_names(&extraction.items) } else { Vec::new() },
            })
        }
        Err(error) => {
            let failure = Failure::from(error);
            Err(Failed {
                package: work.package.to_string(),
                direct: work.direct,
                why: failure.json(),
                text: failure.to_string(),
            })
        }
    }
}

/// The names at the top of the package's main module, those with documentation first.
fn main_names(items: &[Item]) -> Vec<String> {
    const NAMES_MAX: usize = 24;
    let main = items.first().map(|item| item.module.as_str()).unwrap_or_default();
    let mut top: Vec<&Item> = items
        .iter()
        .filter(|item| item.module == main && !item.local && item.inherited.is_none())
        .filter(|item| !item.path.is_empty() && !item.path.contains('.'))
        .filter(|item| !item.path.starts_with('_') && item.deprecated.is_none())
        .filter(|item| {
            matches!(
                item.kind,
                Kind::Function
                    | Kind::Class
                    | Kind::Interface
                    | Kind::Struct
                    | Kind::Enum
                    | Kind::Namespace
                    | Kind::Macro
                    | Kind::Variable
                    | Kind::Constant
            )
        })
        .collect();
    let rank = |item: &Item| match item.kind {
        Kind::Function | Kind::Class | Kind::Struct | Kind::Macro => 0,
        _ => 1,
    };
    top.sort_by_key(|item| (item.docs.is_empty(), rank(item)));
    top.dedup_by(|a, b| a.path == b.path);
    top.into_iter().take(NAMES_MAX).map(|item| item.path.clone()).collect()
}

fn shown(path: &Path, folder: &Path) -> String {
    match path.strip_prefix(folder) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => inside.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

fn text(summary: &Summary<'_>, console: &Console) -> String {
    let terminal = &console.terminal;
    let mut out = String::new();
    let direct: Vec<&Done> = summary.packages.iter().filter(|one| one.direct).collect();
    if !direct.is_empty() {
        let mut table = Table::new(&["package", "#items", "#sections", "#time"]);
        for one in &direct {
            table.row([
                Span::new(&one.package, Look::Code),
                plain(one.items.to_string()),
                plain(one.sections.to_string()),
                plain(format!("{:.1} s", one.milliseconds as f64 / 1000.0)),
            ]);
        }
        out.push_str(&table.render(terminal));
    }
    let rest = summary.packages.len() - direct.len();
    if rest > 0 {
        let text = format!("and {} that these bring along", count(rest, "package"));
        out.push_str(&line(&[Span::new(text, Look::Dim)], terminal));
    }
    if !summary.failed.is_empty() {
        let mut table = Table::new(&["not ready", "why"]);
        for one in summary.failed {
            table.row([Span::new(&one.package, Look::Bad), plain(&one.text)]);
        }
        out.push_str(&format!("\n{}", table.render(terminal)));
    }
    let total = format!(
        "{} ready, {}, {}, in {:.1} s",
        count(summary.packages.len(), "package"),
        count(summary.items, "item"),
        count(summary.sections, "section"),
        summary.seconds
    );
    out.push('\n');
    out.push_str(&line(&[Span::new(total, Look::Strong)], terminal));
    let cache = format!("{} in {}", size(summary.cache_bytes), summary.cache_folder);
    out.push_str(&line(&[Span::new(cache, Look::Dim)], terminal));
    out
}
