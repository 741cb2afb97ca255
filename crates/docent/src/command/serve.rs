//! `docent serve`: the documentation server, on stdio or over HTTP.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use docent_mcp::server::Server;
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_packages::Engine;

use crate::command::listen::Listen;
use crate::server;

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

pub(crate) async fn run(engine: Engine, arguments: Serve) -> ExitCode {
    let folder = arguments.project.unwrap_or_else(|| PathBuf::from("."));
    let project = match folder.canonicalize() {
        Ok(project) => project,
        Err(error) => {
            eprintln!("error: the project folder {}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    };
    let (server, _watch) = server::server(engine.clone(), project, &arguments.tools);
    let served = match &arguments.listen.http {
        None => server.serve_stdio().await,
        Some(address) => listen(server, address, arguments.listen.options()).await,
    };
    engine.settle().await;
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves over HTTP until the process is told to stop.
async fn listen(server: Server, address: &str, options: HttpOptions) -> docent_mcp::Result<()> {
    let listening = HttpServer::bind(server.http_service(options)?, address).await?;
    eprintln!("listening at http://{}/mcp", listening.local_addr());
    listening.serve().await
}
