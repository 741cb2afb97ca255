//! `docent`: the documentation of the packages a project uses, for agents and for people.
//!
//! Reading order: `arguments` (what can be asked for), `settings` (what is set, and where),
//! `command` (one file for each command), `print` and `terminal` (what people see), `server` (what
//! agents see), `client` (what the commands for other MCP servers share).

mod anew;
mod append;
mod arguments;
mod client;
mod command;
mod exit;
mod failure;
mod print;
mod project;
mod replace;
mod server;
mod settings;
mod stop;
mod suggest;
mod terminal;
mod warnings;
mod words;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser as _;
use client::later::asking;
use command::{
    answer, approve, cache, call, check, complete, completions, config, daemon, describe, diff,
    doctor, gateway, index, inspect, prompt, read, replay, search, serve, servers, setup, shell,
    subscribe, symbols, tap, tools,
};
use docent_packages::worker::Isolation;
use docent_packages::{Engine, Environment, Limits};
use failure::Failure;
use print::Console;
use settings::{Flags, Settings};
use tokio::runtime::{Builder, Runtime};

fn main() -> ExitCode {
    // A worker must be nothing else: it reads what a package says.
    docent_packages::worker::run_if_worker();
    let arguments = match anew::read().map_or_else(read, Ok) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too.
            let code = if error.use_stderr() { exit::usage() } else { ExitCode::SUCCESS };
            return error.print().map_or(ExitCode::FAILURE, |()| code);
        }
    };
    let environment = Environment::of_process();
    let flags = Flags {
        offline: arguments.offline,
        cache: arguments.cache.clone(),
        color: arguments.color,
        sampling: arguments.command.sampling().cloned().unwrap_or_default(),
    };
    let folder = environment.directory().to_owned();
    let folder = arguments.command.project().map_or(folder.clone(), |project| folder.join(project));
    let folder = folder.canonicalize().unwrap_or(folder);
    let settings = Settings::read(&flags, &environment, &folder);
    let (settings, wrong) = match settings {
        Ok(settings) => (settings, None),
        Err(failure) => (Settings::fallback(&flags), Some(failure)),
    };
    let console = Console::new(settings, arguments.json);
    // Those that look at settings are there to find what is wrong with them.
    let looks = matches!(
        arguments.command,
        Command::Doctor(_) | Command::Completions(_) | Command::Manual(_)
    );
    if let Some(failure) = wrong.as_ref().filter(|_| !looks) {
        return console.fail(failure);
    }
    let runtime = runtime(&arguments.command);
    let kept = arguments.kept.as_deref();
    let leaves = matches!(arguments.command, Command::Tools(_) | Command::Tap(_));
    let outcome = match runtime {
        Ok(runtime) => {
            let running = run(arguments.command, kept, &console, environment, wrong);
            let outcome = runtime.block_on(running);
            if leaves {
                // Taken apart, it would take along the servers that were left running, or wait for
                // what is typed next.
                std::mem::forget(runtime);
            }
            outcome
        }
        Err(error) => Err(Failure::io("the runtime cannot start", &error)),
    };
    outcome.unwrap_or_else(|failure| console.fail(&failure))
}

