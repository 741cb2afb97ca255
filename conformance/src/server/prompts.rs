//! Prompts: text, arguments, a resource, a picture, and one that asks first.

use docent_mcp::Server;
use docent_mcp::server::{Completer, Elicited, PromptError, ServerPrompt};
use docent_mcp::types::{ContentBlock, PromptMessage, ResourceContents};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::content::PIXEL;

#[derive(Deserialize, JsonSchema)]
struct UserContext {
    context: String,
}

pub(crate) fn add(server: Server) -> Server {
    server
        .with_prompt(ServerPrompt::new(
            "test_simple_prompt",
            "A prompt without arguments",
            |_, _| async { Ok("This is a simple prompt for testing.".to_owned()) },
        ))
        .with_prompt(with_arguments())
        .with_prompt(with_embedded_resource())
        .with_prompt(ServerPrompt::new(
            "test_prompt_with_image",
            "A prompt with a picture",
            |_, _| async {
                Ok(vec![
                    PromptMessage::user(ContentBlock::image(PIXEL, "image/png")),
                    PromptMessage::user("Please analyze the image above."),
                ])
            },
        ))
        .with_prompt(ServerPrompt::new(
            "test_input_required_result_prompt",
            "A prompt that asks for its context",
            |ctx, _| async move {
                let question = "What context should the prompt use?";
                match ctx.question("user_context").elicit::<UserContext>(question).await? {
                    Elicited::Accepted(answer) => Ok(format!("Use this: {}", answer.context)),
                    Elicited::Declined | Elicited::Cancelled => {
                        Err(PromptError::invalid("the prompt needs a context"))
                    }
                }
            },
        ))
}

fn with_arguments() -> ServerPrompt {
    ServerPrompt::new(
        "test_prompt_with_arguments",
        "A prompt with required arguments",
        |_, args| async move {
            let (first, second) = (&args["arg1"], &args["arg2"]);
            Ok(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))
        },
    )
    .required("arg1", "First test argument")
    .required("arg2", "Second test argument")
    .complete("arg1", Completer::values(["test one", "test two", "another"]))
}

fn with_embedded_resource() -> ServerPrompt {
    ServerPrompt::new(
        "test_prompt_with_embedded_resource",
        "A prompt with a resource",
        |_, args| async move {
            let text = "Embedded resource content for testing.";
            let contents = ResourceContents::text(&args["resourceUri"], text);
            Ok(vec![
                PromptMessage::user(ContentBlock::resource(contents.with_mime_type("text/plain"))),
                PromptMessage::user("Please process the embedded resource above."),
            ])
        },
    )
    .required("resourceUri", "The address of the resource to embed")
}
