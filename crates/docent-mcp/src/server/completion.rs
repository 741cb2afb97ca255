//! Suggestions for the arguments of prompts and the variables of templates.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use super::Context;
use crate::transport::BoxFuture;
use crate::types::Completion;

/// What has been typed, and what is known already.
#[derive(Clone, Debug, Default)]
pub struct CompletionQuery {
    /// What has been typed of this argument.
    pub value: String,
    /// The other arguments that have been filled in (2025-06-18 on).
    pub arguments: BTreeMap<String, String>,
}

type Function = dyn Fn(Context, CompletionQuery) -> BoxFuture<'static, Vec<String>> + Send + Sync;

/// A function that suggests values, best first.
#[derive(Clone)]
pub struct Completer(Arc<Function>);

impl Completer {
    /// Suggestions from a function. Any number may be returned; clients get the first hundred and
    /// are told how many there are.
    pub fn new<F, Fut>(function: F) -> Self
    where
        F: Fn(Context, CompletionQuery) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Vec<String>> + Send + 'static,
    {
        Completer(Arc::new(move |context, query| Box::pin(function(context, query))))
    }

    /// Suggestions from a fixed list: those that start with what was typed, then those that hold
    /// it, whatever the case.
    pub fn values<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        let values: Arc<[String]> = values.into_iter().map(Into::into).collect();
        Completer::new(move |_, query| {
            let typed = query.value.to_lowercase();
            let mut found: Vec<_> = values
                .iter()
                .filter_map(|value| Some((value.to_lowercase().find(&typed)?, value)))
                .collect();
            found.sort_by_key(|(at, _)| *at != 0);
            std::future::ready(found.into_iter().map(|(_, value)| value.clone()).collect())
        })
    }

    pub(crate) async fn run(&self, context: Context, query: CompletionQuery) -> Completion {
        let mut values = (self.0)(context, query).await;
        let total = values.len();
        values.truncate(Completion::VALUES_MAX);
        Completion {
            total: Some(total as u64),
            has_more: Some(total > values.len()),
            values,
            ..Default::default()
        }
    }
}
