//! Prompts: messages that a server prepares for a model.

use std::collections::BTreeMap;

use super::Revision;
use super::annotations::Role;
use super::caching::{self, CacheScope};
use super::content::ContentBlock;
use super::implementation::Icon;
use super::input::InputResponses;
use super::meta::Meta;
use super::wire::wire;

wire! {
    /// A prompt that can be asked for.
    pub struct Prompt {
        /// The name that programs use.
        req name: String = "name",
        /// The name that people read.
        opt title: String = "title" [since V2025_06_18],
        /// What it is for.
        opt description: String = "description",
        /// What can be filled in.
        list arguments: PromptArgument = "arguments",
        /// Pictures for a user interface.
        list icons: Icon = "icons" [since V2025_11_25],
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }

    /// A blank in a prompt.
    pub struct PromptArgument {
        /// The name that programs use.
        req name: String = "name",
        /// The name that people read.
        opt title: String = "title" [since V2025_06_18],
        /// What belongs there.
        opt description: String = "description",
        /// Whether the prompt cannot do without.
        opt required: bool = "required",
    }

    /// One page of prompts.
    pub struct ListPromptsResult {
        /// The page.
        req prompts: Vec<Prompt> = "prompts",
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

    /// Which prompt, and what to fill in.
    pub struct GetPromptRequestParams {
        /// The prompt.
        req name: String = "name",
        /// What to fill in, by argument.
        opt arguments: BTreeMap<String, String> = "arguments",
        /// Answers to what the server asked for in its previous reply.
        opt input_responses: InputResponses = "inputResponses" [since V2026_07_28],
        /// What that reply told the client to bring back.
        opt request_state: String = "requestState" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// The finished prompt.
    pub struct GetPromptResult {
        /// What it is for.
        opt description: String = "description",
        /// The messages, in order.
        req messages: Vec<PromptMessage> = "messages",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// One message of a prompt.
    pub struct PromptMessage {
        /// Who speaks.
        req role: Role = "role",
        /// What is said.
        req content: ContentBlock = "content",
    }
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Prompt { name: name.into(), description: Some(description.into()), ..Default::default() }
    }
}

impl PromptArgument {
    /// An argument that the prompt cannot do without.
    pub fn required(name: impl Into<String>, description: impl Into<String>) -> Self {
        PromptArgument {
            name: name.into(),
            description: Some(description.into()),
            required: Some(true),
            ..Default::default()
        }
    }

    /// An argument that may be left out.
    pub fn optional(name: impl Into<String>, description: impl Into<String>) -> Self {
        PromptArgument { required: None, ..Self::required(name, description) }
    }
}

impl PromptMessage {
    /// The person says something.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        PromptMessage { role: Role::User, content: content.into(), ..Default::default() }
    }

    /// The model says something.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        PromptMessage { role: Role::Assistant, content: content.into(), ..Default::default() }
    }
}

fn adapt_list(result: &mut ListPromptsResult, revision: Revision) {
    caching::require(revision, &mut result.ttl_ms, &mut result.cache_scope);
}
