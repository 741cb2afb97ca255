//! Resources and resource templates: functions that read what stands at an address.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use super::{Completer, Context};
use crate::error::{Error, Result};
use crate::jsonrpc::{ErrorObject, code};
use crate::transport::BoxFuture;
use crate::types::{
    Annotations, CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    Revision,
};
use crate::uri::{UriTemplate, Variables, check_uri};

type Function = dyn Fn(Context, ReadRequest) -> BoxFuture<'static, Result<ReadResourceResult, ResourceError>>
    + Send
    + Sync;

/// What a read function is asked for.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// The address.
    pub uri: String,
    /// The values of the template's variables, percent-decoded; empty for a plain resource.
    pub variables: Variables,
}

/// One resource and the function that reads it.
///
/// ```
/// use docent_mcp::server::ServerResource;
///
/// let readme = ServerResource::new("memo://readme", "readme", |_, _| async { Ok("# Hello") })
///     .mime_type("text/markdown");
/// ```
#[derive(Clone)]
pub struct ServerResource {
    pub(crate) resource: Resource,
    pub(crate) read: Reader,
}

/// A function that reads, and what is known about everything it returns.
#[derive(Clone)]
pub(crate) struct Reader {
    function: Arc<Function>,
    mime_type: Option<String>,
    cache: Option<(u64, CacheScope)>,
}

impl Reader {
    fn new<R, E, F, Fut>(function: F) -> Self
    where
        R: ResourceOutput,
        E: Into<ResourceError>,
        F: Fn(Context, ReadRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
    {
        let function = Arc::new(move |context, request: ReadRequest| {
            let uri = request.uri.clone();
            let reading = function(context, request);
            Box::pin(async move { Ok(reading.await.map_err(Into::into)?.into_result(&uri)) })
                as BoxFuture<_>
        });
        Reader { function, mime_type: None, cache: None }
    }

    pub(crate) async fn run(
        self,
        context: Context,
        request: ReadRequest,
    ) -> Result<ReadResourceResult, ResourceError> {
        let mut result = (self.function)(context, request).await?;
        if let Some(mime_type) = &self.mime_type {
            for contents in &mut result.contents {
                if contents.mime_type().is_none() {
                    *contents = contents.clone().with_mime_type(mime_type);
                }
            }
        }
        if let Some((ttl_ms, scope)) = &self.cache {
            result.ttl_ms.get_or_insert(*ttl_ms);
            result.cache_scope.get_or_insert_with(|| scope.clone());
        }
        Ok(result)
    }
}

impl ServerResource {
    /// A resource at a fixed address.
    pub fn new<R, F, Fut>(uri: impl Into<String>, name: impl Into<String>, read: F) -> Self
    where
        R: ResourceOutput,
        F: Fn(Context, ReadRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ResourceError>> + Send + 'static,
    {
        ServerResource { resource: Resource::new(uri, name), read: Reader::new(read) }
    }

    /// The media type, also of the contents unless they name their own.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        let mime_type = mime_type.into();
        self.resource.mime_type = Some(mime_type.clone());
        self.read.mime_type = Some(mime_type);
        self
    }

    /// How long, and for whom, what was read stays fresh (2026-07-28).
    #[must_use]
    pub fn cache(mut self, ttl_ms: u64, scope: CacheScope) -> Self {
        self.read.cache = Some((ttl_ms, scope));
        self
    }

    /// A sentence on what it is.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        self.adjust(|resource| resource.description = Some(description.into()))
    }

    /// For whom it is and how important.
    #[must_use]
    pub fn annotations(self, annotations: Annotations) -> Self {
        self.adjust(|resource| resource.annotations = Some(annotations))
    }

    /// Changes anything about the definition.
    #[must_use]
    pub fn adjust(mut self, change: impl FnOnce(&mut Resource)) -> Self {
        change(&mut self.resource);
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        check_uri(&self.resource.uri).map_err(|error| {
            Error::invalid_input(format!("resource `{}`: {error}", self.resource.uri))
        })
    }
}

/// A family of resources, addressed by an RFC 6570 template.
///
/// ```
/// use docent_mcp::server::ServerTemplate;
///
/// let item = ServerTemplate::new("memo://item/{id}", "item", |_, request| async move {
///     Ok(format!("item {}", request.variables.get("id").unwrap_or_default()))
/// });
/// ```
#[derive(Clone)]
pub struct ServerTemplate {
    pub(crate) template: ResourceTemplate,
    pub(crate) read: Reader,
    pub(crate) completers: BTreeMap<String, Completer>,
}

