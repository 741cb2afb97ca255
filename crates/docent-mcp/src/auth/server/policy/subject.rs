//! What a request wants to use.

use std::borrow::Cow;

use crate::jsonrpc::RawJson;
use crate::types::{
    CompleteRequestParams, CompletionReference, SubscriptionsListenRequestParams, method,
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
pub(super) struct Subject<'a> {
    pub(super) kind: Kind,
    pub(super) name: Cow<'a, str>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(kind: Kind, name: impl Into<Cow<'a, str>>) -> Self {
        Subject { kind, name: name.into() }
    }

    pub(super) fn owned(self) -> Subject<'static> {
        Subject { kind: self.kind, name: Cow::Owned(self.name.into_owned()) }
    }

    /// Everything that a request is about. What cannot be read is for the router to refuse.
    pub(super) fn of(method: &'a str, params: Option<&RawJson>) -> Vec<Subject<'a>> {
        let mut all = vec![Subject::new(Kind::Method, method)];
        let text = |name: &str| {
            let params: serde_json::Value = params?.decode().ok()?;
            Some(params.get(name)?.as_str()?.to_owned())
        };
        match method {
            method::TOOLS_CALL => {
                all.extend(text("name").map(|name| Subject::new(Kind::Tool, name)));
            }
            method::PROMPTS_GET => {
                all.extend(text("name").map(|name| Subject::new(Kind::Prompt, name)));
            }
            method::RESOURCES_READ | method::RESOURCES_SUBSCRIBE => {
                all.extend(text("uri").map(|uri| Subject::new(Kind::Resource, uri)));
            }
            method::COMPLETION_COMPLETE => {
                let params =
                    params.and_then(|params| params.decode::<CompleteRequestParams>().ok());
                all.extend(params.and_then(|params| match params.reference {
                    CompletionReference::Prompt(it) => Some(Subject::new(Kind::Prompt, it.name)),
                    CompletionReference::Resource(it) => Some(Subject::new(Kind::Resource, it.uri)),
                    CompletionReference::Unknown(_) => None,
                }));
            }
            method::SUBSCRIPTIONS_LISTEN => {
                let params = params
                    .and_then(|params| params.decode::<SubscriptionsListenRequestParams>().ok());
                let watched = params.map(|params| params.notifications.resource_subscriptions);
                let watched = watched.into_iter().flatten();
                all.extend(watched.map(|uri| Subject::new(Kind::Resource, uri)));
            }
            _ => {}
        }
        all
    }
}
