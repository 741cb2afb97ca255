//! The requests that a client can make, by name.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::Value;

use super::link::Link;
use super::{Client, Pages, RequestOptions, offers};
use crate::error::{Error, Result};
use crate::jsonrpc::{RawJson, RawObject};
use crate::schema::Validator;
use crate::types::{
    CallToolResult, CompleteResult, Completion, CompletionReference, GetPromptResult, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    LoggingLevel, Prompt, ReadResourceResult, Resource, ResourceTemplate, Revision, TaskSupport,
    Tool, method,
};

/// What is known of tools because they were listed.
#[derive(Default)]
pub(crate) struct KnownTools(Mutex<HashMap<String, KnownTool>>);

#[derive(Clone)]
struct KnownTool {
    output: Option<Arc<Validator>>,
    task_support: TaskSupport,
}

impl KnownTools {
    fn get(&self, name: &str) -> Option<KnownTool> {
        self.0.lock().expect("no panic while locked").get(name).cloned()
    }

    /// Whether calls of a tool may or must be tasks (2025-11-25), if that is known.
    pub(crate) fn task_support(&self, name: &str) -> Option<TaskSupport> {
        self.get(name).map(|tool| tool.task_support)
    }
}

/// The parameters of a call.
pub(super) fn call_params(name: &str, arguments: impl Serialize) -> Result<RawObject> {
    let mut params = RawObject::from_iter([("name", RawJson::of(name))]);
    let arguments = RawJson::encode(&arguments).map_err(|error| {
        Error::invalid_input("the arguments cannot be written as JSON").with_source(error)
    })?;
    match arguments.as_bytes() {
        [b'{', ..] => params.insert("arguments", arguments),
        b"null" => {}
        _ => return Err(Error::invalid_input("the arguments of a tool must be an object")),
    }
    Ok(params)
}

