//! Streams of events: reading one, and taking it up again where it broke.
//!
//! Only streams of a session can be taken up, and only those whose events have ids. Each stream
//! has its own position. What brings nothing, again and again, is given up.

use std::time::Duration;

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue, Method};
use reqwest::Response;
use tokio::time::Instant;

use super::backoff;
use super::body;
use super::connection::Connection;
use super::outgoing::{Asked, EVENTS, answers};
use super::refusal::Refused;
use crate::error::{Error, ErrorKind, Fate, Result};
use crate::jsonrpc::MessageId;
use crate::transport::Incoming;
use crate::transport::http::headers::LAST_EVENT_ID;
use crate::transport::http::sse::{Data, Decoder, Event};

/// What was open this long was no failure, even if nothing came.
const SETTLED: Duration = Duration::from_secs(10);

/// A stream across the connections that carry it.
#[derive(Default)]
pub(super) struct Stream {
    /// The id of the last event.
    pub(super) cursor: Option<String>,
    /// The pause that the server wants.
    retry: Option<Duration>,
    /// Attempts in a row that brought nothing.
    pub(super) failures: u32,
    /// Attempts in a row that brought another position and nothing else: the server wants to be
    /// asked again, which may go on for long, but need not go fast.
    polls: u32,
    /// Whether it was ever open.
    was_open: bool,
}

/// How reading ended.
pub(super) struct End {
    /// The answer that was waited for has come.
    answered: bool,
    /// Why it broke, unless the server ended it.
    error: Option<reqwest::Error>,
}

impl Connection {
    /// Follows the stream that answers a request until the answer is there.
    pub(super) async fn follow(&self, asked: &Asked, response: Response) -> Result<()> {
        let mut stream = Stream { failures: 1, was_open: true, ..Stream::default() };
        let mut response = response;
        loop {
            let end = self.read(response, &mut stream, Some(asked)).await;
            if end.answered {
                return Ok(());
            }
            if asked.modern || stream.cursor.is_none() {
                let message = format!(
                    "the stream ended before the answer to {}; it may have been carried out",
                    asked.method
                );
                let error = Error::new(ErrorKind::Transport, message).with_fate(Fate::Interrupted);
                return Err(match end.error {
                    Some(source) => error.with_source(source.without_url()),
                    None => error,
                });
            }
            response = self.resume(&mut stream).await?;
        }
    }

    /// Opens a broken stream again, after a pause, and again if need be.
    pub(super) async fn resume(&self, stream: &mut Stream) -> Result<Response> {
        loop {
            if stream.failures > self.limits.http.reconnects_max {
                let message = format!(
                    "the stream brought nothing {} times in a row and was given up; what was asked may have been carried out",
                    stream.failures
                );
                return Err(Error::new(ErrorKind::Transport, message));
            }
            let earlier = stream.failures.saturating_add(stream.polls).saturating_sub(1);
            let pause = backoff::pause(earlier, stream.retry, self.limits.http.reconnect_pause_max);
            tokio::time::sleep(pause.min(self.limits.request_timeout_max)).await;
            stream.failures += 1;
            match self.open_stream(stream).await {
                Ok(response) => return Ok(response),
                Err(error) if is_passing(&error) => {
                    tracing::debug!("a stream could not be taken up: {error:#}");
                }
                Err(error) => {
                    // Some servers say this of a stream that they never had.
                    if error.http_status() == Some(404) && stream.was_open {
                        self.retire();
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Asks for a stream by GET: the one that the cursor belongs to, or the session's own.
    pub(super) async fn open_stream(&self, stream: &Stream) -> Result<Response> {
        let mut headers = HeaderMap::from_iter([(ACCEPT, EVENTS)]);
        self.session.apply(&mut headers);
        if let Some(cursor) = &stream.cursor {
            let cursor = HeaderValue::from_str(cursor).map_err(|_| {
                Error::invalid_response("the server's event id does not fit into a header")
            })?;
            headers.insert(LAST_EVENT_ID, cursor);
        }
        let response = self.send(None, Method::GET, &self.endpoint.url, &headers, None).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response, Refused::Plain).await);
        }
        if !body::is_events(response.headers()) {
            let message = "the server answered GET with something that is no stream of events";
            return Err(Error::invalid_response(message));
        }
        Ok(response)
    }

    /// Passes on what a stream brings, until it ends or the answer to `asked` has come.
    pub(super) async fn read(
        &self,
        mut response: Response,
        stream: &mut Stream,
        asked: Option<&Asked>,
    ) -> End {
        let opened = Instant::now();
        let position = stream.cursor.clone();
        stream.was_open = true;
        let mut decoder = Decoder::new(self.limits.message_bytes_max);
        let mut events = Vec::new();
        loop {
            let error = match response.chunk().await {
                Ok(Some(piece)) => {
                    decoder.feed(&piece, &mut events);
                    None
                }
                ended => Some(ended.err()),
            };
            for event in events.drain(..) {
                if self.take_event(event, stream, asked).await {
                    self.read_rest(response).await;
                    return End { answered: true, error: None };
                }
            }
            if let Some(error) = error {
                if opened.elapsed() >= SETTLED {
                    (stream.failures, stream.polls) = (0, 0);
                } else if stream.cursor != position && stream.failures > 0 {
                    stream.failures -= 1;
                    stream.polls = stream.polls.saturating_add(1);
                }
                return End { answered: false, error };
            }
        }
    }

    /// Returns whether it was the answer.
    async fn take_event(&self, event: Event, stream: &mut Stream, asked: Option<&Asked>) -> bool {
        let is_message = event.is_message();
        if event.retry.is_some() {
            stream.retry = event.retry;
        }
        if event.id.is_some() && event.id != stream.cursor {
            stream.cursor = event.id.filter(|id| !id.is_empty());
        }
        let (item, answered) = match event.data {
            Data::Text(text) if text.is_empty() => return false,
            Data::Text(frame) => {
                let answered = asked.is_some_and(|asked| answers(&frame, &asked.id));
                if let Some(asked) = asked.filter(|_| answered) {
                    self.answered(asked, &frame);
                }
                (Incoming::Frame(frame), answered)
            }
            Data::Oversize(id) => {
                let answered = asked.is_some_and(
                    |asked| matches!(&id, Some(MessageId::Response(id)) if *id == asked.id),
                );
                (Incoming::Oversize { id, limit: self.limits.message_bytes_max }, answered)
            }
        };
        if is_message {
            (stream.failures, stream.polls) = (0, 0);
            self.deliver(item).await;
        }
        is_message && answered
    }

    /// The server ends the stream after the answer. Reading up to there keeps the connection for
    /// the next request; a server that leaves it open loses it.
    async fn read_rest(&self, mut response: Response) {
        let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
        let _ = tokio::time::timeout(self.limits.flush_timeout, rest).await;
    }
}

/// Whether trying again may help.
pub(super) fn is_passing(error: &Error) -> bool {
    match error.http_status() {
        // A server that has not noticed yet that a stream broke calls it a conflict.
        Some(status) => matches!(status, 408 | 409 | 425 | 429 | 500..),
        None => error.kind() == ErrorKind::Transport,
    }
}
