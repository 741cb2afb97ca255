//! A server with a little of everything, hosts of several of them, and clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use docent_host::{Gateway, GatewayBuilder, Host, HostBuilder};
use docent_mcp::Server;
use docent_mcp::client::{Client, ClientBuilder, ServerEvent, Source};
use docent_mcp::server::{
    Completer, Context, Elicited, PromptError, ServerPrompt, ServerResource, ServerTemplate,
    ServerTool, ToolError,
};
use docent_mcp::transport::http::{HttpEndpoint, HttpOptions};
use docent_mcp::transport::memory;
use docent_mcp::types::{
    CallToolResult, ContentBlock, CreateMessageRequestParams, CreateMessageResult, ElicitAction,
    ElicitResult, LoggingLevel, Meta, Revision, Role, Root, SamplingContent, SamplingMessage,
    TaskSupport,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

/// Nothing here takes that long unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// One of each era.
pub(crate) const ERAS: [Revision; 2] = [Revision::NEWEST_LEGACY, Revision::NEWEST_MODERN];

#[derive(Deserialize, JsonSchema)]
struct Name {
    /// How to be called.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to give back.
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    steps: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Shape {
    structured: Value,
    /// Whether a part of the result has metadata of its own.
    deep: bool,
}

/// What a test sees of a server from behind.
#[derive(Clone, Default)]
pub(crate) struct Behind {
    pub(crate) started: Arc<Notify>,
    pub(crate) dropped: Arc<Notify>,
    /// How many connections were opened.
    pub(crate) connections: Arc<AtomicU32>,
}

struct TellDrop(Arc<Notify>);

impl Drop for TellDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// A server of one revision.
pub(crate) fn server(revision: Revision, behind: &Behind) -> Server {
    let waits = behind.clone();
    Server::new("fixture", "1.0")
        .revisions([revision])
        .instructions("Be kind.")
        .tool("echo", "Gives back its message", |_: Context, args: Echo| async move {
            Ok::<_, ToolError>(args.message)
        })
        .tool("ask_name", "Asks for a name", |ctx: Context, (): ()| async move {
            Ok::<_, ToolError>(match ctx.elicit::<Name>("Who are you?").await? {
                Elicited::Accepted(Name { name }) => format!("Hello, {name}!"),
                Elicited::Declined => "declined".to_owned(),
                Elicited::Cancelled => "cancelled".to_owned(),
            })
        })
        .tool("ask_twice", "Asks two questions in a row", |ctx: Context, (): ()| async move {
            let first = ctx.elicit::<Name>("First?").await?.accepted();
            let second = ctx.elicit::<Name>("Second?").await?.accepted();
            let name = |name: Option<Name>| name.map(|name| name.name).unwrap_or_default();
            Ok::<_, ToolError>(format!("{} {}", name(first), name(second)))
        })
        .tool("sample", "Asks the model", |ctx: Context, (): ()| async move {
            let params = CreateMessageRequestParams {
                messages: vec![SamplingMessage::user("Say something")],
                max_tokens: 10,
                ..Default::default()
            };
            let answer = ctx.sample(params).await?;
            Ok::<_, ToolError>(format!("the model {} answered", answer.model))
        })
        .tool("roots", "Asks for the folders", |ctx: Context, (): ()| async move {
            let roots = ctx.roots().await?;
            let uris: Vec<_> = roots.iter().map(|root| &*root.uri).collect();
            Ok::<_, ToolError>(uris.join(" "))
        })
        .tool("progress", "Reports progress", |ctx: Context, args: Steps| async move {
            for step in 1..=args.steps {
                let message = format!("step {step}");
                ctx.progress(step.into(), Some(args.steps.into()), message).await?;
            }
            Ok::<_, ToolError>("done")
        })
        .tool("log", "Logs", |ctx: Context, (): ()| async move {
            ctx.log(LoggingLevel::Error, Some("inside"), json!("a message")).await?;
            Ok::<_, ToolError>("logged")
        })
        .tool("wait", "Waits until it is stopped", move |_: Context, (): ()| {
            let waits = waits.clone();
            async move {
                let _tell = TellDrop(waits.dropped.clone());
                waits.started.notify_one();
                std::future::pending::<()>().await;
                Ok::<_, ToolError>("never")
            }
        })
        .tool("touch", "Says that memo://note changed", |ctx: Context, (): ()| async move {
            ctx.server().resource_updated("memo://note");
            Ok::<_, ToolError>("touched")
        })
        .tool("grow", "Adds a tool", |ctx: Context, (): ()| async move {
            ctx.server().add_tool(ServerTool::new(
                "grown",
                "New",
                |_: Context, (): ()| async move { Ok::<_, ToolError>("grown") },
            ))?;
            Ok::<_, ToolError>("added")
        })
        .tool("link", "Names resources", |_: Context, (): ()| async move {
            Ok::<_, ToolError>(vec![
                ContentBlock::resource_link("memo://note", "note"),
                ContentBlock::resource_link("memo://unlisted", "unlisted"),
            ])
        })
        .tool("declared", "Says what its client can do", |ctx: Context, (): ()| async move {
            Ok::<_, ToolError>(serde_json::to_string(ctx.client_capabilities()).expect("JSON"))
        })
        .tool("shapes", "Says more than text", |_: Context, args: Shape| async move {
            let mut result = CallToolResult::text("shaped");
            result.structured_content = Some(args.structured);
            let marks = || Meta::from_iter([("example.com/kept".to_owned(), json!(1))]);
            result.meta = Some(marks());
            if let (true, ContentBlock::Text(content)) = (args.deep, &mut result.content[0]) {
                content.meta = Some(marks());
            }
            Ok::<_, ToolError>(result)
        })
        .tool("fail", "Fails", |_: Context, (): ()| async move {
            Err::<String, _>(ToolError::new("it failed"))
        })
        .with_tool(
            ServerTool::new("task", "Runs as a task", |ctx: Context, (): ()| async move {
                ctx.progress(1.0, None, "halfway".to_owned()).await?;
                Ok::<_, ToolError>("the task is done")
            })
            .task(TaskSupport::Optional),
        )
        .with_resource(ServerResource::new("memo://note", "note", |_, _| async { Ok("A note") }))
        .with_template(
            ServerTemplate::new("memo://item/{id}", "item", |_, request| async move {
                Ok(format!("item {}", request.variables.get("id").unwrap_or_default()))
            })
            .complete("id", Completer::values(["1", "2", "3"])),
        )
        .with_prompt(
            ServerPrompt::new("greet", "Greets", |_, args| async move {
                Ok::<_, PromptError>(format!("Greet {}", args["name"]))
            })
            .required("name", "Whom")
            .complete("name", Completer::values(["Ada", "Alan", "Grace"])),
        )
}

/// A way to a server in memory, as often as it is wanted.
pub(crate) fn source(server: &Server, behind: &Behind) -> impl Fn() -> Source + use<> {
    let (server, behind) = (server.clone(), behind.clone());
    move || {
        let (server, behind) = (server.clone(), behind.clone());
        Source::connector(move || {
            behind.connections.fetch_add(1, Ordering::Relaxed);
            let (near, far) = memory();
            tokio::spawn(server.clone().serve(far));
            std::future::ready(Ok(near))
        })
    }
}

pub(crate) fn host() -> HostBuilder {
    Host::builder("test", "1.0")
}

/// A gateway before one server.
pub(crate) fn before(revision: Revision, behind: &Behind) -> GatewayBuilder {
    let server = server(revision, behind);
    Gateway::builder(host().connector("one", source(&server, behind)).from_entries([]))
}

/// How a client gets to the gateway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    Memory,
    Http,
}

/// A client that answers everything, of one revision, with what it is told.
pub(crate) fn client(revision: Revision) -> (ClientBuilder, mpsc::UnboundedReceiver<ServerEvent>) {
    let (told, events) = mpsc::unbounded_channel();
    let builder = Client::builder("test client", "1.0")
        .revisions([revision])
        .on_elicit_form(|form| async move {
            let name = if form.message == "Second?" { "Grace" } else { "Ada" };
            let content = serde_json::from_value(json!({ "name": name })).ok();
            Ok(ElicitResult { action: ElicitAction::Accept, content, ..Default::default() })
        })
        .on_sample(|_| async {
            Ok(CreateMessageResult {
                role: Role::Assistant,
                content: SamplingContent::text("Something").into(),
                model: "test-model".into(),
                ..Default::default()
            })
        })
        .roots([Root::new("file:///project")])
        .on_event(move |event| drop(told.send(event)));
    (builder, events)
}

/// Connects a client to a gateway. Whatever serves it goes on in the background.
pub(crate) async fn connect(gateway: &Arc<Gateway>, way: Way, builder: ClientBuilder) -> Client {
    match way {
        Way::Memory => {
            let (near, far) = memory();
            let gateway = gateway.clone();
            tokio::spawn(async move { gateway.serve(far).await });
            builder.connect(near).await.expect("the gateway is there")
        }
        Way::Http => builder.connect(endpoint(gateway).await).await.expect("the gateway is there"),
    }
}

/// The gateway on loopback.
pub(crate) async fn endpoint(gateway: &Gateway) -> HttpEndpoint {
    let server = gateway.bind("127.0.0.1:0", HttpOptions::new()).await.expect("a free port");
    let url = format!("http://{}/mcp", server.local_addr());
    tokio::spawn(server.serve());
    HttpEndpoint::new(url).expect("an address")
}

/// The text of a result.
pub(crate) fn text(result: &CallToolResult) -> &str {
    result.content.first().and_then(ContentBlock::as_text).unwrap_or_default()
}

/// Waits for something that has to happen.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("this happens soon")
}

/// The first event that fits.
pub(crate) async fn event(
    events: &mut mpsc::UnboundedReceiver<ServerEvent>,
    fits: impl Fn(&ServerEvent) -> bool,
) -> ServerEvent {
    soon(async {
        loop {
            let event = events.recv().await.expect("the client is there");
            if fits(&event) {
                return event;
            }
        }
    })
    .await
}
