//! Asking the model for a server: how often, and with whose consent.
//!
//! `handlers` has checked what is asked; the function of [`ClientBuilder::on_sample`] answers it.
//! Nothing of it is kept: the next request of a server brings everything that its model may know.
//!
//! [`ClientBuilder::on_sample`]: super::ClientBuilder::on_sample

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

use super::handlers::Handler;
use crate::jsonrpc::ErrorObject;
use crate::layer::{Bucket, Refusal};
use crate::limits::Limits;
use crate::types::{CreateMessageRequestParams, CreateMessageResult};

/// What somebody looks at before it goes on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SampleReview {
    /// What a server says to the model.
    pub prompt: CreateMessageRequestParams,
    /// What the model says to the server; nothing before it was asked.
    pub answer: Option<CreateMessageResult>,
}

#[derive(Clone, Default)]
pub(crate) struct Samples {
    pub(crate) review: Option<Handler<SampleReview, ()>>,
    /// Filled by the first request, when the limits are known.
    taken: Arc<OnceLock<Mutex<Bucket>>>,
}

impl Samples {
    pub(super) async fn ask(
        &self,
        model: &Handler<CreateMessageRequestParams, CreateMessageResult>,
        params: CreateMessageRequestParams,
        limits: &Limits,
    ) -> Result<CreateMessageResult, ErrorObject> {
        self.take(limits)?;
        let Some(review) = &self.review else { return model(params).await };
        review(SampleReview { prompt: params.clone(), answer: None }).await?;
        let answer = model(params.clone()).await?;
        review(SampleReview { prompt: params, answer: Some(answer.clone()) }).await?;
        Ok(answer)
    }

    /// One more request, if there were not too many of late.
    fn take(&self, limits: &Limits) -> Result<(), ErrorObject> {
        let most = limits.samples_per_minute_max.max(1);
        let bucket = || Mutex::new(Bucket::new(most, Duration::from_secs(60) / most));
        let mut bucket = self.taken.get_or_init(bucket).lock().expect("no panic while locked");
        bucket.take(Instant::now()).map_err(|wait| Refusal::RateLimited(wait).into())
    }
}
