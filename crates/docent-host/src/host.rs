//! The host: many servers, used as one.

mod builder;
mod find;
mod skills;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::Client;
use docent_mcp::client::RequestOptions;
use docent_mcp::types::{
    CallToolResult, Completion, CompletionReference, GetPromptResult,
    LoggingMessageNotificationParams, Prompt, ReadResourceResult, Resource, ResourceTemplate, Tool,
};
use serde::Serialize;
use serde_json::Value;

use crate::config::{Config, ServerEntry, Transport};
use crate::error::{Error, Result};
use crate::supervise::{Backend, Catalog, Settings, State};
use crate::view::{Collision, Offered, View};

pub use builder::HostBuilder;

/// Many servers, used as one. Clones share them.
///
/// ```no_run
/// use docent_host::Host;
/// use docent_host::config::ServerEntry;
///
/// # async fn run() -> docent_host::Result<()> {
/// let host = Host::from_entries([ServerEntry::stdio("time", "uvx", ["mcp-server-time"])]);
/// for tool in host.tools().await {
///     println!("{} of {}", tool.name, tool.server);
/// }
/// let now = host.call("time.get_current_time", serde_json::json!({ "timezone": "UTC" })).await?;
/// host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Host {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) backends: Vec<Arc<Backend>>,
    slugs: Vec<String>,
    pub(crate) settings: Arc<Settings>,
    bare: bool,
    view: Mutex<Option<Built>>,
}

/// A view, and the lists that it was made of.
struct Built {
    of: Vec<Option<Arc<Catalog>>>,
    view: Arc<View>,
}

/// Something that happened at one of the servers.
#[expect(clippy::large_enum_variant, reason = "told once, and taken apart at once")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HostEvent {
    /// What is offered has changed: tools, prompts, resources, templates or skills.
    Changed,
    /// A server went from one state to another.
    State(String),
    /// The resource at this address, as it is named here, changed.
    ResourceUpdated(String),
    /// A server logged something.
    Log(String, LoggingMessageNotificationParams),
}

/// A call that is about to be made; see [`HostBuilder::confirm`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedCall {
    /// The tool, and whose it is.
    pub tool: Offered<Tool>,
    /// What it will be told.
    pub arguments: Value,
}

impl PlannedCall {
    /// Whether the tool may change something. It may unless its server says otherwise, and what a
    /// server says of its tools proves nothing.
    pub fn may_change(&self) -> bool {
        self.tool.item.annotations.as_ref().is_none_or(|hints| !hints.is_read_only())
    }
}

/// How a server is doing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerStatus {
    /// What the user calls it.
    pub name: String,
    /// What its names begin with.
    pub slug: String,
    /// How it is doing.
    pub state: State,
    /// How many tools it offers, once it was listed.
    pub tools: Option<usize>,
    /// Tools that are not offered, and why.
    pub blocked: Vec<(String, String)>,
    /// How long it took to start.
    pub took: Option<Duration>,
}

