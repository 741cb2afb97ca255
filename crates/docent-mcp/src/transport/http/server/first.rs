//! Waiting for what a request comes to, until it is clear what kind of reply it needs.

use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;

use super::alarm::Alarm;
use super::incoming::Accepts;
use crate::session::Peer;

/// What a request came to before its reply had to begin.
pub(super) enum First {
    /// One message, which is all there is.
    Answer(Bytes),
    /// No message at all: the request was cancelled.
    Nothing,
    /// Several messages, or a pause: these are the first ones.
    Streams(Vec<Bytes>),
}

/// Waits until the kind of reply is clear. An answer that nothing precedes is one message; one
/// that takes long becomes a stream, so that everybody in between sees that it is alive.
pub(super) async fn first(peer: &Peer, accepts: Accepts, alarm: &Arc<Alarm>) -> First {
    let outbox = &peer.outbox;
    let mut taken = Vec::new();
    let mut pause = std::pin::pin!(alarm.ring());
    std::future::poll_fn(|cx| {
        loop {
            match outbox.poll_take(cx, &mut taken) {
                Poll::Ready(false) => return Poll::Ready(First::Nothing),
                Poll::Ready(true) if !accepts.json => {
                    return Poll::Ready(First::Streams(std::mem::take(&mut taken)));
                }
                Poll::Ready(true)
                    if outbox.is_exhausted() && (taken.len() == 1 || !accepts.events) =>
                {
                    let answer = taken.pop().expect("something was taken");
                    return Poll::Ready(First::Answer(answer));
                }
                Poll::Ready(true) if accepts.events => {
                    return Poll::Ready(First::Streams(std::mem::take(&mut taken)));
                }
                // A client that takes no events gets the answer only.
                Poll::Ready(true) => taken.clear(),
                Poll::Pending => break,
            }
        }
        if !accepts.events {
            return Poll::Pending;
        }
        match outbox.is_interrupted() || pause.as_mut().poll(cx).is_ready() {
            true => Poll::Ready(First::Streams(Vec::new())),
            false => Poll::Pending,
        }
    })
    .await
}
