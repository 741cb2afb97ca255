//! One request being answered.
//!
//! A job drives the handler, turns its panic into that request's error, drops it when the request
//! is cancelled, and answers once. It is first polled where it was read, because most handlers
//! never wait and a task for each would cost more than the work itself; one that does wait is moved
//! to a task of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

#[cfg(feature = "http")]
use super::ending::Ending;
#[cfg(feature = "http")]
use super::in_flight::Entry;
use super::{Cancel, Peer};
use crate::jsonrpc::encode::{self, UnknownId};
use crate::jsonrpc::{ErrorObject, Id, RawJson};
use crate::transport::BoxFuture;

/// What a request is answered with.
pub(crate) type Answer = Result<RawJson, ErrorObject>;

/// The work behind a request.
pub(crate) struct Work {
    future: BoxFuture<'static, Answer>,
    place: Place,
}

/// Where work starts.
enum Place {
    /// In the loop: it is known to be quick.
    Here,
    /// In the loop unless this kind of work was seen to hold the thread.
    Learned(Arc<Pace>),
}

impl Work {
    /// An answer that is there already.
    pub(crate) fn done(answer: Answer) -> Self {
        Work::quick(std::future::ready(answer))
    }

    /// Work of this crate, which never holds the thread.
    pub(crate) fn quick(future: impl Future<Output = Answer> + Send + 'static) -> Self {
        Work { future: Box::pin(future), place: Place::Here }
    }

    /// Work of a user's handler.
    pub(crate) fn paced(future: BoxFuture<'static, Answer>, pace: &Arc<Pace>) -> Self {
        Work { future, place: Place::Learned(pace.clone()) }
    }
}

/// What was seen of how long a kind of handler holds the thread between two awaits.
///
/// A count that grows with every slow first poll and shrinks with every quick one. Above the bar,
/// handlers get a task from the start, so that reading (and with it cancellation and ping) goes on
/// beside them; every call pays a little back, so one hiccup of the machine is forgotten and a
/// handler that got faster is found out.
#[derive(Default)]
pub(crate) struct Pace(AtomicU32);

impl Pace {
    const BAR: u32 = 256;

    fn is_slow(&self) -> bool {
        let strikes = self.0.load(Ordering::Relaxed);
        self.0.store(strikes.saturating_sub(1), Ordering::Relaxed);
        strikes >= Self::BAR
    }

    fn note(&self, held: Duration) {
        let strikes = match held.as_millis() {
            0 => return,
            1..10 => Self::BAR / 4,
            _ => Self::BAR * 2,
        };
        self.0.fetch_add(strikes, Ordering::Relaxed);
    }
}

/// Drives one request to its answer.
pub(super) struct Job {
    peer: Arc<Peer>,
    id: Id,
    cancel: Cancel,
    work: BoxFuture<'static, Answer>,
}

impl Job {
    /// Starts work on a request that is registered as in flight. What has to wait goes on as
    /// `go_on` says, in a task.
    pub(super) async fn start(
        peer: &Arc<Peer>,
        id: Id,
        cancel: Cancel,
        work: Work,
        go_on: impl FnOnce(Job),
    ) {
        peer.in_flight.started();
        let mut job = Job { peer: peer.clone(), id, cancel, work: work.future };
        let pace = match work.place {
            Place::Here => None,
            Place::Learned(pace) if pace.is_slow() => {
                return go_on(job);
            }
            Place::Learned(pace) => Some((pace, Instant::now())),
        };
        let first = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut job).poll(cx))).await;
        if let Some((pace, before)) = pace {
            pace.note(before.elapsed());
        }
        if first.is_pending() {
            go_on(job);
        }
    }

    /// Goes on until there is an answer.
    pub(super) fn go_on(self) {
        tokio::spawn(self);
    }

    /// Goes on until there is an answer, or the server's patience ends.
    #[cfg(feature = "http")]
    fn go_on_until(mut self, ending: Arc<Ending>) {
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = &mut self => {}
                () = ending.ended() => {
                    let error = ErrorObject::internal("the server is shutting down");
                    answer_request(&self.peer, &self.id, &Err(error));
                }
            }
        });
    }
}

/// Answers a request that came with a way out of its own, there: at the latest when the server's
/// patience ends.
#[cfg(feature = "http")]
pub(crate) async fn answer_on_stream(
    peer: &Arc<Peer>,
    id: Id,
    entry: Entry,
    work: Work,
    ending: &Arc<Ending>,
) -> Result<(), ErrorObject> {
    let cancel = entry.cancel.clone();
    if peer.in_flight.insert(id.clone(), entry).is_err() {
        return Err(in_flight_already());
    }
    Job::start(peer, id, cancel, work, |job| job.go_on_until(ending.clone())).await;
    Ok(())
}

/// The error for a request whose id is in use.
pub(super) fn in_flight_already() -> ErrorObject {
    ErrorObject::invalid_request("a request with this id is still in flight")
}

impl Drop for Job {
    fn drop(&mut self) {
        self.peer.in_flight.stopped();
    }
}

impl Future for Job {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // A cancelled request was taken out of the table by whoever cancelled it: dropping the
        // handler is all that is left to do.
        if self.cancel.poll_job(cx).is_ready() {
            return Poll::Ready(());
        }
        let polled = catch_unwind(AssertUnwindSafe(|| self.work.as_mut().poll(cx)));
        let answer = match polled {
            Ok(poll) => ready!(poll),
            Err(panic) => Err(panicked(&*panic)),
        };
        answer_request(&self.peer, &self.id, &answer);
        Poll::Ready(())
    }
}

/// Sends the answer, if nobody else has dealt with the request.
pub(super) fn answer_request(peer: &Peer, id: &Id, answer: &Answer) {
    let frame = match answer {
        Ok(result) => encode::result(id, result),
        Err(error) => {
            peer.failed(error);
            encode::error(Some(id), UnknownId::Omitted, error)
        }
    };
    peer.in_flight.answer(id, |entry| entry.reply_to.deliver(&peer.outbox, Some(frame)));
}

/// What the peer is told about a panic: that it happened, not what it said, which may hold secrets.
fn panicked(panic: &(dyn std::any::Any + Send)) -> ErrorObject {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    tracing::error!(panic = message, "a handler panicked");
    ErrorObject::internal("the handler of this request failed unexpectedly")
}
