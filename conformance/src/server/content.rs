//! Tools that return each kind of content, and one that fails.

use docent_mcp::Server;
use docent_mcp::server::{Context, ToolError};
use docent_mcp::types::{ContentBlock, ResourceContents};

/// A picture of one pixel.
pub(crate) const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\xdac\xfc\xcf\xc0P\x0f\x00\x04\x85\x01\x80\
    \x84\xa9\x8c!\x00\x00\x00\x00IEND\xaeB`\x82";

/// One sample of silence.
const SILENCE: &[u8] = b"RIFF&\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\
    \x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00";

pub(crate) fn add(server: Server) -> Server {
    server
        // The header scenarios call the first tool of the list without arguments.
        .tool("test_simple_text", "Returns a text", simple_text)
        .tool("test_image_content", "Returns a picture", image)
        .tool("test_audio_content", "Returns a sound", audio)
        .tool("test_embedded_resource", "Returns a resource", embedded)
        .tool("test_multiple_content_types", "Returns several kinds of content", mixed)
        .tool("test_error_handling", "Fails", fail)
}

async fn simple_text(_: Context, (): ()) -> Result<&'static str, ToolError> {
    Ok("This is a simple text response for testing.")
}

async fn image(_: Context, (): ()) -> Result<ContentBlock, ToolError> {
    Ok(ContentBlock::image(PIXEL, "image/png"))
}

async fn audio(_: Context, (): ()) -> Result<ContentBlock, ToolError> {
    Ok(ContentBlock::audio(SILENCE, "audio/wav"))
}

async fn embedded(_: Context, (): ()) -> Result<ContentBlock, ToolError> {
    let text = "This is an embedded resource content.";
    let contents = ResourceContents::text("test://embedded-resource", text);
    Ok(ContentBlock::resource(contents.with_mime_type("text/plain")))
}

async fn mixed(_: Context, (): ()) -> Result<Vec<ContentBlock>, ToolError> {
    let data = r#"{"test":"data","value":123}"#;
    let contents = ResourceContents::text("test://mixed-content-resource", data);
    Ok(vec![
        ContentBlock::text("Multiple content types test:"),
        ContentBlock::image(PIXEL, "image/png"),
        ContentBlock::resource(contents.with_mime_type("application/json")),
    ])
}

async fn fail(_: Context, (): ()) -> Result<String, ToolError> {
    Err(ToolError::new("This tool intentionally returns an error for testing"))
}
