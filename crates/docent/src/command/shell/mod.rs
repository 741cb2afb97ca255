//! `docent shell`: the commands of a client, one after the other, on servers that stay open.

mod completion;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use docent_host::{Host, HostEvent};
use rustyline::Editor;
use rustyline::error::ReadlineError;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use self::completion::Words;
use super::prompt::pairs;
use super::{complete, servers, subscribe};
use crate::client::signature::signature;
use crate::client::{Which, contents, missing, values};
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
    /// Suggestions for an argument: `complete PROMPT name=start`
    Complete(complete::Asked),
    /// A line when one of these resources changes, until Ctrl-C or so many
    Subscribe(subscribe::Watched),
    /// End
    #[command(alias = "exit")]
    Quit,
}

pub(crate) async fn run(shell: &Shell, console: &Console) -> Result<ExitCode, Failure> {
    let (host, mut heard) = subscribe::hearing(&shell.which, console)?;
    host.tools().await;
    missing::warn_of_failures(&host, console);
    let handle = Handle::current();
    // The line editor waits for keys, which is no work for an asynchronous task.
    let outcome = tokio::task::block_in_place(|| converse(&host, &mut heard, console, &handle));
    host.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

fn converse(
    host: &Host,
    heard: &mut mpsc::Receiver<HostEvent>,
    console: &Console,
    handle: &Handle,
) -> Result<(), Failure> {
    let failed =
        |error: ReadlineError| Failure::new(format!("the terminal cannot be read: {error}"));
    let mut editor = Editor::<Words, _>::new().map_err(failed)?;
    editor.set_helper(Some(Words { host: host.clone(), handle: handle.clone() }));
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
                let obeyed = handle.block_on(async {
                    tokio::select! {
                        obeyed = obey(host, heard, command, console) => obeyed,
                        // Ends what was asked for, not the shell.
                        _ = tokio::signal::ctrl_c() => Ok(()),
                    }
                });
                if let Err(failure) = obeyed {
                    console.fail(&failure);
                }
            }
            Err(error) => eprint!("{error}"),
        }
    }
}

async fn obey(
    host: &Host,
    heard: &mut mpsc::Receiver<HostEvent>,
    command: Typed,
    console: &Console,
) -> Result<(), Failure> {
    let terminal = &console.terminal;
    match command {
        Typed::Servers => servers::show(host, console)?,
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
        Typed::Complete(asked) => complete::show(host, &asked, console).await?,
        Typed::Subscribe(what) => subscribe::follow(host, heard, &what, console).await?,
        Typed::Quit => {}
    }
    Ok(())
}
