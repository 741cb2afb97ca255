//! `subscriptions/listen`: a request that stays open and tells of changes (2026-07-28).

use serde_json::Value;

use super::broker::Subscription;
use super::{Context, Feature};
use crate::error::Result;
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::session::encode_for;
use crate::types::{
    JsonObject, Meta, SubscriptionFilter, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams, SubscriptionsListenResult, notification,
};

/// Acknowledges, then waits until the connection ends or the client cancels.
pub(super) async fn listen(
    params: SubscriptionsListenRequestParams,
    context: &Context,
) -> Result<RawJson, ErrorObject> {
    let scope = &context.scope;
    let wanted = params.notifications;
    let max = scope.core.config.limits.subscriptions_max;
    if wanted.resource_subscriptions.len() > max {
        let message = format!("a filter may name at most {max} resources");
        return Err(ErrorObject::invalid_params(message));
    }
    let honored = honor(&wanted, context)?;
    let mut meta = Meta::new();
    meta.set_subscription_id(&scope.request_id);
    let acknowledged = SubscriptionsAcknowledgedNotificationParams {
        notifications: honored.clone(),
        meta: Some(meta),
        ..Default::default()
    };
    let acknowledged =
        encode_for(acknowledged, context.revision()).map_err(super::reply::as_rpc)?;
    scope
        .peer
        .notify(notification::SUBSCRIPTIONS_ACKNOWLEDGED, Some(&acknowledged))
        .await
        .map_err(super::reply::as_rpc)?;
    // Registered after the acknowledgment is queued, so that nothing can come before it.
    let _subscription: Subscription = scope.core.shared.broker.listen(scope, honored);
    scope.session.ended().await;
    Ok(context.reply(SubscriptionsListenResult::new(&scope.request_id)))
}

impl Context {
    /// Tells whoever made this `subscriptions/listen` request of something that an extension
    /// defines, after it was acknowledged. For layers that know more than the filter says;
    /// [`Server::publish`](super::Server::publish) tells all whose filters fit.
    pub async fn tell(&self, method: &str, mut params: JsonObject) -> Result<()> {
        let scope = &self.scope;
        scope.core.shared.broker.registered(scope).await;
        let mut meta = match params.remove("_meta") {
            Some(Value::Object(meta)) => Meta::from(meta),
            _ => Meta::new(),
        };
        meta.set_subscription_id(&scope.request_id);
        params.insert("_meta".to_owned(), Value::Object(meta.into_inner()));
        scope.peer.notify(method, Some(&RawJson::from(&Value::Object(params)))).await
    }
}

/// The part of a filter that this server can serve.
fn honor(
    wanted: &SubscriptionFilter,
    context: &Context,
) -> Result<SubscriptionFilter, ErrorObject> {
    let core = &context.scope.core;
    let both =
        |wanted: Option<bool>, offered: bool| (wanted == Some(true) && offered).then_some(true);
    let mut honored = SubscriptionFilter {
        tools_list_changed: both(wanted.tools_list_changed, core.offers(Feature::Tools)),
        prompts_list_changed: both(wanted.prompts_list_changed, core.offers(Feature::Prompts)),
        resources_list_changed: both(
            wanted.resources_list_changed,
            core.offers(Feature::Resources),
        ),
        resource_subscriptions: match core.offers(Feature::Resources) {
            true => wanted.resource_subscriptions.clone(),
            false => Vec::new(),
        },
        ..Default::default()
    };
    for extension in core.offered_extensions() {
        extension.listen(context, wanted, &mut honored)?;
    }
    Ok(honored)
}
