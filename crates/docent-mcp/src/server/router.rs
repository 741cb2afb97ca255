//! From a method to its answer.
//!
//! This is the innermost service, below all layers. Everything it needs is in the call: the
//! parameters as text, and the context.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::input::{self, Ran, RequestIdentity};
use super::resource::{ReadRequest, Reader};
use super::tasks::{self, Plan};
use super::{Call, CompletionQuery, Context, Feature, HasMeta};
use crate::jsonrpc::{ErrorObject, RawJson, code};
use crate::transport::BoxFuture;
use crate::types::{
    Adapt, CallToolResult, CompleteRequestParams, CompleteResult, Completion, CompletionReference,
    EmptyResult, GetPromptRequestParams, InputResponses, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, MissingRequiredClientCapabilityData,
    PaginatedRequestParams, ReadResourceRequestParams, Revision, Sender, TaskMetadata, WireFields,
    exists_in, method,
};
use crate::uri::Variables;

type Answer = Result<RawJson, ErrorObject>;

/// Answers a call.
///
/// The future is small on purpose: one is made for every request. What a method needs beyond its
/// arguments is allocated by that method.
pub(crate) fn route(call: Call) -> BoxFuture<'static, Answer> {
    Box::pin(async move {
        let Call { method, params, context } = call;
        let answering = dispatch(&method, params, &context);
        #[cfg(feature = "tracing")]
        let answering = super::log_layer::as_current(&context, answering);
        let answer = answering.await;
        context.scope.finish();
        answer.map_err(|error| permitted(error, context.revision()))
    })
}

/// An error that the revision has. A handler may return any code; one that is reserved for another
/// meaning becomes the nearest that exists.
pub(super) fn permitted(error: ErrorObject, revision: Revision) -> ErrorObject {
    match error.code {
        code if code::is_permitted(code, revision) => error,
        code::RESOURCE_NOT_FOUND => ErrorObject { code: code::INVALID_PARAMS, ..error },
        _ => ErrorObject { code: code::INTERNAL_ERROR, ..error },
    }
}

