//! One message out, and what comes back for it.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use reqwest::Response;

use super::body::{self, Body};
use super::connection::{Connection, Way};
use super::outgoing::{Asked, json};
use super::refusal::{Refused, error_object};
use crate::error::{Error, ErrorKind, Fate, Result};
use crate::jsonrpc::{Decoded, Message, MessageId, decode};
use crate::transport::Incoming;
use crate::types::method;

impl Connection {
    /// Makes a request and sees to it that its maker gets an answer or an error.
    pub(super) async fn exchange(self: Arc<Self>, asked: Asked, frame: Bytes) {
        if let Err(error) = self.ask(&asked, frame).await {
            self.deliver(Incoming::Failed { id: asked.id.clone(), error }).await;
        }
        // Last: a connection that is of no use any more ends when nobody waits for it.
        self.finished(&asked.id);
    }

    async fn ask(&self, asked: &Asked, frame: Bytes) -> Result<()> {
        if self.session.is_gone() {
            let error = Error::new(ErrorKind::Closed, "the server has lost the session");
            return Err(error.with_fate(Fate::NotExecuted));
        }
        let mut headers = Cow::Borrowed(&asked.headers);
        let in_session = !asked.modern && self.session.apply(headers.to_mut());
        let url = self.target();
        let response =
            self.send(Some(&asked.id), Method::POST, url, &headers, Some(&frame)).await?;
        if !response.status().is_success() {
            let refused = match asked.modern {
                true => Refused::Modern(&asked.id),
                false if in_session => Refused::InSession,
                false => Refused::Plain,
            };
            return Err(self.refusal(response, refused).await);
        }
        if matches!(self.way, Way::OldSse { .. }) {
            // The answer comes on the stream that is open already.
            return Ok(());
        }
        if asked.method == method::INITIALIZE {
            self.session.begin(response.headers())?;
        }
        match body::is_events(response.headers()) {
            true => self.follow(asked, response).await,
            false => self.take_json(asked, response).await,
        }
    }

    /// Takes an answer that is one JSON message. What else it may be, the caller is told.
    async fn take_json(&self, asked: &Asked, mut response: Response) -> Result<()> {
        let limit = self.limits.message_bytes_max;
        let claimed = response.content_length().is_some_and(|length| length > limit as u64);
        let read = match claimed {
            true => Body::Cut(Bytes::new()),
            false => {
                let read = body::read(&mut response, limit).await;
                read.map_err(|error| self.unreachable(error))?
            }
        };
        let body = match read {
            Body::Whole(body) => body,
            Body::Cut(_) => {
                let id = Some(MessageId::Response(asked.id.clone()));
                self.deliver(Incoming::Oversize { id, limit }).await;
                return Ok(());
            }
        };
        if let Decoded::Single(Ok(Message::Response(answer))) = decode(&body, false, &self.limits)
            && answer.id.as_ref() == Some(&asked.id)
        {
            self.answered(asked, &body);
            self.deliver(Incoming::Answer(answer)).await;
            return Ok(());
        }
        if !asked.modern && body.trim_ascii_start().starts_with(b"[") {
            // A batch (2025-03-26). If the answer is in it, nobody hears of the error below.
            self.deliver(Incoming::Frame(body.clone())).await;
        }
        if let Some((_, rpc)) = error_object(&body, &self.limits) {
            return Err(Error::from(rpc));
        }
        let status = response.status().as_u16();
        let kind = match body::essence(response.headers()) {
            "" => "of no type",
            kind => kind,
        };
        let found = match body::excerpt(&body) {
            excerpt if excerpt.is_empty() => "nothing".to_owned(),
            excerpt => format!("{kind}: {excerpt}"),
        };
        Err(Error::invalid_response(format!(
            "{} answered {} with HTTP {status} and something that is no answer to it ({found}); is it an MCP endpoint?",
            self.endpoint.origin(),
            asked.method,
        )))
    }

    /// Notes what an answer says about the session, before anybody acts on it.
    pub(super) fn answered(&self, asked: &Asked, frame: &[u8]) {
        if asked.method == method::INITIALIZE {
            self.session.agree(frame);
        }
    }

    /// Sends a notification, or the answer to a request of the server's. Nobody waits for it, so a
    /// failure is only noted.
    pub(super) async fn tell(&self, frame: Bytes) {
        let mut headers = json();
        let in_session = self.session.apply(&mut headers);
        let telling = async {
            let mut response =
                self.send(None, Method::POST, self.target(), &headers, Some(&frame)).await?;
            if response.status().is_success() {
                // Whatever it says, it is read, so that the connection can be used again; but what
                // follows must not wait for a server that keeps it open.
                let rest = body::read(&mut response, self.limits.http.refusal_bytes_max);
                let _ = tokio::time::timeout(self.limits.flush_timeout, rest).await;
                return Ok(());
            }
            let refused = if in_session { Refused::InSession } else { Refused::Plain };
            Err(self.refusal(response, refused).await)
        };
        match tokio::time::timeout(self.limits.request_timeout, telling).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("a message did not reach the server: {error:#}"),
            Err(_) => tracing::warn!("a message did not reach the server in time"),
        }
    }
}
