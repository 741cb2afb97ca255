//! From a method to its answer.
//!
//! This is the innermost service, below all layers. Everything it needs is in the call: the
//! parameters as text, and the context.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::input::{self, Ran, RequestIdentity};
use super::resource::ReadRequest;
use super::{Call, CompletionQuery, Context, Feature, reply};
use crate::jsonrpc::{ErrorObject, RawJson, code};
use crate::types::{
    CallToolRequestParams, CallToolResult, CompleteRequestParams, CompleteResult, Completion,
    CompletionReference, EmptyResult, GetPromptRequestParams, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, MissingRequiredClientCapabilityData,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResult, Revision, Sender,
    exists_in, method,
};

type Answer = Result<RawJson, ErrorObject>;

/// Answers a call.
pub(crate) async fn route(call: Call) -> Answer {
    let Call { method, params, context } = call;
    let answering = dispatch(&method, params, &context);
    #[cfg(feature = "tracing")]
    let answering = {
        let (mut answering, context) = (Box::pin(answering), &context);
        std::future::poll_fn(move |cx| {
            super::log_layer::with_current(context, || answering.as_mut().poll(cx))
        })
    };
    let answer = answering.await;
    context.scope.finish();
    answer
}

async fn dispatch(method: &str, params: Option<RawJson>, context: &Context) -> Answer {
    if !exists_in(method, context.revision(), Sender::Client) {
        return extension(method, params, context).await;
    }
    let offers = |feature| context.scope.core.offers(feature);
    match method {
        method::INITIALIZE => context.scope.session.initialize(&decode(params)?, context),
        method::PING => Ok(context.reply(EmptyResult::default())),
        method::SERVER_DISCOVER => Ok(context.reply(context.scope.core.discover())),
        method::TOOLS_LIST if offers(Feature::Tools) => list_tools(&decode_or_default(params)?, context),
        method::TOOLS_CALL if offers(Feature::Tools) => call_tool(params, context).await,
        method::RESOURCES_LIST if offers(Feature::Resources) => {
            list_resources(&decode_or_default(params)?, context)
        }
        method::RESOURCES_TEMPLATES_LIST if offers(Feature::Resources) => {
            list_templates(&decode_or_default(params)?, context)
        }
        method::RESOURCES_READ if offers(Feature::Resources) => read_resource(params, context).await,
        method::RESOURCES_SUBSCRIBE if offers(Feature::Resources) => {
            context.scope.session.subscribe(&decode(params)?, context)
        }
        method::RESOURCES_UNSUBSCRIBE if offers(Feature::Resources) => {
            context.scope.session.unsubscribe(&decode(params)?, context)
        }
        method::PROMPTS_LIST if offers(Feature::Prompts) => list_prompts(&decode_or_default(params)?, context),
        method::PROMPTS_GET if offers(Feature::Prompts) => get_prompt(params, context).await,
        method::COMPLETION_COMPLETE if offers(Feature::Completions) => complete(decode(params)?, context).await,
        method::LOGGING_SET_LEVEL if offers(Feature::Logging) => {
            context.scope.session.set_level(params, context)
        }
        method::SUBSCRIPTIONS_LISTEN => super::listen::listen(decode(params)?, context).await,
        _ => Err(ErrorObject::method_not_found(method)),
    }
}

fn decode<T: DeserializeOwned>(params: Option<RawJson>) -> Result<T, ErrorObject> {
    let params = params.ok_or_else(|| ErrorObject::invalid_params("`params` is missing"))?;
    params.decode().map_err(|error| ErrorObject::invalid_params(format!("`params` does not fit: {error}")))
}

fn decode_or_default<T: DeserializeOwned + Default>(params: Option<RawJson>) -> Result<T, ErrorObject> {
    params.map_or_else(|| Ok(T::default()), |params| decode(Some(params)))
}

/// A method that the core protocol does not have in this revision.
async fn extension(method: &str, params: Option<RawJson>, context: &Context) -> Answer {
    let extensions = &context.scope.core.config.extensions;
    let Some(extension) = extensions.iter().find(|extension| extension.methods().contains(&method))
    else {
        return Err(ErrorObject::method_not_found(method));
    };
    let declared = context
        .client_capabilities()
        .extensions
        .as_ref()
        .is_some_and(|extensions| extensions.contains_key(extension.id()));
    if context.revision().is_modern() && !declared {
        return Err(missing_extension(extension.id()));
    }
    extension.call(context.clone(), method, params).await
}