/// What a method comes to: an answer at once, or work that leads to one.
enum Step {
    Done(Answer),
    Work(BoxFuture<'static, Answer>),
}

async fn dispatch(method: &str, params: Option<RawJson>, context: &Context) -> Answer {
    match start(method, params, context) {
        Step::Done(answer) => answer,
        Step::Work(work) => work.await,
    }
}

fn start(method: &str, params: Option<RawJson>, context: &Context) -> Step {
    if !exists_in(method, context.revision(), Sender::Client) {
        return extension(method, params, context);
    }
    let offers = |feature| context.scope.core.offers(feature);
    let session = &context.scope.session;
    let quick = match method {
        method::TOOLS_CALL if offers(Feature::Tools) => return work(call_tool(params, context)),
        method::RESOURCES_READ if offers(Feature::Resources) => {
            return work(read_resource(params, context));
        }
        method::PROMPTS_GET if offers(Feature::Prompts) => {
            return work(get_prompt(params, context));
        }
        method::COMPLETION_COMPLETE if offers(Feature::Completions) => {
            return work(complete(params, context));
        }
        method::SUBSCRIPTIONS_LISTEN => return work(listen(params, context)),
        method::INITIALIZE => {
            decode(params).and_then(|params| session.initialize(&params, context))
        }
        method::PING => Ok(context.reply(EmptyResult::default())),
        method::SERVER_DISCOVER => Ok(context.reply(context.scope.core.discover())),
        method::TOOLS_LIST if offers(Feature::Tools) => list_tools(params, context),
        method::RESOURCES_LIST if offers(Feature::Resources) => list_resources(params, context),
        method::RESOURCES_TEMPLATES_LIST if offers(Feature::Resources) => {
            list_templates(params, context)
        }
        method::RESOURCES_SUBSCRIBE if offers(Feature::Resources) => {
            decode(params).and_then(|params| session.subscribe(&params, context))
        }
        method::RESOURCES_UNSUBSCRIBE if offers(Feature::Resources) => {
            decode(params).and_then(|params| session.unsubscribe(&params, context))
        }
        method::PROMPTS_LIST if offers(Feature::Prompts) => list_prompts(params, context),
        method::TASKS_RESULT if offers(Feature::Tasks) => {
            return Step::Work(Box::pin(tasks::legacy::result(context.clone(), params)));
        }
        method::TASKS_GET if offers(Feature::Tasks) => tasks::legacy::get(context, params),
        method::TASKS_LIST if offers(Feature::Tasks) => tasks::legacy::list(context, params),
        method::TASKS_CANCEL if offers(Feature::Tasks) => tasks::legacy::cancel(context, params),
        method::LOGGING_SET_LEVEL if offers(Feature::Logging) => session.set_level(params, context),
        _ => Err(ErrorObject::method_not_found(method)),
    };
    Step::Done(quick)
}

/// The work of a method, or the reason why there is none.
fn work(prepared: Result<Step, ErrorObject>) -> Step {
    prepared.unwrap_or_else(|error| Step::Done(Err(error)))
}

fn decode<T: DeserializeOwned>(params: Option<RawJson>) -> Result<T, ErrorObject> {
    let params = params.ok_or_else(|| ErrorObject::invalid_params("`params` is missing"))?;
    params
        .decode()
        .map_err(|error| ErrorObject::invalid_params(format!("`params` does not fit: {error}")))
}

/// The cursor of a list request, whose parameters may be left out.
fn cursor(params: Option<RawJson>) -> Result<Option<String>, ErrorObject> {
    match params {
        Some(params) => decode::<PaginatedRequestParams>(Some(params)).map(|params| params.cursor),
        None => Ok(None),
    }
}

/// A method that the core protocol does not have in this revision.
fn extension(method: &str, params: Option<RawJson>, context: &Context) -> Step {
    let mut extensions = context.scope.core.offered_extensions();
    let Some(extension) = extensions.find(|extension| extension.methods().contains(&method)) else {
        return Step::Done(Err(ErrorObject::method_not_found(method)));
    };
    let declared = !extension.needs_declaration(method) || context.declares(extension.id());
    if context.revision().is_modern() && !declared {
        return Step::Done(Err(missing_extension(extension.id())));
    }
    Step::Work(extension.call(context.clone(), method, params))
}

/// The error for a request that needs an extension its client did not declare.
pub(super) fn missing_extension(id: &str) -> ErrorObject {
    let mut data = MissingRequiredClientCapabilityData::default();
    let settings = Value::Object(Default::default());
    data.required_capabilities.extensions.get_or_insert_default().insert(id.to_owned(), settings);
    ErrorObject::new(code::MISSING_CLIENT_CAPABILITY, format!("the extension {id} is not declared"))
        .with_data(serde_json::to_value(data).expect("a wire type is always representable"))
}

fn list_tools(params: Option<RawJson>, context: &Context) -> Answer {
    let core = &context.scope.core;
    let cursor = cursor(params)?;
    let (page, next) = core.shared.tools.page(cursor.as_deref(), core.page_size())?;
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

/// The parts of a request that may ask the client: what makes it the same request when it is
/// repeated, and what it brings back.
struct Repeatable {
    method: &'static str,
    params: Option<RawJson>,
}

impl Repeatable {
    /// Takes the answers that came with the request.
    fn load(
        &self,
        context: &Context,
        responses: Option<InputResponses>,
        state: Option<&str>,
    ) -> Result<(), ErrorObject> {
        input::load(&context.scope, &self.identity(), responses, state)
    }

    fn identity(&self) -> RequestIdentity<'_> {
        RequestIdentity { method: self.method, params: self.params.as_ref() }
    }

    /// Runs a handler, and answers with its questions if it has any.
    async fn run<T, R>(
        self,
        context: Context,
        handler: impl Future<Output = T>,
        finish: impl FnOnce(T) -> Result<R, ErrorObject>,
    ) -> Answer
    where
        R: Serialize + Adapt + WireFields + HasMeta,
    {
        match input::run(&context.scope, &self.identity(), handler).await? {
            Ran::Done(outcome) => Ok(context.reply(finish(outcome)?)),
            Ran::Asked(questions) => Ok(context.reply_as("input_required", questions)),
            Ran::Detached => unreachable!("only allowed where it is looked for"),
        }
    }
}

/// [`CallToolRequestParams`](crate::types::CallToolRequestParams) without what the context has
/// already: the metadata of a modern request is longer than all the rest.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolCall {
    name: String,
    arguments: Option<JsonObject>,
    task: Option<TaskMetadata>,
    input_responses: Option<InputResponses>,
    request_state: Option<String>,
}

