//! Servers that crash and are started again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use docent_mcp::client::{ClientBuilder, ServerEvent, Source};
use docent_mcp::types::{LoggingLevel, Revision};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::fake::{Fake, Fakes, error, heard, said};
use super::{ERAS, builder};
use crate::fixture;

const MODERN: Revision = Revision::V2026_07_28;
const LEGACY: Revision = Revision::V2025_11_25;

fn listening() -> (ClientBuilder, UnboundedReceiver<ServerEvent>) {
    let (tell, told) = unbounded_channel();
    (builder().on_event(move |event| drop(tell.send(event))), told)
}

async fn opened(builder: ClientBuilder, revision: Revision) -> (docent_mcp::Client, Fake, Fakes) {
    let (source, mut fakes) = Fake::source();
    let (client, fake) = tokio::join!(builder.connect(source), async {
        let mut fake = fakes.next().await;
        fake.open(revision).await;
        fake
    });
    (client.unwrap(), fake, fakes)
}

async fn take_up(fake: &mut Fake, uri: &str) {
    let listen = fake.expect("subscriptions/listen").await;
    assert_eq!(listen["params"]["notifications"]["resourceSubscriptions"], json!([uri]));
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] });
    let params = json!({ "notifications": listen["params"]["notifications"], "_meta": meta });
    fake.notify("notifications/subscriptions/acknowledged", params).await;
}

async fn answer(fake: &mut Fake, method: &str, result: Value) -> Value {
    let request = fake.expect(method).await;
    fake.answer(&request, result).await;
    request
}

/// [CLI-STDIO-04] a call that was open when the server crashed fails, because nobody knows what
/// became of it; the next one starts the server again.
#[tokio::test(start_paused = true)]
async fn the_next_request_starts_a_crashed_server_again() {
    for revision in Revision::ALL {
        let (builder, mut told) = listening();
        let (client, mut fake, mut fakes) = opened(builder, revision).await;
        let (crashed, ()) = tokio::join!(client.call("any", json!({})), async {
            fake.expect("tools/call").await;
            drop(fake);
        });
        assert!(crashed.unwrap_err().is_closed());
        assert!(fakes.try_next().is_none(), "nobody needs it yet");
        let (called, _fake) = tokio::join!(client.call("again", json!({})), async {
            let mut fake = fakes.next().await;
            fake.open(revision).await;
            let call = answer(&mut fake, "tools/call", said("back")).await;
            assert_eq!(call["params"]["name"], "again");
            fake
        });
        assert_eq!(heard(&called.unwrap()), "back", "{revision}");
        assert!(matches!(told.recv().await.unwrap(), ServerEvent::Restarted));
    }
}

