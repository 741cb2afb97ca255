//! Listen requests of their own (2026-07-28), for whoever asks on behalf of others: what comes for one
//! goes to whom it is for, and to nobody else.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::listens::Listening;
use super::subscriptions::CancelOnDrop;
use super::{Client, RequestOptions};
use crate::error::{Error, Result};
use crate::jsonrpc::RawJson;
use crate::session::Cancel;
use crate::types::SubscriptionFilter;

/// A listen request that is open; dropping it ends that.
pub struct Listen {
    honored: SubscriptionFilter,
    ended: oneshot::Receiver<()>,
    _open: CancelOnDrop,
}

impl Listen {
    /// What the server will tell.
    pub fn honored(&self) -> &SubscriptionFilter {
        &self.honored
    }

    /// Resolves when the server, or the connection, has ended it.
    pub async fn ended(&mut self) {
        // Fails if whoever would say so is gone, which is the same.
        let _ = (&mut self.ended).await;
    }
}

impl Client {
    /// Opens a listen request of its own, beside the one for everything that
    /// [`subscribe`](Client::subscribe) and its like watch. `told` gets notifications that come for
    /// it and that this crate does not know; it must not block. Nothing is opened again when the
    /// server ends it, or is started again.
    pub async fn listen_apart(
        &self,
        filter: SubscriptionFilter,
        options: RequestOptions,
        told: impl Fn(&str, Option<&RawJson>) + Send + Sync + 'static,
    ) -> Result<Listen> {
        let link = self.link().await?;
        if !link.is_modern() {
            return Err(Error::unsupported("a server of a legacy era takes no listen requests"));
        }
        let (acknowledge, acknowledged) = oneshot::channel();
        let cancel = Cancel::new();
        let open = CancelOnDrop(Some(cancel.clone()));
        let listening = Listening::new(acknowledge, Some(Arc::new(told)));
        let call = self.listen_call(&link, filter, options.cancel(cancel), listening);
        let (service, listening) = (self.inner.service.clone(), call.listening.clone());
        let (over, ended) = oneshot::channel();
        tokio::spawn(async move {
            let outcome = service.call_boxed(call).await;
            if let Some(listening) = listening {
                link.listens.remove(&listening, outcome.map(drop));
            }
            drop(over);
        });
        let honored = self.acknowledged(acknowledged).await?;
        Ok(Listen { honored, ended, _open: open })
    }
}

impl std::fmt::Debug for Listen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listen").field("honored", &self.honored).finish_non_exhaustive()
    }
}
