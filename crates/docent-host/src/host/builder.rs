//! How a host is put together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use docent_mcp::auth::OAuth;
use docent_mcp::client::ClientBuilder;
use docent_mcp::types::Tool;

use super::{Host, HostEvent, Inner, PlannedCall};
use crate::config::{Config, ServerEntry};
use crate::error::Result;
use crate::limits::HostLimits;
use crate::supervise::{Backend, Settings};
use crate::view::slugs;

/// Builds a [`Host`].
pub struct HostBuilder {
    settings: Settings,
    bare: bool,
    /// Names of servers that the program has itself.
    inside: Vec<String>,
    events: Option<Arc<dyn Fn(HostEvent) + Send + Sync>>,
}

impl HostBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        HostBuilder {
            settings: Settings {
                limits: HostLimits::default(),
                name,
                version,
                login: None,
                configure: None,
                connectors: HashMap::new(),
                reach: None,
                admit: None,
                confirm: None,
                tools_only: false,
                events: Default::default(),
            },
            bare: false,
            inside: Vec::new(),
            events: None,
        }
    }

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

    /// Reaches configured servers in another way than their entries say, wherever `reach` knows one:
    /// through a process that keeps them running, for example.
    #[must_use]
    pub fn reach(
        mut self,
        reach: impl Fn(&ServerEntry) -> Option<docent_mcp::client::Source> + Send + Sync + 'static,
    ) -> Self {
        self.settings.reach = Some(Arc::new(reach));
        self
    }

    /// Fetches the servers' tools and none of their other lists, for a program that asks for nothing
    /// else: nobody waits for the rest.
    #[must_use]
    pub fn tools_only(mut self) -> Self {
        self.settings.tools_only = true;
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

    /// Has somebody look at each call that [`Host::call`] is about to make, and agree to it. Servers
    /// are named as the configuration names them, whatever they say of themselves. The gateway's
    /// calls do not come here: its clients know who is asked.
    #[must_use]
    pub fn confirm<F, Fut>(mut self, confirm: F) -> Self
    where
        F: Fn(PlannedCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        self.settings.confirm = Some(Arc::new(move |call| Box::pin(confirm(call))));
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
