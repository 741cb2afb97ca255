//! Middleware.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use docent_mcp::client::{ClientCall, ClientService};
use docent_mcp::jsonrpc::RawJson;
use docent_mcp::layer::{
    CatchPanicLayer, ConcurrencyLimitLayer, LogLayer, RateLimitLayer, TimeoutLayer,
};
use docent_mcp::types::Revision;
use docent_mcp::{Error, ErrorKind};
use serde_json::json;
use tower_layer::Layer;
use tower_service::Service;

use super::fake::{Fake, connected, error, heard, said};
use super::{ERAS, builder, with_fixture};

/// A layer from a function that sees each request before it is made.
#[derive(Clone)]
struct Before<F>(F);

impl<F: Clone> Layer<ClientService> for Before<F> {
    type Service = BeforeService<F>;

    fn layer(&self, inner: ClientService) -> BeforeService<F> {
        BeforeService { inner, before: self.0.clone() }
    }
}

#[derive(Clone)]
struct BeforeService<F> {
    inner: ClientService,
    before: F,
}

impl<F: Fn(&mut ClientCall)> Service<ClientCall> for BeforeService<F> {
    type Response = RawJson;
    type Error = Error;
    type Future = <ClientService as Service<ClientCall>>::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ClientCall) -> Self::Future {
        (self.before)(&mut call);
        self.inner.call(call)
    }
}

/// A request passes the layers from the last that was added to the first, and may be changed on
/// the way; metadata of the protocol is not theirs to change.
#[tokio::test(start_paused = true)]
async fn layers_see_every_request() {
    for revision in ERAS {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = |name: &'static str| {
            let seen = seen.clone();
            Before(move |call: &mut ClientCall| {
                seen.lock().unwrap().push(format!("{name} {}", call.method));
                call.params.insert("arguments", json!({ "message": name }));
                let meta = json!({ "io.modelcontextprotocol/protocolVersion": "1" });
                call.params.insert("_meta", meta);
            })
        };
        let builder = builder().layer(note("inner")).layer(note("outer"));
        let client = with_fixture(revision, builder).await;
        assert_eq!(
            heard(&client.call("echo", json!({ "message": "own" })).await.unwrap()),
            "inner"
        );
        assert_eq!(*seen.lock().unwrap(), ["outer tools/call", "inner tools/call"], "{revision}");
    }
}

/// [`TimeoutLayer`] ends what takes too long, and the server is told to stop.
#[tokio::test(start_paused = true)]
async fn timeout_layer() {
    for revision in ERAS {
        let builder = builder().layer(TimeoutLayer::new(Duration::from_secs(5)));
        let (client, mut fake) = connected(revision, builder).await;
        let (called, ()) = tokio::join!(client.call("slow", json!({})), async {
            let call = fake.expect("tools/call").await;
            let cancelled = fake.expect("notifications/cancelled").await;
            assert_eq!(cancelled["params"]["requestId"], call["id"]);
        });
        let error = called.unwrap_err();
        assert!(error.is_timeout() && error.to_string().contains("5000 ms"), "{error}");
    }
}

/// [`RateLimitLayer`] refuses what comes too fast, before anything is sent, and says how long to
/// wait.
#[tokio::test(start_paused = true)]
async fn rate_limit_layer() {
    let interval = Duration::from_secs(1);
    let client =
        with_fixture(Revision::V2026_07_28, builder().layer(RateLimitLayer::new(3, interval)))
            .await;
    let call = || client.call("echo", json!({ "message": "hi" }));
    for _ in 0..3 {
        call().await.unwrap();
    }
    let error = call().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("try again in 1000 ms"), "{error}");
    tokio::time::advance(interval).await;
    call().await.unwrap();
    call().await.unwrap_err();
}

/// Takes up a listen request.
async fn take_up(fake: &mut Fake) {
    let listen = fake.expect("subscriptions/listen").await;
    let params = json!({ "notifications": listen["params"]["notifications"] });
    fake.notify("notifications/subscriptions/acknowledged", params).await;
}

