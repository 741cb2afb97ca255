//! The gateway as programs use it: built, served over any transport, closed.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use docent_mcp::Server;
use docent_mcp::client::ServerEvent;
use docent_mcp::jsonrpc::RawJson;
use docent_mcp::transport::Transport;
use docent_mcp::transport::http::{HttpOptions, HttpServer, HttpService};
use docent_mcp::types::{Implementation, Revision, Sender, notification};
use ring::rand::{SecureRandom, SystemRandom};

use super::desk::Desk;
use super::held::Held;
use super::layer::GatewayLayer;
use super::rate::Rate;
use super::record::Record;
use super::{Shared, news, skills, tasks};
use crate::host::Host;
use crate::supervise::{BackendEvent, Kind};
use crate::telemetry::Telemetry;

/// All servers of a host, served as one, to clients of every era.
///
/// ```no_run
/// use docent_host::config::ServerEntry;
/// use docent_host::{Gateway, Host};
///
/// # async fn run() -> docent_mcp::Result<()> {
/// let host = Host::from_entries([ServerEntry::stdio("time", "uvx", ["mcp-server-time"])]);
/// Gateway::builder(host).build_for_one().serve_stdio().await
/// # }
/// ```
pub struct Gateway {
    server: Server,
    shared: Arc<Shared>,
}

/// Builds a [`Gateway`].
pub struct GatewayBuilder {
    host: Host,
    info: Implementation,
    rate: Option<(u32, Duration)>,
    record: Option<Record>,
    telemetry: Option<Telemetry>,
    state_key: Option<[u8; 32]>,
    revisions: Option<Vec<Revision>>,
}

impl GatewayBuilder {
    /// Changes what the gateway says it is.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info = Implementation::new(name, version);
        self
    }

    /// The same with everything that can be said of it.
    #[must_use]
    pub fn presented_as(mut self, info: Implementation) -> Self {
        self.info = info;
        self
    }

    /// Lets each principal make `burst` calls at once, then one per `interval`.
    #[must_use]
    pub fn rate_limit(mut self, burst: u32, interval: Duration) -> Self {
        self.rate = Some((burst, interval));
        self
    }

    /// Writes a line of JSON for each call: who, what, how long, and how it ended; arguments by
    /// name and type only.
    pub fn record(mut self, to: impl Write + Send + 'static) -> std::io::Result<Self> {
        let waiting_max = self.host.inner.settings.limits.record_lines_max;
        self.record = Some(Record::new(to, waiting_max)?);
        Ok(self)
    }

    /// Sends traces and metrics of all requests to a collector.
    #[must_use]
    pub fn telemetry(mut self, telemetry: Telemetry) -> Self {
        self.telemetry = Some(telemetry);
        self
    }

    /// The key that seals what clients carry, for replicas. Calls that are held for answers are
    /// held by one of them all the same.
    #[must_use]
    pub fn state_key(mut self, key: [u8; 32]) -> Self {
        self.state_key = Some(key);
        self
    }

    /// Speaks only these revisions to clients.
    #[must_use]
    pub fn revisions(mut self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        self.revisions = Some(revisions.into_iter().collect());
        self
    }

    /// The gateway for many clients, over HTTP.
    pub fn build(self) -> Gateway {
        self.make(false)
    }

    /// The gateway for one client, whose questions and messages the servers' connections carry
    /// from the start.
    pub fn build_for_one(self) -> Gateway {
        self.make(true)
    }

    fn make(self, single: bool) -> Gateway {
        let host = self.host;
        let limits = host.inner.settings.limits.clone();
        let backends = &host.inner.backends;
        let desks: Vec<_> =
            backends.iter().map(|one| Desk::new(one.name(), &limits, false)).collect();
        for (backend, desk) in backends.iter().zip(&desks) {
            backend.play(desk.role(None));
        }
        if let Some(telemetry) = &self.telemetry {
            let inner = Arc::downgrade(&host.inner);
            telemetry.watch(move || inner.upgrade().map(|host| host.up()).unwrap_or_default());
        }
        let shared = Arc::new(Shared {
            homes: Default::default(),
            held: Held::new(limits.held_calls_max, limits.held_call_timeout),
            watches: Default::default(),
            rate: self.rate.map(|(burst, every)| Rate::new(burst, every, limits.rates_max)),
            record: self.record,
            telemetry: self.telemetry,
            outgoing: Default::default(),
            desks,
            owner: Default::default(),
            single,
            seen: Default::default(),
            links: Default::default(),
            told: Default::default(),
            host,
        });
        let mut connection = limits.connection;
        // Names of tasks are sealed too, and tasks may be kept that long.
        connection.request_state_ttl = connection.task_ttl_max;
        let headers_of = {
            let shared = Arc::downgrade(&shared);
            move |tool: &str| shared.upgrade()?.host.inner.view().headers(tool)
        };
        let notified = {
            let shared = Arc::downgrade(&shared);
            move |method: &str, params: Option<&RawJson>, connection: Option<u64>| {
                let Some(shared) = shared.upgrade() else { return };
                if method == notification::ROOTS_LIST_CHANGED {
                    shared.roots_changed(connection);
                } else if news::is_foreign(method, Sender::Client) {
                    shared.notified(method, params, connection);
                }
            }
        };
        let info = self.info;
        let server = Server::new("", "")
            .info(|own| *own = info)
            .limits(connection)
            .will_have_tools()
            .will_have_prompts()
            .will_have_resources()
            .will_have_completions()
            .will_have_tasks()
            .extension(tasks::PassedOn)
            .extension(skills::Union(Arc::downgrade(&shared)))
            .tool_headers(headers_of)
            .on_notification(notified)
            .state_key(self.state_key.unwrap_or_else(random_key));
        let server = match self.revisions {
            Some(revisions) => server.revisions(revisions),
            None => server,
        };
        // Without the layer, which holds what holds this: telling clients needs none.
        publish(&shared, server.clone());
        let server = server.layer(GatewayLayer(shared.clone()));
        Gateway { server, shared }
    }
}