/// What the tasks of a command run on.
fn runtime(command: &Command) -> std::io::Result<Runtime> {
    let threads = match command {
        // A call passes through several tasks in turn. On several threads each has to wake the next
        // one's, which takes longer than what it does.
        Command::Gateway(gateway) => gateway.threads.into(),
        _ => 2,
    };
    let mut runtime = match threads {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    runtime.worker_threads(threads).enable_all().build()
}

/// Reads the command line.
fn read() -> Result<Arguments, clap::Error> {
    let arguments = Arguments::try_parse()?;
    anew::begin(&arguments);
    Ok(arguments)
}

async fn run(
    command: Command,
    kept: Option<&str>,
    console: &Console,
    environment: Environment,
    wrong: Option<Failure>,
) -> Result<ExitCode, Failure> {
    let engine = |environment: &Environment| engine(console, environment);
    let engine = match command {
        Command::Completions(completions) => return completions::run(&completions, console),
        Command::Manual(manual) => return completions::manual(&manual, console),
        Command::Config(config) => return config::run(&config, console, &environment),
        Command::Cache(cache) => return cache::run(&cache, console, &environment),
        Command::Setup(setup) => return setup::run(&setup, console, &environment),
        Command::Doctor(doctor) => {
            return doctor::run(&doctor, console, &environment, engine(&environment), wrong).await;
        }
        Command::Servers(servers) => return servers::run(&servers, console).await,
        Command::Tools(tools) => return tools::run(&tools, console).await,
        Command::Call(call) => {
            let run = async |whom| call::run(&call, console, whom).await;
            return asking(call.asking, kept, console, run).await;
        }
        Command::Read(read) => {
            let run = async |whom| read::run(&read, console, whom).await;
            return asking(read.asking, kept, console, run).await;
        }
        Command::Prompt(prompt) => {
            let run = async |whom| prompt::run(&prompt, console, whom).await;
            return asking(prompt.asking, kept, console, run).await;
        }
        Command::Answer(answer) => return answer::run(&answer, console).await,
        Command::Complete(complete) => return complete::run(&complete, console).await,
        Command::Subscribe(subscribe) => return subscribe::run(&subscribe, console).await,
        Command::Shell(shell) => return shell::run(&shell, console).await,
        Command::Daemon(daemon) => return daemon::run(&daemon, console).await,
        Command::Gateway(gateway) => return gateway::run(&gateway, console).await,
        Command::Inspect(inspect) => return inspect::run(&inspect, console).await,
        Command::Approve(approve) => return approve::run(&approve, console).await,
        Command::Tap(tap) => return tap::run(&tap).await,
        Command::Replay(replay) => return replay::run(&replay, console).await,
        Command::Serve(serve) => return serve::run(engine(&environment)?, serve).await,
        _ => engine(&environment)?,
    };
    let outcome = match &command {
        Command::Describe(describe) => describe::run(&engine, describe, console).await,
        Command::Search(search) => search::run(&engine, search, console).await,
        Command::Symbols(symbols) => symbols::run(&engine, symbols, console).await,
        Command::Diff(diff) => diff::run(&engine, diff, console).await,
        Command::Check(check) => check::run(&engine, check, console).await,
        Command::Index(index) => index::run(&engine, index, console).await,
        _ => Ok(ExitCode::SUCCESS),
    };
    // The answer is out; what was read for it is for the next question.
    engine.settle().await;
    // The process ends here; taking apart the packages in memory would only take time.
    print::leave(engine);
    outcome
}

/// The engine as the settings want it.
fn engine(console: &Console, environment: &Environment) -> Result<Engine, Failure> {
    let settings = &console.settings;
    let mut limits = Limits::default();
    limits.cache_bytes_max = settings.cache_bytes_max.value;
    let mut builder = Engine::builder()
        .environment(settings.environment(environment.clone()))
        .limits(limits)
        .languages(settings.languages.value.clone())
        .isolation(Isolation::default())
        .offline(settings.offline.value);
    if let Some(folder) = &settings.cache.value {
        builder = builder.cache(folder);
    }
    let engine = builder.build()?;
    for warning in settings.warnings.iter().filter(|warning| !warning.starts_with("the variable")) {
        console.warn(warning);
    }
    if settings.cache.value.is_none() {
        let wanted = docent_packages::cache::Cache::default_folder(environment);
        let used = engine.cache().folder();
        if wanted.as_deref() != Some(used) {
            let why = wanted.map_or("there is no home folder".to_owned(), |wanted| {
                format!("`{}` cannot be written", wanted.display())
            });
            console.warn(&format!("{why}, so the cache is in `{}`", used.display()));
        }
    }
    Ok(engine)
}
