//! HTTP+SSE, the transport of 2024-11-05: one stream brings everything, and its first event says
//! where messages go.

use std::sync::Arc;

use http::HeaderMap;
use http::Method;
use http::header::ACCEPT;
use reqwest::{Response, Url};

use super::body;
use super::connection::{Connection, Way};
use super::endpoint::HttpEndpoint;
use super::mirror::Mirrored;
use super::outgoing::EVENTS;
use super::refusal::Refused;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::transport::http::sse::{Data, Decoder, Event};
use crate::transport::{Incoming, Transport};

impl HttpEndpoint {
    /// A connection over Streamable HTTP. Nothing is sent yet.
    pub(crate) fn open(&self, limits: &Limits, mirrored: &Arc<Mirrored>) -> Result<Transport> {
        let (connection, items) = Connection::new(self, limits, mirrored, Way::Streamable)?;
        Ok(connection.transport(items))
    }

    /// A connection over HTTP+SSE, once the server has said where messages go.
    pub(crate) async fn open_old_sse(
        &self,
        limits: &Limits,
        mirrored: &Arc<Mirrored>,
    ) -> Result<Transport> {
        let opening = async {
            let (asking, _) = Connection::new(self, limits, mirrored, Way::Streamable)?;
            let headers = HeaderMap::from_iter([(ACCEPT, EVENTS)]);
            let response = asking.send(None, Method::GET, &self.url, &headers, None).await?;
            if !response.status().is_success() {
                return Err(asking.refusal(response, Refused::Plain).await);
            }
            if !body::is_events(response.headers()) {
                let message = "the server answered GET with something that is no stream of events";
                return Err(Error::invalid_response(message));
            }
            let mut events = Events::new(response, limits);
            let post_to = self.post_to(&mut events, &asking).await?;
            let (connection, items) =
                Connection::new(self, limits, mirrored, Way::OldSse { post_to })?;
            let reading = tokio::spawn(bring(connection.clone(), events));
            connection.keep(reading.abort_handle());
            Ok(connection.transport(items))
        };
        let opened = tokio::time::timeout(limits.connect_timeout, opening).await;
        opened.unwrap_or_else(|_| {
            let message = "the server did not say in time where messages go";
            Err(Error::new(ErrorKind::Timeout, message))
        })
    }

    /// The address in the first event. It may only be of the same origin: whatever is sent there
    /// has our credentials.
    async fn post_to(&self, events: &mut Events, asking: &Connection) -> Result<Url> {
        while let Some(event) = events.next().await.map_err(|error| asking.unreachable(error))? {
            if event.name.as_deref() != Some("endpoint") {
                continue;
            }
            let Data::Text(address) = &event.data else { break };
            let address = std::str::from_utf8(address).unwrap_or_default().trim();
            let url = self.url.join(address).map_err(|error| {
                Error::invalid_response("the server names no address for messages")
                    .with_source(error)
            })?;
            if url.origin() != self.url.origin() {
                let message = format!(
                    "the server wants messages to go to {}, which is another origin",
                    url.origin().ascii_serialization()
                );
                return Err(Error::invalid_response(message));
            }
            return Ok(url);
        }
        Err(Error::invalid_response("the server's stream does not say where messages go"))
    }
}

/// Passes on what the stream brings. Its end is the end of the connection.
async fn bring(connection: Arc<Connection>, mut events: Events) {
    while let Ok(Some(event)) = events.next().await {
        if !event.is_message() {
            continue;
        }
        let limit = connection.limits.message_bytes_max;
        match event.data {
            Data::Text(frame) if frame.is_empty() => {}
            Data::Text(frame) => connection.deliver(Incoming::Frame(frame)).await,
            Data::Oversize(id) => connection.deliver(Incoming::Oversize { id, limit }).await,
        }
    }
    connection.end();
}

/// The events of a response.
struct Events {
    response: Response,
    decoder: Decoder,
    decoded: Vec<Event>,
}

impl Events {
    fn new(response: Response, limits: &Limits) -> Self {
        Events { response, decoder: Decoder::new(limits.message_bytes_max), decoded: Vec::new() }
    }

    async fn next(&mut self) -> reqwest::Result<Option<Event>> {
        while self.decoded.is_empty() {
            let Some(piece) = self.response.chunk().await? else { return Ok(None) };
            self.decoder.feed(&piece, &mut self.decoded);
            self.decoded.reverse();
        }
        Ok(self.decoded.pop())
    }
}