/// One key for all connections, so that what a client carries survives its connection.
fn random_key() -> [u8; 32] {
    let mut key = [0; 32];
    SystemRandom::new().fill(&mut key).expect("the system gives random numbers");
    key
}

/// Tells clients of what happens at the servers.
fn publish(shared: &Arc<Shared>, server: Server) {
    let weak = Arc::downgrade(shared);
    shared.host.inner.listen(move |number, event| {
        let Some(shared) = weak.upgrade() else { return };
        let seen = shared.seen.load(Ordering::Acquire);
        match event {
            // What nobody has seen cannot have changed, unless a server says so itself.
            BackendEvent::Listed(_, false) if !seen => {}
            BackendEvent::Listed(Kind::Tools, _) => server.tools_changed(),
            BackendEvent::Listed(Kind::Prompts, _) => server.prompts_changed(),
            BackendEvent::Listed(..) => server.resources_changed(),
            BackendEvent::Told(ServerEvent::ResourceUpdated(uri)) => {
                let view = shared.host.inner.view();
                server.resource_updated(view.address(number, uri));
                server.resource_updated(view.qualified(number, uri));
            }
            BackendEvent::Told(ServerEvent::Other { method, params: Some(params) })
                if method == notification::TASKS =>
            {
                tasks::news(&shared, &server, number, params);
            }
            _ => {}
        }
    });
}

impl Gateway {
    /// A gateway for many clients, with nothing but defaults.
    pub fn new(host: Host) -> Gateway {
        Gateway::builder(host).build()
    }

    /// Builds a gateway.
    pub fn builder(host: Host) -> GatewayBuilder {
        GatewayBuilder {
            host,
            info: Implementation::new("docent-gateway", env!("CARGO_PKG_VERSION")),
            rate: None,
            record: None,
            telemetry: None,
            state_key: None,
            revisions: None,
        }
    }

    /// Serves one client over standard input and output, until it closes them; then the servers
    /// are ended.
    pub async fn serve_stdio(self) -> docent_mcp::Result<()> {
        let served = self.server.clone().serve_stdio().await;
        // Whoever closed the pipe may lose patience and say so, before the last server is gone: that
        // is under way, and being killed for it would only take longer.
        #[cfg(unix)]
        let _closing = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
        self.close().await;
        served
    }

    /// Serves one client over a transport. Call it again for the next one.
    pub async fn serve(&self, transport: Transport) -> docent_mcp::Result<()> {
        self.server.clone().serve(transport).await
    }

    /// The gateway as a service for HTTP requests, of both eras.
    pub fn http_service(&self, options: HttpOptions) -> docent_mcp::Result<HttpService> {
        self.server.clone().http_service(options)
    }

    /// Listens for clients over HTTP; `serve` of what it returns serves them.
    pub async fn bind(
        &self,
        address: impl tokio::net::ToSocketAddrs,
        options: HttpOptions,
    ) -> docent_mcp::Result<HttpServer> {
        HttpServer::bind(self.http_service(options)?, address).await
    }

    /// Ends all connections and all servers, and lets the record of calls be written to its end.
    pub async fn close(&self) {
        tokio::join!(self.shared.homes.close(), self.shared.host.clone().close());
        if let Some(record) = &self.shared.record {
            let limits = &self.shared.host.inner.settings.limits;
            record.settle(limits.connection.flush_timeout).await;
        }
        if let Some(telemetry) = &self.shared.telemetry {
            telemetry.flush().await;
        }
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("host", &self.shared.host).finish_non_exhaustive()
    }
}
