//! The transport of 2024-11-05.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::types::Revision;
use docent_mcp::{ErrorKind, Limits};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::web::{Reply, Step, Web};
use super::{builder, connect, connect_with};

/// A server of the first days: a stream on GET, messages to the address that it names. The stream
/// needs to carry what the posts cause, so it has sockets of its own.
struct Old {
    url: String,
    posts: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Old {
    /// `endpoint` is what the first event says. `closes` ends the stream after so many answers.
    async fn start(endpoint: &'static str, closes: usize) -> Old {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/sse", listener.local_addr().unwrap());
        let posts = Arc::new(Mutex::new(Vec::new()));
        let (answers, _) = tokio::sync::broadcast::channel::<String>(64);
        let seen = posts.clone();
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (answers, seen) = (answers.clone(), seen.clone());
                tokio::spawn(async move {
                    let mut buffer = Vec::new();
                    while let Some((head, body)) = read(&mut socket, &mut buffer).await {
                        if head.starts_with("GET /sse ") {
                            let mut stream = answers.subscribe();
                            let hello = format!(
                                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: {endpoint}\n\n"
                            );
                            socket.write_all(hello.as_bytes()).await.unwrap();
                            for _ in 0..closes {
                                let Ok(answer) = stream.recv().await else { return };
                                let event = format!("event: message\ndata: {answer}\n\n");
                                socket.write_all(event.as_bytes()).await.unwrap();
                            }
                            return;
                        }
                        let status = match head.starts_with("POST /messages?id=7 ") {
                            true => {
                                seen.lock().unwrap().push((head, body.clone()));
                                if let Some(answer) = answer(&body) {
                                    let _ = answers.send(answer);
                                }
                                "202 Accepted"
                            }
                            false => "405 Method Not Allowed",
                        };
                        let reply = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
                        socket.write_all(reply.as_bytes()).await.unwrap();
                    }
                });
            }
        });
        Old { url, posts }
    }
}

async fn read(socket: &mut tokio::net::TcpStream, buffer: &mut Vec<u8>) -> Option<(String, Value)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(buffer[..end].to_vec()).unwrap().to_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            if buffer.len() >= end + 4 + length {
                let body = serde_json::from_slice(&buffer[end + 4..end + 4 + length]);
                let head = String::from_utf8(buffer[..end].to_vec()).unwrap();
                buffer.drain(..end + 4 + length);
                return Some((head, body.unwrap_or_default()));
            }
        }
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

fn answer(message: &Value) -> Option<String> {
    let result = match message["method"].as_str()? {
        "initialize" => super::initialized("2024-11-05"),
        "tools/list" => {
            json!({ "tools": [{ "name": "old", "inputSchema": { "type": "object" } }] })
        }
        "tools/call" => json!({ "content": [] }),
        _ => return None,
    };
    Some(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string())
}

fn at(url: &str) -> docent_mcp::transport::http::HttpEndpoint {
    docent_mcp::transport::http::HttpEndpoint::new(url).unwrap()
}

/// [BOTH-SSE-18] the first event says where messages go, and answers come on the stream.
#[tokio::test]
async fn the_old_transport_is_the_last_resort() {
    let old = Old::start("/messages?id=7", usize::MAX).await;
    let client = builder().connect(at(&old.url)).await.unwrap();
    assert_eq!(client.server().revision, Revision::V2024_11_05);
    assert_eq!(client.tools().await.unwrap()[0].name, "old");
    client.call("old", json!({})).await.unwrap();
    client.close().await;
    let posts = old.posts.lock().unwrap().clone();
    let methods: Vec<_> = posts.iter().map(|(_, body)| body["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "tools/list", "tools/call"]);
    for (head, _) in posts {
        assert!(!head.to_lowercase().contains("mcp-"), "{head}");
    }
}

/// The stream is the connection: when it ends, whoever waits is told, and the next request opens
/// another one, without asking what the server is.
#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_connection() {
    let old = Old::start("/messages?id=7", 2).await;
    let client = builder().connect(at(&old.url)).await.unwrap();
    client.tools().await.unwrap();
    let mut outcome = client.call("old", json!({})).await;
    if let Err(error) = &outcome {
        assert!(error.is_closed(), "{error}");
        outcome = client.call("old", json!({})).await;
    }
    outcome.unwrap();
    let posts = old.posts.lock().unwrap().clone();
    assert_eq!(posts.iter().filter(|(_, body)| body["method"] == "initialize").count(), 2);
}

/// Messages go nowhere but to the origin that was given.
#[tokio::test]
async fn another_origin_is_refused() {
    for elsewhere in ["http://127.0.0.1:1/messages", "//example.com/messages", "https://127.0.0.1/"]
    {
        let old = Old::start(elsewhere, 1).await;
        let error = builder().connect(at(&old.url)).await.unwrap_err();
        assert_eq!(error.http_status(), Some(405), "why there was no session: {error}");
        assert!(old.posts.lock().unwrap().is_empty());
    }
}

/// A page that is no stream, a stream that says nothing: the refusal of the session is what counts.
#[tokio::test]
async fn what_is_no_server_at_all_is_told() {
    let replies: [fn() -> Reply; 4] = [
        || Reply::text(200, "text/html", "<h1>Welcome</h1>"),
        || Reply::events([]),
        || Reply::events([Step::Send("data: x\n\n".into())]),
        || Reply::status(404),
    ];
    for reply in replies {
        let web = Web::start(move |seen| match seen.verb.as_str() {
            "GET" => reply(),
            _ => Reply::status(404),
        })
        .await;
        let error = connect(&web).await.unwrap_err();
        assert_eq!((error.kind(), error.http_status()), (ErrorKind::Http, Some(404)));
        assert!(error.to_string().contains("check its path"), "{error}");
        assert_eq!(web.methods(), ["server/discover", "initialize", "GET"]);
    }
    let web = Web::start(|seen| match seen.verb.as_str() {
        "GET" => Reply::events([Step::Hang]),
        _ => Reply::status(405),
    })
    .await;
    let limits = Limits { connect_timeout: Duration::from_millis(100), ..Limits::default() };
    assert_eq!(connect_with(&web, limits).await.unwrap_err().http_status(), Some(405));
}
