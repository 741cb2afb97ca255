//! `subscriptions/listen`: how a client of 2026-07-28 hears of changes.

use super::meta::Meta;
#[cfg(test)]
use super::sample::{Sample, Source};
use super::wire::wire;
use crate::jsonrpc::Id;

wire! {
    /// Which changes a client wants to hear of, or those a server agreed to tell. Extensions add
    /// fields of their own, which are kept in `extra`.
    pub struct SubscriptionFilter {
        /// The list of tools.
        opt tools_list_changed: bool = "toolsListChanged",
        /// The list of prompts.
        opt prompts_list_changed: bool = "promptsListChanged",
        /// The list of resources.
        opt resources_list_changed: bool = "resourcesListChanged",
        /// These resources, by address.
        list resource_subscriptions: String = "resourceSubscriptions",
    }

    /// What to listen for.
    pub struct SubscriptionsListenRequestParams {
        /// The changes wanted.
        req notifications: SubscriptionFilter = "notifications",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// The first message on a listen stream.
    pub struct SubscriptionsAcknowledgedNotificationParams {
        /// Those of the wanted changes that the server will tell.
        req notifications: SubscriptionFilter = "notifications",
        /// Metadata; names the listen request.
        opt meta: Meta = "_meta",
    }

    /// The last message on a listen stream that the server ends.
    pub struct SubscriptionsListenResult {
        /// Metadata; names the listen request.
        opt meta: Meta = "_meta",
    }
}

impl SubscriptionsListenResult {
    /// The end of the stream that a request opened.
    pub fn new(subscription_id: &Id) -> Self {
        let mut meta = Meta::new();
        meta.set_subscription_id(subscription_id);
        SubscriptionsListenResult { meta: Some(meta), ..Default::default() }
    }
}

#[cfg(test)]
impl SubscriptionsListenResult {
    fn make_valid(&mut self, source: &mut Source<'_>) {
        self.meta.get_or_insert_default().set_subscription_id(&Sample::sample(source));
    }
}
