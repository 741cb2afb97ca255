//! What servers answer, for people.

use docent_mcp::types::{
    CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, ResourceContents,
};

use crate::terminal::{Look, Span, Terminal, line, markdown, size};

/// The content of a tool's result; its structured form only if there is nothing else.
pub(crate) fn result(result: &CallToolResult, terminal: &Terminal) -> String {
    let mut out = blocks(&result.content, terminal);
    if let (true, Some(structured)) = (out.trim().is_empty(), &result.structured_content) {
        out = serde_json::to_string_pretty(structured).unwrap_or_default();
        out.push('\n');
    }
    out
}

/// The messages of a prompt, each under the name of who says it.
pub(crate) fn messages(prompt: &GetPromptResult, terminal: &Terminal) -> String {
    let mut out = String::new();
    for message in &prompt.messages {
        out.push_str(&line(&[Span::new(message.role.as_str(), Look::Strong)], terminal));
        out.push_str(&blocks(std::slice::from_ref(&message.content), terminal));
    }
    out
}

/// The contents of a resource.
pub(crate) fn resource(read: &ReadResourceResult, terminal: &Terminal) -> String {
    read.contents.iter().map(|contents| document(contents, terminal)).collect()
}

fn blocks(content: &[ContentBlock], terminal: &Terminal) -> String {
    content.iter().map(|block| one(block, terminal)).collect()
}

fn one(block: &ContentBlock, terminal: &Terminal) -> String {
    let note = |text: String| line(&[Span::new(format!("[{text}]"), Look::Dim)], terminal);
    match block {
        ContentBlock::Text(text) => shown(&text.text, true, terminal),
        ContentBlock::Image(image) => {
            note(format!("image, {}", bytes(&image.mime_type, &image.data)))
        }
        ContentBlock::Audio(audio) => {
            note(format!("audio, {}", bytes(&audio.mime_type, &audio.data)))
        }
        ContentBlock::Resource(embedded) => document(&embedded.resource, terminal),
        ContentBlock::ResourceLink(link) => note(format!("{} at {}", link.name, link.uri)),
        _ => note("content of a kind that is not known here".to_owned()),
    }
}

/// The kind and size of what is written as base64.
pub(crate) fn bytes(mime_type: &str, base64: &str) -> String {
    format!("{mime_type}, {}", size(base64.len() as u64 * 3 / 4))
}

fn document(contents: &ResourceContents, terminal: &Terminal) -> String {
    match contents {
        ResourceContents::Text(text) => {
            let kind = text.mime_type.as_deref();
            shown(&text.text, kind == Some("text/markdown"), terminal)
        }
        ResourceContents::Blob(blob) => {
            let kind = blob.mime_type.as_deref().unwrap_or("bytes");
            let note = format!("[{}]", bytes(kind, &blob.blob));
            line(&[Span::new(note, Look::Dim)], terminal)
        }
    }
}

/// Text as it is, or laid out where a person looks at it.
fn shown(text: &str, is_markdown: bool, terminal: &Terminal) -> String {
    if is_markdown && terminal.layout {
        return markdown::render(text, terminal);
    }
    // Control codes of a server are not for this terminal.
    let mut out: String = match terminal.layout {
        true => text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect(),
        false => text.to_owned(),
    };
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}