impl Host {
    /// Builds a host that says it is `name`.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> HostBuilder {
        HostBuilder::new(name.into(), version.into())
    }

    fn ours() -> HostBuilder {
        Host::builder("docent", env!("CARGO_PKG_VERSION"))
    }

    /// The host of these servers, with nothing but defaults.
    pub fn from_entries(entries: impl IntoIterator<Item = ServerEntry>) -> Host {
        Host::ours().from_entries(entries)
    }

    /// The host of everything that is configured, with nothing but defaults.
    pub fn from_config(config: &Config) -> Host {
        Host::ours().from_config(config)
    }

    /// Every server and how it is doing.
    pub fn servers(&self) -> Vec<ServerStatus> {
        let backends = self.inner.backends.iter().zip(&self.inner.slugs);
        let status = |(backend, slug): (&Arc<Backend>, &String)| {
            let catalog = backend.catalog();
            ServerStatus {
                name: backend.name().to_owned(),
                slug: slug.clone(),
                state: backend.state(),
                tools: catalog.as_ref().map(|catalog| catalog.tools.items.len()),
                blocked: catalog.map(|catalog| catalog.blocked.clone()).unwrap_or_default(),
                took: backend.took(),
            }
        };
        backends.map(status).collect()
    }

    /// Starts every server that may be used, but those that are lazy.
    pub fn start(&self) {
        self.inner.start();
    }

    /// Waits for the servers that were started, but not longer than
    /// [`list_patience`](crate::HostLimits::list_patience). Starts none.
    pub async fn settle(&self) {
        self.inner.settle(self.inner.settings.limits.list_patience).await;
    }

    /// The tools of all servers that are there, in the order of the configuration. Servers that
    /// were never listed, the lazy ones included, are started and waited for, but not longer than
    /// [`list_patience`](crate::HostLimits::list_patience).
    pub async fn tools(&self) -> Vec<Offered<Tool>> {
        self.listed().await.tools.items.clone()
    }

    /// The tools of one server, which is waited for; no other one is.
    pub async fn tools_of(&self, server: &str) -> Result<Vec<Offered<Tool>>> {
        let backend = self.inner.backend(server)?;
        backend.refresh_stale();
        backend.listed().await?;
        let view = self.inner.view();
        let of_it = view.tools.items.iter().filter(|tool| tool.number == backend.number);
        Ok(of_it.cloned().collect())
    }

    /// The prompts of all servers; see [`Host::tools`].
    pub async fn prompts(&self) -> Vec<Offered<Prompt>> {
        self.listed().await.prompts.items.clone()
    }

    /// The resources of all servers; see [`Host::tools`].
    pub async fn resources(&self) -> Vec<Offered<Resource>> {
        self.listed().await.resources.items.clone()
    }

    /// The resource templates of all servers; see [`Host::tools`].
    pub async fn templates(&self) -> Vec<Offered<ResourceTemplate>> {
        self.listed().await.templates.items.clone()
    }

    /// Names that several servers wanted.
    pub fn collisions(&self) -> Vec<Collision> {
        self.inner.view().collisions.clone()
    }

    /// The tool of this name.
    pub async fn tool(&self, name: &str) -> Result<Offered<Tool>> {
        self.inner.find_tool(name).await
    }

    /// Calls a tool: by the name it is listed under, as `server.tool`, or by its bare name if only
    /// one server has it. A tool that ran and failed is a result with `is_error`, not an error.
    pub async fn call(&self, name: &str, arguments: impl Serialize) -> Result<CallToolResult> {
        self.call_with(name, arguments, RequestOptions::default()).await
    }

    /// [`Host::call`] with options.
    pub async fn call_with(
        &self,
        name: &str,
        arguments: impl Serialize,
        options: RequestOptions,
    ) -> Result<CallToolResult> {
        let tool = self.inner.find_tool(name).await?;
        let backend = &self.inner.backends[tool.number];
        if let Some(confirm) = &self.inner.settings.confirm {
            let refused = |why: String| Error::blocked(backend.name(), why);
            let arguments = serde_json::to_value(&arguments)
                .map_err(|error| refused(format!("the arguments cannot be shown: {error}")))?;
            if !confirm(PlannedCall { tool: tool.clone(), arguments }).await {
                return Err(refused(format!("the call of `{}` was not agreed to", tool.name)));
            }
        }
        let client = backend.client().await?;
        let called = client.call_with(&tool.own, arguments, backend.timed(options)).await;
        called.map_err(|error| backend.request_failed(error))
    }

    /// Reads the resource at `uri`, as it is named here.
    pub async fn read(&self, uri: &str) -> Result<ReadResourceResult> {
        let place = self.inner.find_place(uri).await?;
        let backend = &self.inner.backends[place.number];
        let client = backend.client().await?;
        let read = client.read_with(&place.uri, backend.options()).await;
        read.map_err(|error| backend.request_failed(error))
    }

    /// Gets the messages of a prompt; names are as for [`Host::call`].
    pub async fn prompt<K: Into<String>, V: Into<String>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = (K, V)>,
    ) -> Result<GetPromptResult> {
        let prompt = self.inner.find_prompt(name).await?;
        let backend = &self.inner.backends[prompt.number];
        let client = backend.client().await?;
        let got = client.prompt_with(&prompt.own, arguments, backend.options()).await;
        got.map_err(|error| backend.request_failed(error))
    }

    /// Asks for suggestions for an argument of a prompt or a variable of a template, which are
    /// named as they are here.
    pub async fn complete(
        &self,
        reference: CompletionReference,
        argument: &str,
        value: &str,
        known: BTreeMap<String, String>,
    ) -> Result<Completion> {
        let (number, reference) = self.inner.find_reference(reference).await?;
        let backend = &self.inner.backends[number];
        let client = backend.client().await?;
        let completed =
            client.complete_with(reference, argument, value, known, backend.options()).await;
        completed.map_err(|error| backend.request_failed(error))
    }

    /// Watches a resource: [`HostEvent::ResourceUpdated`] comes when it changes.
    pub async fn subscribe(&self, uri: &str) -> Result<()> {
        let place = self.inner.find_place(uri).await?;
        let backend = &self.inner.backends[place.number];
        let client = backend.client().await?;
        client.subscribe(place.uri).await.map_err(|error| backend.request_failed(error))
    }

    /// The server that has the resource at `uri`, as it is named here.
    pub async fn server_of(&self, uri: &str) -> Result<String> {
        let place = self.inner.find_place(uri).await?;
        Ok(self.inner.backends[place.number].name().to_owned())
    }

    /// The connection to a server, for everything that is not here.
    pub async fn client(&self, server: &str) -> Result<Client> {
        self.inner.backend(server)?.client().await
    }

    /// Ends all servers and everything they started.
    pub async fn close(self) {
        let mut closing = tokio::task::JoinSet::new();
        for backend in self.inner.backends.clone() {
            closing.spawn(async move { backend.close().await });
        }
        closing.join_all().await;
    }

    /// Ends connections to servers on the web and leaves programs running, for a process that is
    /// about to end itself and whose user need not wait for theirs. They see the end of their input
    /// when it does; the watchdog of the process ends those that stay, in the same steps as
    /// [`close`](Host::close).
    pub async fn leave(self) {
        let mut closing = tokio::task::JoinSet::new();
        for backend in self.inner.backends.clone() {
            if matches!(backend.entry.transport, Transport::Http { .. }) {
                closing.spawn(async move { backend.close().await });
            }
        }
        closing.join_all().await;
        // Dropped, it would end them here and now.
        std::mem::forget(self);
    }

    async fn listed(&self) -> Arc<View> {
        self.inner.listed().await
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        for backend in &self.backends {
            backend.abandon();
        }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.inner.backends.iter().map(|backend| backend.name()).collect();
        f.debug_struct("Host").field("servers", &names).finish_non_exhaustive()
    }
}
