//! The rules for messages that a model is asked to continue (2025-11-25 on).

use std::collections::BTreeSet;

use crate::types::{Role, SamplingContent, SamplingMessage};

/// Checks that every use of a tool is answered in the next message, and that a message with tool
/// results holds nothing else. The error says what is wrong.
pub fn check_messages(messages: &[SamplingMessage]) -> Result<(), String> {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (n, message) in messages.iter().enumerate() {
        let mut results = BTreeSet::new();
        let mut others = false;
        let mut uses = BTreeSet::new();
        for content in message.content.iter() {
            match content {
                SamplingContent::ToolResult(result) => drop(results.insert(&*result.tool_use_id)),
                SamplingContent::ToolUse(tool_use) => {
                    others = true;
                    uses.insert(&*tool_use.id);
                }
                _ => others = true,
            }
        }
        if !results.is_empty() && (others || message.role != Role::User) {
            return Err(format!("message {n} mixes tool results with other content"));
        }
        if results != open {
            return Err(format!(
                "message {n} must answer exactly the tool uses of the message before"
            ));
        }
        if !uses.is_empty() && message.role != Role::Assistant {
            return Err(format!("message {n} uses tools but is not the assistant's"));
        }
        open = uses;
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err("the last message uses tools whose results are missing".to_owned()),
    }
}
