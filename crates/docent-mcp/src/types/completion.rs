//! `completion/complete`: what could be typed next.

use std::collections::BTreeMap;

use super::Revision;
use super::meta::Meta;
use super::wire::{Adapt, tagged, wire};

tagged! {
    /// What is being filled in.
    pub enum CompletionReference by "type" {
        /// A prompt.
        Prompt(PromptReference) = "ref/prompt",
        /// A resource template.
        Resource(ResourceTemplateReference) = "ref/resource",
    }
}

wire! {
    /// A prompt, by name.
    pub struct PromptReference {
        /// The name that programs use.
        req name: String = "name",
        /// The name that people read.
        opt title: String = "title" [since V2025_06_18],
    }

    /// A resource or a resource template, by address.
    pub struct ResourceTemplateReference {
        /// The address or template.
        req uri: String = "uri",
    }

    /// What to complete.
    pub struct CompleteRequestParams {
        /// What is being filled in.
        req reference: CompletionReference = "ref",
        /// The argument and what has been typed of it.
        req argument: CompletionArgument = "argument",
        /// What is known already.
        opt context: CompletionContext = "context" [since V2025_06_18],
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// An argument and what has been typed of it.
    pub struct CompletionArgument {
        /// The argument.
        req name: String = "name",
        /// What has been typed.
        req value: String = "value",
    }

    /// What is known already.
    pub struct CompletionContext {
        /// The other arguments that have been filled in.
        opt arguments: BTreeMap<String, String> = "arguments",
    }

    /// The answer to a completion request.
    pub struct CompleteResult {
        /// The suggestions.
        req completion: Completion = "completion",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// Suggestions, best first.
    pub struct Completion {
        /// At most [`Completion::VALUES_MAX`] of them.
        req values: Vec<String> = "values",
        /// How many there are in all.
        opt total: u64 = "total",
        /// Whether there are more than these.
        opt has_more: bool = "hasMore",
    }
    adapt adapt_completion;
}

impl Completion {
    /// How many values one answer may hold. What goes beyond is cut off when encoding.
    pub const VALUES_MAX: usize = 100;
}

fn adapt_completion(completion: &mut Completion, _: Revision) {
    if completion.values.len() > Completion::VALUES_MAX {
        completion.total.get_or_insert(completion.values.len() as u64);
        completion.has_more = Some(true);
        completion.values.truncate(Completion::VALUES_MAX);
    }
}

impl CompletionReference {
    /// A prompt, by name.
    pub fn prompt(name: impl Into<String>) -> Self {
        PromptReference { name: name.into(), ..Default::default() }.into()
    }

    /// A resource template.
    pub fn resource(uri: impl Into<String>) -> Self {
        ResourceTemplateReference { uri: uri.into(), ..Default::default() }.into()
    }
}

impl Default for CompletionReference {
    fn default() -> Self {
        CompletionReference::prompt("")
    }
}

impl Adapt for CompletionReference {
    fn adapt(&mut self, revision: Revision) {
        match self {
            CompletionReference::Prompt(reference) => reference.adapt(revision),
            CompletionReference::Resource(reference) => reference.adapt(revision),
            CompletionReference::Unknown(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_values_pass_and_one_more_is_cut() {
        for (given, sent, more) in [(100, 100, None), (101, 100, Some(true))] {
            let values = (0..given).map(|n| n.to_string()).collect();
            let mut completion = Completion { values, ..Default::default() };
            completion.adapt(Revision::V2025_11_25);
            assert_eq!((completion.values.len(), completion.has_more), (sent, more));
        }
    }
}
