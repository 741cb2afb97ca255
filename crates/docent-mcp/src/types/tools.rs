//! Tools: what a server can do for a model.

use serde::Deserialize as _;
use serde_json::Value;
use serde_json::value::RawValue;

use super::caching::{self, CacheScope};
use super::choice::choice;
use super::content::ContentBlock;
use super::implementation::Icon;
use super::input::InputResponses;
use super::meta::Meta;
use super::tasks::TaskMetadata;
use super::wire::wire;
use super::{JsonObject, Revision, result, tool_schema};

wire! {
    /// A tool that can be called.
    pub struct Tool {
        /// The name that programs use.
        req name: String = "name",
        /// The name that people read.
        opt title: String = "title" [since V2025_06_18],
        /// What it does, for a model to read.
        opt description: String = "description",
        /// The JSON Schema of its arguments.
        req input_schema: Value = "inputSchema",
        /// The JSON Schema of its structured result. Before 2026-07-28 the root has to be an
        /// object; other schemas are left out for those peers.
        opt output_schema: Value = "outputSchema" [since V2025_06_18],
        /// Hints about its behavior.
        opt annotations: ToolAnnotations = "annotations" [since V2025_03_26],
        /// How it may be run.
        opt execution: ToolExecution = "execution" [since V2025_11_25 until V2025_11_25],
        /// Pictures for a user interface.
        list icons: Icon = "icons" [since V2025_11_25],
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }
    adapt adapt_tool;

    /// Hints about a tool. They come from the server and prove nothing: a client that trusts a
    /// server no further than its word must not skip a confirmation because of them. Each is
    /// `None` when the server did not say; the methods give the protocol's defaults.
    pub struct ToolAnnotations {
        /// A name for people. [`Tool::title`] goes before it.
        opt title: String = "title",
        /// It changes nothing.
        opt read_only_hint: bool = "readOnlyHint",
        /// It may destroy something.
        opt destructive_hint: bool = "destructiveHint",
        /// Calling it twice is like calling it once.
        opt idempotent_hint: bool = "idempotentHint",
        /// It reaches out to a world that nobody can list.
        opt open_world_hint: bool = "openWorldHint",
    }

    /// How a tool may be run.
    pub struct ToolExecution {
        /// Whether as a task.
        opt task_support: TaskSupport = "taskSupport",
    }

    /// One page of tools.
    pub struct ListToolsResult {
        /// The page.
        req tools: Vec<Tool> = "tools",
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

    /// Which tool to call, and with what.
    pub struct CallToolRequestParams {
        /// The tool.
        req name: String = "name",
        /// The arguments, by name.
        opt arguments: JsonObject = "arguments",
        /// Asks for the call to run as a task.
        opt task: TaskMetadata = "task" [since V2025_11_25 until V2025_11_25],
        /// Answers to what the server asked for in its previous reply.
        opt input_responses: InputResponses = "inputResponses" [since V2026_07_28],
        /// What that reply told the client to bring back.
        opt request_state: String = "requestState" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// What a tool has to say. A tool that fails says so here, with `is_error`, so that the model
    /// can read why.
    pub struct CallToolResult {
        /// The result for a model to read.
        def content: Vec<ContentBlock> = "content",
        /// The result for a program to read. Before 2026-07-28 only an object.
        any structured_content: Value = "structuredContent" [since V2025_06_18],
        /// Whether the tool failed.
        opt is_error: bool = "isError",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
    adapt adapt_result;
}

choice! {
    /// Whether a tool can run as a task (2025-11-25).
    pub enum TaskSupport {
        /// Never.
        #[default]
        Forbidden = "forbidden",
        /// If the client wants.
        Optional = "optional",
        /// Always.
        Required = "required",
    }
}

impl Tool {
    /// A tool with its description and the JSON Schema of its arguments.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: impl Into<Value>,
    ) -> Self {
        Tool {
            name: name.into(),
            description: Some(description.into()),
            input_schema: input_schema.into(),
            ..Default::default()
        }
    }

    /// The name to show to a person: the title, the annotations' title, or the name.
    pub fn display_name(&self) -> &str {
        let annotated = || self.annotations.as_ref().and_then(|hints| hints.title.as_deref());
        self.title.as_deref().or_else(annotated).unwrap_or(&self.name)
    }
}

impl ToolAnnotations {
    /// Whether it claims to change nothing; no, if it does not say.
    pub fn is_read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Whether it may destroy something; yes, if it does not say.
    pub fn is_destructive(&self) -> bool {
        self.destructive_hint.unwrap_or(true)
    }

    /// Whether it claims that calling it twice is like calling it once; no, if it does not say.
    pub fn is_idempotent(&self) -> bool {
        self.idempotent_hint.unwrap_or(false)
    }

    /// Whether it reaches out to a world that nobody can list; yes, if it does not say.
    pub fn is_open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

impl CallToolRequestParams {
    /// A call with arguments.
    pub fn new(name: impl Into<String>, arguments: JsonObject) -> Self {
        CallToolRequestParams {
            name: name.into(),
            arguments: Some(arguments),
            ..Default::default()
        }
    }
}

impl CallToolResult {
    /// A result of one text.
    pub fn text(text: impl Into<String>) -> Self {
        CallToolResult { content: vec![ContentBlock::text(text)], ..Default::default() }
    }

    /// A failure, with the reason for the model to read.
    pub fn error(reason: impl Into<String>) -> Self {
        CallToolResult { is_error: Some(true), ..Self::text(reason) }
    }

    /// A structured result, with its JSON text for clients that only read content.
    pub fn structured(value: impl Into<Value>) -> Self {
        let value = value.into();
        CallToolResult { structured_content: Some(value.clone()), ..Self::text(value.to_string()) }
    }

    /// Whether the tool failed.
    pub fn failed(&self) -> bool {
        self.is_error == Some(true)
    }

    /// Decodes a peer's result. Plain decoding takes a missing `content` for an empty one; here
    /// that is an error unless there is structured content to make up for it.
    pub fn from_raw(raw: &RawValue) -> serde_json::Result<Self> {
        let result = CallToolResult::deserialize(raw)?;
        if result.content.is_empty()
            && result.structured_content.is_none()
            && !result::has_field(raw, "content")
        {
            return Err(serde::de::Error::missing_field("content"));
        }
        Ok(result)
    }
}

fn adapt_tool(tool: &mut Tool, revision: Revision) {
    tool_schema::adapt_input(&mut tool.input_schema, revision);
    tool_schema::adapt_output(&mut tool.output_schema, revision);
}

fn adapt_list(result: &mut ListToolsResult, revision: Revision) {
    caching::require(revision, &mut result.ttl_ms, &mut result.cache_scope);
}

fn adapt_result(result: &mut CallToolResult, revision: Revision) {
    adapt_structured_content(&mut result.structured_content, revision);
}

/// Before 2026-07-28 structured content is an object or nothing; the text copy remains.
pub(super) fn adapt_structured_content(content: &mut Option<Value>, revision: Revision) {
    content.take_if(|content| !revision.is_modern() && !content.is_object());
}
