//! The floor over HTTP: axum takes a body, `serde_json` parses it, the answer goes back. A client that
//! takes events only gets it as one event of a stream, whose length nobody knows beforehand.

use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::routing::post;
use axum::serve::ListenerExt;
use bytes::Bytes;
use http_body::Frame;
use tokio::net::TcpListener;

pub(crate) fn run(more_tools: usize) -> io::Result<()> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all().build()?.block_on(serve(more_tools))
}

async fn serve(more_tools: usize) -> io::Result<()> {
    let router = Router::new().route(
        "/mcp",
        post(async move |headers: HeaderMap, body: Bytes| answer(&headers, &body, more_tools)),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stdout(), "{}", listener.local_addr()?)?;
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await
}

fn answer(headers: &HeaderMap, body: &[u8], more_tools: usize) -> Response<Body> {
    let events = headers.get(ACCEPT).is_some_and(|accepted| accepted == "text/event-stream");
    let mut message = Vec::new();
    if events {
        message.extend_from_slice(b"data: ");
    }
    let start = message.len();
    let written = crate::answer(body, more_tools, &mut message);
    let (status, media) = match (&written, events) {
        (Err(_), _) => (StatusCode::BAD_REQUEST, None),
        (Ok(()), _) if message.len() == start => (StatusCode::ACCEPTED, None),
        (Ok(()), true) => (StatusCode::OK, Some("text/event-stream")),
        (Ok(()), false) => (StatusCode::OK, Some("application/json")),
    };
    let body = match (media, events) {
        (None, _) => Body::empty(),
        (Some(_), true) => {
            message.push(b'\n');
            Body::new(Event(Some(message.into())))
        }
        (Some(_), false) => Body::from(message),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    if let Some(media) = media {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    }
    response
}

/// One piece of a body that could have more.
struct Event(Option<Bytes>);

impl http_body::Body for Event {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}
