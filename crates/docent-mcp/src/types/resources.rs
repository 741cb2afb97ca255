//! Resources: what a server lets a client read.

use super::Revision;
use super::annotations::Annotations;
use super::caching::{self, CacheScope};
use super::implementation::Icon;
use super::input::InputResponses;
use super::meta::Meta;
use super::resource_contents::ResourceContents;
use super::wire::wire;

wire! {
    /// Something that can be read.
    pub struct Resource {
        /// Where it is.
        req uri: String = "uri",
        /// The name that programs use.
        req name: String = "name",
        /// The name that people read.
        opt title: String = "title" [since V2025_06_18],
        /// What it is, for a model to read.
        opt description: String = "description",
        /// The media type.
        opt mime_type: String = "mimeType",
        /// For whom, and how important.
        opt annotations: Annotations = "annotations",
        /// The size in bytes.
        opt size: u64 = "size",
        /// Pictures for a user interface.
        list icons: Icon = "icons" [since V2025_11_25],
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }

    /// A family of resources, addressed by filling in a template.
    pub struct ResourceTemplate {
        /// The template, in the form of RFC 6570.
        req uri_template: String = "uriTemplate",
        /// The name that programs use.
        req name: String = "name",
        /// The name that people read.
        opt title: String = "title" [since V2025_06_18],
        /// What it is for, for a model to read.
        opt description: String = "description",
        /// The media type, when all of them share one.
        opt mime_type: String = "mimeType",
        /// For whom, and how important.
        opt annotations: Annotations = "annotations",
        /// Pictures for a user interface.
        list icons: Icon = "icons" [since V2025_11_25],
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }

    /// One page of resources.
    pub struct ListResourcesResult {
        /// The page.
        req resources: Vec<Resource> = "resources",
        /// Where the next page starts; absent on the last one.
        opt next_cursor: String = "nextCursor",
        /// For how many milliseconds the result stays good.
        opt ttl_ms: u64 = "ttlMs" [since V2026_07_28],
        /// Who may reuse it.
        opt cache_scope: CacheScope = "cacheScope" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }
    adapt adapt_list;

    /// One page of templates.
    pub struct ListResourceTemplatesResult {
        /// The page.
        req resource_templates: Vec<ResourceTemplate> = "resourceTemplates",
        /// Where the next page starts; absent on the last one.
        opt next_cursor: String = "nextCursor",
        /// For how many milliseconds the result stays good.
        opt ttl_ms: u64 = "ttlMs" [since V2026_07_28],
        /// Who may reuse it.
        opt cache_scope: CacheScope = "cacheScope" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }
    adapt adapt_templates;

    /// Which resource to read.
    pub struct ReadResourceRequestParams {
        /// Where it is.
        req uri: String = "uri",
        /// Answers to what the server asked for in its previous reply.
        opt input_responses: InputResponses = "inputResponses" [since V2026_07_28],
        /// What that reply told the client to bring back.
        opt request_state: String = "requestState" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// What was read: several contents when the address names several things.
    pub struct ReadResourceResult {
        /// The contents.
        req contents: Vec<ResourceContents> = "contents",
        /// For how many milliseconds the result stays good.
        opt ttl_ms: u64 = "ttlMs" [since V2026_07_28],
        /// Who may reuse it.
        opt cache_scope: CacheScope = "cacheScope" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }
    adapt adapt_read;

    /// Which resource to watch.
    pub struct SubscribeRequestParams {
        /// Where it is.
        req uri: String = "uri",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// Which resource to watch no longer.
    pub struct UnsubscribeRequestParams {
        /// Where it is.
        req uri: String = "uri",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// A watched resource has changed.
    pub struct ResourceUpdatedNotificationParams {
        /// Where it is: the watched address or one below it.
        req uri: String = "uri",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}

impl Resource {
    /// A resource at an address.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Resource { uri: uri.into(), name: name.into(), ..Default::default() }
    }
}

impl ResourceTemplate {
    /// A family of resources.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceTemplate {
            uri_template: uri_template.into(),
            name: name.into(),
            ..Default::default()
        }
    }
}

fn adapt_list(result: &mut ListResourcesResult, revision: Revision) {
    caching::require(revision, &mut result.ttl_ms, &mut result.cache_scope);
}

fn adapt_templates(result: &mut ListResourceTemplatesResult, revision: Revision) {
    caching::require(revision, &mut result.ttl_ms, &mut result.cache_scope);
}

fn adapt_read(result: &mut ReadResourceResult, revision: Revision) {
    caching::require(revision, &mut result.ttl_ms, &mut result.cache_scope);
}
