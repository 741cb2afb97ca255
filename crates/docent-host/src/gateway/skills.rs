//! Skills of all servers (2026-07-28): one list, and the way to the server for everything about one.
//!
//! Their files are resources, and are read as such. Addresses that two servers have are told apart
//! as those of resources are.

use std::sync::{Arc, Weak};

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Context, Extension, Server};
use docent_mcp::skills::{DIRECTORY_READ, EXTENSION_ID, SKILLS_GET, SKILLS_LIST};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{
    GetSkillResult, JsonObject, ListResourcesResult, ListSkillsResult, PaginatedRequestParams,
};
use serde_json::Value;

use super::caller::passed_on;
use super::{Answer, Shared, lists, reply, trace};
use crate::error::Error;
use crate::supervise::{Backend, State};
use crate::view::{Place, View, put_before};

/// The extension as the gateway offers it.
pub(super) struct Union(pub(super) Weak<Shared>);

impl Union {
    /// Whether a server has skills of which this holds, or may turn out to.
    fn any(&self, holds: impl Fn(&Value) -> bool) -> bool {
        let Some(shared) = self.0.upgrade() else { return false };
        let has = |backend: &Arc<Backend>| match settings(backend) {
            Some(settings) => holds(&settings),
            None => backend.is_pending(),
        };
        shared.host.inner.backends.iter().any(has)
    }
}

/// What a server says of its skills.
fn settings(backend: &Backend) -> Option<Value> {
    let State::Ready(server) = backend.state() else { return None };
    server.capabilities.extensions?.get(EXTENSION_ID).cloned()
}

fn lists_folders(settings: &Value) -> bool {
    settings.get("directoryRead") == Some(&Value::Bool(true))
}

impl Extension for Union {
    fn id(&self) -> &str {
        EXTENSION_ID
    }

    fn settings(&self) -> JsonObject {
        let folders = self.any(lists_folders);
        folders.then(|| ("directoryRead".to_owned(), Value::Bool(true))).into_iter().collect()
    }

    fn is_offered(&self, _: &Server) -> bool {
        self.any(|_| true)
    }

    fn methods(&self) -> &[&str] {
        &[SKILLS_LIST, SKILLS_GET, DIRECTORY_READ]
    }

    fn needs_declaration(&self, _: &str) -> bool {
        false
    }

    fn call(
        &self,
        context: Context,
        method: &str,
        params: Option<RawJson>,
    ) -> BoxFuture<'static, Answer> {
        let (shared, method) = (self.0.upgrade(), method.to_owned());
        Box::pin(async move {
            let shared = shared.ok_or_else(|| ErrorObject::internal("the gateway is closed"))?;
            if let Some(rate) = &shared.rate {
                rate.take(&context)?;
            }
            match &*method {
                SKILLS_LIST => list(&shared, &context, params).await,
                _ => about(&shared, &context, &method, params).await,
            }
        })
    }
}

async fn list(shared: &Shared, context: &Context, params: Option<RawJson>) -> Answer {
    let unfit = |error| ErrorObject::invalid_params(format!("`params` does not fit: {error}"));
    let params = params.map(|params| params.decode::<PaginatedRequestParams>()).transpose();
    let cursor = params.map_err(unfit)?.and_then(|params| params.cursor);
    let view = shared.host.inner.listed().await;
    let (skills, next_cursor) = lists::page(context, &view.skills.items, cursor.as_deref())?;
    let (ttl_ms, cache_scope) = lists::hints(view.skills.freshness.as_ref());
    let result =
        ListSkillsResult { skills, next_cursor, ttl_ms, cache_scope, ..Default::default() };
    Ok(context.reply(result))
}

/// `skills/get`, also of what is not listed, and `resources/directory/read`.
async fn about(
    shared: &Shared,
    context: &Context,
    method: &str,
    params: Option<RawJson>,
) -> Answer {
    let mut params = reply::object(params)?;
    let Ok(Some(asked)) = params.read::<String>("uri") else {
        return Err(ErrorObject::invalid_params("`uri` must be a string"));
    };
    let find = |view: &View, asked: &str| {
        let skill = view.skill(asked).filter(|_| method == SKILLS_GET);
        skill.or_else(|| view.folder(asked)).ok_or_else(|| Error::unknown("skill", asked, &[]))
    };
    let found = match shared.host.inner.find(&asked, find).await {
        Ok(place) => Some(place),
        Err(_) => shared.place(&asked).await,
    };
    let Some(Place { number, uri }) = found else {
        let error = ErrorObject::invalid_params("no server has this skill or folder");
        return Err(error.with_data(serde_json::json!({ "uri": asked })));
    };
    let backend = shared.backend(number);
    let client = backend.client().await.map_err(|error| error.to_rpc())?;
    match settings(backend) {
        Some(settings) if method == SKILLS_GET || lists_folders(&settings) => {}
        _ => {
            return Err(ErrorObject::invalid_params(
                "its server has no skills, or lists no folders",
            ));
        }
    }
    let before = asked.strip_suffix(&*uri).unwrap_or_default();
    params.insert("uri", Value::String(uri.clone()));
    let mut meta = passed_on(context.meta_text());
    let span = trace::sent(shared, number, &client, method, &params, &mut meta);
    let request = client.request(method, params, backend.options().meta(meta));
    let result = trace::followed(span, request, |_| None).await;
    let result = result.map_err(|error| backend.request_failed(error).to_rpc())?;
    Ok(match method {
        SKILLS_GET => {
            let mut result: GetSkillResult = reply::decode(&result)?;
            put_before(&mut result.skill, before);
            reply::own_meta(&mut result.meta);
            context.reply(result)
        }
        _ => {
            let mut result: ListResourcesResult = reply::decode(&result)?;
            for resource in &mut result.resources {
                resource.uri.insert_str(0, before);
            }
            reply::own_meta(&mut result.meta);
            context.reply(result)
        }
    })
}
