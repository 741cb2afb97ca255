//! The loop of one connection.
//!
//! Everything that can wake it is an [`Event`]. Writing is polled before reading, so that answers
//! leave before more work comes in; both go on at the same time, because two peers that each wait
//! for the other to read would wait forever.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::in_flight::Entry;
use super::job::{Job, answer_request, in_flight_already};
use super::reply_to::ReplyTo;
use super::{Cancel, Peer, Role};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::encode;
use crate::jsonrpc::{
    Decoded, ErrorObject, Malformed, Message, MessageId, Notification, Request, Response, decode,
};
use crate::transport::{AnyReader, AnyWriter, Incoming, Transport};
use crate::types::{CancelledNotificationParams, method, notification};

/// Everything that can wake the loop.
enum Event {
    /// The writer ended: all is delivered, or the peer is out of reach.
    Written(io::Result<()>),
    /// Input arrived, or ended.
    Read(io::Result<()>),
    /// A request that waits in the backlog can be started.
    SlotFree,
    /// The peer has read what it was sent, so there is room for more.
    Drained,
    /// Nothing finished for so long that waiting on is pointless.
    Stalled,
    /// This side wants to close.
    Closing,
}

/// Runs a connection until either side ends it. What stands behind the transport is ended too.
pub(crate) async fn run(
    peer: Arc<Peer>,
    mut transport: Transport,
    role: Arc<dyn Role>,
) -> Result<()> {
    let guard = transport.guard.take();
    let connection = Loop { peer: &peer, role: &*role, backlog: VecDeque::new(), reading: true };
    let result = connection.run(transport).await;
    peer.outbox.kill();
    role.input_ended();
    for (_, entry) in peer.in_flight.take_all() {
        entry.cancel.cancel(Some("the connection is closed".to_owned()));
    }
    let mut reason = "the connection is closed".to_owned();
    if let Some(guard) = guard {
        guard.end().await;
        if let Some(explanation) = guard.explain().filter(|_| !peer.is_closing()) {
            reason = format!("{reason}: {explanation}");
        }
    }
    peer.pending.end(&reason);
    result
}

/// How long to go on reading from a peer that no longer reads.
const LAST_WORDS: Duration = Duration::from_millis(200);

struct Loop<'a> {
    peer: &'a Arc<Peer>,
    role: &'a dyn Role,
    /// Requests that wait for others to finish.
    backlog: VecDeque<(Request, Cancel)>,
    /// False once the input ended or this side is closing.
    reading: bool,
}

