//! Tools that change what the server offers. Each replaces an entry in its place, so that the order
//! of the lists stays as it was.

use docent_mcp::Server;
use docent_mcp::server::{Context, PromptError, ServerPrompt, ServerTool, ToolError};

pub(crate) fn add(server: Server) -> Server {
    server
        .tool("test_trigger_tool_change", "Changes the list of tools", change_tools)
        .tool("test_trigger_prompt_change", "Changes the list of prompts", change_prompts)
        .with_tool(changing_tool())
        .with_prompt(changing_prompt())
}

fn changing_tool() -> ServerTool {
    ServerTool::new("test_changing_tool", "Is replaced now and then", async |_: Context, (): ()| {
        Ok::<_, ToolError>("unchanged")
    })
}

fn changing_prompt() -> ServerPrompt {
    ServerPrompt::new("test_changing_prompt", "Is replaced now and then", |_, _| async {
        Ok::<_, PromptError>("unchanged".to_owned())
    })
}

async fn change_tools(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    ctx.server().add_tool(changing_tool())?;
    Ok("The list of tools changed")
}

async fn change_prompts(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    ctx.server().add_prompt(changing_prompt())?;
    Ok("The list of prompts changed")
}
