//! `docent config`: the settings and the MCP servers that are configured, and where each comes from.
//!
//! `servers` explains servers, `write` puts them into other clients' files.

mod servers;
mod write;

pub(crate) use servers::name_of_client;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use docent_host::config::Explanation;
use docent_packages::Environment;
use docent_packages::cache::Cache;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::print::Console;
use crate::settings::{KEYS, Set, Settings, Shape, Source, redacted, registry_name};
use crate::terminal::{Look, Span, Table, line, plain, size};

#[derive(Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
}

#[derive(Subcommand)]
pub(crate) enum Action {
    /// Each setting and each MCP server: where it comes from, and what it hides
    Explain(servers::Explain),
    /// Print a server as another client would write it
    Convert(write::Convert),
    /// Put servers of other clients into docent.toml, or into any client's file
    Import(write::Import),
    /// Each setting: its name in docent.toml, its variable, what it may be
    Keys,
    /// Where docent.toml is looked for
    Files,
}

/// One setting as it is shown.
struct Row {
    name: String,
    value: String,
    source: Source,
    hidden: Vec<(Source, String)>,
}

pub(crate) fn run(
    config: &Config,
    console: &Console,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    match &config.action {
        None => explain(console, environment, None)?,
        Some(Action::Explain(which)) => return servers::explain(which, console, environment),
        Some(Action::Convert(convert)) => write::convert(convert, console)?,
        Some(Action::Import(import)) => return write::import(import, console),
        Some(Action::Keys) => keys(console)?,
        Some(Action::Files) => files(console)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings, and the servers if they are wanted.
fn explain(
    console: &Console,
    environment: &Environment,
    servers: Option<&Explanation>,
) -> Result<(), Failure> {
    let rows = rows(&console.settings, environment);
    if console.json {
        let hidden = |row: &Row| -> Vec<Value> {
            let one = |(source, value): &(Source, String)| json!({ "from": source.to_string(), "value": value });
            row.hidden.iter().map(one).collect()
        };
        let rows: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({ "name": row.name, "value": row.value, "from": row.source.to_string(),
                    "hidden": hidden(row) })
            })
            .collect();
        let mut all = json!({ "settings": rows, "warnings": console.settings.warnings });
        if let Some(servers) = servers {
            all["mcp"] = json!(servers);
        }
        return console.value(&all, "");
    }
    let mut table = Table::new(&["setting", "value", "from"]);
    for row in &rows {
        let set = row.source != Source::Default;
        let look = if set { Look::Strong } else { Look::Plain };
        let source = Span::new(row.source.to_string(), if set { Look::Plain } else { Look::Dim });
        table.row([Span::new(&row.name, Look::Code), Span::new(&row.value, look), source]);
        for (source, value) in row.hidden.iter().filter(|(source, _)| *source != Source::Default) {
            let hidden = format!("{source} (hidden)");
            table.row([plain(""), Span::new(value, Look::Dim), Span::new(hidden, Look::Dim)]);
        }
    }
    let mut text = table.render(&console.terminal);
    for warning in &console.settings.warnings {
        let spans = [Span::new("warning: ", Look::Warn), plain(warning)];
        text.push_str(&line(&spans, &console.terminal));
    }
    if let Some(servers) = servers {
        text.push_str("\nMCP servers\n\n");
        text.push_str(&servers.to_string());
    }
    console.print(&text)
}

fn rows(settings: &Settings, environment: &Environment) -> Vec<Row> {
    fn row<T>(name: &str, set: &Set<T>, show: impl Fn(&T) -> String) -> Row {
        let hidden = set.hidden.iter().map(|(source, value)| (source.clone(), show(value)));
        let hidden = hidden.collect();
        let (value, source) = (show(&set.value), set.source.clone());
        Row { name: name.to_owned(), value, source, hidden }
    }
    let cache = |folder: &Option<std::path::PathBuf>| {
        let folder = folder.clone().or_else(|| Cache::default_folder(environment));
        folder.map_or("a passing folder".to_owned(), |folder| folder.display().to_string())
    };
    let list =
        |list: &Vec<String>| if list.is_empty() { "any".to_owned() } else { list.join(", ") };
    let mut rows = vec![
        row("offline", &settings.offline, bool::to_string),
        row("max-tokens", &settings.max_tokens, usize::to_string),
        row("languages", &settings.languages, list),
        row("color", &settings.color, |color| color.word().to_owned()),
        row("cache", &settings.cache, cache),
        row("cache-size", &settings.cache_bytes_max, |bytes| size(*bytes)),
        row("sampling.command", &settings.sampling.command, |line| match line {
            Some(line) => line.shown(),
            None => "none: nobody answers for a model".to_owned(),
        }),
        row("sampling.model", &settings.sampling.model, |name| {
            name.clone().unwrap_or_else(|| "as the program is called".to_owned())
        }),
        row("sampling.tools", &settings.sampling.tools, bool::to_string),
        row("sampling.review", &settings.sampling.review, |review| review.word().to_owned()),
        row("sampling.timeout", &settings.sampling.timeout, |time| format!("{} s", time.as_secs())),
    ];
    rows.extend(settings.registries.iter().map(|(ecosystem, set)| {
        let name = format!("registries.{}", registry_name(*ecosystem));
        row(&name, set, |address| {
            let own = || "as the ecosystem's own tools are set up".to_owned();
            address.as_deref().map_or_else(own, redacted)
        })
    }));
    rows
}

fn keys(console: &Console) -> Result<(), Failure> {
    let shape = |shape: Shape| match shape {
        Shape::Switch => "true or false",
        Shape::Number => "a number",
        Shape::Text => "text",
        Shape::List => "a list",
        Shape::Command => "a command",
    };
    let all: Vec<Value> = KEYS
        .iter()
        .map(|key| {
            json!({ "name": key.name, "variable": key.variable, "shape": shape(key.shape),
                "inProject": key.in_project, "says": key.says })
        })
        .collect();
    let mut table = Table::new(&["in docent.toml", "variable", "is", "says"]);
    for key in KEYS.iter() {
        table.row([
            Span::new(&key.name, Look::Code),
            plain(&key.variable),
            Span::new(shape(key.shape), Look::Kind),
            plain(key.says),
        ]);
    }
    console.value(&all, &table.render(&console.terminal))
}

fn files(console: &Console) -> Result<(), Failure> {
    let all: Vec<Value> = console
        .settings
        .files
        .iter()
        .map(|file| json!({ "path": file.path.display().to_string(), "exists": file.is_there() }))
        .collect();
    let mut text = String::new();
    for file in &console.settings.files {
        let state = if file.is_there() { "" } else { "  (not there)" };
        let spans = [plain(file.path.display().to_string()), Span::new(state, Look::Dim)];
        text.push_str(&line(&spans, &console.terminal));
    }
    console.value(&all, &text)
}
