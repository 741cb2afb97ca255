//! Where an answer goes: out on the connection, as the last message of a stream of its own (HTTP),
//! or into the array that answers a batch (2025-03-26).

use std::sync::{Arc, Mutex, Weak};

use bytes::Bytes;

use super::Peer;
use super::outbox::Outbox;
use crate::jsonrpc::encode;

#[derive(Clone)]
pub(crate) struct ReplyTo {
    /// The stream that ends with the answer. Held weakly: it belongs to whoever reads it and to
    /// the request that writes it.
    stream: Option<Weak<Peer>>,
    batch: Option<Arc<Mutex<Batch>>>,
}

/// Collects the answers of one batch until the last one is there.
struct Batch {
    missing: usize,
    answers: Vec<Bytes>,
}

impl ReplyTo {
    /// Answers go out on the connection that the request came from.
    pub(crate) fn connection() -> Self {
        ReplyTo { stream: None, batch: None }
    }

    /// The answer is the last message of a stream.
    #[cfg(feature = "http")]
    pub(crate) fn stream(peer: &Arc<Peer>) -> Self {
        ReplyTo { stream: Some(Arc::downgrade(peer)), batch: None }
    }

    /// `missing` answers are sent together.
    pub(crate) fn batch(self, missing: usize) -> Self {
        let batch = Batch { missing, answers: Vec::new() };
        ReplyTo { batch: Some(Arc::new(Mutex::new(batch))), ..self }
    }

    /// Delivers an answer, or `None` when a cancelled request gets none. `outbox` is the
    /// connection's.
    pub(crate) fn deliver(&self, outbox: &Outbox, answer: Option<Bytes>) {
        let whole = match &self.batch {
            None => answer,
            Some(batch) => match collect(batch, answer) {
                Some(whole) => whole,
                None => return,
            },
        };
        match &self.stream {
            None => {
                if let Some(whole) = whole {
                    outbox.push(whole);
                }
            }
            Some(stream) => {
                if let Some(stream) = stream.upgrade() {
                    stream.outbox.push_last(whole);
                }
            }
        }
    }
}

/// Adds an answer. When none is missing any more, returns the array of those that there are.
fn collect(batch: &Mutex<Batch>, answer: Option<Bytes>) -> Option<Option<Bytes>> {
    let mut batch = batch.lock().expect("no panic while locked");
    batch.missing -= 1;
    batch.answers.extend(answer);
    if batch.missing > 0 {
        return None;
    }
    let answers = std::mem::take(&mut batch.answers);
    Some((!answers.is_empty()).then(|| encode::batch(&answers)))
}
