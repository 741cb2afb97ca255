//! The host: many servers, used as one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use docent_mcp::Client;
use docent_mcp::auth::OAuth;
use docent_mcp::client::{ClientBuilder, RequestOptions, ServerEvent};
use docent_mcp::types::{
    CallToolResult, Completion, CompletionReference, GetPromptResult,
    LoggingMessageNotificationParams, Prompt, ReadResourceResult, Resource, ResourceTemplate, Tool,
};
use serde::Serialize;

use crate::config::{Config, ServerEntry};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::HostLimits;
use crate::supervise::{Backend, BackendEvent, Catalog, Settings, State};
use crate::view::{Collision, Offered, Place, Source, View, slugs};

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
    view: Mutex<Option<(Vec<Option<Arc<Catalog>>>, Arc<View>)>>,
}

/// Something that happened at one of the servers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HostEvent {
    /// What is offered has changed: tools, prompts, resources or templates.
    Changed,
    /// A server went from one state to another.
    State(String),
    /// The resource at this address, as it is named here, changed.
    ResourceUpdated(String),
    /// A server logged something.
    Log(String, LoggingMessageNotificationParams),
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

/// Builds a [`Host`].
pub struct HostBuilder {
    settings: Settings,
    bare: bool,
    /// Names of servers that the program has itself.
    inside: Vec<String>,
    events: Option<Arc<dyn Fn(HostEvent) + Send + Sync>>,
}

impl HostBuilder {
    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: HostLimits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Lets a name that only one server has stay as it is, without the server's name before it.
    #[must_use]
    pub fn bare_names(mut self) -> Self {
        self.bare = true;
        self
    }

    /// Says how to log in to servers on the web: one store for all of them, so that a login is
    /// renewed once for everybody. What a server's entry says goes before it.
    #[must_use]
    pub fn login(
        mut self,
        login: impl Fn(&ServerEntry) -> Option<OAuth> + Send + Sync + 'static,
    ) -> Self {
        self.settings.login = Some(Arc::new(login));
        self
    }

    /// Adds to each connection, by the server's name: handlers for what servers ask, for example.
    #[must_use]
    pub fn configure(
        mut self,
        configure: impl Fn(&str, ClientBuilder) -> ClientBuilder + Send + Sync + 'static,
    ) -> Self {
        self.settings.configure = Some(Arc::new(configure));
        self
    }

    /// Adds a server that no configuration describes, such as one within this program: whenever a
    /// connection to it is needed, `connect` gives one. It comes before those of the configuration.
    #[must_use]
    pub fn connector(
        mut self,
        name: impl Into<String>,
        connect: impl Fn() -> docent_mcp::client::Source + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.inside.push(name.clone());
        self.settings.connectors.insert(name, Arc::new(connect));
        self
    }

    /// Looks at each tool before it is offered, and says why one is not.
    #[must_use]
    pub fn admit(
        mut self,
        admit: impl Fn(&str, &Tool) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.settings.admit = Some(Arc::new(admit));
        self
    }

    /// Takes notice of what happens. Called from the servers' tasks: it must not block.
    #[must_use]
    pub fn on_event(mut self, function: impl Fn(HostEvent) + Send + Sync + 'static) -> Self {
        self.events = Some(Arc::new(function));
        self
    }

    /// The host of these servers. Within a tokio runtime, those that are not lazy are started.
    pub fn from_entries(self, entries: impl IntoIterator<Item = ServerEntry>) -> Host {
        self.build(entries, [])
    }

    /// The host of everything that is configured, what cannot be used included: it is shown as
    /// failed, with the reason.
    pub fn from_config(self, config: &Config) -> Host {
        let failed: Vec<_> =
            config.failed().map(|(name, problem)| (name.to_owned(), problem.to_string())).collect();
        self.build(config.servers.iter().cloned(), failed)
    }

    fn build(
        self,
        entries: impl IntoIterator<Item = ServerEntry>,
        failed: impl IntoIterator<Item = (String, String)>,
    ) -> Host {
        let settings = Arc::new(self.settings);
        let mut backends = Vec::new();
        let inside = self.inside.iter().map(|name| ServerEntry::http(name, ""));
        for entry in inside.chain(entries) {
            backends.push(Backend::new(backends.len(), entry, settings.clone()));
        }
        for (name, problem) in failed {
            backends.push(Backend::unusable(backends.len(), &name, problem, settings.clone()));
        }
        let slugs = slugs(backends.iter().map(|backend| backend.name()));
        let view = Mutex::default();
        let inner = Arc::new(Inner { backends, slugs, settings, bare: self.bare, view });
        if let Some(events) = self.events {
            let host = Arc::downgrade(&inner);
            inner.listen(move |number, event| {
                let Some(host) = host.upgrade() else { return };
                if let Some(event) = host.event(number, event) {
                    events(event);
                }
            });
        }
        let host = Host { inner };
        if tokio::runtime::Handle::try_current().is_ok() {
            for backend in &host.inner.backends {
                if backend.entry.lazy == Some(false) {
                    backend.start();
                }
            }
        }
        host
    }
}

