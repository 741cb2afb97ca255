//! The stream of a session that belongs to no request: what the server says on its own account.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::connection::Connection;
use super::stream::{Stream, is_passing};

impl Connection {
    /// Listens as long as the server lets us. Not every server has such a stream, and none has to.
    /// `opening` is dropped as soon as it is known whether this one has.
    pub(super) async fn listen(self: Arc<Self>, opening: oneshot::Sender<()>) {
        let mut stream = Stream::default();
        let mut opened = self.open_stream(&stream).await;
        drop(opening);
        stream.failures = 1;
        loop {
            let ended = match opened {
                Ok(response) => {
                    let _ = self.read(response, &mut stream, None).await;
                    None
                }
                Err(error) if is_passing(&error) => Some(error),
                Err(error) if error.http_status() == Some(405) => return,
                Err(error) => return tracing::debug!("no stream of the server's own: {error:#}"),
            };
            tracing::debug!(?ended, "the server's own stream ended");
            opened = match self.resume(&mut stream).await {
                Ok(response) => Ok(response),
                Err(error) => return tracing::warn!("the server's own stream is gone: {error:#}"),
            };
        }
    }
}
