//! A server as its connections see it: what was set, what is registered, what is offered.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

use super::broker::Broker;
use super::registry::Registry;
use super::resource::TemplateEntry;
use super::tasks::TaskStore;
use super::tool::ToolEntry;
use super::{Extension, Server, ServerPrompt, ServerResource, ServerService, input};
use crate::error::Error;
use crate::jsonrpc::RawJson;
use crate::limits::Limits;
use crate::schema::MirroredHeader;
use crate::session::Pace;
use crate::types::{
    CacheScope, DiscoverResult, Implementation, JsonObject, Meta, PromptsCapability,
    ResourcesCapability, Revision, Revisions, ServerCapabilities, ServerTaskRequests,
    ServerTasksCapability, TaskSupport, ToolsCapability, ToolsTaskRequests,
};

/// Gives the headers that repeat arguments of a tool.
pub(crate) type ToolHeaders = Arc<dyn Fn(&str) -> Option<Arc<Vec<MirroredHeader>>> + Send + Sync>;
/// Takes a notification with the connection that it came by.
pub(crate) type Notified = Arc<dyn Fn(&str, Option<&RawJson>, Option<u64>) + Send + Sync>;

/// What is set before serving.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) logging: bool,
    pub(crate) extensions: Vec<Arc<dyn Extension>>,
    pub(crate) revisions: Revisions,
    /// Features that count as offered before anything is registered.
    pub(super) declared: Vec<Feature>,
    pub(super) experimental: JsonObject,
    pub(super) list_cache: (u64, CacheScope),
    pub(super) state_key: Option<[u8; 32]>,
    pub(super) keep_alive: Option<Duration>,
    /// The headers of tools that are not registered.
    pub(crate) tool_headers: Option<ToolHeaders>,
    /// Told of what clients notify.
    pub(crate) notified: Option<Notified>,
    /// The first thing that was registered wrongly, reported when serving starts.
    pub(super) problem: Option<Arc<Error>>,
}

/// What all handles and connections of a server share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) tools: Registry<ToolEntry>,
    pub(crate) resources: Registry<ServerResource>,
    pub(crate) templates: Registry<TemplateEntry>,
    pub(crate) prompts: Registry<ServerPrompt>,
    pub(crate) tasks: Arc<TaskStore>,
    pub(crate) broker: Arc<Broker>,
    pub(crate) pace: Arc<Pace>,
}

impl Shared {
    /// Whether a feature is offered now: declared, or with something registered.
    pub(super) fn offers(&self, feature: Feature, config: &Config) -> bool {
        let Shared { tools, resources, templates, prompts, .. } = self;
        config.declared.contains(&feature)
            || match feature {
                Feature::Tools => !tools.is_empty(),
                Feature::Resources => !resources.is_empty() || !templates.is_empty(),
                Feature::Prompts => !prompts.is_empty(),
                Feature::Completions => {
                    prompts.any(|prompt| !prompt.completers.is_empty())
                        || templates.any(|entry| !entry.definition.completers.is_empty())
                }
                Feature::Logging => config.logging,
                Feature::Tasks => tools.any(|tool| tool.task_support() != TaskSupport::Forbidden),
            }
    }
}

/// A feature that a server may offer; what is not offered is neither advertised nor answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Feature {
    Tools,
    Resources,
    Prompts,
    Completions,
    Logging,
    Tasks,
}

/// A server that is being served: what every request of a connection needs.
pub(crate) struct Core {
    pub(crate) config: Config,
    pub(crate) shared: Arc<Shared>,
    pub(crate) service: ServerService,
    pub(crate) seal: input::Seal,
    /// Who we are, as it stands in the metadata of every modern result.
    pub(crate) server_info_json: Value,
    /// All the metadata of a result that has none of its own.
    pub(crate) server_meta: Box<RawValue>,
}

impl Core {
    pub(crate) fn new(server: Server) -> Self {
        let Server { config, shared, service } = server;
        let seal = config.state_key.as_ref().map_or_else(input::Seal::random, input::Seal::new);
        let mut info = config.info.clone();
        crate::types::Adapt::adapt(&mut info, Revision::NEWEST_MODERN);
        let server_info_json =
            serde_json::to_value(info).expect("a wire type is always representable");
        let server_meta = serde_json::json!({ Meta::SERVER_INFO: server_info_json });
        let server_meta =
            serde_json::value::to_raw_value(&server_meta).expect("a tree is always representable");
        Core { config, shared, service, seal, server_info_json, server_meta }
    }

    /// A handle to the server.
    pub(crate) fn handle(&self) -> Server {
        Server {
            config: self.config.clone(),
            shared: self.shared.clone(),
            service: self.service.clone(),
        }
    }

    pub(crate) fn page_size(&self) -> usize {
        self.config.limits.page_entries_max
    }

    pub(crate) fn cache_hints(&self) -> (Option<u64>, Option<CacheScope>) {
        let (ttl_ms, scope) = self.config.list_cache.clone();
        (Some(ttl_ms), Some(scope))
    }

    /// Whether a feature is offered now: declared, or with something registered.
    pub(crate) fn offers(&self, feature: Feature) -> bool {
        self.shared.offers(feature, &self.config)
    }

    /// The extensions that are offered now.
    pub(crate) fn offered_extensions(&self) -> impl Iterator<Item = &Arc<dyn Extension>> {
        let server = self.handle();
        self.config.extensions.iter().filter(move |extension| extension.is_offered(&server))
    }

    /// What is advertised: exactly what is offered.
    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        let extensions: JsonObject = self
            .offered_extensions()
            .map(|extension| (extension.id().to_owned(), Value::Object(extension.settings())))
            .collect();
        let experimental = self.config.experimental.clone();
        ServerCapabilities {
            tools: self
                .offers(Feature::Tools)
                .then(|| ToolsCapability { list_changed: Some(true), ..Default::default() }),
            resources: self.offers(Feature::Resources).then(|| ResourcesCapability {
                subscribe: Some(true),
                list_changed: Some(true),
                ..Default::default()
            }),
            prompts: self
                .offers(Feature::Prompts)
                .then(|| PromptsCapability { list_changed: Some(true), ..Default::default() }),
            completions: self.offers(Feature::Completions).then(JsonObject::new),
            logging: self.offers(Feature::Logging).then(JsonObject::new),
            tasks: self.offers(Feature::Tasks).then(|| ServerTasksCapability {
                list: Some(JsonObject::new()),
                cancel: Some(JsonObject::new()),
                requests: Some(ServerTaskRequests {
                    tools: Some(ToolsTaskRequests {
                        call: Some(JsonObject::new()),
                        ..Default::default()
                    }),
                    ..Default::default()
                }),
                ..Default::default()
            }),
            extensions: (!extensions.is_empty()).then_some(extensions),
            experimental: (!experimental.is_empty()).then_some(experimental),
            ..Default::default()
        }
    }

    pub(crate) fn discover(&self) -> DiscoverResult {
        let (ttl_ms, cache_scope) = self.cache_hints();
        DiscoverResult {
            supported_versions: self
                .config
                .revisions
                .modern()
                .iter()
                .map(ToString::to_string)
                .collect(),
            capabilities: self.capabilities(),
            instructions: self.config.instructions.clone(),
            ttl_ms,
            cache_scope,
            ..Default::default()
        }
    }
}
