//! Our client, connected to a server that keeps the contract of `README.md`, and all that it can
//! ask of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::client::{RequestOptions, ServerEvent, Source};
use docent_mcp::types::{
    CallToolResult, CompletionReference, ContentBlock, CreateMessageResult, ElicitAction,
    ElicitResult, JsonObject, LoggingLevel, Revision, Role, Root,
};
use docent_mcp::{Cancel, Client};
use serde_json::json;

pub(crate) const LEGACY: &[Revision] =
    &[Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

/// A connected client, what the server told it, and whether it declines to answer.
pub(crate) struct Driver {
    pub(crate) client: Client,
    pub(crate) events: Arc<Mutex<Vec<ServerEvent>>>,
    declines: Arc<Mutex<bool>>,
}

pub(crate) async fn connect(
    name: &str,
    source: impl Into<Source>,
    revisions: &[Revision],
) -> Driver {
    let events = Arc::new(Mutex::new(Vec::new()));
    let declines = Arc::new(Mutex::new(false));
    let (seen, decline) = (events.clone(), declines.clone());
    let client = Client::builder("interop", "1.0")
        .revisions(revisions.iter().copied())
        .roots([Root { uri: "file:///project".to_owned(), ..Default::default() }])
        .on_event(move |event| seen.lock().unwrap().push(event))
        .on_elicit_form(move |_| {
            let declines = *decline.lock().unwrap();
            async move {
                if declines {
                    return Ok(ElicitResult::of(ElicitAction::Decline));
                }
                let name = JsonObject::from_iter([("name".to_owned(), json!("Ada"))]);
                Ok(ElicitResult::accept(name))
            }
        })
        .on_sample(|_| async {
            Ok(CreateMessageResult {
                role: Role::Assistant,
                content: "short".into(),
                model: "test".to_owned(),
                ..Default::default()
            })
        })
        .connect(source)
        .await
        .unwrap_or_else(|error| panic!("{name}: {error:#}"));
    Driver { client, events, declines }
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    result.content.first().and_then(ContentBlock::as_text).unwrap_or_default()
}

impl Driver {
    /// All that a fixture offers.
    pub(crate) async fn everything(&self) {
        self.client.ping().await.unwrap();
        self.tools().await;
        self.structured().await;
        self.progress_and_log().await;
        self.cancel().await;
        self.elicitation().await;
        self.questions().await;
        self.resources().await;
        self.subscription().await;
        self.list_changed().await;
        self.prompts().await;
    }

    /// All that a fixture offers which is written with a release before 2025-06-18,
    /// except [`cancel`](Self::cancel).
    pub(crate) async fn everything_old(&self) {
        self.client.ping().await.unwrap();
        self.tools().await;
        self.progress_and_log().await;
        self.questions().await;
        self.resources().await;
        self.subscription().await;
        self.list_changed().await;
        self.prompts().await;
    }

    /// All that a server can do which only answers: it can neither ask nor tell.
    pub(crate) async fn everything_answered(&self) {
        self.client.ping().await.unwrap();
        self.tools().await;
        self.structured().await;
        self.cancel().await;
        self.resources().await;
        self.prompts().await;
    }

    /// Waits until the server has told something.
    pub(crate) async fn told(&self, what: impl Fn(&ServerEvent) -> bool) {
        let arrived = async {
            while !self.events.lock().unwrap().iter().any(&what) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let events = format!("{:?}", self.events.lock().unwrap());
        assert!(tokio::time::timeout(Duration::from_secs(20), arrived).await.is_ok(), "{events}");
    }

    pub(crate) async fn call(&self, tool: &str, arguments: serde_json::Value) -> CallToolResult {
        let result = self.client.call(tool, arguments).await;
        result.unwrap_or_else(|error| panic!("{tool}: {error:#}"))
    }

    async fn tools(&self) {
        let tools = self.client.tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "echo"));
        assert_eq!(text(&self.call("echo", json!({ "message": "hi" })).await), "Echo: hi");
        let failed = self.call("fail", json!({})).await;
        assert_eq!(failed.is_error, Some(true));
        assert!(text(&failed).contains("it failed"));
        match self.client.call("no_such_tool", json!({})).await {
            Ok(result) => assert_eq!(result.is_error, Some(true)),
            Err(error) => assert!(error.rpc().is_some(), "{error:#}"),
        }
    }

    async fn structured(&self) {
        let sum = self.call("add", json!({ "a": 2, "b": 3 })).await;
        assert_eq!(sum.structured_content.unwrap()["sum"].as_f64(), Some(5.0));
    }

    async fn progress_and_log(&self) {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = reports.clone();
        let options = RequestOptions::new()
            .on_progress(move |report| seen.lock().unwrap().push((report.progress, report.total)));
        let result =
            self.client.call_with("progress", json!({ "steps": 3 }), options).await.unwrap();
        assert_eq!(text(&result), "done");
        assert_eq!(
            *reports.lock().unwrap(),
            [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))]
        );
        self.client.set_log_level(LoggingLevel::Debug).await.unwrap();
        let logged = self.call("log", json!({ "level": "warning", "message": "careful" })).await;
        assert_eq!(text(&logged), "logged");
        self.told(|event| {
            matches!(event, ServerEvent::Log(log)
                if log.level == LoggingLevel::Warning && log.data == "careful")
        })
        .await;
    }

    pub(crate) async fn cancel(&self) {
        let cancel = Cancel::new();
        let options = RequestOptions::new().cancel(cancel.clone());
        let slow = self.client.call_with("slow", json!({ "ms": 60_000 }), options);
        let (slow, ()) = tokio::join!(slow, async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            cancel.cancel(Some("enough".to_owned()));
        });
        assert!(slow.unwrap_err().is_cancelled());
        assert_eq!(text(&self.call("echo", json!({ "message": "on" })).await), "Echo: on");
    }

    async fn elicitation(&self) {
        assert_eq!(text(&self.call("ask_name", json!({})).await), "Hello, Ada");
        *self.declines.lock().unwrap() = true;
        assert_eq!(text(&self.call("ask_name", json!({})).await), "declined");
        *self.declines.lock().unwrap() = false;
    }

    async fn questions(&self) {
        assert_eq!(
            text(&self.call("summarize", json!({ "text": "long" })).await),
            "Summary: short"
        );
        assert_eq!(text(&self.call("show_roots", json!({})).await), "file:///project");
    }

    async fn resources(&self) {
        let resources = self.client.resources().await.unwrap();
        assert!(resources.iter().any(|resource| resource.uri == "memo://hello"));
        let hello = self.client.read("memo://hello").await.unwrap();
        assert_eq!(hello.contents[0].as_text(), Some("Hello from memo"));
        let logo = self.client.read("memo://logo").await.unwrap();
        assert_eq!(logo.contents[0].bytes().unwrap(), b"\x89PNG");
        let templates = self.client.templates().await.unwrap();
        assert_eq!(templates[0].uri_template, "memo://item/{id}");
        let item = self.client.read("memo://item/2").await.unwrap();
        assert!(item.contents[0].as_text().unwrap().contains('2'));
        assert!(self.client.read("memo://missing").await.unwrap_err().rpc().is_some());
    }

    async fn subscription(&self) {
        let resources = self.client.server().capabilities.resources.unwrap();
        if resources.subscribe != Some(true) {
            // The Python SDK 1 never says that it can, so a client may not ask.
            let refused = self.client.subscribe("memo://hello").await.unwrap_err();
            assert_eq!(refused.kind(), docent_mcp::ErrorKind::Unsupported);
            return;
        }
        self.client.subscribe("memo://hello").await.unwrap();
        self.call("touch", json!({})).await;
        self.told(
            |event| matches!(event, ServerEvent::ResourceUpdated(uri) if uri == "memo://hello"),
        )
        .await;
        self.client.unsubscribe("memo://hello").await.unwrap();
    }

    async fn list_changed(&self) {
        let tools = self.client.server().capabilities.tools.unwrap();
        if tools.list_changed != Some(true) {
            // The Python SDK never says that it will tell.
            return;
        }
        self.client.watch_lists().await.unwrap();
        self.call("add_tool", json!({})).await;
        self.told(|event| matches!(event, ServerEvent::ToolsChanged)).await;
        assert!(self.client.tool("extra").await.unwrap().is_some());
    }

    async fn prompts(&self) {
        let prompts = self.client.prompts().await.unwrap();
        assert_eq!(prompts[0].name, "greet");
        let prompt =
            self.client.prompt("greet", [("name", "Ada"), ("style", "formal")]).await.unwrap();
        let message = prompt.messages[0].content.as_text().unwrap();
        assert_eq!(message, "Please greet Ada in a formal style");
        let none = BTreeMap::new;
        let reference = CompletionReference::prompt("greet");
        let styles = self.client.complete(reference, "style", "fr", none()).await.unwrap();
        assert_eq!(styles.values, ["friendly"]);
        let reference = CompletionReference::resource("memo://item/{id}");
        let ids = self.client.complete(reference, "id", "2", none()).await.unwrap();
        assert_eq!(ids.values, ["2"]);
    }
}
