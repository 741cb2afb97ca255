//! A server whose tools come and go while it runs.
//!
//! Clients are told by themselves: a session (up to 2025-11-25) hears of every change of a list, a
//! client of 2026-07-28 of those it listens for. Resources, templates and prompts work the same.

use docent_mcp::server::{Context, Server, ServerTool, ToolError};
use docent_mcp::types::ToolAnnotations;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Device {
    /// The name of the device, for example `lamp`.
    device: String,
}

#[derive(Deserialize, JsonSchema)]
struct Switch {
    on: bool,
}

async fn plug_in(ctx: Context, args: Device) -> Result<String, ToolError> {
    let tool = switch(&args.device);
    // Any clone of a `Server` will do; a handler gets its own from the context. A name that no
    // client would accept is refused here, and the model reads why.
    ctx.server().add_tool(tool)?;
    Ok(format!("`switch_{}` is ready", args.device))
}

async fn unplug(ctx: Context, args: Device) -> Result<String, ToolError> {
    match ctx.server().remove_tool(&format!("switch_{}", args.device)) {
        true => Ok(format!("the {} is gone", args.device)),
        false => Err(ToolError::new(format!("there is no {}", args.device))),
    }
}

/// A tool made from a closure, because it belongs to one device.
fn switch(device: &str) -> ServerTool {
    let description = format!("Switches the {device} on or off");
    let name = format!("switch_{device}");
    let device = device.to_owned();
    let function = move |_: Context, args: Switch| {
        let state = if args.on { "on" } else { "off" };
        let answer = format!("the {device} is {state}");
        async move { Ok::<_, ToolError>(answer) }
    };
    let hints = ToolAnnotations { idempotent_hint: Some(true), ..Default::default() };
    ServerTool::new(name, description, function).annotations(hints)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> docent_mcp::Result<()> {
    Server::new("devices", "1.0")
        .tool("plug_in", "Adds a device", plug_in)
        .tool("unplug", "Removes a device", unplug)
        .serve_stdio()
        .await
}
