//! `notifications/cancelled`.

use super::meta::Meta;
#[cfg(test)]
use super::sample::{Sample, Source};
use super::wire::wire;
use crate::jsonrpc::Id;

wire! {
    /// The sender no longer wants an answer to a request.
    pub struct CancelledNotificationParams {
        /// The request. Only 2025-11-25 lets it be absent, and says what to do with tasks instead.
        opt request_id: Id = "requestId",
        /// Why, for logs and people.
        opt reason: String = "reason",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}

impl CancelledNotificationParams {
    /// Gives up on a request.
    pub fn new(request_id: Id) -> Self {
        CancelledNotificationParams { request_id: Some(request_id), ..Default::default() }
    }
}

#[cfg(test)]
impl CancelledNotificationParams {
    fn make_valid(&mut self, source: &mut Source<'_>) {
        self.request_id = Some(Sample::sample(source));
    }
}
