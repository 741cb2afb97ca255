//! From a handler's value to the JSON of a result, in the words of the request's revision.

use serde::Serialize;

use super::Context;
use super::tool::{Failure, ToolError};
use crate::error::{Error, ErrorKind};
use crate::jsonrpc::{ErrorObject, RawJson, RawObject};
use crate::types::{
    Adapt, CallToolResult, CompleteResult, ContentBlock, CreateTaskResult, DetailedTask,
    DiscoverResult, EmptyResult, GetPromptResult, GetSkillResult, InitializeResult,
    InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListTasksResult, ListToolsResult, Meta, ReadResourceResult,
    SubscriptionsListenResult, Task, WireFields, encode_result, encode_result_with,
};

/// A result type that can carry metadata.
pub trait HasMeta {
    /// The metadata, if there is any.
    fn meta(&self) -> Option<&Meta>;
    /// The metadata, made if there is none.
    fn meta_mut(&mut self) -> &mut Meta;
}

macro_rules! has_meta {
    ($($ty:ty),* $(,)?) => { $(impl HasMeta for $ty {
        fn meta(&self) -> Option<&Meta> {
            self.meta.as_ref()
        }

        fn meta_mut(&mut self) -> &mut Meta {
            self.meta.get_or_insert_default()
        }
    })* };
}

has_meta!(
    CallToolResult,
    CompleteResult,
    CreateTaskResult,
    DetailedTask,
    DiscoverResult,
    EmptyResult,
    GetPromptResult,
    GetSkillResult,
    InitializeResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourceTemplatesResult,
    ListResourcesResult,
    ListSkillsResult,
    ListTasksResult,
    ListToolsResult,
    ReadResourceResult,
    SubscriptionsListenResult,
    Task,
);

impl Context {
    /// Encodes a complete result for this request. For methods of extensions; the core's own
    /// methods do it by themselves.
    pub fn reply<T: Serialize + Adapt + WireFields + HasMeta>(&self, result: T) -> RawJson {
        self.reply_as("complete", result)
    }

    /// Encodes a result of another result type, for example one that an extension defines.
    pub fn reply_as<T>(&self, result_type: &str, mut result: T) -> RawJson
    where
        T: Serialize + Adapt + WireFields + HasMeta,
    {
        let (revision, core) = (self.revision(), &self.scope.core);
        if revision.is_modern() {
            if result.meta().is_none() {
                // What most results have was encoded once, for all of them.
                let meta = &core.server_meta;
                return encode_result_with(&mut result, revision, result_type, meta).into();
            }
            let meta = result.meta_mut();
            if !meta.contains_key(Meta::SERVER_INFO) {
                meta.insert(Meta::SERVER_INFO, core.server_info_json.clone());
            }
        }
        encode_result(&mut result, revision, result_type).into()
    }
}

impl Context {
    /// Encodes a complete result of another server for this request, whose revision has to have the same
    /// words for it. What it says stays as it is written, but for who says it.
    pub fn reply_text(&self, result: &RawObject) -> RawJson {
        let mut meta: Meta = result.read("_meta").ok().flatten().unwrap_or_default();
        meta.remove(Meta::SERVER_INFO);
        meta.adapt(self.revision());
        let (modern, core) = (self.revision().is_modern(), &self.scope.core);
        let meta = match meta.is_empty() {
            true => modern.then(|| RawJson::from(core.server_meta.clone())),
            false => {
                if modern {
                    meta.insert(Meta::SERVER_INFO, core.server_info_json.clone());
                }
                Some(RawJson::of(&meta))
            }
        };
        let kind = modern.then(|| ("resultType", RawJson::of("complete")));
        let ours = |name: &str| matches!(name, "resultType" | "_meta");
        let said = result.iter().filter(|(name, _)| !ours(name));
        let said = said.map(|(name, text)| (name, text.clone()));
        let meta = meta.map(|meta| ("_meta", meta));
        RawObject::from_iter(kind.into_iter().chain(said).chain(meta)).encode()
    }
}

/// What the client is told about an error that a handler ran into: the error object it carries, or
/// that something failed. Details of other errors stay here, for they may hold secrets.
pub(crate) fn as_rpc(error: Error) -> ErrorObject {
    match (error.rpc(), error.kind()) {
        (Some(rpc), _) => rpc.clone(),
        (None, ErrorKind::Unsupported | ErrorKind::InvalidInput) => {
            ErrorObject::invalid_request(error.to_string())
        }
        (None, _) => {
            tracing::warn!(error = %format!("{error:#}"), "a handler failed");
            ErrorObject::internal("the request failed on the server")
        }
    }
}

/// The result of a tool, or the protocol error it failed with.
pub(crate) fn tool_result(
    outcome: Result<CallToolResult, ToolError>,
) -> Result<CallToolResult, ErrorObject> {
    match outcome {
        Ok(result) => Ok(result),
        Err(ToolError(Failure::Execution(result))) => Ok(*result),
        Err(ToolError(Failure::Protocol(error))) => Err(*error),
    }
}

/// Cuts the text of a result down to `max` bytes in all, and says so where it was cut.
pub(crate) fn truncate(result: &mut CallToolResult, max: usize) {
    let mut left = max;
    for block in &mut result.content {
        let ContentBlock::Text(content) = block else { continue };
        let length = content.text.len();
        if length > left {
            let end = content.text.floor_char_boundary(left);
            content.text.truncate(end);
            let cut = length - end;
            content.text.push_str(&format!(
                "\n[cut here: {cut} more bytes are over the limit of {max}; ask for a smaller part]"
            ));
        }
        left = left.saturating_sub(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_the_limit_and_says_so() {
        let cut = |text: &str, max| {
            let mut result = CallToolResult::text(text);
            truncate(&mut result, max);
            result.content[0].as_text().unwrap().to_owned()
        };
        assert_eq!(cut("12345", 5), "12345");
        let expected = "[cut here: 1 more bytes are over the limit of 5; ask for a smaller part]";
        assert_eq!(cut("123456", 5), format!("12345\n{expected}"));
        assert!(cut("ééé", 3).starts_with("é\n[cut here: 4 "));
    }
}
