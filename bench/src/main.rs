//! Measures MCP servers, several side by side.
//!
//! Reading order: `args` says what can be asked; `stdio` runs the rounds and `eof` the
//! nothing-is-lost gate; both start a `server`, send it `requests`, read its `responses` and ask
//! `proc` what that cost. `load` holds the loops that are timed, `compile` what building costs,
//! `measures` the list of figures, `report` the table. `http` is the same for servers over HTTP, with
//! loops of its own, and for gateways, of which `relay` is the least that there can be; `awake` keeps
//! cores from sleeping between their calls.
//!
//! The generator speaks raw JSON lines, or raw HTTP, and uses no SDK, so that no server meets its own client.

mod args;
mod awake;
mod compile;
mod eof;
mod http;
mod load;
mod measures;
mod proc;
mod relay;
mod report;
mod requests;
mod responses;
mod server;
mod stdio;

use std::process::ExitCode;

use args::Command;

/// Everything that can go wrong ends the run with a message; nothing inspects the cause.
type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let outcome = match args::parse(std::env::args().skip(1)) {
        Ok(Command::Stdio(options)) => stdio::run(&options).map(|()| true),
        Ok(Command::Http(options)) => http::run(&options).map(|()| true),
        Ok(Command::Gateways(options)) => http::gateways(&options).map(|()| true),
        Ok(Command::Spin) => {
            awake::spin();
            Ok(true)
        }
        Ok(Command::Relay(options)) => relay::run(&options).map(|()| true),
        Ok(Command::Backends(options)) => http::backends(&options).map(|()| true),
        Ok(Command::Eof(options)) => eof::run(&options),
        Err(problem) => {
            eprintln!("docent-bench: {problem}\n\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("docent-bench: {problem}");
            ExitCode::FAILURE
        }
    }
}
