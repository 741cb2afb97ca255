//! Where an answer goes: out at once, or into the array that answers a batch (2025-03-26).

use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::outbox::Outbox;
use crate::jsonrpc::encode;

#[derive(Clone)]
pub(crate) enum ReplyTo {
    Single,
    Batch(Arc<Batch>),
}

impl ReplyTo {
    /// Delivers an answer, or `None` when a cancelled request gets none.
    pub(crate) fn deliver(&self, outbox: &Outbox, answer: Option<Bytes>) {
        match (self, answer) {
            (ReplyTo::Single, Some(answer)) => {
                outbox.push(answer);
            }
            (ReplyTo::Single, None) => {}
            (ReplyTo::Batch(batch), answer) => batch.deliver(outbox, answer),
        }
    }
}

/// Collects the answers of one batch and sends them together when the last one is there.
pub(crate) struct Batch(Mutex<Collected>);

struct Collected {
    missing: usize,
    answers: Vec<Bytes>,
}

impl Batch {
    /// A batch that expects `missing` answers.
    pub(crate) fn new(missing: usize) -> Arc<Self> {
        Arc::new(Batch(Mutex::new(Collected { missing, answers: Vec::new() })))
    }

    fn deliver(&self, outbox: &Outbox, answer: Option<Bytes>) {
        let mut collected = self.0.lock().expect("no panic while locked");
        collected.missing -= 1;
        collected.answers.extend(answer);
        if collected.missing == 0 && !collected.answers.is_empty() {
            outbox.push(encode::batch(&std::mem::take(&mut collected.answers)));
        }
    }
}