/// The error for a request that needs an extension its client did not declare.
fn missing_extension(id: &str) -> ErrorObject {
    let mut data = MissingRequiredClientCapabilityData::default();
    let settings = Value::Object(Default::default());
    data.required_capabilities.extensions.get_or_insert_default().insert(id.to_owned(), settings);
    ErrorObject::new(code::MISSING_CLIENT_CAPABILITY, format!("the extension {id} is not declared"))
        .with_data(serde_json::to_value(data).expect("a wire type is always representable"))
}

fn list_tools(params: &PaginatedRequestParams, context: &Context) -> Answer {
    let core = &context.scope.core;
    let (page, next) = core.shared.tools.page(params.cursor.as_deref(), core.page_size())?;
    // The definitions were encoded before, so the list around them is put together as text.
    let mut result = crate::types::ListToolsResult { next_cursor: next, ..Default::default() };
    (result.ttl_ms, result.cache_scope) = core.cache_hints();
    let head = context.reply(result);
    let mut text = Vec::with_capacity(head.as_bytes().len() + 256 * page.len());
    let empty = br#""tools":[]"#;
    let at = memchr::memmem::find(head.as_bytes(), empty).expect("an empty list was encoded");
    text.extend_from_slice(&head.as_bytes()[..at + empty.len() - 1]);
    for (n, entry) in page.iter().enumerate() {
        if n > 0 {
            text.push(b',');
        }
        text.extend_from_slice(entry.encoded(context.revision()).as_bytes());
    }
    text.extend_from_slice(&head.as_bytes()[at + empty.len() - 1..]);
    Ok(RawJson::trusted(text.into()))
}

async fn call_tool(raw: Option<RawJson>, context: &Context) -> Answer {
    let params: CallToolRequestParams = decode(raw.clone())?;
    let core = &context.scope.core;
    let Some(entry) = core.shared.tools.get(&params.name) else {
        return Err(unknown("tool", &params.name, &core.shared.tools.similar(&params.name)));
    };
    let arguments = Value::Object(params.arguments.unwrap_or_default());
    if let Some(problem) = entry.check_arguments(&arguments) {
        // Up to 2025-06-18 unfit arguments are a protocol error; since then the model gets to read
        // what was wrong, so that it can try again.
        return match context.revision() >= Revision::V2025_11_25 {
            true => Ok(context.reply(CallToolResult::error(problem))),
            false => Err(ErrorObject::invalid_params(problem)),
        };
    }
    let Value::Object(arguments) = arguments else { unreachable!("made from an object") };
    let handler = entry.run(context.clone(), arguments);
    let identity = RequestIdentity { method: method::TOOLS_CALL, params: raw.as_ref() };
    input::load(&context.scope, &identity, params.input_responses, params.request_state.as_deref())?;
    match input::run(&context.scope, &identity, handler).await? {
        Ran::Done(outcome) => {
            let mut result = reply::tool_result(outcome)?;
            reply::truncate(&mut result, core.config.limits.tool_result_bytes_max);
            Ok(context.reply(result))
        }
        Ran::Asked(questions) => Ok(context.reply_as("input_required", questions)),
    }
}

/// −32602 for a name that does not exist, with the names that may have been meant.
fn unknown(what: &str, name: &str, similar: &[String]) -> ErrorObject {
    let hint = match similar {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    };
    let name: String = name.chars().take(200).collect();
    ErrorObject::invalid_params(format!("unknown {what}: {name}{hint}"))
}

fn list_resources(params: &PaginatedRequestParams, context: &Context) -> Answer {
    let core = &context.scope.core;
    let (page, next) = core.shared.resources.page(params.cursor.as_deref(), core.page_size())?;
    let (ttl_ms, cache_scope) = core.cache_hints();
    Ok(context.reply(ListResourcesResult {
        resources: page.iter().map(|entry| entry.resource.clone()).collect(),
        next_cursor: next,
        ttl_ms,
        cache_scope,
        ..Default::default()
    }))
}

fn list_templates(params: &PaginatedRequestParams, context: &Context) -> Answer {
    let core = &context.scope.core;
    let (page, next) = core.shared.templates.page(params.cursor.as_deref(), core.page_size())?;
    let (ttl_ms, cache_scope) = core.cache_hints();
    Ok(context.reply(ListResourceTemplatesResult {
        resource_templates: page.iter().map(|entry| entry.definition.template.clone()).collect(),
        next_cursor: next,
        ttl_ms,
        cache_scope,
        ..Default::default()
    }))
}

