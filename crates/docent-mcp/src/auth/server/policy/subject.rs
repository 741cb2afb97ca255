//! What a request wants to use.
//!
//! Parameters are decoded into the same types as the router's, so that both always see the same.

use serde::de::DeserializeOwned;

use crate::jsonrpc::RawJson;
use crate::types::{
    CallToolRequestParams, CompleteRequestParams, CompletionReference, GetPromptRequestParams,
    ReadResourceRequestParams, SubscribeRequestParams, SubscriptionsListenRequestParams, method,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tool,
    Resource,
    Prompt,
    Method,
}

/// Something that rules can be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) kind: Kind,
    /// As it was written.
    pub(super) name: String,
    /// What else it may mean. Rules have to allow all of it.
    pub(super) aliases: Vec<String>,
}

impl Subject {
    pub(super) fn new(kind: Kind, name: impl Into<String>) -> Self {
        let name = name.into();
        let aliases = match kind {
            Kind::Resource => aliases(&name),
            _ => Vec::new(),
        };
        Subject { kind, name, aliases }
    }

    /// Everything that a request is about. What cannot be read is for the router to refuse.
    pub(super) fn of(method: &str, params: Option<&RawJson>) -> Vec<Subject> {
        let mut all = vec![Subject::new(Kind::Method, method)];
        match method {
            method::TOOLS_CALL => {
                let params = decode::<CallToolRequestParams>(params);
                all.extend(params.map(|params| Subject::new(Kind::Tool, params.name)));
            }
            method::PROMPTS_GET => {
                let params = decode::<GetPromptRequestParams>(params);
                all.extend(params.map(|params| Subject::new(Kind::Prompt, params.name)));
            }
            method::RESOURCES_READ => {
                let params = decode::<ReadResourceRequestParams>(params);
                all.extend(params.map(|params| Subject::new(Kind::Resource, params.uri)));
            }
            method::RESOURCES_SUBSCRIBE => {
                let params = decode::<SubscribeRequestParams>(params);
                all.extend(params.map(|params| Subject::new(Kind::Resource, params.uri)));
            }
            method::COMPLETION_COMPLETE => {
                let params = decode::<CompleteRequestParams>(params);
                all.extend(params.and_then(|params| match params.reference {
                    CompletionReference::Prompt(it) => Some(Subject::new(Kind::Prompt, it.name)),
                    CompletionReference::Resource(it) => Some(Subject::new(Kind::Resource, it.uri)),
                    CompletionReference::Unknown(_) => None,
                }));
            }
            method::SUBSCRIPTIONS_LISTEN => {
                let params = decode::<SubscriptionsListenRequestParams>(params);
                let watched = params.map(|params| params.notifications.resource_subscriptions);
                let watched = watched.into_iter().flatten();
                all.extend(watched.map(|uri| Subject::new(Kind::Resource, uri)));
            }
            _ => {}
        }
        all
    }
}

fn decode<T: DeserializeOwned>(params: Option<&RawJson>) -> Option<T> {
    params?.decode().ok()
}

/// The other ways to read a URI: a template hands its variables over decoded, and a handler may
/// follow `..` in them.
fn aliases(uri: &str) -> Vec<String> {
    let decoded = percent_decode(uri);
    let straight = without_dots(&decoded);
    let mut aliases = Vec::new();
    for alias in [decoded, straight] {
        if alias != uri && !aliases.contains(&alias) {
            aliases.push(alias);
        }
    }
    aliases
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *byte == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The path without `.` and `..`.
fn without_dots(uri: &str) -> String {
    let Some((scheme, path)) = uri.split_once("://") else { return uri.to_owned() };
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "." => {}
            ".." => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    format!("{scheme}://{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_what_they_may_mean() {
        for (uri, expected) in [
            ("notes://private/1", &[][..]),
            ("notes://%70rivate/1", &["notes://private/1"]),
            ("notes://public/../private/1", &["notes://private/1"]),
            (
                "notes://public/%2e%2e/private/1",
                &["notes://public/../private/1", "notes://private/1"],
            ),
            ("notes://a%zz", &[]),
            ("memo:hello", &[]),
        ] {
            assert_eq!(Subject::new(Kind::Resource, uri).aliases, expected, "{uri}");
        }
        assert!(Subject::new(Kind::Tool, "a%20b").aliases.is_empty());
    }
}
