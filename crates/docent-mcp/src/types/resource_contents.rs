//! The contents of a resource: text or bytes, told apart by which of the two fields is there.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::meta::Meta;
use super::wire::{Adapt, Extra, wire};
use super::{Revision, base64};

/// The contents of a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

wire! {
    /// The contents of a resource that is text.
    pub struct TextResourceContents {
        /// Which resource.
        req uri: String = "uri",
        /// The media type, if it is known.
        opt mime_type: String = "mimeType",
        /// The text.
        req text: String = "text",
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }

    /// The contents of a resource that is not text.
    pub struct BlobResourceContents {
        /// Which resource.
        req uri: String = "uri",
        /// The media type, if it is known.
        opt mime_type: String = "mimeType",
        /// The bytes, in base64.
        req blob: String = "blob",
        /// Metadata.
        opt meta: Meta = "_meta" [since V2025_06_18],
    }
}

impl ResourceContents {
    /// Text, with a media type if it is known.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        ResourceContents::Text(TextResourceContents {
            uri: uri.into(),
            text: text.into(),
            ..Default::default()
        })
    }

    /// Bytes.
    pub fn blob(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        ResourceContents::Blob(BlobResourceContents {
            uri: uri.into(),
            blob: base64::encode(bytes),
            ..Default::default()
        })
    }

    /// The same with a media type.
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        match &mut self {
            ResourceContents::Text(contents) => contents.mime_type = Some(mime_type.into()),
            ResourceContents::Blob(contents) => contents.mime_type = Some(mime_type.into()),
        }
        self
    }

    /// Which resource.
    pub fn uri(&self) -> &str {
        match self {
            ResourceContents::Text(contents) => &contents.uri,
            ResourceContents::Blob(contents) => &contents.uri,
        }
    }

    /// The media type, if it is known.
    pub fn mime_type(&self) -> Option<&str> {
        match self {
            ResourceContents::Text(contents) => contents.mime_type.as_deref(),
            ResourceContents::Blob(contents) => contents.mime_type.as_deref(),
        }
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            ResourceContents::Text(contents) => Some(&contents.text),
            ResourceContents::Blob(_) => None,
        }
    }

    /// The bytes of either kind, or `None` when a blob is not base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            ResourceContents::Text(contents) => Some(contents.text.clone().into_bytes()),
            ResourceContents::Blob(contents) => contents.bytes(),
        }
    }
}

impl BlobResourceContents {
    /// The bytes, or `None` when the text is not base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        base64::decode(&self.blob)
    }
}

impl Default for ResourceContents {
    fn default() -> Self {
        ResourceContents::Text(TextResourceContents::default())
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(contents: TextResourceContents) -> Self {
        ResourceContents::Text(contents)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(contents: BlobResourceContents) -> Self {
        ResourceContents::Blob(contents)
    }
}

impl Serialize for ResourceContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ResourceContents::Text(contents) => contents.serialize(serializer),
            ResourceContents::Blob(contents) => contents.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Extra::deserialize(deserializer)?;
        let is_text = fields.get("text").is_some_and(Value::is_string);
        if !is_text && !fields.contains_key("blob") {
            return Err(D::Error::custom("resource contents with neither `text` nor `blob`"));
        }
        let value = Value::Object(fields);
        if is_text {
            serde_json::from_value(value).map(ResourceContents::Text)
        } else {
            serde_json::from_value(value).map(ResourceContents::Blob)
        }
        .map_err(D::Error::custom)
    }
}

impl Adapt for ResourceContents {
    fn adapt(&mut self, revision: Revision) {
        match self {
            ResourceContents::Text(contents) => contents.adapt(revision),
            ResourceContents::Blob(contents) => contents.adapt(revision),
        }
    }
}