impl Host {
    /// Builds a host that says it is `name`.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> HostBuilder {
        HostBuilder {
            settings: Settings {
                limits: HostLimits::default(),
                name: name.into(),
                version: version.into(),
                login: None,
                configure: None,
                connectors: HashMap::new(),
                admit: None,
                events: OnceLock::new(),
            },
            bare: false,
            inside: Vec::new(),
            events: None,
        }
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

    /// Starts every server that may be used.
    pub fn start(&self) {
        for backend in &self.inner.backends {
            backend.start();
        }
    }

    /// The tools of all servers that are there, in the order of the configuration. Servers that
    /// were never listed are waited for, but not longer than
    /// [`list_patience`](HostLimits::list_patience).
    pub async fn tools(&self) -> Vec<Offered<Tool>> {
        self.listed().await.tools.items.clone()
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
        let client = backend.client().await?;
        let called = client.call_with(&tool.own, arguments, options).await;
        called.map_err(|error| backend.request_failed(error))
    }

    /// Reads the resource at `uri`, as it is named here.
    pub async fn read(&self, uri: &str) -> Result<ReadResourceResult> {
        let place = self.inner.find_place(uri).await?;
        let backend = &self.inner.backends[place.number];
        let client = backend.client().await?;
        client.read(&place.uri).await.map_err(|error| backend.request_failed(error))
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
        let got = client.prompt(&prompt.own, arguments).await;
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
        let completed = client.complete(reference, argument, value, known).await;
        completed.map_err(|error| backend.request_failed(error))
    }

    /// Watches a resource: [`HostEvent::ResourceUpdated`] comes when it changes.
    pub async fn subscribe(&self, uri: &str) -> Result<()> {
        let place = self.inner.find_place(uri).await?;
        let backend = &self.inner.backends[place.number];
        let client = backend.client().await?;
        client.subscribe(place.uri).await.map_err(|error| backend.request_failed(error))
    }

    /// The connection to a server, for everything that is not here.
    pub async fn client(&self, server: &str) -> Result<Client> {
        let backend = self.inner.backends.iter().find(|backend| backend.name() == server);
        match backend {
            Some(backend) => backend.client().await,
            None => {
                let names: Vec<_> =
                    self.inner.backends.iter().map(|backend| backend.name().to_owned()).collect();
                Err(Error::unknown("server", server, &names))
            }
        }
    }

    /// Ends all servers and everything they started.
    pub async fn close(self) {
        let mut closing = tokio::task::JoinSet::new();
        for backend in self.inner.backends.clone() {
            closing.spawn(async move { backend.close().await });
        }
        closing.join_all().await;
    }

    async fn listed(&self) -> Arc<View> {
        self.inner.listed().await
    }
}

impl Inner {
    /// Tells of what happens; only the first who asks is told.
    pub(crate) fn listen(&self, function: impl Fn(usize, &BackendEvent) + Send + Sync + 'static) {
        let _ = self.settings.events.set(Arc::new(function));
    }

    fn event(&self, number: usize, event: &BackendEvent) -> Option<HostEvent> {
        let server = || self.backends[number].name().to_owned();
        Some(match event {
            BackendEvent::Listed(_) => HostEvent::Changed,
            BackendEvent::State => HostEvent::State(server()),
            BackendEvent::Told(ServerEvent::ResourceUpdated(uri)) => {
                HostEvent::ResourceUpdated(self.view().address(number, uri))
            }
            BackendEvent::Told(ServerEvent::Log(message)) => {
                HostEvent::Log(server(), message.clone())
            }
            BackendEvent::Told(_) => return None,
        })
    }

