//! One request, as the conventions of OpenTelemetry for MCP describe it.

use std::time::{Instant, SystemTime};

use docent_mcp::types::method;
use serde_json::{Value, json};

use super::context::TraceContext;
use super::json::attributes;
use super::{Telemetry, nanos};

/// Which side of a request a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A client asks the gateway.
    Server,
    /// The gateway asks a server.
    Client,
}

/// A request that was made, or is being made. Without an end it was taken back.
pub(crate) struct Span {
    to: Telemetry,
    pub(crate) context: TraceContext,
    pub(super) kind: Kind,
    pub(super) method: String,
    /// The tool or prompt, if it is one that exists: others could be of any number.
    pub(super) name: Option<String>,
    pub(super) revision: String,
    pub(super) transport: Option<&'static str>,
    /// The server that is asked.
    pub(super) server: Option<String>,
    uri: Option<String>,
    session: Option<u64>,
    request: Option<String>,
    /// Why it failed, as a word that does not differ from one time to the next.
    pub(super) error: Option<String>,
    begun: SystemTime,
    pub(super) since: Instant,
    over: bool,
}

impl Span {
    pub(crate) fn new(
        to: &Telemetry,
        context: TraceContext,
        kind: Kind,
        method: &str,
        revision: String,
    ) -> Self {
        Span {
            to: to.clone(),
            context,
            kind,
            method: method.to_owned(),
            name: None,
            revision,
            transport: None,
            server: None,
            uri: None,
            session: None,
            request: None,
            error: None,
            begun: SystemTime::now(),
            since: Instant::now(),
            over: false,
        }
    }

    pub(crate) fn name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }

    /// The resource that it is about; what follows a `?` is left out, because it may be secret.
    pub(crate) fn uri(mut self, uri: Option<&str>) -> Self {
        self.uri = uri.map(|uri| uri.split(['?', '#']).next().unwrap_or_default().to_owned());
        self
    }

    /// Whose request it is: a number, since the id of a session lets its owner in.
    pub(crate) fn caller(mut self, session: Option<u64>, request: String) -> Self {
        (self.session, self.request) = (session, Some(request));
        self
    }

    pub(crate) fn server(mut self, name: &str, transport: &'static str) -> Self {
        (self.server, self.transport) = (Some(name.to_owned()), Some(transport));
        self
    }

    /// It is over, well or not.
    pub(crate) fn end(mut self, error: Option<String>) {
        self.error = error;
        self.over = true;
    }

    pub(super) fn json(&self, end: SystemTime) -> Value {
        let is_tool = self.method == method::TOOLS_CALL;
        let text = |text: &Option<String>| text.clone().map(Value::from);
        let name = text(&self.name);
        let attributes = attributes([
            ("mcp.method.name", Some(self.method.clone().into())),
            ("mcp.protocol.version", Some(self.revision.clone().into())),
            ("mcp.session.id", self.session.map(|session| session.to_string().into())),
            ("mcp.resource.uri", text(&self.uri)),
            ("jsonrpc.request.id", text(&self.request)),
            ("gen_ai.operation.name", is_tool.then(|| "execute_tool".into())),
            ("gen_ai.tool.name", name.clone().filter(|_| is_tool)),
            ("gen_ai.prompt.name", name.filter(|_| !is_tool)),
            ("network.transport", self.transport.map(Value::from)),
            ("docent.server.name", text(&self.server)),
            ("rpc.response.status_code", self.status_code()),
            ("error.type", text(&self.error)),
        ]);
        let TraceContext { trace, span, parent, .. } = self.context;
        let mut json = json!({
            "traceId": format!("{trace:032x}"),
            "spanId": format!("{span:016x}"),
            "name": match &self.name {
                Some(name) => format!("{} {name}", self.method),
                None => self.method.clone(),
            },
            "kind": match self.kind { Kind::Server => 2, Kind::Client => 3 },
            "startTimeUnixNano": nanos(self.begun),
            "endTimeUnixNano": nanos(end),
            "attributes": attributes,
        });
        if let Some(parent) = parent {
            json["parentSpanId"] = format!("{parent:016x}").into();
        }
        if self.error.is_some() {
            json["status"] = json!({ "code": 2 });
        }
        json
    }

    /// The code of an error that the other side answered with.
    fn status_code(&self) -> Option<Value> {
        let error = self.error.as_deref()?;
        error.parse::<i64>().is_ok().then(|| error.into())
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if !self.over {
            self.error = Some("cancelled".to_owned());
        }
        self.to.clone().take(self, SystemTime::now());
    }
}
