//! The rules around the requests.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use tower_layer::Layer;
use tower_service::Service;

use super::list::{self, ListOf};
use super::rules::{Policy, Refused};
use super::subject::{Kind, Subject};
use crate::jsonrpc::{ErrorObject, RawJson, code};
use crate::server::{Call, Context, ResourceError};
use crate::transport::BoxFuture;

/// The service of a [`Policy`].
#[derive(Clone, Debug)]
pub struct Guarded<S> {
    inner: S,
    policy: Arc<Policy>,
}

impl<S> Layer<S> for Policy {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded { inner, policy: Arc::new(self.clone()) }
    }
}

impl<S> Service<Call> for Guarded<S>
where
    S: Service<Call, Response = RawJson, Error = ErrorObject>,
    S::Future: Send + 'static,
{
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = BoxFuture<'static, Result<RawJson, ErrorObject>>;

    fn poll_ready(&mut self, cx: &mut TaskContext<'_>) -> Poll<Result<(), ErrorObject>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let subjects = Subject::of(&call.method, call.params.as_ref());
        if let Err(refused) = self.policy.decide(&subjects, &call.context) {
            let error = match refused {
                Refused::NeedsScopes(scopes) => lacks(scopes, &call.context),
                Refused::Unknown(subject) => unknown(&subject, &call.context),
            };
            return Box::pin(std::future::ready(Err(error)));
        }
        let wanted = subjects.into_iter().next_back();
        let (policy, context) = (self.policy.clone(), call.context.clone());
        let list = list::of(&call.method);
        let answering = self.inner.call(call);
        Box::pin(async move {
            match (answering.await, list) {
                (Ok(result), Some(list)) => filter(&policy, &list, &result, &context),
                (Err(error), _) => Err(without_hints(error, wanted.as_ref())),
                (answer, _) => answer,
            }
        })
    }
}

fn filter(
    policy: &Policy,
    list: &ListOf,
    result: &RawJson,
    context: &Context,
) -> Result<RawJson, ErrorObject> {
    let may_show =
        |subject: &Subject| policy.decide(std::slice::from_ref(subject), context).is_ok();
    list.filter(result, may_show).map_err(|error| {
        tracing::error!(%error, "a list could not be filtered");
        ErrorObject::internal("the list cannot be shown")
    })
}

/// The answer to somebody who may ask for more. Over HTTP it gets a challenge.
fn lacks(scopes: BTreeSet<String>, context: &Context) -> ErrorObject {
    let needed = scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    if let Some(access) = context.access() {
        access.lacks(scopes);
    }
    ErrorObject::invalid_request(format!("the token does not allow this; needed: {needed}"))
}

/// The answer that something gets which does not exist.
fn unknown(subject: &Subject, context: &Context) -> ErrorObject {
    let name = &subject.name;
    match subject.kind {
        Kind::Tool | Kind::Prompt => ErrorObject::invalid_params(unknown_text(subject)),
        Kind::Resource => ResourceError::NotFound.into_rpc(name, context.revision()),
        Kind::Method => ErrorObject::method_not_found(name),
    }
}

fn unknown_text(subject: &Subject) -> String {
    let what = match subject.kind {
        Kind::Prompt => "prompt",
        _ => "tool",
    };
    let name: String = subject.name.chars().take(200).collect();
    format!("unknown {what}: {name}")
}

/// An error that suggests no names: they may be hidden from whoever asks.
fn without_hints(mut error: ErrorObject, wanted: Option<&Subject>) -> ErrorObject {
    if let Some(wanted) = wanted.filter(|it| matches!(it.kind, Kind::Tool | Kind::Prompt)) {
        let plain = unknown_text(wanted);
        if error.code == code::INVALID_PARAMS && error.message.starts_with(&plain) {
            error.message = plain;
        }
    }
    error
}
