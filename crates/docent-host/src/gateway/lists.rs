//! Lists of everything, from what was fetched last, and what was fetched last is refreshed behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use docent_mcp::client::Freshness;
use docent_mcp::jsonrpc::{ErrorObject, RawJson, RawObject};
use docent_mcp::server::{Call, Context};
use docent_mcp::types::{
    CacheScope, CompleteRequestParams, CompleteResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    Tool, method,
};
use serde_json::Value;

use super::caller::passed_on;
use super::{Answer, Shared, extensions, reply, trace};
use crate::view::{Offered, rewrite_pages};

pub(super) async fn list(shared: Arc<Shared>, call: Call) -> Answer {
    let Call { method, params, context } = call;
    let cursor = match params {
        Some(params) => reply::typed::<PaginatedRequestParams>(Some(params))?.cursor,
        None => None,
    };
    let view = shared.host.inner.listed().await;
    shared.seen.store(true, Ordering::Release);
    let cursor = cursor.as_deref();
    Ok(match &*method {
        method::TOOLS_LIST => {
            let (page, next_cursor) = context.page(&view.tools.items, cursor)?;
            let addressed = |Offered { mut item, number, .. }: Offered<Tool>| {
                rewrite_pages(&mut item.meta, |uri| view.address(number, uri));
                item
            };
            let tools = page.into_iter().map(addressed).collect();
            let (ttl_ms, cache_scope) = hints(view.tools.freshness.as_ref());
            context.reply(ListToolsResult {
                tools,
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            })
        }
        method::PROMPTS_LIST => {
            let (prompts, next_cursor) = page(&context, &view.prompts.items, cursor)?;
            let (ttl_ms, cache_scope) = hints(view.prompts.freshness.as_ref());
            context.reply(ListPromptsResult {
                prompts,
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            })
        }
        method::RESOURCES_LIST => {
            let (resources, next_cursor) = page(&context, &view.resources.items, cursor)?;
            let (ttl_ms, cache_scope) = hints(view.resources.freshness.as_ref());
            context.reply(ListResourcesResult {
                resources,
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            })
        }
        _ => {
            let (resource_templates, next_cursor) = page(&context, &view.templates.items, cursor)?;
            let (ttl_ms, cache_scope) = hints(view.templates.freshness.as_ref());
            context.reply(ListResourceTemplatesResult {
                resource_templates,
                next_cursor,
                ttl_ms,
                cache_scope,
                ..Default::default()
            })
        }
    })
}

pub(super) fn page<T: Clone>(
    context: &Context,
    items: &[Offered<T>],
    cursor: Option<&str>,
) -> Result<(Vec<T>, Option<String>), ErrorObject> {
    let (page, next) = context.page(items, cursor)?;
    Ok((page.into_iter().map(|offered| offered.item).collect(), next))
}

/// The shortest time of all servers, and for everybody only if all of them say so.
pub(super) fn hints(freshness: Option<&Freshness>) -> (Option<u64>, Option<CacheScope>) {
    match freshness {
        Some(freshness) => (Some(freshness.ttl_ms), Some(freshness.scope.clone())),
        None => (Some(0), Some(CacheScope::Private)),
    }
}

/// Suggestions come from the server that has the prompt or the template.
pub(super) async fn complete(shared: Arc<Shared>, call: Call) -> Answer {
    let Call { params, context, .. } = call;
    let wanted: CompleteRequestParams = reply::typed(params)?;
    let found = shared.host.inner.find_reference(wanted.reference).await;
    let (number, reference) = found.map_err(|error| error.to_rpc())?;
    let backend = shared.backend(number);
    let client = backend.client().await.map_err(|error| error.to_rpc())?;
    let server = client.server();
    if !server.revision.is_modern() && server.capabilities.completions.is_none() {
        // A server that completes nothing has no suggestions, which is no error.
        return Ok(context.reply(CompleteResult::default()));
    }
    let known = wanted.context.and_then(|context| context.arguments).unwrap_or_default();
    let asked = RawObject::from_iter([("ref", serde_json::json!(reference))]);
    let mut meta = passed_on(context.meta_text());
    let span =
        trace::sent(&shared, number, &client, method::COMPLETION_COMPLETE, &asked, &mut meta);
    let argument = &wanted.argument;
    let options = backend.options().meta(meta);
    let request = client.complete_with(reference, &argument.name, &argument.value, known, options);
    let completed = trace::followed(span, request, |_| None).await;
    let completion = completed.map_err(|error| backend.request_failed(error).to_rpc())?;
    Ok(context.reply(CompleteResult { completion, ..Default::default() }))
}

/// Adds to a greeting what the servers want a model to know, and what else they can do, as far as
/// they are there by now.
pub(super) fn with_servers(shared: &Shared, context: &Context, result: RawJson) -> RawJson {
    let Ok(Value::Object(mut fields)) = result.decode::<Value>() else { return result };
    let view = shared.host.inner.view();
    let mut text: Vec<String> = Vec::new();
    text.extend(fields.get("instructions").and_then(Value::as_str).map(str::to_owned));
    for (server, instructions) in &view.instructions {
        text.push(format!("## {server}\n{instructions}"));
    }
    if !text.is_empty() {
        fields.insert("instructions".to_owned(), Value::String(text.join("\n\n")));
    }
    if context.revision().is_modern() {
        extensions::declare(shared, &mut fields);
    }
    RawJson::from(&Value::Object(fields))
}
