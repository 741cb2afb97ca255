//! The program that answers: the request on its standard input, the answer on its standard output.
//!
//! It runs without a shell, as the user's own, with the whole environment: where its key is, is the
//! user's affair. It is ended, with all that it started, when it takes too long, says too much, or
//! when nobody waits for the answer any more.

use std::time::Duration;

use docent_mcp::transport::child::ChildProcess;
use docent_mcp::types::{CreateMessageRequestParams, CreateMessageResult, Role, SamplingContent};
use serde_json::Value;

use crate::settings::Sampling;

/// Pictures and sound fit, a program that never stops does not.
const ANSWER_BYTES_MAX: usize = 4 << 20;

pub(super) struct Program {
    command: ChildProcess,
    name: String,
    model: String,
    tools: bool,
    timeout: Duration,
}

impl Program {
    /// The program that is set, if one is.
    pub(super) fn new(set: &Sampling) -> Option<Self> {
        let line = set.command.value.as_ref()?;
        let command = ChildProcess::new(&line.program).args(&line.arguments).inherit_env();
        let name = line.program.file_name().unwrap_or(line.program.as_os_str());
        let name = name.to_string_lossy().into_owned();
        Some(Self {
            command,
            model: set.model.value.clone().unwrap_or_else(|| name.clone()),
            name,
            tools: set.tools.value,
            timeout: set.timeout.value,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn uses_tools(&self) -> bool {
        self.tools
    }

    /// What the program says to a request of this server; else what is wrong, for the user.
    pub(super) async fn ask(
        &self,
        server: &str,
        params: CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, String> {
        let request = serde_json::to_vec(&params).map_err(|error| error.to_string())?;
        let command = self.command.clone().env("DOCENT_SERVER_NAME", server);
        let printed = command.output_for(&request, self.timeout, ANSWER_BYTES_MAX).await;
        let result = self.read(&printed.map_err(|error| error.to_string())?)?;
        let uses_tool = |block: &SamplingContent| matches!(block, SamplingContent::ToolUse(_));
        if params.tools.is_empty() && result.content.iter().any(uses_tool) {
            return Err(format!("`{}` wants to use a tool, and there is none", self.name));
        }
        Ok(result)
    }

    /// A whole result, or the text of one.
    fn read(&self, printed: &[u8]) -> Result<CreateMessageResult, String> {
        let wrong = |what: &str| format!("`{}` printed {what}", self.name);
        let text = std::str::from_utf8(printed).map_err(|_| wrong("what is not UTF-8"))?.trim_end();
        if text.is_empty() {
            return Err(wrong("nothing"));
        }
        // All three, since a model may well be asked for JSON: what lacks one is its text.
        let is_result =
            |value: &Value| ["role", "content", "model"].iter().all(|key| value.get(key).is_some());
        if let Some(value) = serde_json::from_str(text).ok().filter(is_result) {
            return serde_json::from_value(value)
                .map_err(|error| wrong(&format!("a result that cannot be read: {error}")));
        }
        Ok(CreateMessageResult {
            role: Role::Assistant,
            content: text.into(),
            model: self.model.clone(),
            stop_reason: Some("endTurn".to_owned()),
            ..Default::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(printed: &[u8]) -> Result<Value, String> {
        let program = Program {
            command: ChildProcess::new("x"),
            name: "x".to_owned(),
            model: "small".to_owned(),
            tools: false,
            timeout: Duration::from_secs(1),
        };
        program.read(printed).map(|result| json!(result))
    }

    #[test]
    fn what_is_printed_is_a_result_or_its_text() {
        let text = |text: &str| {
            let content = json!({ "type": "text", "text": text });
            json!({ "role": "assistant", "content": content, "model": "small", "stopReason": "endTurn" })
        };
        for (printed, expected) in [
            ("hello\n", "hello"),
            ("  two\nlines \r\n\n", "  two\nlines"),
            ("{\"answer\": 42}", "{\"answer\": 42}"),
            (
                "{\"role\": \"user\", \"content\": \"x\"}",
                "{\"role\": \"user\", \"content\": \"x\"}",
            ),
            ("{\"role\"", "{\"role\""),
        ] {
            assert_eq!(read(printed.as_bytes()), Ok(text(expected)));
        }
        let whole = json!({
            "role": "assistant",
            "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }],
            "model": "large",
            "stopReason": "maxTokens",
            "more": 1,
        });
        assert_eq!(read(whole.to_string().as_bytes()), Ok(whole));
        for (printed, expected) in [
            (&b" \n"[..], "`x` printed nothing"),
            (b"\xff", "`x` printed what is not UTF-8"),
            (br#"{"role": "a", "content": 1, "model": "m"}"#, "cannot be read"),
        ] {
            let error = read(printed).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        }
    }
}
