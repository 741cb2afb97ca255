//! Spans of what the gateway is asked and of what it asks, if somebody wants to see them.

use docent_mcp::jsonrpc::{RawJson, RawObject};
use docent_mcp::server::Call;
use docent_mcp::skills::{DIRECTORY_READ, SKILLS_GET, SKILLS_LIST};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{Meta, Revision, Sender, exists_in, method};
use docent_mcp::{Client, ErrorKind};
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Shared};
use crate::config::Transport;
use crate::telemetry::{Kind, SPAN, Span};

/// The parts of a request that a span tells of.
#[derive(Default, Deserialize)]
struct Said {
    name: Option<String>,
    uri: Option<String>,
    /// What is to be completed.
    #[serde(rename = "ref")]
    reference: Option<Box<Said>>,
}

impl Said {
    fn of(params: impl FnOnce() -> Option<Said>) -> Said {
        let said = params().unwrap_or_default();
        said.reference.map_or(Said { reference: None, ..said }, |reference| *reference)
    }
}

/// A client asks.
pub(super) fn received(shared: &Shared, call: &Call) -> Option<Span> {
    let telemetry = shared.telemetry.as_ref()?;
    let context = &call.context;
    let said = Said::of(|| call.params.as_ref()?.decode().ok());
    // Only names that exist, since there can be any number of others.
    let known = |name: String| {
        let view = shared.host.inner.view();
        match &*call.method {
            method::TOOLS_CALL => Some(view.tools.find("tool", &name).ok()?.name.clone()),
            method::PROMPTS_GET | method::COMPLETION_COMPLETE => {
                Some(view.prompts.find("prompt", &name).ok()?.name.clone())
            }
            _ => None,
        }
    };
    let place = telemetry.below(context.meta().traceparent());
    let revision = context.revision().to_string();
    let span = Span::new(telemetry, place, Kind::Server, known_method(&call.method), revision)
        .name(said.name.and_then(known))
        .uri(said.uri.as_deref())
        .caller(context.connection(), context.request_id().to_string());
    Some(span)
}

/// The gateway asks a server, on behalf of the request that is being answered. The server learns
/// where its own spans belong.
pub(super) fn sent(
    shared: &Shared,
    number: usize,
    client: &Client,
    method: &str,
    params: &RawObject,
    meta: &mut Meta,
) -> Option<Span> {
    let telemetry = shared.telemetry.as_ref()?;
    let place = SPAN.try_with(|span| span.child()).unwrap_or_else(|_| telemetry.below(None));
    meta.insert(Meta::TRACEPARENT.to_owned(), Value::String(place.traceparent()));
    let backend = shared.backend(number);
    let transport = match &backend.entry.transport {
        Transport::Stdio { .. } => "pipe",
        Transport::Http { .. } => "tcp",
    };
    let said = Said::of(|| params.encode().decode().ok());
    let revision = client.revision().to_string();
    let span = Span::new(telemetry, place, Kind::Client, known_method(method), revision)
        .name(said.name.filter(|_| has_name(method)))
        .uri(said.uri.as_deref())
        .server(backend.name(), transport);
    Some(span)
}

/// Methods whose `name` is one of a tool or prompt that exists.
fn has_name(method: &str) -> bool {
    matches!(method, method::TOOLS_CALL | method::PROMPTS_GET | method::COMPLETION_COMPLETE)
}

/// A request at a server, whose span ends with it.
pub(super) fn traced(
    span: Option<Span>,
    method: &str,
    request: impl Future<Output = docent_mcp::Result<RawJson>> + Send + 'static,
) -> BoxFuture<'static, docent_mcp::Result<RawJson>> {
    let Some(span) = span else { return Box::pin(request) };
    let method = method.to_owned();
    Box::pin(followed(Some(span), request, move |result| tool_error(&method, result)))
}

/// The same for every kind of result; `outcome` says what may be wrong with it.
pub(super) async fn followed<T>(
    span: Option<Span>,
    request: impl Future<Output = docent_mcp::Result<T>>,
    outcome: impl FnOnce(&T) -> Option<String>,
) -> docent_mcp::Result<T> {
    let result = request.await;
    if let Some(span) = span {
        span.end(match &result {
            Ok(result) => outcome(result),
            Err(error) => Some(match (error.rpc(), error.kind()) {
                (Some(rpc), _) => rpc.code.to_string(),
                (None, ErrorKind::Timeout) => "timeout".to_owned(),
                (None, ErrorKind::Closed) => "closed".to_owned(),
                (None, _) => "_OTHER".to_owned(),
            }),
        });
    }
    result
}

/// What went wrong with an answer, if anything did.
pub(super) fn outcome(method: &str, answer: &Answer) -> Option<String> {
    match answer {
        Ok(result) => tool_error(method, result),
        Err(error) => Some(error.code.to_string()),
    }
}

/// A tool that ran and failed.
fn tool_error(method: &str, result: &RawJson) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Called {
        #[serde(default)]
        is_error: bool,
    }
    let failed = method == method::TOOLS_CALL
        && result.decode::<Called>().is_ok_and(|called| called.is_error);
    failed.then(|| "tool_error".to_owned())
}

/// A method by its name if it is one that is known; there can be any number of others.
fn known_method(name: &str) -> &str {
    let core = Revision::ALL.iter().any(|revision| exists_in(name, *revision, Sender::Client));
    match core || matches!(name, SKILLS_LIST | SKILLS_GET | DIRECTORY_READ | method::TASKS_UPDATE) {
        true => name,
        false => "_OTHER",
    }
}
