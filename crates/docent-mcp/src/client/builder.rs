//! How a client is put together.

use std::future::Future;
use std::sync::{Arc, RwLock};

use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

use super::Client;
use super::handlers::{Handlers, Relay, ServerEvent, handler};
use super::samples::SampleReview;
use super::service::{ClientCall, ClientService};
use super::source::Source;
use crate::error::{Error, Result};
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::limits::Limits;
use crate::types::{
    ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitAction,
    ElicitRequestFormParams, ElicitRequestUrlParams, ElicitResult, Implementation, InputRequest,
    JsonObject, Revision, Revisions, Root,
};

/// What a client is and can do.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) info: Implementation,
    pub(crate) limits: Arc<Limits>,
    pub(crate) handlers: Handlers,
    pub(crate) restart: bool,
    pub(crate) revisions: Revisions,
}

impl Settings {
    /// The newest modern revision among `offered` that is spoken here too.
    pub(crate) fn newest_of(&self, offered: &[String]) -> Option<Revision> {
        let spoken = self.revisions.modern();
        offered.iter().filter_map(|text| text.parse().ok()).filter(|one| spoken.contains(one)).max()
    }

    /// Whether a session can be had of a server that offers these, and nothing else.
    pub(crate) fn only_legacy_of(&self, offered: &[String]) -> bool {
        let legacy = self.revisions.legacy();
        let common = |text: &String| text.parse().is_ok_and(|one| legacy.contains(&one));
        self.newest_of(offered).is_none() && offered.iter().any(common)
    }
}

/// Builds a [`Client`].
///
/// What the client can do for servers follows from the functions it is given: without
/// [`on_sample`](ClientBuilder::on_sample), for example, no server is told that it may sample.
pub struct ClientBuilder {
    settings: Settings,
    service: ClientService,
}

impl ClientBuilder {
    pub(crate) fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        ClientBuilder {
            settings: Settings {
                info: Implementation::new(name, version),
                limits: Arc::default(),
                handlers: Handlers::default(),
                restart: true,
                revisions: Revisions::all(),
            },
            service: ClientService::direct(),
        }
    }

    /// Answers forms. Show the user who asks, and let them decline.
    #[must_use]
    pub fn on_elicit_form<F, Fut>(mut self, function: F) -> Self
    where
        F: Fn(ElicitRequestFormParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ElicitResult, ErrorObject>> + Send + 'static,
    {
        self.settings.handlers.elicit_form = Some(handler(function));
        self
    }

    /// Sends the user to a page, after showing them the whole address and asking for consent.
    /// Never fetch it for them.
    #[must_use]
    pub fn on_elicit_url<F, Fut>(mut self, function: F) -> Self
    where
        F: Fn(ElicitRequestUrlParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ElicitAction, ErrorObject>> + Send + 'static,
    {
        self.settings.handlers.elicit_url = Some(handler(function));
        self
    }

    /// Asks a language model for the server. Let the user see and refuse both prompt and answer.
    #[must_use]
    pub fn on_sample<F, Fut>(mut self, function: F) -> Self
    where
        F: Fn(CreateMessageRequestParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        self.settings.handlers.sample = Some(handler(function));
        self
    }

    /// [`on_sample`](ClientBuilder::on_sample) with a model that can use the server's tools.
    #[must_use]
    pub fn on_sample_with_tools<F, Fut>(mut self, function: F) -> Self
    where
        F: Fn(CreateMessageRequestParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        self.settings.handlers.sample_tools = true;
        self.on_sample(function)
    }

    /// Shows somebody what a server wants to say to the model, and then what the model wants to say
    /// to the server: an error keeps it back, and is what the server gets instead. Without this,
    /// whatever [`on_sample`](ClientBuilder::on_sample) does is all that happens.
    #[must_use]
    pub fn on_sample_review<F, Fut>(mut self, function: F) -> Self
    where
        F: Fn(SampleReview) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), ErrorObject>> + Send + 'static,
    {
        self.settings.handlers.samples.review = Some(handler(function));
        self
    }

    /// Takes every question of the server as it is, and declares `capabilities` for it; nothing of
    /// question or answer is checked here. For programs that pass questions on to somebody else: it
    /// replaces all other functions that answer something, and
    /// [`extension`](ClientBuilder::extension).
    #[must_use]
    pub fn relay_questions<F, Fut>(mut self, capabilities: ClientCapabilities, function: F) -> Self
    where
        F: Fn(InputRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, ErrorObject>> + Send + 'static,
    {
        let answer = handler(function);
        self.settings.handlers.relay = Some(Relay { capabilities, answer });
        self
    }

    /// Lets servers see these folders; change them later with [`Client::set_roots`].
    #[must_use]
    pub fn roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.settings.handlers.roots = Some(Arc::new(RwLock::new(roots.into_iter().collect())));
        self
    }

    /// Takes notice of what servers tell: changes, log messages, restarts. Called from the
    /// connection's task: it must not block.
    #[must_use]
    pub fn on_event(mut self, function: impl Fn(ServerEvent) + Send + Sync + 'static) -> Self {
        self.settings.handlers.event = Some(Arc::new(function));
        self
    }

    /// Takes tool calls that become tasks: [`Client::call`] waits for them, and
    /// [`Client::call_task`] hands them out. Declares the extension `io.modelcontextprotocol/tasks`.
    #[must_use]
    pub fn tasks(self) -> Self {
        self.extension(crate::server::TASKS_EXTENSION, JsonObject::new())
    }

    /// Declares an extension.
    #[must_use]
    pub fn extension(mut self, id: impl Into<String>, settings: JsonObject) -> Self {
        self.settings.handlers.extensions.insert(id.into(), Value::Object(settings));
        self
    }

    /// Declares an experimental capability.
    #[must_use]
    pub fn experimental(mut self, name: impl Into<String>, settings: JsonObject) -> Self {
        self.settings.handlers.experimental.insert(name.into(), Value::Object(settings));
        self
    }

    /// Speaks only these revisions.
    #[must_use]
    pub fn revisions(mut self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        self.settings.revisions = revisions.into_iter().collect();
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = Arc::new(limits);
        self
    }

    /// Changes what the client says about itself: title, description, website, icons.
    #[must_use]
    pub fn info(mut self, change: impl FnOnce(&mut Implementation)) -> Self {
        change(&mut self.settings.info);
        self
    }

    /// Does not start a server again when it ends unexpectedly.
    #[must_use]
    pub fn without_restart(mut self) -> Self {
        self.settings.restart = false;
        self
    }

    /// Wraps the making of requests in a layer. The last one added sees a request first.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<ClientService>,
        L::Service:
            Service<ClientCall, Response = RawJson, Error = Error> + Clone + Send + Sync + 'static,
        <L::Service as Service<ClientCall>>::Future: Send,
    {
        self.service = ClientService::new(layer.layer(self.service));
        self
    }

    /// Connects to a server.
    pub async fn connect(self, source: impl Into<Source>) -> Result<Client> {
        for root in self
            .settings
            .handlers
            .roots
            .iter()
            .flat_map(|roots| roots.read().ok())
            .flat_map(|r| r.clone())
        {
            super::check_root(&root)?;
        }
        Client::open(self.settings, self.service, source.into()).await
    }
}