    /// What is offered now, from what was listed last.
    pub(crate) fn view(&self) -> Arc<View> {
        let catalogs: Vec<_> = self.backends.iter().map(|backend| backend.catalog()).collect();
        let mut view = self.view.lock().expect("no panic while locked");
        let same = |one: &Option<Arc<Catalog>>, other: &Option<Arc<Catalog>>| match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        if let Some((of, view)) = &*view
            && of.iter().zip(&catalogs).all(|(one, other)| same(one, other))
        {
            return view.clone();
        }
        let sources: Vec<_> = self
            .backends
            .iter()
            .zip(&self.slugs)
            .zip(&catalogs)
            .filter_map(|((backend, slug), catalog)| {
                let catalog = catalog.clone()?;
                Some(Source { number: backend.number, name: backend.name(), slug, catalog })
            })
            .collect();
        let built = Arc::new(View::build(&sources, self.bare));
        *view = Some((catalogs, built.clone()));
        built
    }

    /// What is offered, after servers that were never listed had a little time.
    pub(crate) async fn listed(&self) -> Arc<View> {
        for backend in &self.backends {
            backend.start();
            backend.refresh_stale();
        }
        self.settle(self.settings.limits.list_patience).await;
        self.view()
    }

    /// Waits until every server was listed or has failed, but not too long.
    async fn settle(&self, patience: Duration) {
        let settling = async {
            for backend in &self.backends {
                let mut changed = backend.watch();
                while backend.is_pending() && changed.changed().await.is_ok() {}
            }
        };
        let _ = tokio::time::timeout(patience, settling).await;
    }

    /// Looks something up; if it is not there, once more when the servers that may have it are.
    async fn find<T: Clone>(
        &self,
        name: &str,
        find: impl Fn(&View, &str) -> Result<T>,
    ) -> Result<T> {
        let missing = match find(&self.view(), name) {
            Ok(found) => return Ok(found),
            Err(error) if error.kind() == ErrorKind::AmbiguousName => return Err(error),
            Err(error) => error,
        };
        if let Some(backend) = self.named(name) {
            let catalog = backend.listed().await?;
            return find(&self.view(), name).map_err(|error| {
                let blocked = catalog.blocked.iter().find(|(own, _)| name.ends_with(&**own));
                match blocked {
                    Some((own, why)) => {
                        Error::blocked(backend.name(), format!("`{own}` cannot be used: {why}"))
                    }
                    None => error,
                }
            });
        }
        if self.backends.iter().all(|backend| !backend.is_pending()) {
            return Err(missing);
        }
        self.listed().await;
        find(&self.view(), name)
    }

    /// The server that a name names.
    fn named(&self, name: &str) -> Option<&Arc<Backend>> {
        let named = |backend: &&Arc<Backend>| {
            let slug = &self.slugs[backend.number];
            let after = |prefix: &str, separator: &str| {
                name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(separator))
            };
            after(backend.name(), ".") || after(slug, "__")
        };
        self.backends.iter().filter(named).max_by_key(|backend| backend.name().len())
    }

    pub(crate) async fn find_tool(&self, name: &str) -> Result<Offered<Tool>> {
        self.find(name, |view, name| view.tools.find("tool", name).cloned()).await
    }

    pub(crate) async fn find_prompt(&self, name: &str) -> Result<Offered<Prompt>> {
        self.find(name, |view, name| view.prompts.find("prompt", name).cloned()).await
    }

    pub(crate) async fn find_place(&self, uri: &str) -> Result<Place> {
        let find = |view: &View, uri: &str| {
            view.place(uri).ok_or_else(|| Error::unknown("resource", uri, &[]))
        };
        self.find(uri, find).await
    }

    /// A server, and what it calls what is to be completed.
    pub(crate) async fn find_reference(
        &self,
        mut reference: CompletionReference,
    ) -> Result<(usize, CompletionReference)> {
        let number = match &mut reference {
            CompletionReference::Prompt(prompt) => {
                let found = self.find_prompt(&prompt.name).await?;
                prompt.name = found.own;
                found.number
            }
            CompletionReference::Resource(resource) => {
                let find = |view: &View, uri: &str| {
                    let found = view.templates.find("resource template", uri);
                    let template = found.map(|template| (template.number, template.own.clone()));
                    let place = || view.place(uri).map(|place| (place.number, place.uri));
                    template.or_else(|error| place().ok_or(error))
                };
                let (number, own) = self.find(&resource.uri, find).await?;
                resource.uri = own;
                number
            }
            CompletionReference::Unknown(_) => {
                return Err(Error::unknown(
                    "kind of reference",
                    "neither prompt nor resource",
                    &[],
                ));
            }
        };
        Ok((number, reference))
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