impl Loop<'_> {
    async fn run(mut self, transport: Transport) -> Result<()> {
        let Transport { mut reader, writer, .. } = transport;
        let mut writing = std::pin::pin!(write(self.peer, writer));
        let mut stall = Stall::default();
        let mut items = Vec::new();
        loop {
            let paused = self.backlog.len() >= self.peer.limits.backlog_max;
            let draining = !self.reading && self.peer.in_flight.len() > 0;
            // Also what is refused is answered, so a peer that only writes has to wait.
            let full = self.peer.outbox.is_full();
            let event = tokio::select! {
                biased;
                written = &mut writing => Event::Written(written),
                () = slot_free(self.peer), if !self.backlog.is_empty() => Event::SlotFree,
                () = self.peer.closing(), if self.reading => Event::Closing,
                () = stall.wait(self.peer, self.reading), if paused || draining => Event::Stalled,
                () = self.peer.outbox.not_full(), if full && self.reading => Event::Drained,
                read = reader.read(&mut items), if self.reading && !paused && !full => Event::Read(read),
            };
            match event {
                Event::Written(Ok(())) => return Ok(()),
                Event::Written(Err(error)) => {
                    self.hear_last_words(&mut *reader, &mut items).await;
                    return Err(Error::from(error));
                }
                Event::Read(Ok(())) if items.is_empty() => self.end_input(),
                Event::Read(Ok(())) => {
                    for item in items.drain(..) {
                        self.take(item).await;
                    }
                }
                Event::Read(Err(error)) => {
                    tracing::debug!(%error, "reading failed");
                    self.end_input();
                }
                Event::SlotFree => self.start_next().await,
                Event::Drained => {}
                Event::Stalled => self.give_up(),
                Event::Closing => self.end_input(),
            }
            if !self.reading && self.peer.in_flight.len() == 0 {
                self.peer.outbox.finish();
            }
        }
    }

    /// A peer that no longer reads may have answered, or complained, before it ended.
    async fn hear_last_words(&mut self, reader: &mut dyn AnyReader, items: &mut Vec<Incoming>) {
        let hearing = async {
            while self.reading {
                match reader.read(items).await {
                    Ok(()) if !items.is_empty() => {
                        for item in items.drain(..) {
                            self.take(item).await;
                        }
                    }
                    _ => return,
                }
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, hearing).await;
    }

    /// No more input: what only waits for some fails, what is running is finished.
    fn end_input(&mut self) {
        self.reading = false;
        self.role.input_ended();
    }

    async fn take(&mut self, item: Incoming) {
        let frame = match item {
            Incoming::Frame(frame) => frame,
            Incoming::Answer(response) => return self.take_answer(response),
            Incoming::Oversize { id, limit } => return self.take_oversize(id, limit),
            Incoming::Held { id, held } => return self.peer.pending.hold(&id, held),
            Incoming::Failed { id, error } => {
                self.peer.pending.complete(&id, Err(error));
                return;
            }
        };
        match decode(&frame, self.role.has_batches(), &self.peer.limits) {
            Decoded::Single(Ok(message)) => self.take_message(message, ReplyTo::connection()).await,
            Decoded::Single(Err(malformed)) => {
                if malformed.id.is_none() {
                    self.role.stray(&frame);
                }
                self.refuse(*malformed);
            }
            Decoded::Batch(messages) => self.take_batch(messages).await,
        }
    }

    /// Tells whoever waits because of a message that was too long.
    fn take_oversize(&self, id: Option<MessageId>, limit: usize) {
        match id {
            Some(MessageId::Response(id)) => {
                let message = format!("the answer is longer than the limit of {limit} bytes");
                self.peer.pending.complete(&id, Err(Error::new(ErrorKind::Limit, message)));
            }
            Some(MessageId::Request(id)) => self.refuse(Malformed::oversize(Some(id), limit)),
            None => self.refuse(Malformed::oversize(None, limit)),
        }
    }

    async fn take_batch(&mut self, messages: Vec<Result<Message, Box<Malformed>>>) {
        let answered = |message: &&Result<Message, Box<Malformed>>| {
            !matches!(message, Ok(Message::Notification(_) | Message::Response(_)))
        };
        let reply_to = ReplyTo::connection().batch(messages.iter().filter(answered).count());
        for message in messages {
            match message {
                Ok(Message::Request(request)) if request.method == method::INITIALIZE => {
                    let error = ErrorObject::invalid_request("`initialize` cannot be in a batch");
                    let malformed = Malformed { id: Some(request.id), error };
                    reply_to.deliver(&self.peer.outbox, Some(self.refusal(&malformed)));
                }
                Ok(message) => self.take_message(message, reply_to.clone()).await,
                Err(malformed) => {
                    let answered = self.role.refuses(&malformed);
                    let refusal = answered.then(|| self.refusal(&malformed));
                    reply_to.deliver(&self.peer.outbox, refusal);
                }
            }
        }
    }

    async fn take_message(&mut self, message: Message, reply_to: ReplyTo) {
        match message {
            Message::Request(request) => self.accept(request, reply_to).await,
            Message::Notification(notification)
                if notification.method == notification::CANCELLED =>
            {
                self.cancel(notification);
            }
            Message::Notification(notification) => self.notify_role(notification),
            Message::Response(response) => self.take_answer(response),
        }
    }

    fn take_answer(&self, Response { id, outcome }: Response) {
        let known = id.is_some_and(|id| self.peer.pending.complete(&id, outcome.into()));
        if !known {
            tracing::debug!("a response that nobody waits for");
        }
    }

    /// Passes a notification on. Functions of users may hang on it; a panic of theirs is theirs.
    fn notify_role(&self, notification: Notification) {
        let method = notification.method.clone();
        if catch_unwind(AssertUnwindSafe(|| self.role.notification(notification))).is_err() {
            tracing::error!(method, "the handler of a notification panicked");
        }
    }

    /// Registers a request, then starts it or queues it.
    async fn accept(&mut self, request: Request, reply_to: ReplyTo) {
        let cancel = Cancel::new();
        let cancellable = request.method != method::INITIALIZE;
        let entry = Entry { cancel: cancel.clone(), reply_to, cancellable };
        if let Err(entry) = self.peer.in_flight.insert(request.id.clone(), entry) {
            let malformed = Malformed { id: Some(request.id), error: in_flight_already() };
            return entry.reply_to.deliver(&self.peer.outbox, Some(self.refusal(&malformed)));
        }
        let busy = self.peer.in_flight.running() >= self.peer.limits.in_flight_max;
        if busy || !self.backlog.is_empty() || self.peer.outbox.is_full() {
            self.backlog.push_back((request, cancel));
        } else {
            self.start(request, cancel).await;
        }
    }

    async fn start(&self, request: Request, cancel: Cancel) {
        let id = request.id.clone();
        let work = self.role.request(request, cancel.clone(), self.peer);
        Job::start(self.peer, id, cancel, work, Job::go_on).await;
    }

    async fn start_next(&mut self) {
        if let Some((request, cancel)) = self.backlog.pop_front()
            && !cancel.is_cancelled()
        {
            self.start(request, cancel).await;
        }
    }

    /// The peer no longer wants an answer. A cancellation that is late, or names no request of the
    /// peer's, is up to the role.
    fn cancel(&self, notification: Notification) {
        let params = notification.params.as_ref().map(|params| params.decode());
        let Some(Ok(CancelledNotificationParams { request_id: Some(id), reason, .. })) = params
        else {
            return tracing::debug!("a cancellation that names no request");
        };
        tracing::debug!(%id, reason, "cancelled by the peer");
        match self.peer.in_flight.cancel(&id, reason) {
            Some(entry) => entry.reply_to.deliver(&self.peer.outbox, None),
            None => self.notify_role(notification),
        }
    }

    /// Ends what holds everything up, with an error for each.
    fn give_up(&mut self) {
        let unanswered: Vec<_> = if self.reading {
            let error =
                ErrorObject::internal("too many requests wait and none finishes: try again");
            self.backlog.drain(..).map(|(request, _)| (request.id, error.clone())).collect()
        } else {
            self.backlog.clear();
            let error =
                ErrorObject::internal("the connection ended before the request was finished");
            self.peer.in_flight.ids().into_iter().map(|id| (id, error.clone())).collect()
        };
        for (id, error) in unanswered {
            if let Some(cancel) = self.peer.in_flight.cancel_token(&id) {
                answer_request(self.peer, &id, &Err(error));
                cancel.cancel(Some("gave up waiting".to_owned()));
            }
        }
    }

    fn refuse(&self, malformed: Malformed) {
        tracing::debug!(error = %malformed.error, "a message that cannot be taken");
        if self.role.refuses(&malformed) {
            self.peer.outbox.push(self.refusal(&malformed));
        }
    }

    fn refusal(&self, malformed: &Malformed) -> Bytes {
        encode::error(malformed.id.as_ref(), self.role.unknown_id(), &malformed.error)
    }
}

