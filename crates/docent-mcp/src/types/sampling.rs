//! `sampling/createMessage`: how a server asks the client's language model.

use super::annotations::{Role, unit_interval};
use super::choice::choice;
use super::meta::Meta;
use super::sampling_content::SamplingContents;
use super::tasks::TaskMetadata;
use super::tools::Tool;
use super::wire::wire;
use super::{JsonObject, Revision};

wire! {
    /// What the model is asked.
    pub struct CreateMessageRequestParams {
        /// The conversation so far. For revisions whose messages hold one block each, a message of
        /// several becomes several messages of the same role.
        req messages: Vec<SamplingMessage> = "messages",
        /// What to look for in a model. The client decides.
        opt model_preferences: ModelPreferences = "modelPreferences",
        /// Instructions for the model. The client may change or drop them.
        opt system_prompt: String = "systemPrompt",
        /// Whose context to add. Needs the client's `sampling.context`.
        opt include_context: IncludeContext = "includeContext",
        /// How freely the model may choose its words.
        opt temperature: f64 = "temperature",
        /// How many tokens the answer may have at most.
        req max_tokens: u64 = "maxTokens",
        /// Texts at which the model stops.
        list stop_sequences: String = "stopSequences",
        /// Parameters for a provider, passed on as they are.
        opt metadata: JsonObject = "metadata",
        /// Tools the model may use. Needs the client's `sampling.tools`.
        list tools: Tool = "tools" [since V2025_11_25],
        /// How the model is to use them.
        opt tool_choice: ToolChoice = "toolChoice" [since V2025_11_25],
        /// Asks for the request to run as a task.
        opt task: TaskMetadata = "task" [since V2025_11_25 until V2025_11_25],
        /// Metadata. Requests inside `inputRequests` have none.
        opt meta: Meta = "_meta" [until V2025_11_25],
    }
    adapt adapt_request;

    /// One message of the conversation.
    pub struct SamplingMessage {
        /// Who speaks.
        req role: Role = "role",
        /// What is said.
        req content: SamplingContents = "content",
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_11_25],
    }

    /// What the model said, as a message or inside `inputResponses`.
    pub struct CreateMessageResult {
        /// Who speaks: the model.
        req role: Role = "role",
        /// What it said.
        req content: SamplingContents = "content",
        /// Which model it was.
        req model: String = "model",
        /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or a provider's word.
        opt stop_reason: String = "stopReason",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// What to look for in a model: weights between 0 and 1, and names.
    pub struct ModelPreferences {
        /// Names or parts of names, best first.
        list hints: ModelHint = "hints",
        /// How much a low price matters.
        opt cost_priority: f64 = "costPriority",
        /// How much speed matters.
        opt speed_priority: f64 = "speedPriority",
        /// How much ability matters.
        opt intelligence_priority: f64 = "intelligencePriority",
    }
    adapt adapt_preferences;

    /// A wish for a model.
    pub struct ModelHint {
        /// Part of a model's name.
        opt name: String = "name",
    }

    /// How the model is to use its tools.
    pub struct ToolChoice {
        /// As it likes, if absent.
        opt mode: ToolChoiceMode = "mode",
    }
}

choice! {
    /// Whose context a sampling request wants added.
    pub enum IncludeContext {
        /// Nobody's.
        #[default]
        None = "none",
        /// That of the server that asks.
        ThisServer = "thisServer",
        /// That of every server.
        AllServers = "allServers",
    }
}

choice! {
    /// How a model is to use its tools.
    pub enum ToolChoiceMode {
        /// As it likes.
        #[default]
        Auto = "auto",
        /// It has to use one.
        Required = "required",
        /// Not at all.
        None = "none",
    }
}

impl SamplingMessage {
    /// The person says something.
    pub fn user(content: impl Into<SamplingContents>) -> Self {
        SamplingMessage { role: Role::User, content: content.into(), ..Default::default() }
    }

    /// The model says something.
    pub fn assistant(content: impl Into<SamplingContents>) -> Self {
        SamplingMessage { role: Role::Assistant, content: content.into(), ..Default::default() }
    }
}

fn adapt_request(params: &mut CreateMessageRequestParams, revision: Revision) {
    if revision >= Revision::V2025_11_25 {
        return;
    }
    if params.messages.iter().all(|message| message.content.len() == 1) {
        return;
    }
    let split = |message: SamplingMessage| {
        let SamplingMessage { role, content, meta, extra } = message;
        content.0.into_iter().map(move |block| SamplingMessage {
            role,
            content: block.into(),
            meta: meta.clone(),
            extra: extra.clone(),
        })
    };
    params.messages = std::mem::take(&mut params.messages).into_iter().flat_map(split).collect();
}

fn adapt_preferences(preferences: &mut ModelPreferences, _: Revision) {
    for weight in [
        &mut preferences.cost_priority,
        &mut preferences.speed_priority,
        &mut preferences.intelligence_priority,
    ] {
        *weight = weight.and_then(unit_interval);
    }
}
