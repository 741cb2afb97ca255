//! `docent cache`: where it is, what it holds, whether it is whole; and how to empty it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use docent_packages::cache::Cache as Store;
use docent_packages::{Environment, Limits};
use serde_json::{Value, json};

use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::{Look, Span, Table, count, line, plain, size};

#[derive(Args)]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
}

#[derive(Clone, Copy, Subcommand)]
pub(crate) enum Action {
    /// Where it is
    Path,
    /// How much it holds, by kind
    Size,
    /// The package versions that are ready in it
    List,
    /// Remove everything in it
    Clear,
    /// Read everything in it, and remove what is damaged
    Verify,
}

pub(crate) fn run(
    cache: &Cache,
    console: &Console,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    let settings = &console.settings;
    let folder = settings.cache.value.clone().or_else(|| Store::default_folder(environment));
    let folder = folder.ok_or_else(|| {
        Failure::new("there is no home folder, so there is no cache that stays")
            .hint("name a folder with `--cache` or `DOCENT_CACHE`")
    })?;
    if let Some(Action::Path) = cache.action {
        let text = format!("{}\n", folder.display());
        console.value(&json!({ "path": folder.display().to_string() }), &text)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !folder.is_dir() {
        let text = format!("the cache is empty: `{}` is not there\n", folder.display());
        let empty = json!({ "path": folder.display().to_string(), "entries": 0, "bytes": 0 });
        console.value(&empty, &text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut limits = Limits::default();
    limits.cache_bytes_max = settings.cache_bytes_max.value;
    let store = Store::open(&folder, &limits)?;
    match cache.action {
        None | Some(Action::Size | Action::Path) => sizes(&store, folder, limits, console),
        Some(Action::List) => list(&store, console),
        Some(Action::Clear) => clear(&store, console),
        Some(Action::Verify) => verify(&store, console),
    }
}

fn sizes(
    store: &Store,
    folder: PathBuf,
    limits: Limits,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let stages = store.stages();
    let bytes: u64 = stages.iter().map(|stage| stage.bytes).sum();
    let rows: Vec<Value> = stages
        .iter()
        .map(|stage| json!({ "name": stage.name, "entries": stage.entries, "bytes": stage.bytes }))
        .collect();
    let json = json!({ "path": folder.display().to_string(), "bytes": bytes,
        "bytesMax": limits.cache_bytes_max, "stages": rows });
    let mut table = Table::new(&["kind", "#entries", "#size"]);
    for stage in &stages {
        table.row([
            Span::new(&stage.name, Look::Code),
            plain(stage.entries.to_string()),
            plain(size(stage.bytes)),
        ]);
    }
    let total = format!("{} of {} in ", size(bytes), size(limits.cache_bytes_max));
    let total = [Span::new(total, Look::Strong), plain(folder.display().to_string())];
    let total = line(&total, &console.terminal);
    console.value(&json, &format!("{}{total}", table.render(&console.terminal)))?;
    Ok(ExitCode::SUCCESS)
}

fn list(store: &Store, console: &Console) -> Result<ExitCode, Failure> {
    let kept = store.kept();
    let rows: Vec<Value> = kept
        .iter()
        .map(|one| json!({ "package": one.package, "version": one.version, "bytes": one.bytes }))
        .collect();
    let mut table = Table::new(&["package", "version", "#size"]);
    for one in &kept {
        let name = Span::new(&one.package, Look::Code);
        table.row([name, plain(&one.version), plain(size(one.bytes))]);
    }
    let text = match table.is_empty() {
        true => {
            "no package is ready yet; `docent index` makes those of a project ready\n".to_owned()
        }
        false => table.render(&console.terminal),
    };
    console.value(&rows, &text)?;
    Ok(ExitCode::SUCCESS)
}

fn clear(store: &Store, console: &Console) -> Result<ExitCode, Failure> {
    let (entries, bytes) = store.clear()?;
    let entries_text = count(usize::try_from(entries).unwrap_or(usize::MAX), "entry");
    let text = format!("removed {entries_text}, {}\n", size(bytes));
    console.value(&json!({ "entries": entries, "bytes": bytes }), &text)?;
    Ok(ExitCode::SUCCESS)
}

fn verify(store: &Store, console: &Console) -> Result<ExitCode, Failure> {
    let verified = store.verify(|_| {});
    let number = |number: u64, noun: &str| count(usize::try_from(number).unwrap_or(0), noun);
    let mut text = format!("{} whole\n", number(verified.whole, "entry"));
    if verified.damaged > 0 {
        text.push_str(&format!("{} damaged and removed\n", number(verified.damaged, "entry")));
    }
    if verified.unreadable > 0 {
        text.push_str(&format!("{} cannot be read\n", number(verified.unreadable, "entry")));
    }
    if verified.foreign > 0 {
        let foreign = number(verified.foreign, "entry");
        text.push_str(&format!("{foreign} of other versions of Docent, left alone\n"));
    }
    let json = json!({ "whole": verified.whole, "damaged": verified.damaged,
        "unreadable": verified.unreadable, "foreign": verified.foreign });
    console.value(&json, &text)?;
    let fine = verified.damaged == 0 && verified.unreadable == 0;
    Ok(if fine { ExitCode::SUCCESS } else { exit::findings() })
}
