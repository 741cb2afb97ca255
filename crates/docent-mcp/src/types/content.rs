//! The blocks that tool results and prompts are made of.

use super::annotations::Annotations;
use super::implementation::Icon;
use super::meta::Meta;
use super::resource_contents::ResourceContents;
use super::resources::Resource;
use super::wire::{Adapt, tagged, wire};
use super::{Revision, base64};

tagged! {
    /// One block of content.
    ///
    /// Encoding for a revision that lacks a kind turns the block into a text that says what was
    /// there: audio came with 2025-03-26, resource links with 2025-06-18.
    pub enum ContentBlock by "type" {
        /// Text.
        Text(TextContent) = "text",
        /// A picture.
        Image(ImageContent) = "image",
        /// Sound.
        Audio(AudioContent) = "audio",
        /// The address of a resource.
        ResourceLink(ResourceLink) = "resource_link",
        /// A resource itself.
        Resource(EmbeddedResource) = "resource",
    }
}

wire! {
    /// Text for a model or a person.
    pub struct TextContent {
        /// The text.
        req text: String = "text",
        /// For whom, and how important.
        opt annotations: Annotations = "annotations",
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }

    /// A picture.
    pub struct ImageContent {
        /// The bytes, in base64.
        req data: String = "data",
        /// The media type.
        req mime_type: String = "mimeType",
        /// For whom, and how important.
        opt annotations: Annotations = "annotations",
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }

    /// Sound.
    pub struct AudioContent {
        /// The bytes, in base64.
        req data: String = "data",
        /// The media type.
        req mime_type: String = "mimeType",
        /// For whom, and how important.
        opt annotations: Annotations = "annotations",
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }

    /// The address of a resource, which need not be in the server's list.
    pub struct ResourceLink {
        /// Where it is.
        req uri: String = "uri",
        /// The name that programs use.
        req name: String = "name",
        /// The name that people read.
        opt title: String = "title",
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
        opt meta: Meta = "_meta",
    }

    /// The contents of a resource, inside a message.
    pub struct EmbeddedResource {
        /// The contents.
        req resource: ResourceContents = "resource",
        /// For whom, and how important.
        opt annotations: Annotations = "annotations",
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        TextContent::new(text).into()
    }

    /// A picture.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        ImageContent {
            data: base64::encode(bytes),
            mime_type: mime_type.into(),
            ..Default::default()
        }
        .into()
    }

    /// Sound.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        AudioContent {
            data: base64::encode(bytes),
            mime_type: mime_type.into(),
            ..Default::default()
        }
        .into()
    }

    /// The contents of a resource.
    pub fn resource(contents: impl Into<ResourceContents>) -> Self {
        EmbeddedResource { resource: contents.into(), ..Default::default() }.into()
    }

    /// The address of a resource.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceLink { uri: uri.into(), name: name.into(), ..Default::default() }.into()
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            ContentBlock::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl TextContent {
    /// Text without annotations.
    pub fn new(text: impl Into<String>) -> Self {
        TextContent { text: text.into(), ..Default::default() }
    }
}

impl ImageContent {
    /// The picture itself, or `None` when the data is not base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        base64::decode(&self.data)
    }
}

impl AudioContent {
    /// The sound itself, or `None` when the data is not base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        base64::decode(&self.data)
    }

    /// What an audio block becomes for a peer that has never heard of audio.
    pub(super) fn into_text(self) -> TextContent {
        TextContent {
            text: format!("[audio, {}]", self.mime_type),
            annotations: self.annotations,
            ..Default::default()
        }
    }
}

impl ResourceLink {
    /// What a link becomes for a peer that has never heard of links.
    fn into_text(self) -> TextContent {
        let name = self.title.unwrap_or(self.name);
        let text = match self.mime_type {
            Some(mime_type) => format!("[resource {name}: {} ({mime_type})]", self.uri),
            None => format!("[resource {name}: {}]", self.uri),
        };
        TextContent { text, annotations: self.annotations, ..Default::default() }
    }
}

impl From<Resource> for ResourceLink {
    fn from(resource: Resource) -> Self {
        ResourceLink {
            uri: resource.uri,
            name: resource.name,
            title: resource.title,
            description: resource.description,
            mime_type: resource.mime_type,
            annotations: resource.annotations,
            size: resource.size,
            icons: resource.icons,
            meta: resource.meta,
            extra: resource.extra,
        }
    }
}

impl Default for ContentBlock {
    fn default() -> Self {
        ContentBlock::text("")
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        ContentBlock::text(text)
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        ContentBlock::text(text)
    }
}

impl Adapt for ContentBlock {
    fn adapt(&mut self, revision: Revision) {
        match self {
            ContentBlock::Audio(audio) if revision < Revision::V2025_03_26 => {
                *self = std::mem::take(audio).into_text().into();
            }
            ContentBlock::ResourceLink(link) if revision < Revision::V2025_06_18 => {
                *self = std::mem::take(link).into_text().into();
            }
            _ => {}
        }
        match self {
            ContentBlock::Text(content) => content.adapt(revision),
            ContentBlock::Image(content) => content.adapt(revision),
            ContentBlock::Audio(content) => content.adapt(revision),
            ContentBlock::ResourceLink(content) => content.adapt(revision),
            ContentBlock::Resource(content) => content.adapt(revision),
            ContentBlock::Unknown(_) => {}
        }
    }
}
