//! `docent serve`: the documentation server, on stdio or over HTTP.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use docent_mcp::server::Server;
use docent_mcp::transport::http::HttpServer;
use docent_packages::Engine;

use crate::command::listen::{Listen, cannot_listen};
use crate::failure::Failure;
use crate::{server, warnings};

#[derive(Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) listen: Listen,
    /// The project that questions are about; the working folder by default
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Offer only these tools
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(server::tool_names())
    )]
    pub(crate) tools: Vec<String>,
}

pub(crate) async fn run(engine: Engine, arguments: Serve) -> Result<ExitCode, Failure> {
    warnings::show();
    let folder = arguments.project.unwrap_or_else(|| PathBuf::from("."));
    let project = folder.canonicalize().map_err(|error| {
        Failure::io(format_args!("the project folder {}", folder.display()), &error)
    })?;
    let (server, _watch) = server::server(engine.clone(), project, &arguments.tools);
    let served = match &arguments.listen.http {
        None => server.serve_stdio().await.map_err(Failure::from),
        Some(address) => listen(server, address, &arguments.listen).await,
    };
    engine.settle().await;
    served.map(|()| ExitCode::SUCCESS)
}

/// Serves over HTTP until the process is told to stop.
async fn listen(server: Server, address: &str, listen: &Listen) -> Result<(), Failure> {
    let listening = HttpServer::bind(server.http_service(listen.options())?, address).await;
    let listening = listening.map_err(|error| cannot_listen(address, &error))?;
    listen.announce(listening.local_addr());
    Ok(listening.serve().await?)
}
