//! One request at a server, while it runs: what comes meanwhile goes to the client, until there is
//! a result or a question that only the client's next request can answer.

use std::task::Poll;

use docent_mcp::jsonrpc::RawJson;
use docent_mcp::server::Context;
use docent_mcp::transport::BoxFuture;
use tokio::task::JoinSet;

use super::desk::pass_on;
use super::homes::Lease;
use super::seat::{Notice, Question, Seat};

/// A request that a server works on. Dropping it takes the request back.
pub(super) struct Running {
    upstream: BoxFuture<'static, docent_mcp::Result<RawJson>>,
    seat: Seat,
    /// Keeps the connection for this call.
    lease: Option<Lease>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.as_mut().filter(|_| !self.seat.over) {
            // The server may still ask and log for this call.
            lease.taken_back();
        }
    }
}

/// Why a request does not go on by itself.
pub(super) enum Pause {
    /// It is over.
    Done(docent_mcp::Result<RawJson>),
    /// The server asks something, and the client cannot be asked while it waits.
    Asked(Vec<Question>),
}

impl Running {
    pub(super) fn new(
        upstream: BoxFuture<'static, docent_mcp::Result<RawJson>>,
        seat: Seat,
        lease: Option<Lease>,
    ) -> Self {
        Running { upstream, seat, lease }
    }

    /// Goes on until something else has to happen first.
    pub(super) async fn run(&mut self, context: &Context) -> Pause {
        let mut asking = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                Some(notice) = self.seat.notices.recv() => tell(context, notice).await,
                Some(question) = self.seat.questions.recv() => {
                    if context.revision().is_modern() {
                        let mut questions = vec![question];
                        while let Ok(question) = self.seat.questions.try_recv() {
                            questions.push(question);
                        }
                        return Pause::Asked(questions);
                    }
                    let mut asked = Box::pin(ask(context.clone(), question));
                    // It is on its way before anything else happens.
                    let sent = std::future::poll_fn(|cx| Poll::Ready(asked.as_mut().poll(cx)));
                    if sent.await.is_pending() {
                        asking.spawn(asked);
                    }
                }
                Some(_) = asking.join_next(), if !asking.is_empty() => {}
                result = &mut self.upstream => {
                    // What was told before the result comes before it.
                    while let Ok(notice) = self.seat.notices.try_recv() {
                        tell(context, notice).await;
                    }
                    // A question may have been another call's: its answer is waited for elsewhere.
                    asking.detach_all();
                    self.seat.over = true;
                    return Pause::Done(result);
                }
            }
        }
    }
}

/// Asks a session, unless the server takes the question back.
async fn ask(context: Context, mut question: Question) {
    tokio::select! {
        biased;
        () = question.answer.closed() => {}
        answer = pass_on(&context, *question.request) => drop(question.answer.send(answer)),
    }
}

pub(super) async fn tell(context: &Context, notice: Notice) {
    // A client that is gone shows in the request itself.
    let _ = match notice {
        Notice::Progress(report) => {
            context.progress(report.progress, report.total, report.message).await
        }
        Notice::Log(message) => {
            context.log(message.level, message.logger.as_deref(), message.data).await
        }
        Notice::Other(told) => context.notify(&told.0, told.1).await,
    };
}