async fn read_resource(raw: Option<RawJson>, context: &Context) -> Answer {
    let params: ReadResourceRequestParams = decode(raw.clone())?;
    let revision = context.revision();
    let uri = params.uri;
    crate::uri::check_uri(&uri)
        .map_err(|error| ErrorObject::invalid_params(format!("`uri` is not usable: {error}")))?;
    let shared = &context.scope.core.shared;
    let (reader, variables) = if let Some(entry) = shared.resources.get(&uri) {
        (entry.read.clone(), Default::default())
    } else {
        let mut matches: Vec<_> = shared
            .templates
            .all()
            .into_iter()
            .filter_map(|entry| entry.template.matches(&uri).map(|variables| (entry, variables)))
            .collect();
        matches.sort_by_key(|(entry, _)| std::cmp::Reverse(entry.template.specificity()));
        match matches.into_iter().next() {
            Some((entry, variables)) => (entry.definition.read.clone(), variables),
            None => return Err(super::ResourceError::NotFound.into_rpc(&uri, revision)),
        }
    };
    let request = ReadRequest { uri: uri.clone(), variables };
    let identity = RequestIdentity { method: method::RESOURCES_READ, params: raw.as_ref() };
    input::load(&context.scope, &identity, params.input_responses, params.request_state.as_deref())?;
    match input::run(&context.scope, &identity, reader.run(context.clone(), request)).await? {
        Ran::Done(outcome) => {
            let result: ReadResourceResult = outcome.map_err(|error| error.into_rpc(&uri, revision))?;
            Ok(context.reply(result))
        }
        Ran::Asked(questions) => Ok(context.reply_as("input_required", questions)),
    }
}

fn list_prompts(params: &PaginatedRequestParams, context: &Context) -> Answer {
    let core = &context.scope.core;
    let (page, next) = core.shared.prompts.page(params.cursor.as_deref(), core.page_size())?;
    let (ttl_ms, cache_scope) = core.cache_hints();
    Ok(context.reply(ListPromptsResult {
        prompts: page.iter().map(|entry| entry.prompt.clone()).collect(),
        next_cursor: next,
        ttl_ms,
        cache_scope,
        ..Default::default()
    }))
}

async fn get_prompt(raw: Option<RawJson>, context: &Context) -> Answer {
    let params: GetPromptRequestParams = decode(raw.clone())?;
    let prompts = &context.scope.core.shared.prompts;
    let Some(entry) = prompts.get(&params.name) else {
        return Err(unknown("prompt", &params.name, &prompts.similar(&params.name)));
    };
    let arguments: BTreeMap<String, String> = params.arguments.unwrap_or_default();
    let identity = RequestIdentity { method: method::PROMPTS_GET, params: raw.as_ref() };
    input::load(&context.scope, &identity, params.input_responses, params.request_state.as_deref())?;
    match input::run(&context.scope, &identity, entry.run(context.clone(), arguments)).await? {
        Ran::Done(outcome) => {
            let result: GetPromptResult = outcome.map_err(|error| error.0)?;
            Ok(context.reply(result))
        }
        Ran::Asked(questions) => Ok(context.reply_as("input_required", questions)),
    }
}

async fn complete(params: CompleteRequestParams, context: &Context) -> Answer {
    let shared = &context.scope.core.shared;
    let argument = params.argument.name;
    let completer = match &params.reference {
        CompletionReference::Prompt(reference) => {
            let Some(entry) = shared.prompts.get(&reference.name) else {
                return Err(unknown("prompt", &reference.name, &shared.prompts.similar(&reference.name)));
            };
            if entry.argument(&argument).is_none() {
                return Err(unknown("argument", &argument, &[]));
            }
            entry.completers.get(&argument).cloned()
        }
        CompletionReference::Resource(reference) => {
            let found = shared.templates.get(&reference.uri);
            match found {
                Some(entry) => entry.definition.completers.get(&argument).cloned(),
                // A plain resource has nothing to fill in.
                None if shared.resources.get(&reference.uri).is_some() => None,
                None => return Err(unknown("resource template", &reference.uri, &[])),
            }
        }
        CompletionReference::Unknown(_) => {
            return Err(ErrorObject::invalid_params("`ref` must be a prompt or a resource"));
        }
    };
    let arguments = params.context.and_then(|context| context.arguments).unwrap_or_default();
    let query = CompletionQuery { value: params.argument.value, arguments };
    let completion = match completer {
        Some(completer) => completer.run(context.clone(), query).await,
        None => Completion { total: Some(0), has_more: Some(false), ..Default::default() },
    };
    Ok(context.reply(CompleteResult { completion, ..Default::default() }))
}
