//! What somebody looks at: all that a model is told, and all that it says.
//!
//! Nothing is cut: whoever agrees to the beginning of a text has not agreed to its end.

use docent_mcp::client::SampleReview;
use docent_mcp::types::{ContentBlock, CreateMessageRequestParams, SamplingContent};
use serde_json::{Value, json};

use crate::client::contents;

/// A question about what is seen, to be answered with yes or no.
pub(super) fn text(program: &str, seen: &SampleReview) -> String {
    match &seen.answer {
        None => format!("may `{program}` be told this?{}", told(&seen.prompt)),
        Some(answer) => {
            let said = answer.content.iter().map(|block| turn(&answer.model, block));
            format!("may this answer be sent?{}", said.collect::<String>())
        }
    }
}

fn told(prompt: &CreateMessageRequestParams) -> String {
    let system = prompt.system_prompt.iter().map(|text| entry("system", text));
    let turns = prompt.messages.iter().flat_map(|message| {
        let said = message.content.iter();
        said.map(|block| turn(message.role.as_str(), block))
    });
    let mut out: String = system.chain(turns).collect();
    if !prompt.tools.is_empty() {
        let tools: Vec<&str> = prompt.tools.iter().map(|tool| tool.name.as_str()).collect();
        out += &entry("tools", &tools.join(", "));
    }
    out + &entry("length", &format!("at most {} tokens", prompt.max_tokens))
}

fn turn(who: &str, block: &SamplingContent) -> String {
    let text = match block {
        SamplingContent::Text(text) => text.text.clone(),
        SamplingContent::Image(image) => {
            format!("[image, {}]", contents::bytes(&image.mime_type, &image.data))
        }
        SamplingContent::Audio(audio) => {
            format!("[audio, {}]", contents::bytes(&audio.mime_type, &audio.data))
        }
        SamplingContent::ToolUse(using) => {
            format!("[uses the tool {}: {}]", using.name, Value::Object(using.input.clone()))
        }
        SamplingContent::ToolResult(result) => {
            let parts = result.content.iter().map(|block| match block {
                ContentBlock::Text(text) => text.text.clone(),
                other => json!(other).to_string(),
            });
            format!("[the tool said: {}]", parts.collect::<Vec<_>>().join("\n"))
        }
        other => json!(other).to_string(),
    };
    entry(who, &text)
}

/// One part, each further line below the first.
fn entry(who: &str, text: &str) -> String {
    format!("\n  {who}: {}", text.trim_end().replace('\n', "\n    "))
}

#[cfg(test)]
mod tests {
    use docent_mcp::types::CreateMessageResult;

    use super::*;

    #[test]
    fn all_of_it_is_seen() {
        let prompt: CreateMessageRequestParams = serde_json::from_value(json!({
            "systemPrompt": "Be brief.",
            "messages": [
                { "role": "user", "content": { "type": "text", "text": "Two\nlines" } },
                { "role": "assistant", "content": [
                    { "type": "image", "mimeType": "image/png", "data": "AAAA" },
                    { "type": "tool_use", "id": "1", "name": "saw", "input": { "length": 3 } },
                ] },
                { "role": "user", "content": { "type": "tool_result", "toolUseId": "1",
                    "content": [{ "type": "text", "text": "cut" }] } },
            ],
            "tools": [{ "name": "saw", "inputSchema": { "type": "object" } }],
            "maxTokens": 20,
        }))
        .expect("a request");
        let expected = "may `m` be told this?
  system: Be brief.
  user: Two
    lines
  assistant: [image, image/png, 3 B]
  assistant: [uses the tool saw: {\"length\":3}]
  user: [the tool said: cut]
  tools: saw
  length: at most 20 tokens";
        assert_eq!(format!("may `m` be told this?{}", told(&prompt)), expected);
        let answer: CreateMessageResult = serde_json::from_value(json!({
            "role": "assistant", "content": { "type": "text", "text": "No." }, "model": "small" }))
        .expect("a result");
        let said: String = answer.content.iter().map(|block| turn(&answer.model, block)).collect();
        assert_eq!(said, "\n  small: No.");
    }
}
