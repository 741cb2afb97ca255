//! Extensions that are not known here (2026-07-28).
//!
//! Servers learn from each request what its client declares. Clients learn which extensions servers
//! have, with the settings on which all of those agree. A method that nobody knows goes to the one
//! server that has an extension which the client declares as well: nothing else says whose it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use docent_mcp::jsonrpc::{ErrorObject, RawObject};
use docent_mcp::server::{Call, Context, TASKS_EXTENSION};
use docent_mcp::skills::EXTENSION_ID as SKILLS_EXTENSION;
use docent_mcp::types::JsonObject;
use serde_json::Value;

use super::caller::{Caller, passed_on};
use super::running::{Pause, Running};
use super::seat::Notice;
use super::{Answer, Shared, reply, trace};
use crate::supervise::{Backend, State};

/// Extensions that are more than passed on.
const KNOWN: [&str; 2] = [TASKS_EXTENSION, SKILLS_EXTENSION];

/// The other extensions of a server of 2026-07-28.
pub(super) fn others(backend: &Backend) -> JsonObject {
    let State::Ready(server) = backend.state() else { return JsonObject::new() };
    if !server.revision.is_modern() {
        return JsonObject::new();
    }
    let declared = server.capabilities.extensions.unwrap_or_default();
    declared.into_iter().filter(|(id, _)| !KNOWN.contains(&&**id)).collect()
}

/// Adds what servers declare to the capabilities of a greeting.
pub(super) fn declare(shared: &Shared, greeting: &mut JsonObject) {
    let mut union: BTreeMap<String, Value> = BTreeMap::new();
    for backend in &shared.host.inner.backends {
        for (id, settings) in others(backend) {
            match union.get_mut(&id) {
                None => drop(union.insert(id, settings)),
                Some(Value::Object(agreed)) => {
                    agreed.retain(|name, value| settings.get(name) == Some(value));
                }
                Some(_) => {}
            }
        }
    }
    if union.is_empty() {
        return;
    }
    let Some(Value::Object(capabilities)) = greeting.get_mut("capabilities") else { return };
    let declared =
        capabilities.entry("extensions").or_insert_with(|| Value::Object(JsonObject::new()));
    if let Value::Object(declared) = declared {
        for (id, settings) in union {
            declared.entry(id).or_insert(settings);
        }
    }
}

/// Whether a method may be one of an extension that is only passed on.
pub(super) fn is_foreign(shared: &Shared, call: &Call) -> bool {
    call.context.revision().is_modern()
        && shared.host.inner.backends.iter().any(|backend| !others(backend).is_empty())
}

/// The servers that have one which a client declares as well.
pub(super) fn having<'a>(
    shared: &'a Shared,
    context: &'a Context,
) -> impl Iterator<Item = &'a Arc<Backend>> {
    let has = |backend: &&Arc<Backend>| others(backend).keys().any(|id| context.declares(id));
    shared.host.inner.backends.iter().filter(has)
}

/// Passes a request on to the server whose it must be.
pub(super) async fn forward(shared: &Arc<Shared>, call: Call) -> Answer {
    let Call { method, params, context } = call;
    let mut found = having(shared, &context);
    let (backend, None) = (found.next(), found.next()) else {
        let message = format!("several servers may know `{method}`, and nothing says which");
        return Err(ErrorObject::new(docent_mcp::jsonrpc::code::METHOD_NOT_FOUND, message));
    };
    let Some(backend) = backend.cloned() else {
        return Err(ErrorObject::method_not_found(&method));
    };
    let params = match params {
        Some(params) => reply::object(Some(params))?,
        None => RawObject::new(),
    };
    let client = backend.client().await.map_err(|error| error.to_rpc())?;
    let caller = Caller::of(&context);
    let seat = shared.desks[backend.number].sit(&caller.key, &context);
    let mut meta = passed_on(context.meta_text());
    let span = trace::sent(shared, backend.number, &client, &method, &params, &mut meta);
    let mut options =
        backend.options().hand_over_questions().meta(meta).capabilities(caller.capabilities);
    if context.progress_token().is_some() {
        let report = seat.report.clone();
        options = options.on_progress(move |progress| {
            let _ = report.try_send(Notice::Progress(Box::new(progress)));
        });
    }
    let asked = method.clone();
    let upstream = async move { client.request(&asked, params, options).await };
    let mut running = Running::new(trace::traced(span, &method, upstream), seat, None);
    let Pause::Done(result) = running.run(&context).await else {
        return Err(ErrorObject::internal("the server asks something that cannot be passed on"));
    };
    result.map_err(|error| match error.rpc() {
        Some(rpc) => rpc.clone(),
        None => backend.request_failed(error).to_rpc(),
    })
}