fn call_tool(raw: Option<RawJson>, context: &Context) -> Result<Step, ErrorObject> {
    let params: ToolCall = decode(raw.clone())?;
    let core = &context.scope.core;
    let Some(entry) = core.shared.tools.get(&params.name) else {
        return Err(unknown("tool", &params.name, &core.shared.tools.similar(&params.name)));
    };
    let plan = tasks::plan(&entry, params.task.as_ref(), context)?;
    let arguments = Value::Object(params.arguments.unwrap_or_default());
    if let Some(problem) = entry.check_arguments(&arguments) {
        // Up to 2025-06-18 unfit arguments are a protocol error; since then the model gets to read
        // what was wrong, so that it can try again. Who asked for a task can take no such result.
        let wants_task = params.task.is_some() && !context.revision().is_modern();
        return match context.revision() >= Revision::V2025_11_25 && !wants_task {
            true => Ok(Step::Done(Ok(context.reply(CallToolResult::error(problem))))),
            false => Err(ErrorObject::invalid_params(problem)),
        };
    }
    let Value::Object(arguments) = arguments else { unreachable!("made from an object") };
    let request = Repeatable { method: method::TOOLS_CALL, params: raw };
    request.load(context, params.input_responses, params.request_state.as_deref())?;
    match plan {
        Plan::Now => {}
        Plan::UntilDetached => {
            let (context, params) = (context.clone(), request.params);
            let work = tasks::run_until_detached(entry, context, params, arguments);
            return Ok(Step::Work(Box::pin(work)));
        }
        Plan::Task { ttl_ms } => {
            if let Some(task) = tasks::create(&entry, context, ttl_ms)? {
                return Ok(Step::Done(Ok(tasks::start(&task, entry, context, arguments))));
            }
        }
    }
    let handler = entry.start(context.clone(), arguments);
    let within = context.clone();
    let finish = move |outcome| entry.finish(outcome, &within);
    Ok(Step::Work(Box::pin(request.run(context.clone(), handler, finish))))
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

fn list_resources(params: Option<RawJson>, context: &Context) -> Answer {
    let core = &context.scope.core;
    let cursor = cursor(params)?;
    let (page, next) = core.shared.resources.page(cursor.as_deref(), core.page_size())?;
    let (ttl_ms, cache_scope) = core.cache_hints();
    Ok(context.reply(ListResourcesResult {
        resources: page.iter().map(|entry| entry.resource.clone()).collect(),
        next_cursor: next,
        ttl_ms,
        cache_scope,
        ..Default::default()
    }))
}

fn list_templates(params: Option<RawJson>, context: &Context) -> Answer {
    let core = &context.scope.core;
    let cursor = cursor(params)?;
    let (page, next) = core.shared.templates.page(cursor.as_deref(), core.page_size())?;
    let (ttl_ms, cache_scope) = core.cache_hints();
    Ok(context.reply(ListResourceTemplatesResult {
        resource_templates: page.iter().map(|entry| entry.definition.template.clone()).collect(),
        next_cursor: next,
        ttl_ms,
        cache_scope,
        ..Default::default()
    }))
}

fn read_resource(raw: Option<RawJson>, context: &Context) -> Result<Step, ErrorObject> {
    let params: ReadResourceRequestParams = decode(raw.clone())?;
    let revision = context.revision();
    let uri = params.uri;
    crate::uri::check_uri(&uri)
        .map_err(|error| ErrorObject::invalid_params(format!("`uri` is not usable: {error}")))?;
    let (reader, variables) = find_resource(&uri, context)
        .ok_or_else(|| super::ResourceError::NotFound.into_rpc(&uri, revision))?;
    let request = Repeatable { method: method::RESOURCES_READ, params: raw };
    request.load(context, params.input_responses, params.request_state.as_deref())?;
    let handler = reader.run(context.clone(), ReadRequest { uri: uri.clone(), variables });
    let finish = move |outcome: Result<_, super::ResourceError>| {
        outcome.map_err(|error| error.into_rpc(&uri, revision))
    };
    Ok(Step::Work(Box::pin(request.run(context.clone(), handler, finish))))
}

/// Who reads `uri`: the resource there, or the template that matches most specifically.
fn find_resource(uri: &str, context: &Context) -> Option<(Reader, Variables)> {
    let shared = &context.scope.core.shared;
    if let Some(entry) = shared.resources.get(uri) {
        return Some((entry.read.clone(), Variables::default()));
    }
    let matching = shared.templates.all().into_iter().filter_map(|entry| {
        let variables = entry.template.matches(uri)?;
        Some((entry, variables))
    });
    let (entry, variables) = matching.max_by_key(|(entry, _)| entry.template.specificity())?;
    Some((entry.definition.read.clone(), variables))
}

fn list_prompts(params: Option<RawJson>, context: &Context) -> Answer {
    let core = &context.scope.core;
    let cursor = cursor(params)?;
    let (page, next) = core.shared.prompts.page(cursor.as_deref(), core.page_size())?;
    let (ttl_ms, cache_scope) = core.cache_hints();
    Ok(context.reply(ListPromptsResult {
        prompts: page.iter().map(|entry| entry.prompt.clone()).collect(),
        next_cursor: next,
        ttl_ms,
        cache_scope,
        ..Default::default()
    }))
}

fn get_prompt(raw: Option<RawJson>, context: &Context) -> Result<Step, ErrorObject> {
    let params: GetPromptRequestParams = decode(raw.clone())?;
    let prompts = &context.scope.core.shared.prompts;
    let Some(entry) = prompts.get(&params.name) else {
        return Err(unknown("prompt", &params.name, &prompts.similar(&params.name)));
    };
    let request = Repeatable { method: method::PROMPTS_GET, params: raw };
    request.load(context, params.input_responses, params.request_state.as_deref())?;
    let arguments: BTreeMap<String, String> = params.arguments.unwrap_or_default();
    let running = context.clone();
    let handler = async move { entry.run(running, arguments).await };
    let finish = |outcome: Result<_, super::PromptError>| outcome.map_err(|error| error.0);
    Ok(Step::Work(Box::pin(request.run(context.clone(), handler, finish))))
}

fn listen(params: Option<RawJson>, context: &Context) -> Result<Step, ErrorObject> {
    let (params, context) = (decode(params)?, context.clone());
    Ok(Step::Work(Box::pin(async move { super::listen::listen(params, &context).await })))
}

fn complete(params: Option<RawJson>, context: &Context) -> Result<Step, ErrorObject> {
    let params: CompleteRequestParams = decode(params)?;
    let shared = &context.scope.core.shared;
    let argument = params.argument.name;
    let completer = match &params.reference {
        CompletionReference::Prompt(reference) => {
            let Some(entry) = shared.prompts.get(&reference.name) else {
                return Err(unknown(
                    "prompt",
                    &reference.name,
                    &shared.prompts.similar(&reference.name),
                ));
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
    let context = context.clone();
    Ok(Step::Work(Box::pin(async move {
        let completion = match completer {
            Some(completer) => completer.run(context.clone(), query).await,
            None => Completion { total: Some(0), has_more: Some(false), ..Default::default() },
        };
        Ok(context.reply(CompleteResult { completion, ..Default::default() }))
    })))
}
