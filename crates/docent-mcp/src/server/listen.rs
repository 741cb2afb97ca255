//! `subscriptions/listen`: a request that stays open and tells of changes (2026-07-28).

use super::broker::Subscription;
use super::{Context, Feature};
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::session::encode_for;
use crate::types::{
    Meta, SubscriptionFilter, SubscriptionsAcknowledgedNotificationParams,
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
