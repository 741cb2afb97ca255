//! A layer that understands what models write instead of the right names.
//!
//! Models know tools of the same kind from elsewhere and invent the rest: `libraryName` for
//! `package`, `max_tokens` for `maxTokens`, a number as text. What is meant is clear, so the call is
//! put right before it is checked; what means nothing here is left out, and the answer says so.

use std::sync::Arc;
use std::task::{Context, Poll};

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Call, ServerService};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{CallToolResult, ContentBlock, JsonObject, method};
use docent_packages::{Ecosystem, tokens};
use serde_json::{Value, json};
use tower_layer::Layer;
use tower_service::Service;

use super::arguments::Arguments;
use super::definition::{Definition, Holds, LANGUAGES, Parameter};

/// Names that are used for a parameter elsewhere, without case and separators.
const OTHER_NAMES: &[(&str, &[&str])] = &[
    (
        "package",
        &[
            "libraryname",
            "library",
            "name",
            "packagename",
            "pkg",
            "module",
            "crate",
            "import",
            "url",
        ],
    ),
    ("query", &["q", "search", "question", "text", "keywords", "topic"]),
    ("language", &["lang", "ecosystem", "registry", "type"]),
    ("symbol", &["symbolname", "identifier", "function", "class", "member"]),
    ("symbols", &["symbol", "symbolname", "names", "identifiers"]),
    ("version", &["ver", "packageversion", "tag"]),
    ("from", &["old", "oldversion", "fromversion", "base", "version"]),
    ("to", &["new", "newversion", "toversion", "target"]),
    ("projectPath", &["project", "path", "cwd", "root", "directory", "projectdir", "workspace"]),
    ("maxTokens", &["tokens", "tokenlimit", "limit", "budget"]),
    ("maxLength", &["length", "maxchars", "maxcharacters"]),
];

/// The layer.
#[derive(Clone)]
pub(crate) struct Forgiving {
    tools: Arc<[&'static Definition]>,
}

impl Forgiving {
    pub(crate) fn new(tools: Vec<&'static Definition>) -> Self {
        Self { tools: tools.into() }
    }
}

impl Layer<ServerService> for Forgiving {
    type Service = Understanding;

    fn layer(&self, inner: ServerService) -> Understanding {
        Understanding { tools: Arc::clone(&self.tools), inner }
    }
}

/// The service with the layer around it.
#[derive(Clone)]
pub(crate) struct Understanding {
    tools: Arc<[&'static Definition]>,
    inner: ServerService,
}

impl Service<Call> for Understanding {
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = BoxFuture<'static, Result<RawJson, ErrorObject>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ErrorObject>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        let note = match call.method == method::TOOLS_CALL {
            true => understood(&self.tools, &mut call),
            false => None,
        };
        let answer = self.inner.call(call);
        Box::pin(async move {
            let answer = answer.await?;
            Ok(note.and_then(|note| noted(&answer, &note)).unwrap_or(answer))
        })
    }
}

/// Puts a call right; what was left out of it, for the caller.
fn understood(tools: &[&'static Definition], call: &mut Call) -> Option<String> {
    let mut params: Value = call.params.as_ref()?.decode().ok()?;
    let name = params.get("name")?.as_str()?;
    let tool = tools.iter().find(|tool| tool.name == name || tool.alias == Some(name))?;
    params["name"] = json!(tool.name);
    let given = match params.get("arguments") {
        None | Some(Value::Null) => JsonObject::default(),
        Some(given) => given.as_object()?.clone(),
    };
    let (mut arguments, unknown) = matched(tool, given);
    let note = (!unknown.is_empty()).then(|| {
        let known: Vec<&str> = tool.parameters.iter().map(|parameter| parameter.name).collect();
        let unknown: Vec<String> = unknown.iter().take(8).map(|name| shown(name)).collect();
        format!("Ignored: {}. {} takes {}.", unknown.join(", "), tool.name, known.join(", "))
    });
    if let Some(note) = &note {
        // The note is a part of the answer, so the rest of it has to be shorter.
        let budget = Arguments::of(arguments.clone(), None).ok()?.budget();
        let left = budget.saturating_sub(tokens(note) + 1);
        arguments.insert("maxTokens".to_owned(), json!(left));
    }
    params["arguments"] = Value::Object(arguments);
    call.params = Some(RawJson::encode(&params).ok()?);
    note
}

/// A name that a caller made up, made safe to repeat.
fn shown(name: &str) -> String {
    let name: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '_').take(40).collect();
    format!("`{name}`")
}

/// The arguments under the tool's own names, and the names that it has no use for.
fn matched(tool: &Definition, given: JsonObject) -> (JsonObject, Vec<String>) {
    let mut arguments = JsonObject::default();
    let mut others = Vec::new();
    for (name, value) in given {
        match tool.parameters.iter().find(|parameter| parameter.name == name) {
            // An argument that is there but empty is one that was not given.
            Some(_) if value.is_null() => {}
            Some(parameter) => {
                arguments.insert(name, fitted(parameter, value));
            }
            None => others.push((name, value)),
        }
    }
    let mut unknown = Vec::new();
    for (name, value) in others {
        let meant = meant(tool, &name).filter(|meant| !arguments.contains_key(meant.name));
        match meant {
            Some(parameter) => {
                arguments.insert(parameter.name.to_owned(), fitted(parameter, value));
            }
            None => unknown.push(name),
        }
    }
    (arguments, unknown)
}

/// The parameter that a name stands for.
fn meant(tool: &Definition, name: &str) -> Option<&'static Parameter> {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
    };
    let name = plain(name);
    let mut parameters = tool.parameters.iter();
    parameters.clone().find(|parameter| plain(parameter.name) == name).or_else(|| {
        parameters.find(|parameter| {
            let others = OTHER_NAMES.iter().filter(|(own, _)| *own == parameter.name);
            others.into_iter().any(|(_, others)| others.contains(&name.as_str()))
        })
    })
}

/// A value in the form that its parameter has, where only the form is wrong.
fn fitted(parameter: &Parameter, value: Value) -> Value {
    match (parameter.holds, &value) {
        (Holds::Flag, Value::String(text)) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => json!(true),
            "false" | "no" | "0" => json!(false),
            _ => value,
        },
        (Holds::Number, Value::String(text)) => {
            text.trim().parse::<u64>().map_or(value, |number| json!(number))
        }
        (Holds::Number, Value::Number(number)) if !number.is_u64() => match number.as_f64() {
            Some(number) if (0.0..1e9).contains(&number) => json!(number as u64),
            _ => value,
        },
        (Holds::Texts, Value::String(text)) => {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            json!(parts.collect::<Vec<_>>())
        }
        (Holds::Language, Value::String(text)) => {
            let ecosystem = Ecosystem::named(text.trim());
            let word = LANGUAGES.iter().find(|(_, one)| Some(*one) == ecosystem);
            word.map_or(value, |(word, _)| json!(word))
        }
        _ => value,
    }
}

/// The result with a note after its text, and the same in its structured content.
fn noted(answer: &RawJson, note: &str) -> Option<RawJson> {
    let mut value: Value = answer.decode().ok()?;
    let result: CallToolResult = serde_json::from_value(value.clone()).ok()?;
    let mut content = result.content;
    content.push(ContentBlock::text(note));
    value["content"] = serde_json::to_value(content).ok()?;
    if let Some(structured) = value.get_mut("structuredContent").and_then(Value::as_object_mut) {
        structured.insert("note".to_owned(), json!(note));
    }
    RawJson::encode(&value).ok()
}
