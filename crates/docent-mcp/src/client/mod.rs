//! Clients: a connection to one server, whatever era it is of.
//!
//! A request's way: [`Client`] → the cache → the [layers](ClientBuilder::layer) → `service.rs`
//! (metadata) → the session → [`transport`](crate::transport); and back, with a
//! detour through the handlers when a modern server asks something first (`rounds.rs`).

mod apart;
mod builder;
mod cache;
mod calls;
mod connect;
#[cfg(feature = "http")]
mod connect_http;
mod handlers;
mod link;
mod listens;
mod models;
mod offers;
mod options;
mod pages;
mod repeat;
mod restart;
mod rounds;
mod samples;
mod service;
mod source;
mod subscriptions;
mod tasks;

use std::sync::{Arc, Mutex, RwLock};

use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{RawJson, RawObject};
use crate::limits::Limits;
use crate::session::Cancel;
use crate::types::{Adapt as _, JsonObject, LoggingLevel, Meta, Revision, Root, notification};

pub use apart::Listen;
pub use builder::ClientBuilder;
pub use handlers::ServerEvent;
pub use link::ServerDescription;
pub use options::RequestOptions;
pub use pages::{Freshness, Pages};
pub use samples::SampleReview;
pub use service::{ClientCall, ClientService};
pub use source::Source;
pub use tasks::{Called, ClientTask};

use self::builder::Settings;
use self::cache::Cache;
use self::link::Link;
use self::restart::Supervisor;
use self::subscriptions::Watched;

/// A client. Clones share the connection.
///
/// ```no_run
/// use docent_mcp::Client;
/// use docent_mcp::transport::child::ChildProcess;
///
/// # async fn run() -> docent_mcp::Result<()> {
/// let client = Client::start(ChildProcess::new("my-server").arg("--stdio")).await?;
/// for tool in client.tools().await? {
///     println!("{}", tool.name);
/// }
/// let result = client.call("greet", serde_json::json!({ "name": "Ada" })).await?;
/// client.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Settings,
    service: ClientService,
    source: Source,
    cache: Arc<Cache>,
    watched: Watched,
    supervisor: Supervisor,
    known_tools: calls::KnownTools,
    log_level: Mutex<Option<LoggingLevel>>,
    link: RwLock<Arc<Link>>,
}

impl Client {
    /// Builds a client that says it is `name`.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(name, version)
    }

    /// Connects with nothing but defaults: for programs that only want to list and call.
    pub async fn start(source: impl Into<Source>) -> Result<Client> {
        Client::builder(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).connect(source).await
    }

    async fn open(settings: Settings, service: ClientService, source: Source) -> Result<Client> {
        let cache = Arc::new(Cache::new(settings.limits.cached_results_max));
        let connected = connect::connect(&settings, &source, &cache).await?;
        let client = Client {
            inner: Arc::new(Inner {
                settings,
                service,
                source,
                cache,
                watched: Watched::default(),
                supervisor: Supervisor::default(),
                known_tools: calls::KnownTools::default(),
                log_level: Mutex::new(None),
                link: RwLock::new(connected.link()),
            }),
        };
        client.supervise(connected);
        Ok(client)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.inner.settings.limits
    }

    /// What is known about the server.
    pub fn server(&self) -> ServerDescription {
        self.current().server().clone()
    }

    /// The protocol revision that is spoken.
    pub fn revision(&self) -> Revision {
        self.current().server().revision
    }

    fn current(&self) -> Arc<Link> {
        self.inner.link.read().expect("no panic while locked").clone()
    }

    /// Makes any request, also of a method this crate does not know, and returns its complete
    /// result. Questions of the server are answered on the way.
    pub async fn request(
        &self,
        method: &str,
        params: impl Into<RawObject>,
        options: RequestOptions,
    ) -> Result<RawJson> {
        let params = params.into();
        self.persist(method, &params, &options, |_| Ok(())).await.map(|(_, result)| result)
    }

    async fn request_on(
        &self,
        link: &Arc<Link>,
        method: &str,
        params: &RawObject,
        options: &RequestOptions,
    ) -> Result<RawJson> {
        if options.call.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(cancelled(method));
        }
        let keeps = !options.hands_over && options.call.progress.is_none();
        let key = (link.is_modern() && keeps && cache::is_cacheable(method))
            .then(|| cache::Key { method: method.to_owned(), params: params.encode() });
        if let Some(cached) = key.as_ref().and_then(|key| self.inner.cache.get(key)) {
            return Ok(cached);
        }
        let changes = self.inner.cache.changes();
        let (result, rounds) = self.rounds(link, method, params, options).await?;
        // A result that depended on answers is nobody else's.
        if let Some(key) = key.filter(|_| rounds == 0) {
            self.inner.cache.put(key, &result, changes);
        }
        Ok(result)
    }

    /// Sends a notification, also one that this crate does not know.
    pub async fn notify(&self, method: &str, params: Option<JsonObject>) -> Result<()> {
        let link = self.link().await?;
        let params = params.map(|params| RawJson::from(&serde_json::Value::Object(params)));
        link.peer.notify(method, params.as_ref()).await
    }

    /// What the protocol puts into `_meta` of every request of this connection.
    fn protocol_meta(&self, link: &Link, options: &RequestOptions) -> RawObject {
        let revision = link.server().revision;
        if !revision.is_modern() {
            return RawObject::new();
        }
        let own = || self.inner.settings.modern_meta(revision).into_inner().into();
        let mut meta: RawObject = link.meta.get_or_init(own).clone();
        if let Some(capabilities) = options.capabilities.as_deref() {
            let mut capabilities = capabilities.clone();
            capabilities.adapt(revision);
            meta.insert(Meta::CLIENT_CAPABILITIES, RawJson::of(&capabilities));
        }
        let set = *self.inner.log_level.lock().expect("no panic while locked");
        if let Some(level) = options.log_level.or(set) {
            meta.insert(Meta::LOG_LEVEL, RawJson::of(level.as_str()));
        }
        meta
    }

    /// Changes the folders that servers may see, and tells the server of a legacy session.
    pub async fn set_roots(&self, roots: impl IntoIterator<Item = Root>) -> Result<()> {
        let Some(known) = &self.inner.settings.handlers.roots else {
            return Err(Error::invalid_input("the client was built without roots"));
        };
        let roots: Vec<Root> = roots.into_iter().collect();
        roots.iter().try_for_each(check_root)?;
        *known.write().expect("no panic while locked") = roots;
        let link = self.link().await?;
        match link.is_modern() {
            true => Ok(()),
            false => link.peer.notify(notification::ROOTS_LIST_CHANGED, None).await,
        }
    }

    /// Closes the connection; a server that was started is ended. Other clones get errors from
    /// then on.
    pub async fn close(self) {
        self.inner.supervisor.close().await;
        self.current().peer.close();
        self.inner.supervisor.ended().await;
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.supervisor.close_now();
        self.link.get_mut().expect("no panic while locked").peer.close();
    }
}

fn cancelled(method: &str) -> Error {
    Error::new(ErrorKind::Cancelled, format!("{method} was cancelled"))
}

fn check_root(root: &Root) -> Result<()> {
    match root.uri.starts_with("file://") {
        true => Ok(()),
        false => {
            Err(Error::invalid_input(format!("a root must be a file:// address: {}", root.uri)))
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("server", &self.current().server).finish_non_exhaustive()
    }
}
