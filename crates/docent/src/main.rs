//! `docent`: the documentation of the packages a project uses, for agents and for people.
//!
//! Reading order: `arguments` (what can be asked for), `command` (one file for each command), `server` (what agents
//! see).

#![expect(clippy::print_stdout, reason = "this program answers on stdout")]

mod arguments;
mod command;
mod print;
mod server;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser as _;
use command::{check, describe, diff, search, serve};
use docent_packages::worker::Isolation;
use docent_packages::{Engine, Error};

fn main() -> ExitCode {
    // A worker must be nothing else: it reads what a package says.
    docent_packages::worker::run_if_worker();
    let arguments = Arguments::parse();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(run(arguments)),
        Err(error) => {
            eprintln!("error: the runtime cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            for hint in error.hints() {
                eprintln!("hint: {hint}");
            }
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<ExitCode, Error> {
    let mut builder = Engine::builder().isolation(Isolation::default()).offline(arguments.offline);
    if let Some(folder) = arguments.cache {
        builder = builder.cache(folder);
    }
    let engine = builder.build()?;
    let outcome = match arguments.command {
        Command::Serve(serve) => return Ok(serve::run(engine, serve).await),
        Command::Describe(describe) => describe::run(&engine, &describe).await,
        Command::Search(search) => search::run(&engine, &search).await,
        Command::Diff(diff) => diff::run(&engine, &diff).await,
        Command::Check(check) => check::run(&engine, &check).await,
    };
    // The process ends here; taking apart the packages in memory would only take time.
    std::mem::forget(engine);
    outcome
}
