//! `docent shell`: the commands of a client, one after the other, on servers that stay open.

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use docent_host::{Host, Offered};
use docent_mcp::types::Tool;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::{Editor, Helper, Highlighter, Hinter, Validator};
use serde_json::Value;
use tokio::runtime::Handle;

use super::prompt::pairs;
use crate::client::signature::signature;
use crate::client::{Which, contents, open, values};
use crate::failure::Failure;
use crate::print::Console;
use crate::settings::SamplingFlags;
use crate::terminal::{Look, Span, line, markdown, plain};
use crate::words::words;

#[derive(Args)]
pub(crate) struct Shell {
    #[command(flatten)]
    pub(crate) sampling: SamplingFlags,
    #[command(flatten)]
    pub(crate) which: Which,
}

/// What can be typed.
#[derive(Parser)]
#[command(name = "", no_binary_name = true, disable_version_flag = true, disable_help_flag = true)]
struct Line {
    #[command(subcommand)]
    command: Typed,
}

#[derive(Subcommand)]
enum Typed {
    /// Every server and how it is doing
    Servers,
    /// The tools, or one in full
    Tools { name: Option<String> },
    /// Call a tool: `call NAME key=text key:=json`
    Call { name: String, arguments: Vec<String> },
    /// Read a resource, or list them
    Read { uri: Option<String> },
    /// A prompt, or list them
    Prompt { name: Option<String>, arguments: Vec<String> },
    /// End
    #[command(alias = "exit")]
    Quit,
}

pub(crate) async fn run(shell: &Shell, console: &Console) -> Result<ExitCode, Failure> {
    let host = open(&shell.which, console)?;
    let tools = host.tools().await;
    super::tools::warn_of_failures(&host, console);
    let handle = Handle::current();
    // The line editor waits for keys, which is no work for an asynchronous task.
    let outcome = tokio::task::block_in_place(|| converse(&host, tools, console, &handle));
    host.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

fn converse(
    host: &Host,
    tools: Vec<Offered<Tool>>,
    console: &Console,
    handle: &Handle,
) -> Result<(), Failure> {
    let failed =
        |error: ReadlineError| Failure::new(format!("the terminal cannot be read: {error}"));
    let mut editor = Editor::<Words, _>::new().map_err(failed)?;
    editor.set_helper(Some(Words { tools }));
    loop {
        let typed = match editor.readline("docent> ") {
            Ok(typed) => typed,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        if typed.trim().is_empty() {
            continue;
        }
        let _ = editor.add_history_entry(&typed);
        let Some(words) = words(&typed) else {
            console.fail(&Failure::usage("a quote is not closed"));
            continue;
        };
        let parsed = Line::try_parse_from(words);
        match parsed.map(|line| line.command) {
            Ok(Typed::Quit) => return Ok(()),
            Ok(command) => {
                if let Err(failure) = handle.block_on(obey(host, command, console)) {
                    console.fail(&failure);
                }
            }
            Err(error) => eprint!("{error}"),
        }
    }
}

async fn obey(host: &Host, command: Typed, console: &Console) -> Result<(), Failure> {
    let terminal = &console.terminal;
    match command {
        Typed::Servers => {
            for server in host.servers() {
                let tools = server.tools.map_or(String::new(), |count| format!("  {count} tools"));
                let spans = [Span::new(&server.name, Look::Strong), Span::new(tools, Look::Dim)];
                console.print(&line(&spans, terminal))?;
            }
        }
        Typed::Tools { name: None } => {
            for tool in host.tools().await {
                let about = tool.item.description.as_deref().map(markdown::first_line);
                let name = format!("{}.{}", tool.server, tool.own);
                let about = format!("  {}", about.unwrap_or_default());
                let spans = [Span::new(name, Look::Code), Span::new(about, Look::Dim)];
                console.print(&line(&spans, terminal))?;
            }
        }
        Typed::Tools { name: Some(name) } => {
            let tool = host.tool(&name).await?;
            let head = [Span::new(signature(&tool.own, &tool.item), Look::Code)];
            console.print(&line(&head, terminal))?;
            let about = tool.item.description.clone().unwrap_or_default();
            console.print(&line(&[plain(about)], terminal))?;
        }
        Typed::Call { name, arguments } => {
            let tool = host.tool(&name).await?;
            let arguments = values::arguments(&arguments, &tool.item.input_schema)?;
            let result = host.call(&name, arguments).await?;
            console.value(&result, &contents::result(&result, terminal))?;
        }
        Typed::Read { uri: Some(uri) } => {
            let read = host.read(&uri).await?;
            console.value(&read, &contents::resource(&read, terminal))?;
        }
        Typed::Read { uri: None } => {
            for resource in host.resources().await {
                console.print(&line(&[Span::new(&resource.name, Look::Code)], terminal))?;
            }
        }
        Typed::Prompt { name: Some(name), arguments } => {
            let prompt = host.prompt(&name, pairs(&arguments)?).await?;
            console.value(&prompt, &contents::messages(&prompt, terminal))?;
        }
        Typed::Prompt { name: None, .. } => {
            for prompt in host.prompts().await {
                let name = format!("{}.{}", prompt.server, prompt.own);
                console.print(&line(&[Span::new(name, Look::Code)], terminal))?;
            }
        }
        Typed::Quit => {}
    }
    Ok(())
}

/// What can be typed next, from what the servers have.
#[derive(Helper, Highlighter, Hinter, Validator)]
struct Words {
    tools: Vec<Offered<Tool>>,
}

const COMMANDS: [&str; 6] = ["servers", "tools", "call", "read", "prompt", "quit"];

impl Words {
    /// What may stand where the last word is.
    fn candidates(&self, before: &[&str], last: &str) -> Vec<String> {
        match before {
            [] => COMMANDS.iter().map(|command| format!("{command} ")).collect(),
            ["tools" | "call"] => {
                let names = self.tools.iter().map(|tool| format!("{}.{} ", tool.server, tool.own));
                names.collect()
            }
            ["call", name, ..] => {
                let is_it = |tool: &&Offered<Tool>| {
                    format!("{}.{}", tool.server, tool.own) == *name || tool.own == *name
                };
                self.tools.iter().find(is_it).map_or(Vec::new(), |tool| arguments(tool, last))
            }
            _ => Vec::new(),
        }
    }
}

/// The parameters of a tool, and the values of one whose values are known.
fn arguments(tool: &Offered<Tool>, last: &str) -> Vec<String> {
    let properties = tool.item.input_schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    if let Some((name, _)) = last.split_once('=') {
        let schema = properties.into_iter().find(|(key, _)| *key == name);
        let values = schema.and_then(|(_, schema)| schema.get("enum")?.as_array().cloned());
        let values = values.unwrap_or_default();
        let texts = values.iter().filter_map(Value::as_str);
        return texts.map(|value| format!("{name}={value} ")).collect();
    }
    properties.map(|(key, _)| format!("{key}=")).collect()
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..position).unwrap_or(line);
        let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let before: Vec<&str> = typed[..start].split_whitespace().collect();
        let last = &typed[start..];
        let fitting =
            self.candidates(&before, last).into_iter().filter(|one| one.starts_with(last));
        Ok((start, fitting.collect()))
    }
}
