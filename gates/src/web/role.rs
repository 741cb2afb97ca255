//! The role of a server over HTTP. It prints where it listens, and serves until it is told to stop.
//!
//! Settings are words: `header_ms=2000` and the like set a limit, `principals` puts a layer around
//! the service that takes whoever a request says it is from, as a login would.

use std::convert::Infallible;
use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use docent_mcp::Limits;
use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer, HttpService, Principal};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::Result;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Fill {
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Wait {
    millis: u64,
    /// Reports progress first, with this message.
    message: Option<String>,
    /// Begins to wait when the server is told to stop.
    #[serde(default)]
    after_stop: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Change {
    /// Told of each of these, or of the tools if there are none.
    #[serde(default)]
    resources: Vec<String>,
}

/// Counts handlers that are running.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn begin(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Running(count.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn wait(
    context: Context,
    wait: Wait,
    running: Arc<AtomicUsize>,
    mut stopped: watch::Receiver<bool>,
) -> std::result::Result<String, ToolError> {
    let _running = Running::begin(&running);
    if wait.message.is_some() {
        context.progress(1.0, None, wait.message).await?;
    }
    if wait.after_stop {
        let _ = stopped.wait_for(|stopped| *stopped).await;
    }
    tokio::time::sleep(Duration::from_millis(wait.millis)).await;
    Ok(format!("waited for {}", context.principal().unwrap_or("nobody")))
}

async fn change(context: Context, change: Change) -> std::result::Result<(), ToolError> {
    let server = context.server();
    if change.resources.is_empty() {
        let nothing = |_: Context, (): ()| async { Ok::<_, ToolError>(()) };
        server.add_tool(docent_mcp::server::ServerTool::new(
            "passing",
            "Is put in its own place",
            nothing,
        ))?;
    }
    for uri in change.resources {
        server.resource_updated(uri);
    }
    Ok(())
}

fn server(limits: Limits, stopped: watch::Receiver<bool>) -> Server {
    let hits = Arc::new(AtomicUsize::new(0));
    let running = Arc::new(AtomicUsize::new(0));
    let (hits_count, running_count) = (hits.clone(), running.clone());
    let server = Server::new("gate", "1.0").limits(limits).will_have_resources();
    let server =
        server.tool("echo", "Gives back its message", move |context: Context, echo: Echo| {
            hits.fetch_add(1, Ordering::Relaxed);
            async move {
                let whose = context.principal().unwrap_or("nobody");
                Ok::<_, ToolError>(format!("{whose}: {}", echo.message))
            }
        });
    let show = |count: Arc<AtomicUsize>| {
        move |_: Context, (): ()| {
            let count = count.load(Ordering::Relaxed);
            async move { Ok::<_, ToolError>(count.to_string()) }
        }
    };
    let server = server.tool("hits", "How often echo ran", show(hits_count));
    let server = server.tool("running", "How many wait", show(running_count));
    let server =
        server.tool("fill", "As much text as wanted", |_: Context, fill: Fill| async move {
            Ok::<_, ToolError>("x".repeat(fill.bytes))
        });
    let server = server.tool("wait", "Takes its time", move |context: Context, arguments: Wait| {
        wait(context, arguments, running.clone(), stopped.clone())
    });
    server.tool("change", "Tells that something changed", change)
}

/// Reads the settings.
fn limits(words: &[String]) -> Result<Limits> {
    let mut limits = Limits::default();
    for word in words {
        let Some((name, value)) = word.split_once('=') else { continue };
        let number: u64 = value.parse()?;
        let (count, time) = (usize::try_from(number)?, Duration::from_millis(number));
        match name {
            "sessions" => limits.http.sessions_max = count,
            "session_idle_ms" => limits.http.session_idle_timeout = time,
            "write_ms" => limits.http.write_timeout = time,
            other => return Err(format!("there is no setting `{other}`").into()),
        }
    }
    Ok(limits)
}

pub(crate) fn run(words: &[String]) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let limits = limits(words)?;
    let principals = words.iter().any(|word| word == "principals");
    runtime.block_on(async move {
        end_with_input();
        let service = server(limits, stopped()?).http_service(HttpOptions::new())?;
        match principals {
            true => behind_login(service).await,
            false => {
                let listening = HttpServer::bind(service, "127.0.0.1:0").await?;
                say(&listening.local_addr().to_string())?;
                Ok(listening.serve().await?)
            }
        }
    })
}

/// Ends this program when its input does: whoever started it closes that by ending, however it ends.
pub(crate) fn end_with_input() {
    // A thread, because a runtime waits for a read of its own before it ends.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(3);
    });
}

/// Whether the process was told to stop, for handlers that wait for it.
fn stopped() -> Result<watch::Receiver<bool>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let (tell, stopped) = watch::channel(false);
    tokio::spawn(async move {
        terminate.recv().await;
        let _ = tell.send(true);
    });
    Ok(stopped)
}

/// Prints a line that is read while this program runs.
fn say(line: &str) -> Result<()> {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}

/// A server as users build one around the service: who asks is in a header.
pub(crate) async fn behind_login(service: HttpService) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    say(&listener.local_addr()?.to_string())?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = service.clone();
        let service = hyper::service::service_fn(move |mut request: hyper::Request<_>| {
            let service = service.clone();
            async move {
                let name = request.headers().get("x-principal").and_then(|name| name.to_str().ok());
                if let Some(principal) = name.map(Principal::new) {
                    request.extensions_mut().insert(principal);
                }
                Ok::<_, Infallible>(service.answer::<hyper::body::Incoming>(request).await)
            }
        });
        tokio::spawn(async move {
            let builder = auto::Builder::new(TokioExecutor::new());
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
