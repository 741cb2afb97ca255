//! Servers: functions registered by value, served over any transport, in every protocol revision.
//!
//! A request's way: [`transport`](crate::transport) → the session →
//! `session.rs` (which era, whose request) → the [layers](Server::layer) → `router.rs` → a handler
//! ([`tool`](ServerTool), [`resource`](ServerResource), [`prompt`](ServerPrompt)) → `reply.rs`.

mod broker;
mod completion;
mod context;
mod core;
mod era;
mod extension;
pub(crate) mod input;
mod listen;
#[cfg(feature = "tracing")]
mod log_layer;
mod prompt;
mod registry;
mod reply;
mod request_meta;
mod resource;
mod router;
mod service;
mod session;
mod tasks;
mod tool;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

pub use completion::{Completer, CompletionQuery};
pub use context::Context;
pub use extension::Extension;
pub use input::{Elicited, check_messages};
#[cfg(feature = "tracing")]
pub use log_layer::ClientLogLayer;
pub use prompt::{PromptArguments, PromptError, PromptOutput, ServerPrompt};
pub use reply::HasMeta;
pub use resource::{ReadRequest, ResourceError, ResourceOutput, ServerResource, ServerTemplate};
pub use service::{Call, ServerService};
pub use tasks::EXTENSION_ID as TASKS_EXTENSION;
pub use tool::{Json, ServerTool, ToolError, ToolOutput};

use self::broker::Change;
use self::core::{Config, Shared};
pub(crate) use self::core::{Core, Feature};
#[cfg(feature = "http")]
pub(crate) use self::era::Claim;
use self::resource::TemplateEntry;
pub(crate) use self::session::ServerSession;
use self::tool::ToolEntry;
use crate::error::{Error, Result};
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::limits::Limits;
use crate::schema::MirroredHeader;
use crate::session::{CallOptions, Peer};
use crate::transport::{Transport, stdio};
use crate::types::{CacheScope, Implementation, JsonObject, Revision, Revisions, method};

/// An MCP server. Clones are handles to the same server: what one adds, all offer.
///
/// ```no_run
/// use docent_mcp::server::{Context, Server, ToolError};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Greet {
///     /// Whom to greet.
///     name: String,
/// }
///
/// async fn greet(_: Context, args: Greet) -> Result<String, ToolError> {
///     Ok(format!("Hello, {}!", args.name))
/// }
///
/// #[tokio::main(flavor = "current_thread")]
/// async fn main() -> docent_mcp::Result<()> {
///     Server::new("greeter", "1.0").tool("greet", "Greets someone", greet).serve_stdio().await
/// }
/// ```
#[derive(Clone)]
pub struct Server {
    config: Config,
    shared: Arc<Shared>,
    service: ServerService,
}

