//! A request and the questions that come before its result (2026-07-28).
//!
//! A modern server answers `input_required` when it needs something first. The questions go to the
//! client's handlers, all at once, and the request is made again with the answers and with the
//! state that the server wants back, unchanged.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::link::Link;
use super::service::ClientCall;
use super::{Client, RequestOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{RawJson, RawObject};
use crate::types::{InputRequests, InputRequiredResult, JsonObject, ResultKind, result_type_of};

impl Client {
    /// Makes a request and answers what comes back until the result is complete. Returns it with
    /// the number of rounds that it took.
    pub(super) async fn rounds(
        &self,
        link: &Arc<Link>,
        method: &str,
        params: &RawObject,
        options: &RequestOptions,
    ) -> Result<(RawJson, u32)> {
        let mut round = 0;
        let mut answers = RawObject::new();
        loop {
            let mut params = params.clone();
            params.extend(std::mem::take(&mut answers));
            let call = ClientCall {
                method: method.to_owned(),
                params,
                protocol_meta: self.protocol_meta(link, options),
                options: options.clone(),
                link: link.clone(),
                listening: None,
            };
            let result = self.inner.service.call_boxed(call).await?;
            if !link.is_modern() || options.hands_over {
                return Ok((result, round));
            }
            match kind_of(&result, method)? {
                ResultKind::Complete => return Ok((result, round)),
                ResultKind::InputRequired => {}
                ResultKind::Other(_) if self.has_extensions(link) => return Ok((result, round)),
                ResultKind::Other(kind) => {
                    let message = format!("the answer to {method} is of the unknown type {kind:?}");
                    return Err(Error::invalid_response(message));
                }
            }
            round += 1;
            if round > self.limits().input_rounds_max {
                let message =
                    format!("{method} asked more than {} times", self.limits().input_rounds_max);
                return Err(Error::new(ErrorKind::Limit, message));
            }
            let required: InputRequiredResult = result.decode().map_err(|error| {
                Error::invalid_response(format!("the questions of {method} cannot be read"))
                    .with_source(error)
            })?;
            let answering = self.answer(link, required, method);
            answers = match &options.call.cancel {
                None => answering.await?,
                Some(cancel) => tokio::select! {
                    biased;
                    () = cancel.cancelled() => return Err(super::cancelled(method)),
                    answers = answering => answers?,
                },
            };
        }
    }

    /// Whether an extension is active, that is, declared by both sides. Only then may there be
    /// result types that this crate does not know.
    fn has_extensions(&self, link: &Link) -> bool {
        let theirs = link.server().capabilities.extensions.as_ref();
        self.inner
            .settings
            .handlers
            .extensions
            .keys()
            .any(|id| theirs.is_some_and(|all| all.contains_key(id)))
    }

    /// Refuses a result whose type belongs to an extension, where only a complete one can be used.
    pub(super) fn check_complete(&self, link: &Link, method: &str, result: &RawJson) -> Result<()> {
        if !link.is_modern() || !self.has_extensions(link) {
            return Ok(());
        }
        match kind_of(result, method)? {
            ResultKind::Complete => Ok(()),
            kind => Err(Error::invalid_response(format!(
                "the answer to {method} is of the type {kind:?}, which only `Client::request` returns"
            ))),
        }
    }

    /// The parameters that the next round adds.
    async fn answer(
        &self,
        link: &Arc<Link>,
        required: InputRequiredResult,
        method: &str,
    ) -> Result<RawObject> {
        if required.input_requests.is_none() && required.request_state.is_none() {
            let message = format!("{method} asks for input without saying which");
            return Err(Error::invalid_response(message));
        }
        let mut answers = RawObject::new();
        if let Some(questions) = required.input_requests {
            let responses = self.ask_handlers(link, questions).await?;
            answers.insert("inputResponses", Value::Object(responses));
        }
        if let Some(state) = required.request_state {
            answers.insert("requestState", Value::String(state));
        }
        Ok(answers)
    }

    pub(super) async fn ask_handlers(
        &self,
        link: &Arc<Link>,
        questions: InputRequests,
    ) -> Result<JsonObject> {
        let revision = link.server().revision;
        let mut asked = tokio::task::JoinSet::new();
        for (key, question) in questions {
            let handlers = self.inner.settings.handlers.clone();
            let limits = self.inner.settings.limits.clone();
            asked.spawn(async move {
                let answer = handlers.answer(question, revision, &limits).await;
                (key, answer)
            });
        }
        let mut responses = JsonObject::new();
        while let Some(answered) = asked.join_next().await {
            let (key, answer) = answered.map_err(|error| {
                Error::new(ErrorKind::Internal, "a handler of this client panicked")
                    .with_source(error)
            })?;
            let answer = answer.map_err(|error| {
                Error::unsupported(format!(
                    "the server's question {key:?} was not answered: {error}"
                ))
                .with_source(error)
            })?;
            let answer = answer.decode().map_err(|error| {
                Error::invalid_input("an answer cannot be written as JSON").with_source(error)
            })?;
            responses.insert(key, answer);
        }
        Ok(responses)
    }
}

pub(super) fn kind_of(result: &RawJson, method: &str) -> Result<ResultKind> {
    let kind = serde_json::from_slice::<&RawValue>(result.as_bytes()).and_then(result_type_of);
    kind.map_err(|error| {
        Error::invalid_response(format!("the answer to {method} cannot be read")).with_source(error)
    })
}