/// [`ConcurrencyLimitLayer`] lets so many requests out at once, and makes the others wait. A
/// subscription, which stays open, does not count.
#[tokio::test(start_paused = true)]
async fn concurrency_limit_layer() {
    let builder = builder().layer(ConcurrencyLimitLayer::new(2));
    let (client, mut fake) = connected(Revision::V2026_07_28, builder).await;
    for uri in ["memo://a", "memo://b", "memo://c"] {
        let (watching, ()) = tokio::join!(client.subscribe(uri), take_up(&mut fake));
        watching.unwrap();
        if uri != "memo://a" {
            fake.expect("notifications/cancelled").await;
        }
    }
    let calls: Vec<_> = (0..5)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call("any", json!({})).await })
        })
        .collect();
    let mut open = vec![fake.expect("tools/call").await, fake.expect("tools/call").await];
    for _ in 0..3 {
        fake.expect_silence().await;
        fake.answer(&open.remove(0), said("yes")).await;
        open.push(fake.expect("tools/call").await);
    }
    for call in open {
        fake.answer(&call, said("yes")).await;
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// A subscription passes the layers like any request, once; [`TimeoutLayer`] leaves it alone, and
/// what a layer does not let through is that subscription's error.
#[tokio::test(start_paused = true)]
async fn subscriptions_pass_the_layers() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let note = Before(move |call: &mut ClientCall| noted.lock().unwrap().push(call.method.clone()));
    let builder = builder()
        .layer(note)
        .layer(TimeoutLayer::new(Duration::from_secs(5)))
        .layer(RateLimitLayer::new(1, Duration::from_secs(3600)));
    let (client, mut fake) = connected(Revision::V2026_07_28, builder).await;
    let (watching, ()) = tokio::join!(client.subscribe("memo://a"), take_up(&mut fake));
    watching.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    fake.expect_silence().await;
    let error = client.subscribe("memo://b").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(*seen.lock().unwrap(), ["subscriptions/listen"]);
}

/// [`CatchPanicLayer`] turns the panic of a layer within into an error of that request.
#[tokio::test(start_paused = true)]
async fn catch_panic_layer() {
    let builder = builder()
        .layer(Before(|call: &mut ClientCall| {
            let name: Option<String> = call.params.read("name").unwrap();
            assert!(name.as_deref() != Some("boom"), "boom");
        }))
        .layer(CatchPanicLayer);
    let client = with_fixture(Revision::V2026_07_28, builder).await;
    let error = client.call("boom", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("failed unexpectedly"), "{error}");
    assert_eq!(heard(&client.call("echo", json!({ "message": "on" })).await.unwrap()), "on");
}

/// [`LogLayer`] writes one event per request with method and outcome, and no parameters.
#[tokio::test(start_paused = true)]
async fn log_layer() {
    let written: Arc<Mutex<Vec<String>>> = Arc::default();
    let _guard = tracing::subscriber::set_default(Written(written.clone()));
    let (client, mut fake) = connected(Revision::V2026_07_28, builder().layer(LogLayer)).await;
    let (called, ()) = tokio::join!(client.call("any", json!({ "a": "a secret" })), async {
        let call = fake.expect("tools/call").await;
        fake.answer(&call, said("another secret")).await;
    });
    called.unwrap();
    let (read, ()) = tokio::join!(client.read("memo://secret"), async {
        let read = fake.expect("resources/read").await;
        fake.refuse(&read, error(-32603)).await;
    });
    read.unwrap_err();
    let written = written.lock().unwrap();
    let requests: Vec<_> = written.iter().filter(|event| event.contains("request ")).collect();
    let [answered, failed] = &requests[..] else { panic!("{written:?}") };
    assert!(answered.contains("INFO") && answered.contains("request answered"), "{answered}");
    assert!(answered.contains("tools/call") && answered.contains("elapsed_us"), "{answered}");
    assert!(failed.contains("WARN") && failed.contains("request failed"), "{failed}");
    assert!(failed.contains("resources/read") && failed.contains("-32603"), "{failed}");
    assert!(!requests.iter().any(|event| event.contains("secret")), "{requests:?}");
}

/// Collects events as text.
struct Written(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Written {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &tracing::Event<'_>) {
        struct Fields(String);
        impl tracing::field::Visit for Fields {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0 += &format!(" {field}={value:?}");
            }
        }
        let mut fields = Fields(event.metadata().level().to_string());
        event.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Each round of a modern request passes the layers, so that a limit on time or rate holds for
/// each; what is answered from memory passes none.
#[tokio::test(start_paused = true)]
async fn layers_see_rounds_and_not_memory() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let layer = Before(move |_: &mut ClientCall| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let builder = builder().layer(layer).roots([]);
    let (client, mut fake) = connected(Revision::V2026_07_28, builder).await;
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let first = fake.expect("tools/call").await;
        let questions = json!({ "r": { "method": "roots/list" } });
        fake.answer(&first, json!({ "resultType": "input_required", "inputRequests": questions }))
            .await;
        let second = fake.expect("tools/call").await;
        fake.answer(&second, said("done")).await;
    });
    called.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 2);
    let (listed, ()) = tokio::join!(client.tools(), async {
        let list = fake.expect("tools/list").await;
        fake.answer(&list, json!({ "tools": [], "ttlMs": 1_000, "cacheScope": "private" })).await;
    });
    listed.unwrap();
    client.tools().await.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 3);
}