impl Server {
    /// A server that offers nothing yet and speaks every revision.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Server {
            config: Config {
                info: Implementation::new(name, version),
                instructions: None,
                limits: Arc::new(Limits::default()),
                logging: true,
                extensions: vec![tasks::extension()],
                revisions: Revisions::all(),
                declared: Vec::new(),
                experimental: JsonObject::new(),
                list_cache: (0, CacheScope::Private),
                state_key: None,
                keep_alive: None,
                tool_headers: None,
                notified: None,
                problem: None,
            },
            shared: Arc::default(),
            service: ServerService::router(),
        }
    }

    /// Adds a tool from a function; see [`ServerTool`] for more control.
    #[must_use]
    pub fn tool<A, R, E, F, Fut>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        R: ToolOutput,
        E: Into<ToolError>,
        F: Fn(Context, A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
    {
        self.with_tool(ServerTool::new(name, description, function))
    }

    /// Adds a tool.
    #[must_use]
    pub fn with_tool(self, tool: ServerTool) -> Self {
        self.and(|server| server.add_tool(tool))
    }

    /// Adds a resource.
    #[must_use]
    pub fn with_resource(self, resource: ServerResource) -> Self {
        self.and(|server| server.add_resource(resource))
    }

    /// Adds a resource template.
    #[must_use]
    pub fn with_template(self, template: ServerTemplate) -> Self {
        self.and(|server| server.add_template(template))
    }

    /// Adds a prompt.
    #[must_use]
    pub fn with_prompt(self, prompt: ServerPrompt) -> Self {
        self.and(|server| server.add_prompt(prompt))
    }

    fn and(mut self, register: impl FnOnce(&Self) -> Result<()>) -> Self {
        if let Err(error) = register(&self) {
            self.config.problem.get_or_insert_with(|| Arc::new(error));
        }
        self
    }

    /// How to use the server, for a model to read.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.config.instructions = Some(instructions.into());
        self
    }

    /// Changes what the server says about itself: title, description, website, icons.
    #[must_use]
    pub fn info(mut self, change: impl FnOnce(&mut Implementation)) -> Self {
        change(&mut self.config.info);
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = Arc::new(limits);
        self
    }

    /// Speaks only these revisions.
    #[must_use]
    pub fn revisions(mut self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        self.config.revisions = revisions.into_iter().collect();
        self
    }

    /// Declares tools although none is registered yet, because some will be.
    #[must_use]
    pub fn will_have_tools(mut self) -> Self {
        self.config.declared.push(Feature::Tools);
        self
    }

    /// Declares resources although none is registered yet, because some will be.
    #[must_use]
    pub fn will_have_resources(mut self) -> Self {
        self.config.declared.push(Feature::Resources);
        self
    }

    /// Declares prompts although none is registered yet, because some will be.
    #[must_use]
    pub fn will_have_prompts(mut self) -> Self {
        self.config.declared.push(Feature::Prompts);
        self
    }

    /// Declares completions although nothing completes anything yet.
    #[must_use]
    pub fn will_have_completions(mut self) -> Self {
        self.config.declared.push(Feature::Completions);
        self
    }

    /// Declares that tool calls can be tasks (2025-11-25), for a [layer](Server::layer) that
    /// answers them.
    #[must_use]
    pub fn will_have_tasks(mut self) -> Self {
        self.config.declared.push(Feature::Tasks);
        self
    }

    /// Has the headers of calls of tools that are not registered, but answered by a
    /// [layer](Server::layer), held against their arguments: `headers_of` gives those of a tool
    /// (2026-07-28 over HTTP), see [`mirrored_headers`](crate::schema::mirrored_headers).
    #[must_use]
    pub fn tool_headers(
        mut self,
        headers_of: impl Fn(&str) -> Option<Arc<Vec<MirroredHeader>>> + Send + Sync + 'static,
    ) -> Self {
        self.config.tool_headers = Some(Arc::new(headers_of));
        self
    }

    /// Takes notice of notifications that clients send, with the
    /// [connection](Context::connection) that they came by. Must not block.
    #[must_use]
    pub fn on_notification(
        mut self,
        function: impl Fn(&str, Option<&RawJson>, Option<u64>) + Send + Sync + 'static,
    ) -> Self {
        self.config.notified = Some(Arc::new(function));
        self
    }

    /// Sends no log messages to clients, and does not say it could.
    #[must_use]
    pub fn without_logging(mut self) -> Self {
        self.config.logging = false;
        self
    }

    /// How long, and for whom, lists stay fresh (2026-07-28).
    #[must_use]
    pub fn cache_lists(mut self, ttl_ms: u64, scope: CacheScope) -> Self {
        self.config.list_cache = (ttl_ms, scope);
        self
    }

    /// The key that seals `requestState`. Replicas that serve the same clients need the same one;
    /// without it, each process makes its own.
    #[must_use]
    pub fn state_key(mut self, key: [u8; 32]) -> Self {
        self.config.state_key = Some(key);
        self
    }

    /// Pings the client of a legacy session this often, and closes the connection when it does not
    /// answer in time.
    #[must_use]
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.config.keep_alive = Some(interval);
        self
    }

    /// Adds an extension.
    #[must_use]
    pub fn extension(self, extension: impl Extension) -> Self {
        let mut server = self.and(|server| extension.register(server));
        server.config.extensions.push(Arc::new(extension));
        server
    }

    /// Declares an experimental capability.
    #[must_use]
    pub fn experimental(mut self, name: impl Into<String>, settings: JsonObject) -> Self {
        self.config.experimental.insert(name.into(), Value::Object(settings));
        self
    }

    /// Wraps the handling of requests in a layer. The last one added sees a request first.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<ServerService>,
        L::Service:
            Service<Call, Response = RawJson, Error = ErrorObject> + Clone + Send + Sync + 'static,
        <L::Service as Service<Call>>::Future: Send,
    {
        self.service = ServerService::new(layer.layer(self.service));
        self
    }

    fn offers(&self, feature: Feature) -> bool {
        self.shared.offers(feature, &self.config)
    }

    /// The limits that were set.
    pub fn current_limits(&self) -> &Limits {
        &self.config.limits
    }

    /// Adds or replaces a tool, also while serving.
    pub fn add_tool(&self, tool: ServerTool) -> Result<()> {
        let name = tool.tool.name.clone();
        let entry = ToolEntry::new(tool, &self.config.limits.schema)?;
        self.shared.tools.insert(&name, entry);
        self.shared.broker.publish(&Change::Tools);
        Ok(())
    }

    /// Removes a tool. Returns whether there was one of that name.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.removed(self.shared.tools.remove(name), &Change::Tools)
    }

    /// Adds or replaces a resource, also while serving.
    pub fn add_resource(&self, resource: ServerResource) -> Result<()> {
        resource.check()?;
        self.shared.resources.insert(&resource.resource.uri.clone(), resource);
        self.shared.broker.publish(&Change::Resources);
        Ok(())
    }

    /// Removes a resource. Returns whether there was one at that address.
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.removed(self.shared.resources.remove(uri), &Change::Resources)
    }

    /// Adds or replaces a resource template, also while serving.
    pub fn add_template(&self, template: ServerTemplate) -> Result<()> {
        let key = template.template.uri_template.clone();
        self.shared.templates.insert(&key, TemplateEntry::new(template)?);
        self.shared.broker.publish(&Change::Resources);
        Ok(())
    }

    /// Removes a resource template. Returns whether it was there.
    pub fn remove_template(&self, uri_template: &str) -> bool {
        self.removed(self.shared.templates.remove(uri_template), &Change::Resources)
    }

    /// Adds or replaces a prompt, also while serving.
    pub fn add_prompt(&self, prompt: ServerPrompt) -> Result<()> {
        prompt.check()?;
        self.shared.prompts.insert(&prompt.prompt.name.clone(), prompt);
        self.shared.broker.publish(&Change::Prompts);
        Ok(())
    }

    /// Removes a prompt. Returns whether there was one of that name.
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.removed(self.shared.prompts.remove(name), &Change::Prompts)
    }

    fn removed(&self, removed: bool, change: &Change) -> bool {
        if removed {
            self.shared.broker.publish(change);
        }
        removed
    }

    /// Tells that the list of tools changed, where that is not seen here because a
    /// [layer](Server::layer) answers for it.
    pub fn tools_changed(&self) {
        self.shared.broker.publish(&Change::Tools);
    }

    /// [`tools_changed`](Server::tools_changed) for prompts.
    pub fn prompts_changed(&self) {
        self.shared.broker.publish(&Change::Prompts);
    }

    /// [`tools_changed`](Server::tools_changed) for resources and templates.
    pub fn resources_changed(&self) {
        self.shared.broker.publish(&Change::Resources);
    }

    /// Tells those who watch the resource at `uri` that it changed.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.shared.broker.publish(&Change::Resource(uri.into()));
    }

    /// Sends a notification of an extension to every listen request whose filter holds `value`
    /// under `field`.
    pub fn publish(
        &self,
        field: impl Into<String>,
        value: impl Into<String>,
        method: impl Into<String>,
        params: JsonObject,
    ) {
        self.shared.broker.publish(&Change::Extension {
            field: field.into(),
            value: value.into(),
            method: method.into(),
            params,
        });
    }

    /// Reports what was registered wrongly.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.config.problem {
            Some(problem) => Err(Error::invalid_input(problem.to_string())),
            None => Ok(()),
        }
    }

    /// Serves one client over standard input and output, until it closes them.
    pub async fn serve_stdio(self) -> Result<()> {
        let transport = stdio(&self.config.limits);
        self.serve(transport).await
    }

    /// Serves one client until the connection ends. Call it again, on a clone, for the next one.
    pub async fn serve(self, transport: Transport) -> Result<()> {
        self.check()?;
        let peer = Peer::new(self.config.limits.clone());
        let core = Arc::new(Core::new(self));
        let session = ServerSession::new(core.clone(), peer.clone());
        let running = crate::session::run(peer.clone(), transport, session.clone());
        match core.config.keep_alive {
            None => running.await,
            Some(interval) => tokio::select! {
                result = running => result,
                error = keep_alive(&peer, &session, interval) => Err(error),
            },
        }
    }
}

/// Pings a legacy session until a ping is not answered. Modern peers take no requests.
async fn keep_alive(peer: &Arc<Peer>, session: &ServerSession, interval: Duration) -> Error {
    loop {
        tokio::time::sleep(interval).await;
        if session.agreed().is_none() {
            continue;
        }
        let options = CallOptions { timeout: Some(interval), ..Default::default() };
        let ping = peer.request(method::PING, Box::new(|_| Ok(None)), options);
        match ping.await {
            Err(error) if error.is_timeout() || error.is_closed() => return error,
            // An error object is an answer too.
            _ => {}
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("info", &self.config.info).finish_non_exhaustive()
    }
}
