//! What a sampling message is made of: the blocks of a model's turn, tool use included.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::content::{AudioContent, ContentBlock, ImageContent, TextContent};
use super::meta::Meta;
use super::tools::adapt_structured_content;
use super::wire::{Adapt, tagged, wire};
use super::{JsonObject, Revision};

tagged! {
    /// One block of a sampling message.
    ///
    /// Encoding for a revision that lacks a kind turns the block into a text that says what was
    /// there: audio came with 2025-03-26, the use of tools with 2025-11-25.
    pub enum SamplingContent by "type" {
        /// Text.
        Text(TextContent) = "text",
        /// A picture.
        Image(ImageContent) = "image",
        /// Sound.
        Audio(AudioContent) = "audio",
        /// The model wants to use a tool.
        ToolUse(ToolUseContent) = "tool_use",
        /// What the tool said.
        ToolResult(ToolResultContent) = "tool_result",
    }
}

wire! {
    /// The model wants to use a tool.
    pub struct ToolUseContent {
        /// Names this use, for the result to refer to.
        req id: String = "id",
        /// The tool.
        req name: String = "name",
        /// The arguments.
        def input: JsonObject = "input",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// What a tool said to the model.
    pub struct ToolResultContent {
        /// The use that this answers.
        req tool_use_id: String = "toolUseId",
        /// The result for a model to read.
        def content: Vec<ContentBlock> = "content",
        /// The result for a program to read. Before 2026-07-28 only an object.
        any structured_content: Value = "structuredContent",
        /// Whether the tool failed.
        opt is_error: bool = "isError",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
    adapt adapt_tool_result;
}

/// The blocks of one message.
///
/// On the wire a single block stands alone and several stand in an array; both are understood.
/// Revisions before 2025-11-25 have no arrays. For them several blocks become one: the texts,
/// joined by line breaks, or the first block when none is text. Messages of a request need no such
/// loss, because they are split instead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplingContents(pub Vec<SamplingContent>);

impl SamplingContent {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        TextContent::new(text).into()
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            SamplingContent::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl SamplingContents {
    /// All texts, joined by line breaks.
    pub fn joined_text(&self) -> String {
        self.0.iter().filter_map(SamplingContent::as_text).collect::<Vec<_>>().join("\n")
    }

    fn reduce_to_one(&mut self) {
        match self.0.as_slice() {
            [_] => {}
            blocks if !blocks.is_empty() && blocks.iter().all(|b| b.as_text().is_none()) => {
                self.0.truncate(1);
            }
            _ => self.0 = vec![SamplingContent::text(self.joined_text())],
        }
    }
}

fn adapt_tool_result(content: &mut ToolResultContent, revision: Revision) {
    adapt_structured_content(&mut content.structured_content, revision);
}

impl Adapt for SamplingContent {
    fn adapt(&mut self, revision: Revision) {
        let older = revision < Revision::V2025_11_25;
        match self {
            SamplingContent::Audio(audio) if revision < Revision::V2025_03_26 => {
                *self = std::mem::take(audio).into_text().into();
            }
            SamplingContent::ToolUse(tool) if older => {
                let input = Value::Object(std::mem::take(&mut tool.input));
                *self = SamplingContent::text(format!("[use of tool {}: {input}]", tool.name));
            }
            SamplingContent::ToolResult(tool) if older => {
                let texts = tool.content.iter().filter_map(ContentBlock::as_text);
                let texts = texts.collect::<Vec<_>>().join("\n");
                *self = SamplingContent::text(format!("[tool result: {texts}]"));
            }
            _ => {}
        }
        match self {
            SamplingContent::Text(content) => content.adapt(revision),
            SamplingContent::Image(content) => content.adapt(revision),
            SamplingContent::Audio(content) => content.adapt(revision),
            SamplingContent::ToolUse(content) => content.adapt(revision),
            SamplingContent::ToolResult(content) => content.adapt(revision),
            SamplingContent::Unknown(_) => {}
        }
    }
}

impl Adapt for SamplingContents {
    fn adapt(&mut self, revision: Revision) {
        self.0.adapt(revision);
        if revision < Revision::V2025_11_25 {
            self.reduce_to_one();
        }
    }
}

impl Serialize for SamplingContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [block] => block.serialize(serializer),
            blocks => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Array(blocks) => blocks.into_iter().map(serde_json::from_value).collect(),
            block => serde_json::from_value(block).map(|block| vec![block]),
        }
        .map(SamplingContents)
        .map_err(serde::de::Error::custom)
    }
}

impl Default for SamplingContent {
    fn default() -> Self {
        SamplingContent::text("")
    }
}

impl Deref for SamplingContents {
    type Target = Vec<SamplingContent>;
    fn deref(&self) -> &Vec<SamplingContent> {
        &self.0
    }
}

impl DerefMut for SamplingContents {
    fn deref_mut(&mut self) -> &mut Vec<SamplingContent> {
        &mut self.0
    }
}

impl<T: Into<SamplingContent>> From<T> for SamplingContents {
    fn from(block: T) -> Self {
        SamplingContents(vec![block.into()])
    }
}

impl From<Vec<SamplingContent>> for SamplingContents {
    fn from(blocks: Vec<SamplingContent>) -> Self {
        SamplingContents(blocks)
    }
}

impl From<&str> for SamplingContent {
    fn from(text: &str) -> Self {
        SamplingContent::text(text)
    }
}

impl From<String> for SamplingContent {
    fn from(text: String) -> Self {
        SamplingContent::text(text)
    }
}