/// Resolves when a request of the backlog may start.
async fn slot_free(peer: &Peer) {
    peer.in_flight.fewer_running_than(peer.limits.in_flight_max).await;
    peer.outbox.not_full().await;
}

/// Watches for the moment when nothing finishes any more.
#[derive(Default)]
struct Stall {
    since: Option<Instant>,
    left: usize,
}

impl Stall {
    /// Resolves when no request has finished for as long as the limits allow. At the end of input
    /// it also resolves when all have.
    async fn wait(&mut self, peer: &Peer, reading: bool) {
        let limits = &peer.limits;
        let patience = if reading { limits.stall_timeout } else { limits.drain_timeout };
        loop {
            let left = peer.in_flight.len();
            if left != self.left || self.since.is_none() {
                self.left = left;
                self.since = Some(Instant::now());
            }
            let Some(since) = self.since.filter(|_| reading || left > 0) else { return };
            tokio::select! {
                () = peer.in_flight.len_below(left) => {}
                () = tokio::time::sleep_until(since + patience) => {
                    self.since = None;
                    return;
                }
            }
        }
    }
}

/// Writes what the outbox holds until it is finished, then closes.
async fn write(peer: &Peer, mut writer: Box<dyn AnyWriter>) -> io::Result<()> {
    let mut frames = Vec::new();
    let writing = async {
        while std::future::poll_fn(|cx| peer.outbox.poll_take(cx, &mut frames)).await {
            writer.write(&mut frames).await?;
        }
        writer.close().await
    };
    // A peer that does not read must not keep us from ending. One that reads slowly gets all of its
    // answers, unless it is this side that wants to close.
    let overdue = async {
        peer.outbox.finished().await;
        loop {
            let (limits, before) = (&peer.limits, peer.outbox.batches());
            let closing = peer.is_closing();
            tokio::time::sleep(if closing { limits.flush_timeout } else { limits.stall_timeout })
                .await;
            if closing || peer.outbox.batches() == before {
                return;
            }
        }
    };
    tokio::select! {
        biased;
        result = writing => result,
        () = overdue => Err(io::ErrorKind::TimedOut.into()),
    }
}