impl ServerTemplate {
    /// A template and the function that reads what it addresses.
    pub fn new<R, F, Fut>(uri_template: impl Into<String>, name: impl Into<String>, read: F) -> Self
    where
        R: ResourceOutput,
        F: Fn(Context, ReadRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ResourceError>> + Send + 'static,
    {
        ServerTemplate {
            template: ResourceTemplate::new(uri_template, name),
            read: Reader::new(read),
            completers: BTreeMap::new(),
        }
    }

    /// The media type, also of the contents unless they name their own.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        let mime_type = mime_type.into();
        self.template.mime_type = Some(mime_type.clone());
        self.read.mime_type = Some(mime_type);
        self
    }

    /// How long, and for whom, what was read stays fresh (2026-07-28).
    #[must_use]
    pub fn cache(mut self, ttl_ms: u64, scope: CacheScope) -> Self {
        self.read.cache = Some((ttl_ms, scope));
        self
    }

    /// Suggests values for a variable.
    #[must_use]
    pub fn complete(mut self, variable: impl Into<String>, completer: Completer) -> Self {
        self.completers.insert(variable.into(), completer);
        self
    }

    /// Changes anything about the definition.
    #[must_use]
    pub fn adjust(mut self, change: impl FnOnce(&mut ResourceTemplate)) -> Self {
        change(&mut self.template);
        self
    }
}

/// A registered template, parsed.
pub(crate) struct TemplateEntry {
    pub(crate) definition: ServerTemplate,
    pub(crate) template: UriTemplate,
}

impl TemplateEntry {
    pub(crate) fn new(definition: ServerTemplate) -> Result<Self> {
        let text = &definition.template.uri_template;
        let template = UriTemplate::new(text).map_err(|error| {
            Error::invalid_input(format!("resource template `{text}`: {error}"))
        })?;
        Ok(TemplateEntry { definition, template })
    }
}

/// What a read function may return.
pub trait ResourceOutput: Send + 'static {
    /// The result for the resource at `uri`.
    fn into_result(self, uri: &str) -> ReadResourceResult;
}

impl ResourceOutput for ReadResourceResult {
    fn into_result(self, _: &str) -> ReadResourceResult {
        self
    }
}

impl ResourceOutput for Vec<ResourceContents> {
    fn into_result(self, _: &str) -> ReadResourceResult {
        ReadResourceResult { contents: self, ..Default::default() }
    }
}

impl ResourceOutput for String {
    fn into_result(self, uri: &str) -> ReadResourceResult {
        vec![ResourceContents::text(uri, self)].into_result(uri)
    }
}

impl ResourceOutput for &'static str {
    fn into_result(self, uri: &str) -> ReadResourceResult {
        self.to_owned().into_result(uri)
    }
}

impl ResourceOutput for Vec<u8> {
    fn into_result(self, uri: &str) -> ReadResourceResult {
        vec![ResourceContents::blob(uri, self)].into_result(uri)
    }
}

/// Why a resource could not be read.
#[derive(Debug)]
pub enum ResourceError {
    /// There is nothing at this address.
    NotFound,
    /// Something else, answered as this protocol error.
    Protocol(ErrorObject),
}

impl ResourceError {
    /// A failure that is not the client's fault.
    pub fn internal(message: impl Into<String>) -> Self {
        ResourceError::Protocol(ErrorObject::internal(message))
    }

    /// The error object that `revision` has for it.
    pub(crate) fn into_rpc(self, uri: &str, revision: Revision) -> ErrorObject {
        match self {
            ResourceError::Protocol(error) => error,
            ResourceError::NotFound => {
                let code = if revision.is_modern() {
                    code::INVALID_PARAMS
                } else {
                    code::RESOURCE_NOT_FOUND
                };
                ErrorObject::new(code, format!("resource not found: {uri}"))
                    .with_data(serde_json::json!({ "uri": uri }))
            }
        }
    }
}

impl From<ErrorObject> for ResourceError {
    fn from(error: ErrorObject) -> Self {
        ResourceError::Protocol(error)
    }
}

impl From<Error> for ResourceError {
    fn from(error: Error) -> Self {
        ResourceError::Protocol(super::reply::as_rpc(error))
    }
}

impl From<std::io::Error> for ResourceError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => ResourceError::NotFound,
            _ => ResourceError::internal(format!("cannot be read: {error}")),
        }
    }
}