/// [CLI-STDIO-04] what was watched is taken up again right away, without anybody asking: by a
/// listen request or by subscriptions, whatever the era.
#[tokio::test(start_paused = true)]
async fn subscriptions_survive_a_crash() {
    for revision in ERAS {
        let (builder, mut told) = listening();
        let (client, mut fake, mut fakes) = opened(builder, revision).await;
        let renew = async |fake: &mut Fake| match revision.is_modern() {
            true => take_up(fake, "memo://a").await,
            false => {
                let subscribe = answer(fake, "resources/subscribe", json!({})).await;
                assert_eq!(subscribe["params"]["uri"], "memo://a");
            }
        };
        let (watching, ()) = tokio::join!(client.subscribe("memo://a"), renew(&mut fake));
        watching.unwrap();
        for _ in 0..3 {
            drop(fake);
            fake = fakes.next().await;
            fake.open(revision).await;
            renew(&mut fake).await;
            assert!(matches!(told.recv().await.unwrap(), ServerEvent::Restarted));
            fake.notify("notifications/resources/updated", json!({ "uri": "memo://a" })).await;
            assert!(matches!(told.recv().await.unwrap(), ServerEvent::ResourceUpdated(_)));
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
    }
}

/// [CLI-STDIO-04] the log level of a session is set again as well.
#[tokio::test(start_paused = true)]
async fn the_log_level_survives_a_crash() {
    let (client, mut fake, mut fakes) = opened(builder(), LEGACY).await;
    let setting = client.set_log_level(LoggingLevel::Error);
    let (set, _) = tokio::join!(setting, answer(&mut fake, "logging/setLevel", json!({})));
    set.unwrap();
    drop(fake);
    tokio::task::yield_now().await;
    let (called, ()) = tokio::join!(client.ping(), async {
        let mut fake = fakes.next().await;
        fake.open(LEGACY).await;
        let level = answer(&mut fake, "logging/setLevel", json!({})).await;
        assert_eq!(level["params"]["level"], "error");
        answer(&mut fake, "ping", json!({})).await;
    });
    called.unwrap();
}

/// [CLI-VER-04] a server that was started again is asked again what it is: it may have been
/// replaced by one of the other era.
#[tokio::test(start_paused = true)]
async fn the_era_is_found_out_again_after_a_restart() {
    let (client, mut fake, mut fakes) = opened(builder(), MODERN).await;
    for revision in [LEGACY, Revision::V2024_11_05, MODERN, LEGACY] {
        drop(fake);
        tokio::time::sleep(Duration::from_secs(60)).await;
        let (called, next) = tokio::join!(client.call("any", json!({})), async {
            let mut fake = fakes.next().await;
            let first = fake.receive().await.unwrap();
            assert_eq!(first["method"], "server/discover", "not what the last one was");
            if revision.is_modern() {
                let result = super::fake::discovered(&["2026-07-28"], json!({ "tools": {} }));
                fake.answer(&first, result).await;
            } else {
                fake.refuse(&first, error(-32601)).await;
                let result = super::fake::initialized(revision.as_str(), json!({ "tools": {} }));
                answer(&mut fake, "initialize", result).await;
                fake.expect("notifications/initialized").await;
            }
            let call = answer(&mut fake, "tools/call", said("here")).await;
            assert_eq!(call["params"].get("_meta").is_some(), revision.is_modern());
            fake
        });
        assert_eq!(heard(&called.unwrap()), "here");
        assert_eq!(client.server().revision, revision);
        fake = next;
    }
}

/// What was kept from the server before is forgotten with it.
#[tokio::test(start_paused = true)]
async fn results_are_not_kept_across_a_restart() {
    let (client, mut fake, mut fakes) = opened(builder(), MODERN).await;
    let fresh = |name: &str| json!({ "tools": [{ "name": name, "inputSchema": { "type": "object" } }], "ttlMs": 3_600_000, "cacheScope": "private" });
    let (tools, _) = tokio::join!(client.tools(), answer(&mut fake, "tools/list", fresh("old")));
    assert_eq!(tools.unwrap()[0].name, "old");
    assert_eq!(client.tools().await.unwrap()[0].name, "old");
    drop(fake);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (tools, _fake) = tokio::join!(client.tools(), async {
        let mut fake = fakes.next().await;
        fake.open(MODERN).await;
        answer(&mut fake, "tools/list", fresh("new")).await;
        fake
    });
    assert_eq!(tools.unwrap()[0].name, "new");
}

/// Many requests at the same moment start one server, not many.
#[tokio::test(start_paused = true)]
async fn one_restart_serves_everybody() {
    let (client, fake, mut fakes) = opened(builder(), MODERN).await;
    drop(fake);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let calls: Vec<_> = (0..100)
        .map(|n| {
            let client = client.clone();
            tokio::spawn(async move { client.call("any", json!({ "n": n })).await })
        })
        .collect();
    let mut fake = fakes.next().await;
    fake.open(MODERN).await;
    for _ in 0..100 {
        answer(&mut fake, "tools/call", said("yes")).await;
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert!(fakes.try_next().is_none());
}

/// A caller that loses patience during a restart takes nothing away from the others: what has to be
/// renewed is renewed all the same.
#[tokio::test(start_paused = true)]
async fn an_impatient_caller_does_not_stop_the_renewal() {
    let (builder, mut told) = listening();
    let (client, mut fake, mut fakes) = opened(builder, LEGACY).await;
    let setting = client.set_log_level(LoggingLevel::Error);
    let (set, _) = tokio::join!(setting, answer(&mut fake, "logging/setLevel", json!({})));
    set.unwrap();
    drop(fake);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let impatient = tokio::spawn({
        let client = client.clone();
        async move { client.call("any", json!({})).await }
    });
    let mut fake = fakes.next().await;
    fake.open(LEGACY).await;
    let level = fake.expect("logging/setLevel").await;
    impatient.abort();
    assert!(impatient.await.unwrap_err().is_cancelled());
    fake.expect_silence().await;
    fake.answer(&level, json!({})).await;
    assert!(matches!(told.recv().await.unwrap(), ServerEvent::Restarted));
}

/// A client that was told not to start servers again does not, whatever it watches.
#[tokio::test(start_paused = true)]
async fn restarting_can_be_switched_off() {
    let (builder, mut told) = listening();
    let (client, mut fake, mut fakes) = opened(builder.without_restart(), MODERN).await;
    let (watching, ()) = tokio::join!(client.subscribe("memo://a"), take_up(&mut fake, "memo://a"));
    watching.unwrap();
    drop(fake);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(client.ping().await.unwrap_err().is_closed());
    assert!(fakes.try_next().is_none());
    assert!(told.try_recv().is_err());
}

/// A caller that loses patience while the server is being started leaves no half-open connection
/// behind.
#[tokio::test(start_paused = true)]
async fn an_impatient_caller_leaves_no_connection_behind() {
    let (client, fake, mut fakes) = opened(builder(), MODERN).await;
    drop(fake);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let impatient = tokio::spawn({
        let client = client.clone();
        async move { client.call("any", json!({})).await }
    });
    let mut half_open = fakes.next().await;
    half_open.expect("server/discover").await;
    impatient.abort();
    assert_eq!(half_open.rest().await, Vec::<Value>::new(), "closed");
    tokio::time::sleep(Duration::from_secs(60)).await;
    let (called, ()) = tokio::join!(client.call("again", json!({})), async {
        let mut fake = fakes.next().await;
        fake.open(MODERN).await;
        answer(&mut fake, "tools/call", said("fine")).await;
    });
    called.unwrap();
}

/// A server that dies whenever it is started is tried with growing pauses: calls fail at once in
/// between, and an outage of ten minutes costs few attempts and is over half a minute after it is
/// over.
#[tokio::test(start_paused = true)]
async fn a_long_outage_is_survived() {
    let down = Arc::new(AtomicBool::new(false));
    let attempts = Arc::new(AtomicUsize::new(0));
    let source = {
        let (down, attempts) = (down.clone(), attempts.clone());
        Source::connector(move || {
            attempts.fetch_add(1, Ordering::Relaxed);
            let up = !down.load(Ordering::Relaxed);
            async move {
                if !up {
                    return Err(std::io::ErrorKind::ConnectionRefused.into());
                }
                let (near, far) = docent_mcp::transport::memory();
                // It lives for a minute, then crashes.
                let serving = fixture::server().serve(far);
                tokio::spawn(tokio::time::timeout(Duration::from_secs(60), serving));
                Ok(near)
            }
        })
    };
    let (builder, mut told) = listening();
    let client = builder.connect(source).await.unwrap();
    client.subscribe("memo://hello").await.unwrap();
    down.store(true, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(60)).await;
    attempts.store(0, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(600)).await;
    let tried = attempts.load(Ordering::Relaxed);
    assert!((10..40).contains(&tried), "{tried} attempts in ten minutes");
    assert!(client.ping().await.is_err());
    down.store(false, Ordering::Relaxed);
    let back = tokio::time::timeout(Duration::from_secs(30), told.recv()).await;
    assert!(matches!(back, Ok(Some(ServerEvent::Restarted))), "{back:?}");
    client.ping().await.unwrap();
}

/// Nobody who is gone keeps a server alive: when the last handle is dropped during an outage, the
/// attempts stop.
#[tokio::test(start_paused = true)]
async fn attempts_stop_when_the_client_is_gone() {
    let (client, mut fake, mut fakes) = opened(builder(), MODERN).await;
    let (watching, ()) = tokio::join!(client.subscribe("memo://a"), take_up(&mut fake, "memo://a"));
    watching.unwrap();
    drop(fake);
    // A few servers that die at once.
    for _ in 0..4 {
        drop(fakes.next().await);
    }
    drop(client);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let mut left = 0;
    while fakes.try_next().is_some() {
        left += 1;
    }
    assert!(left <= 2, "the attempt that was under way, and no other: {left}");
}

/// Watching something does not make a connection come back that cannot.
#[tokio::test(start_paused = true)]
async fn a_single_connection_does_not_come_back() {
    let (client, mut fake) = super::fake::connected(MODERN, builder()).await;
    let (watching, ()) = tokio::join!(client.subscribe("memo://a"), take_up(&mut fake, "memo://a"));
    watching.unwrap();
    drop(fake);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(client.ping().await.unwrap_err().is_closed());
}

/// Closing while a server is being started again ends that, too.
#[tokio::test(start_paused = true)]
async fn closing_ends_a_restart() {
    let (client, mut fake, mut fakes) = opened(builder(), MODERN).await;
    let (watching, ()) = tokio::join!(client.subscribe("memo://a"), take_up(&mut fake, "memo://a"));
    watching.unwrap();
    drop(fake);
    let mut half_open = fakes.next().await;
    half_open.expect("server/discover").await;
    let other = client.clone();
    client.close().await;
    assert_eq!(half_open.rest().await, Vec::<Value>::new());
    assert!(other.ping().await.unwrap_err().is_closed());
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(fakes.try_next().is_none());
}

/// [CLI-STDIO-04] the same with real processes: a server that kills itself with SIGKILL is started
/// again, and the call that killed it says how it ended.
#[cfg(all(unix, feature = "process"))]
#[tokio::test]
async fn a_killed_child_is_started_again() {
    use docent_mcp::transport::child::ChildProcess;

    // Answers each request by its id; `tools/call` with "crash" in it is the end.
    let script = r#"
        while read -r line; do
            id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
            case "$line" in
                *server/discover*) body='"error":{"code":-32601,"message":"no"}' ;;
                *'"initialize"'*) body='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{"subscribe":true}},"serverInfo":{"name":"sh","version":"1"}}' ;;
                *crash*) echo 'about to crash' >&2; kill -9 $$ ;;
                *tools/call*) body='"result":{"content":[{"type":"text","text":"'$$'"}]}' ;;
                *resources/subscribe*) body='"result":{}' ; echo '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"memo://a"}}' ;;
                *) continue ;;
            esac
            printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$body"
        done
    "#;
    let (builder, mut told) = listening();
    let child = ChildProcess::new("/bin/sh").arg("-c").arg(script);
    let client = builder.connect(child).await.unwrap();
    client.subscribe("memo://a").await.unwrap();
    assert!(matches!(told.recv().await.unwrap(), ServerEvent::ResourceUpdated(_)));
    let first = heard(&client.call("pid", json!({})).await.unwrap()).to_owned();
    let error = client.call("crash", json!({})).await.unwrap_err();
    assert!(error.is_closed() && error.to_string().contains("about to crash"), "{error}");
    // The subscription is renewed before the restart is told.
    assert!(matches!(told.recv().await.unwrap(), ServerEvent::ResourceUpdated(_)));
    assert!(matches!(told.recv().await.unwrap(), ServerEvent::Restarted));
    let second = heard(&client.call("pid", json!({})).await.unwrap()).to_owned();
    assert_ne!(first, second);
    client.close().await;
}
