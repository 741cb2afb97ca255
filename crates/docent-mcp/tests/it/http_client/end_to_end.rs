//! The client and the server of this crate, together.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use docent_mcp::client::{Client, ClientBuilder, RequestOptions, ServerEvent};
use docent_mcp::transport::http::{HttpEndpoint, HttpOptions, HttpServer};
use docent_mcp::types::{ElicitAction, ElicitResult, Revision};
use docent_mcp::{Cancel, HttpLimits, Limits};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::web::until;
use super::{builder, text};

/// The fixture server at an address of its own, or at one that it had before.
async fn serve(at: Option<SocketAddr>) -> (SocketAddr, JoinHandle<()>) {
    let http = HttpLimits { stream_after: Duration::from_millis(20), ..HttpLimits::default() };
    let server = crate::fixture::server().limits(Limits { http, ..Limits::default() });
    let service = server.http_service(HttpOptions::new().old_sse()).unwrap();
    let at = at.unwrap_or_else(|| "127.0.0.1:0".parse().unwrap());
    let listening = HttpServer::bind(service, at).await.unwrap();
    let address = listening.local_addr();
    let serving = async move { listening.serve_until(std::future::pending()).await.unwrap() };
    (address, tokio::spawn(serving))
}

fn at(address: SocketAddr) -> HttpEndpoint {
    HttpEndpoint::new(format!("http://{address}/mcp")).unwrap()
}

fn speaking(revision: Revision) -> ClientBuilder {
    builder().revisions([revision])
}

async fn connect(revision: Revision, builder: ClientBuilder) -> (Client, JoinHandle<()>) {
    let (address, serving) = serve(None).await;
    let endpoint = match revision {
        Revision::V2024_11_05 => HttpEndpoint::new(format!("http://{address}/sse")).unwrap(),
        _ => at(address),
    };
    let client = builder.revisions([revision]).connect(endpoint).await.unwrap();
    assert_eq!(client.server().revision, revision);
    (client, serving)
}

/// Every revision, over its own way: lists, calls, progress, failures, cancellation.
#[tokio::test]
async fn every_revision_works() {
    for revision in Revision::ALL {
        let (client, serving) = connect(revision, builder()).await;
        assert!(client.tools().await.unwrap().iter().any(|tool| tool.name == "echo"), "{revision}");
        let result = client.call("echo", json!({ "message": "a\u{2028}b\r\nc" })).await.unwrap();
        assert_eq!(text(&result), "a\u{2028}b\r\nc", "{revision}");
        assert!(client.call("fail", json!({})).await.unwrap().failed(), "{revision}");
        assert!(client.call("no such tool", json!({})).await.unwrap_err().is_invalid_params());
        let reports = Arc::new(AtomicU32::new(0));
        let options = RequestOptions::new().on_progress({
            let reports = reports.clone();
            move |_| {
                reports.fetch_add(1, Ordering::SeqCst);
            }
        });
        client.call_with("progress", json!({ "steps": 3 }), options).await.unwrap();
        assert_eq!(reports.load(Ordering::SeqCst), 3, "{revision}");
        let cancel = Cancel::new();
        let options = RequestOptions::new().cancel(cancel.clone());
        let slow = tokio::spawn({
            let client = client.clone();
            async move { client.call_with("slow", json!({ "ms": 600_000 }), options).await }
        });
        client.ping().await.unwrap();
        cancel.cancel(None);
        assert!(slow.await.unwrap().unwrap_err().is_cancelled(), "{revision}");
        assert!(!client.read("memo://hello").await.unwrap().contents.is_empty(), "{revision}");
        client.close().await;
        serving.abort();
    }
}

/// Without a wish for a revision, the newest one is spoken.
#[tokio::test]
async fn the_newest_revision_is_found() {
    let (address, _serving) = serve(None).await;
    let client = Client::start(at(address)).await.unwrap();
    assert_eq!(client.server().revision, Revision::NEWEST_MODERN);
}

/// Servers ask in every revision that has questions: by a request, or before the result.
#[tokio::test]
async fn servers_ask() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28] {
        let answering = builder().on_elicit_form(|_| async {
            Ok(ElicitResult {
                action: ElicitAction::Accept,
                content: Some(serde_json::from_value(json!({ "name": "Ada" })).unwrap()),
                ..Default::default()
            })
        });
        let (client, _serving) = connect(revision, answering).await;
        let result = client.call("ask_name", json!({})).await.unwrap();
        assert!(text(&result).contains("Ada"), "{revision}: {result:?}");
        client.close().await;
    }
}

/// Changes are told: on the stream of the session, or on that of a listen request.
#[tokio::test]
async fn changes_are_told() {
    for revision in Revision::ALL {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let telling = builder().on_event(move |event| drop(tell.send(event)));
        let (client, _serving) = connect(revision, telling).await;
        client.subscribe("memo://hello").await.unwrap();
        client.call("touch", json!({})).await.unwrap();
        let event = tokio::time::timeout(super::web::PATIENCE, told.recv()).await.unwrap();
        assert!(
            matches!(&event, Some(ServerEvent::ResourceUpdated(uri)) if uri == "memo://hello"),
            "{revision}: {event:?}"
        );
        client.close().await;
    }
}

/// Row 12: a server that is killed and started again has forgotten its sessions; calls go on.
#[tokio::test]
async fn row_12_the_server_is_started_again() {
    for revision in [Revision::V2025_03_26, Revision::V2025_11_25, Revision::V2026_07_28] {
        let (address, serving) = serve(None).await;
        let client = speaking(revision).connect(at(address)).await.unwrap();
        client.call("echo", json!({ "message": "1" })).await.unwrap();
        serving.abort();
        let _ = serving.await;
        let (_, _serving) = serve(Some(address)).await;
        let mut outcome = client.call("echo", json!({ "message": "2" })).await;
        if outcome.is_err() {
            // A call that was made while the connection broke may have been carried out.
            outcome = client.call("echo", json!({ "message": "2" })).await;
        }
        assert_eq!(text(&outcome.unwrap()), "2", "{revision}");
        client.close().await;
    }
}

/// Passes everything on, until it is told to cut all connections.
async fn cutter(to: SocketAddr) -> (SocketAddr, watch::Sender<u32>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (cut, _) = watch::channel(0);
    let cuts = cut.clone();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let mut cuts = cuts.subscribe();
            tokio::spawn(async move {
                let mut far = TcpStream::connect(to).await.unwrap();
                tokio::select! {
                    _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                    _ = cuts.changed() => {}
                }
            });
        }
    });
    (address, cut)
}

/// [CLI-SSE-07] a call in a session survives the loss of every connection on the way.
#[tokio::test]
async fn a_call_survives_broken_connections() {
    let (address, _serving) = serve(None).await;
    let (between, cut) = cutter(address).await;
    let client = speaking(Revision::V2025_11_25).connect(at(between)).await.unwrap();
    let reports = Arc::new(AtomicU32::new(0));
    let options = RequestOptions::new().on_progress({
        let reports = reports.clone();
        move |_| {
            reports.fetch_add(1, Ordering::SeqCst);
        }
    });
    let calling = tokio::spawn({
        let client = client.clone();
        async move {
            let progress = client.call_with("progress", json!({ "steps": 2 }), options).await;
            (progress, client.call("slow", json!({ "ms": 1500 })).await)
        }
    });
    until("it has begun", || reports.load(Ordering::SeqCst) == 2).await;
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        cut.send_modify(|cuts| *cuts += 1);
    }
    let (progress, slow) = calling.await.unwrap();
    progress.unwrap();
    assert!(!slow.unwrap().failed());
    client.close().await;
}
