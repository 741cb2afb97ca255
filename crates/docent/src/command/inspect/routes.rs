//! What the page can ask: its own files, what there is, to use it, and to hear what passes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use docent_host::{Host, Offered};
use docent_mcp::types::JsonObject;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Frame, Incoming, SizeHint};
use hyper::{Method, Request, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Shared;
use super::questions::Reply;
use crate::client::signature::signature;
use crate::command::servers;

/// The longest thing that the page may send.
const BODY_BYTES_MAX: usize = 4 << 20;

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) kind: &'static str,
    pub(super) body: Body,
}

/// All at once, or bit by bit as things happen.
pub(super) enum Body {
    Whole(Full<Bytes>),
    Stream(mpsc::Receiver<Bytes>),
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Body::Whole(whole) => Pin::new(whole).poll_frame(context),
            Body::Stream(events) => {
                events.poll_recv(context).map(|event| Some(Ok(Frame::data(event?))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Body::Whole(whole) if whole.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole(whole) => whole.size_hint(),
            Body::Stream(_) => SizeHint::default(),
        }
    }
}

impl Answer {
    fn whole(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Self {
        Answer { status, kind, body: Body::Whole(Full::new(text.into())) }
    }

    pub(super) fn text(status: StatusCode, text: &'static str) -> Self {
        Answer::whole(status, "text/plain; charset=utf-8", text)
    }

    fn file(kind: &'static str, text: &'static str) -> Self {
        Answer::whole(StatusCode::OK, kind, text)
    }

    fn json(value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(text) => Answer::whole(StatusCode::OK, "application/json", text),
            Err(_) => Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "this has no form as JSON"),
        }
    }
}

pub(super) async fn route(shared: &Arc<Shared>, path: &str, request: Request<Incoming>) -> Answer {
    let host = &shared.host;
    match (request.method(), path) {
        (&Method::GET, "") => Answer::file("text/html; charset=utf-8", include_str!("page.html")),
        (&Method::GET, "page.css") => {
            Answer::file("text/css; charset=utf-8", include_str!("page.css"))
        }
        (&Method::GET, "form.js") => {
            Answer::file("text/javascript; charset=utf-8", include_str!("form.js"))
        }
        (&Method::GET, "page.js") => {
            Answer::file("text/javascript; charset=utf-8", include_str!("page.js"))
        }
        (&Method::GET, "api/servers") => {
            let all: Vec<Value> = host.servers().iter().map(servers::as_json).collect();
            Answer::json(&all)
        }
        (&Method::GET, "api/offers") => Answer::json(&offers(host).await),
        (&Method::GET, "api/questions") => Answer::json(&shared.questions.open()),
        (&Method::GET, "api/events") => Answer {
            status: StatusCode::OK,
            kind: "text/event-stream",
            body: Body::Stream(shared.traffic.listen()),
        },
        (&Method::POST, "api/call") => {
            used(request, async |Use { name, arguments }: Use| {
                let options = shared.traffic.progress_of(&name);
                host.call_with(&name, arguments.unwrap_or_default(), options).await
            })
            .await
        }
        (&Method::POST, "api/read") => {
            used(request, async |Use { name, .. }: Use| host.read(&name).await).await
        }
        (&Method::POST, "api/prompt") => {
            used(request, async |Use { name, arguments }: Use| {
                let arguments = arguments.unwrap_or_default().into_iter();
                let text = |value: Value| match value {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                host.prompt(&name, arguments.map(|(name, value)| (name, text(value)))).await
            })
            .await
        }
        (&Method::POST, "api/answer") => {
            used(request, async |reply: Reply| {
                Ok::<_, docent_host::Error>(json!({ "taken": shared.questions.answer(reply) }))
            })
            .await
        }
        (&Method::GET | &Method::POST, _) => Answer::text(StatusCode::NOT_FOUND, "nothing is here"),
        _ => Answer::text(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are known"),
    }
}

/// What to use: a tool, a prompt or a resource, as it is named here.
#[derive(Deserialize)]
struct Use {
    name: String,
    arguments: Option<JsonObject>,
}

/// Does what the body of a request wants; a page that goes away takes it back.
async fn used<T: for<'de> Deserialize<'de>, R: Serialize>(
    request: Request<Incoming>,
    run: impl AsyncFnOnce(T) -> Result<R, docent_host::Error>,
) -> Answer {
    let body = Limited::new(request.into_body(), BODY_BYTES_MAX).collect().await;
    let Ok(body) = body else {
        return Answer::text(StatusCode::PAYLOAD_TOO_LARGE, "that is too long");
    };
    let Ok(wanted) = serde_json::from_slice::<T>(&body.to_bytes()) else {
        return Answer::text(StatusCode::BAD_REQUEST, "that is not what was expected");
    };
    match run(wanted).await {
        Ok(result) => Answer::json(&json!({ "result": result })),
        Err(error) => Answer::json(&json!({ "error": error.to_string() })),
    }
}

/// Everything that servers offer.
async fn offers(host: &Host) -> Value {
    fn each<T: Serialize>(all: &[Offered<T>], about: impl Fn(&T) -> Value) -> Vec<Value> {
        let one = |offered: &Offered<T>| {
            json!({
                "server": offered.server,
                "name": offered.name,
                "own": offered.own,
                "about": about(&offered.item),
                "definition": offered.item,
            })
        };
        all.iter().map(one).collect()
    }
    // The first waits for servers that were never listed, and so do not the others.
    let tools = host.tools().await;
    let (prompts, resources) = (host.prompts().await, host.resources().await);
    let templates = host.templates().await;
    let signatures: Vec<String> =
        tools.iter().map(|tool| signature(&tool.own, &tool.item)).collect();
    let mut tools = each(&tools, |tool| json!(tool.description));
    for (tool, signature) in tools.iter_mut().zip(signatures) {
        tool["signature"] = signature.into();
    }
    json!({
        "tools": tools,
        "prompts": each(&prompts, |prompt| json!(prompt.description)),
        "resources": each(&resources, |resource| json!(resource.description)),
        "templates": each(&templates, |template| json!(template.description)),
    })
}