impl Client {
    /// All tools.
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        let tools = self.tool_pages().collect().await?;
        self.learn_tools(&tools);
        Ok(tools)
    }

    /// The tools, page by page.
    pub fn tool_pages(&self) -> Pages<Tool> {
        Pages::new(self, method::TOOLS_LIST, |client, page| {
            let ListToolsResult { tools, next_cursor, .. } = page.decode()?;
            Ok((client.usable_tools(tools), next_cursor))
        })
    }

    /// The tool of this name, with its input schema as the server sent it.
    pub async fn tool(&self, name: &str) -> Result<Option<Tool>> {
        Ok(self.tools().await?.into_iter().find(|tool| tool.name == name))
    }

    /// All resources.
    pub async fn resources(&self) -> Result<Vec<Resource>> {
        self.resource_pages().collect().await
    }

    /// The resources, page by page.
    pub fn resource_pages(&self) -> Pages<Resource> {
        Pages::new(self, method::RESOURCES_LIST, |_, page| {
            page.decode::<ListResourcesResult>().map(|page| (page.resources, page.next_cursor))
        })
    }

    /// All resource templates.
    pub async fn templates(&self) -> Result<Vec<ResourceTemplate>> {
        self.template_pages().collect().await
    }

    /// The resource templates, page by page.
    pub fn template_pages(&self) -> Pages<ResourceTemplate> {
        Pages::new(self, method::RESOURCES_TEMPLATES_LIST, |_, page| {
            page.decode::<ListResourceTemplatesResult>()
                .map(|page| (page.resource_templates, page.next_cursor))
        })
    }

    /// All prompts.
    pub async fn prompts(&self) -> Result<Vec<Prompt>> {
        self.prompt_pages().collect().await
    }

    /// The prompts, page by page.
    pub fn prompt_pages(&self) -> Pages<Prompt> {
        Pages::new(self, method::PROMPTS_LIST, |_, page| {
            page.decode::<ListPromptsResult>().map(|page| (page.prompts, page.next_cursor))
        })
    }

    /// Calls a tool. A tool that ran and failed is a result with `is_error`, not an error. A call
    /// that the server runs as a task is waited for.
    pub async fn call(&self, name: &str, arguments: impl Serialize) -> Result<CallToolResult> {
        self.call_with(name, arguments, RequestOptions::default()).await
    }

    /// [`Client::call`] with options.
    pub async fn call_with(
        &self,
        name: &str,
        arguments: impl Serialize,
        options: RequestOptions,
    ) -> Result<CallToolResult> {
        self.call_to_end(name, call_params(name, arguments)?, options).await
    }

    /// Reads the resource at `uri`.
    pub async fn read(&self, uri: &str) -> Result<ReadResourceResult> {
        self.read_with(uri, RequestOptions::default()).await
    }

    /// [`Client::read`] with options.
    pub async fn read_with(
        &self,
        uri: &str,
        options: RequestOptions,
    ) -> Result<ReadResourceResult> {
        let params = RawObject::from_iter([("uri", RawJson::of(uri))]);
        self.typed(method::RESOURCES_READ, params, options).await
    }

    /// Gets the messages of a prompt.
    pub async fn prompt<K: Into<String>, V: Into<String>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = (K, V)>,
    ) -> Result<GetPromptResult> {
        self.prompt_with(name, arguments, RequestOptions::default()).await
    }

    /// [`Client::prompt`] with options.
    pub async fn prompt_with<K: Into<String>, V: Into<String>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = (K, V)>,
        options: RequestOptions,
    ) -> Result<GetPromptResult> {
        let arguments: JsonObject = arguments
            .into_iter()
            .map(|(name, value)| (name.into(), Value::String(value.into())))
            .collect();
        let mut params = RawObject::from_iter([("name", RawJson::of(name))]);
        if !arguments.is_empty() {
            params.insert("arguments", Value::Object(arguments));
        }
        self.typed(method::PROMPTS_GET, params, options).await
    }

    /// Asks for suggestions for an argument of a prompt or a variable of a resource template.
    /// `known` are the other arguments that have been filled in.
    pub async fn complete(
        &self,
        reference: CompletionReference,
        argument: &str,
        value: &str,
        known: BTreeMap<String, String>,
    ) -> Result<Completion> {
        let options = RequestOptions::default();
        self.complete_with(reference, argument, value, known, options).await
    }

    /// [`Client::complete`] with options.
    pub async fn complete_with(
        &self,
        reference: CompletionReference,
        argument: &str,
        value: &str,
        known: BTreeMap<String, String>,
        options: RequestOptions,
    ) -> Result<Completion> {
        let mut params = RawObject::from_iter([
            ("ref", RawJson::of(&reference)),
            ("argument", serde_json::json!({ "name": argument, "value": value }).into()),
        ]);
        let revision = self.link().await?.server().revision;
        if !known.is_empty() && revision >= Revision::V2025_06_18 {
            params.insert("context", serde_json::json!({ "arguments": known }));
        }
        let result: CompleteResult =
            self.typed(method::COMPLETION_COMPLETE, params, options).await?;
        Ok(result.completion)
    }

    /// Asks for log messages from this level on: of the session, or, with a modern server, of
    /// every request from now on.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<()> {
        let link = self.link().await?;
        if !link.is_modern() {
            self.set_session_log_level(&link, level).await?;
        }
        *self.inner.log_level.lock().expect("no panic while locked") = Some(level);
        Ok(())
    }

    pub(super) async fn set_session_log_level(
        &self,
        link: &Arc<Link>,
        level: LoggingLevel,
    ) -> Result<()> {
        offers::check(link.server(), method::LOGGING_SET_LEVEL)?;
        let params = RawObject::from_iter([("level", RawJson::of(level.as_str()))]);
        let options = RequestOptions::default();
        self.request_on(link, method::LOGGING_SET_LEVEL, &params, &options).await.map(drop)
    }

    /// Asks whether the server is there: a ping in a legacy session, a discovery otherwise.
    pub async fn ping(&self) -> Result<()> {
        let link = self.link().await?;
        if !link.is_modern() {
            return self
                .request(method::PING, RawObject::new(), RequestOptions::default())
                .await
                .map(drop);
        }
        self.rounds(&link, method::SERVER_DISCOVER, &RawObject::new(), &RequestOptions::default())
            .await
            .map(drop)
    }

    async fn typed<T: serde::de::DeserializeOwned>(
        &self,
        method: &str,
        params: RawObject,
        options: RequestOptions,
    ) -> Result<T> {
        let result = self.offered(method, params, options).await?;
        result.decode().map_err(|error| {
            Error::invalid_response(format!("the answer to {method} cannot be read"))
                .with_source(error)
        })
    }

    /// Makes a request that this crate knows, if the server offers it, and returns its complete
    /// result.
    pub(super) async fn offered(
        &self,
        method: &str,
        params: RawObject,
        options: RequestOptions,
    ) -> Result<RawJson> {
        let offered = |link: &Link| offers::check(link.server(), method);
        let (link, result) = self.persist(method, &params, &options, offered).await?;
        self.check_complete(&link, method, &result)?;
        Ok(result)
    }

    /// Remembers the output schemas of tools that were listed, and whether they run as tasks, in
    /// place of what was known before. [`Client::tools`] does that by itself; this is for those who
    /// list [page by page](Client::tool_pages). A schema that cannot be used is not enforced.
    pub fn learn_tools(&self, tools: &[Tool]) {
        let limits = &self.limits().schema;
        let compiled = tools.iter().map(|tool| {
            let validator = tool.output_schema.as_ref().and_then(|schema| {
                Validator::new(schema, limits)
                    .inspect_err(
                        |error| tracing::warn!(tool = tool.name, %error, "output schema ignored"),
                    )
                    .ok()
            });
            let execution = tool.execution.as_ref();
            let task_support = execution.and_then(|execution| execution.task_support);
            let known = KnownTool {
                output: validator.map(Arc::new),
                task_support: task_support.unwrap_or_default(),
            };
            (tool.name.clone(), known)
        });
        *self.inner.known_tools.0.lock().expect("no panic while locked") = compiled.collect();
    }

    /// Holds a result against the output schema of its tool, if that is known.
    pub(super) fn check_structured(&self, name: &str, result: &CallToolResult) -> Result<()> {
        if result.is_error == Some(true) {
            return Ok(());
        }
        let known = self.inner.known_tools.get(name);
        let Some(validator) = known.and_then(|tool| tool.output) else { return Ok(()) };
        let Some(content) = &result.structured_content else {
            let message =
                format!("tool `{name}` has an output schema but returned no structured content");
            return Err(Error::invalid_response(message));
        };
        validator.check(content).map_err(|violations| {
            let list: Vec<_> = violations.iter().map(ToString::to_string).collect();
            Error::invalid_response(format!(
                "tool `{name}` broke its output schema: {}",
                list.join("; ")
            ))
        })
    }
}
