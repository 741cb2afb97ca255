//! `docent serve`: the documentation server.

use std::path::PathBuf;
use std::process::ExitCode;

use docent_mcp::server::{Context, Server, ServerTool, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_mcp::types::{CallToolResult, ContentBlock, ToolAnnotations};
use docent_packages::{Answer, Ecosystem, Engine, Error, PackageRef, Style, Target};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::arguments::Serve;

/// The arguments of `search_package_docs`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Search {
    /// The package.
    package: String,
    /// Words or a symbol to look for.
    query: String,
    /// The language of the package.
    language: Language,
    /// The version or range; by default what the project has installed, else the newest.
    version: Option<String>,
    /// The folder of the project; by default the working folder.
    project_path: Option<PathBuf>,
    /// The longest answer, in tokens (default 2000).
    max_tokens: Option<usize>,
    /// Whether other words for the same thing count (default true).
    fuzzy: Option<bool>,
}

/// The arguments of `describe_npm_package` and its siblings.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Describe {
    /// The package.
    package: String,
    /// The symbol, such as `ZodString.email`; without one, the package as a whole.
    symbol: Option<String>,
    /// The version or range; by default what the project has installed, else the newest.
    version: Option<String>,
    /// The folder of the project; by default the working folder.
    project_path: Option<PathBuf>,
    /// The longest answer, in tokens (default 2000).
    max_tokens: Option<usize>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Language {
    Npm,
    Python,
    Rust,
}

impl Language {
    fn ecosystem(self) -> Ecosystem {
        match self {
            Self::Npm => Ecosystem::Npm,
            Self::Python => Ecosystem::Python,
            Self::Rust => Ecosystem::Rust,
        }
    }
}

pub(crate) async fn run(engine: Engine, arguments: Serve) -> ExitCode {
    let server = server(engine);
    let served = match arguments.http {
        None => server.serve_stdio().await,
        Some(address) => listen(server, &address, arguments.hosts).await,
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves over HTTP until the process is told to stop.
async fn listen(server: Server, address: &str, hosts: Vec<String>) -> docent_mcp::Result<()> {
    let options = hosts.into_iter().fold(HttpOptions::new(), HttpOptions::host);
    let listening = HttpServer::bind(server.http_service(options)?, address).await?;
    eprintln!("listening at http://{}/mcp", listening.local_addr());
    listening.serve().await
}

fn server(engine: Engine) -> Server {
    let searching = engine.clone();
    let search = ServerTool::new(
        "search_package_docs",
        "Searches the exact documentation of a package, in the version the project uses",
        move |_: Context, arguments: Search| search(searching.clone(), arguments),
    );
    let server = Server::new("docent", env!("CARGO_PKG_VERSION")).with_tool(read_only(search));
    [
        ("describe_npm_package", Language::Npm),
        ("describe_python_package", Language::Python),
        ("describe_rust_package", Language::Rust),
    ]
        .into_iter()
        .fold(server, |server, (name, language)| {
            let engine = engine.clone();
            let tool = ServerTool::new(
                name,
                "Describes a package or one of its symbols, in the version the project uses",
                move |_: Context, arguments: Describe| {
                    describe(engine.clone(), language, arguments)
                },
            );
            server.with_tool(read_only(tool))
        })
}

fn read_only(tool: ServerTool) -> ServerTool {
    tool.annotations(ToolAnnotations {
        read_only_hint: Some(true),
        open_world_hint: Some(true),
        ..ToolAnnotations::default()
    })
}

async fn search(engine: Engine, arguments: Search) -> Result<CallToolResult, ToolError> {
    let package = PackageRef::new(
        arguments.language.ecosystem(),
        &arguments.package,
        arguments.version.as_deref(),
    );
    let target = Target { package, project: arguments.project_path };
    let style = style(arguments.max_tokens).fuzzy(arguments.fuzzy.unwrap_or(true));
    answered(engine.search(&[target], &arguments.query, &style).await)
}

async fn describe(
    engine: Engine,
    language: Language,
    arguments: Describe,
) -> Result<CallToolResult, ToolError> {
    let package =
        PackageRef::new(language.ecosystem(), &arguments.package, arguments.version.as_deref());
    let target = Target { package, project: arguments.project_path };
    let style = style(arguments.max_tokens);
    answered(engine.describe(&target, arguments.symbol.as_deref(), &style).await)
}

fn style(max_tokens: Option<usize>) -> Style {
    let style = Style::default();
    let max_tokens = max_tokens.unwrap_or(style.max_tokens);
    style.max_tokens(max_tokens)
}

fn answered(outcome: Result<Answer, Error>) -> Result<CallToolResult, ToolError> {
    match outcome {
        Ok(answer) => Ok(CallToolResult {
            content: vec![ContentBlock::text(answer.text)],
            is_error: (!answer.found).then_some(true),
            ..CallToolResult::default()
        }),
        Err(error) => {
            let hints: String = error.hints().iter().map(|hint| format!("\n{hint}")).collect();
            Err(ToolError::new(format!("{error}{hints}")))
        }
    }
}
