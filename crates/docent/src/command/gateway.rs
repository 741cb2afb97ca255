//! `docent gateway`: all servers as one MCP server.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use docent_host::{Gateway as Union, GatewayBuilder, Telemetry};
use serde::{Deserialize, Serialize};

use crate::append;
use crate::client::{Which, open_for_clients};
use crate::command::listen::{Listen, cannot_listen};
use crate::failure::Failure;
use crate::print::Console;
use crate::warnings;

#[derive(Args, Serialize, Deserialize)]
pub(crate) struct Gateway {
    #[command(flatten)]
    pub(crate) listen: Listen,
    /// Calls that each client may make in a minute
    #[arg(long, value_name = "N")]
    pub(crate) rate: Option<u32>,
    /// Add a line of JSON for each call to this file: who, what, how long; no values
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Threads that answer; one is best for up to some thousand calls a second
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) threads: u8,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(gateway: &Gateway, console: &Console) -> Result<ExitCode, Failure> {
    warnings::show();
    let host = open_for_clients(&gateway.which, console)?;
    let mut builder: GatewayBuilder = Union::builder(host);
    if let Some(rate) = gateway.rate.filter(|rate| *rate > 0) {
        builder = builder.rate_limit(rate, Duration::from_secs(60) / rate);
    }
    if let Some(path) = &gateway.record {
        let file = append::open(path)?;
        builder = builder.record(file).map_err(|error| Failure::file("written", path, &error))?;
    }
    if let Some(telemetry) = Telemetry::from_env() {
        builder = builder.telemetry(telemetry);
    }
    match &gateway.listen.http {
        None => builder.build_for_one().serve_stdio().await?,
        Some(address) => {
            let union = builder.build();
            let listening = union.bind(address.as_str(), gateway.listen.options()).await;
            let listening = listening.map_err(|error| cannot_listen(address, &error))?;
            gateway.listen.announce(listening.local_addr());
            listening.serve().await?;
            union.close().await;
        }
    }
    Ok(ExitCode::SUCCESS)
}
