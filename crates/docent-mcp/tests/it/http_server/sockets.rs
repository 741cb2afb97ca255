use std::net::SocketAddr;
use std::time::Duration;

use docent_mcp::Limits;
use docent_mcp::transport::http::HttpServer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::caller::{server, service, small};

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinHandle<docent_mcp::Result<()>>,
}

async fn start(limits: Limits) -> Running {
    let listening =
        HttpServer::bind(service(server().limits(limits)), "127.0.0.1:0").await.unwrap();
    let address = listening.local_addr();
    let (stop, stopped) = oneshot::channel();
    let served = tokio::spawn(listening.serve_until(async { drop(stopped.await) }));
    Running { address, stop, served }
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

fn call(method: &str, arguments: &str, extra: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"name":"work","arguments":{arguments},{meta}}}}}"#
    );
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{extra}\
         mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\nmcp-name: work\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads until the connection ends or the text is there.
async fn until(stream: &mut TcpStream, text: &str) -> String {
    let mut all = Vec::new();
    let mut buffer = [0; 4096];
    while !String::from_utf8_lossy(&all).contains(text) {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(length) => all.extend_from_slice(&buffer[..length]),
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// One connection serves many requests, and nothing but the one path.
#[tokio::test]
async fn connections_are_kept() {
    let running = start(Limits::default()).await;
    let mut stream = running.connect().await;
    for _ in 0..3 {
        stream.write_all(call("tools/call", "{}", "").as_bytes()).await.unwrap();
        assert!(until(&mut stream, "0 steps").await.starts_with("HTTP/1.1 200"));
    }
    stream
        .write_all(b"POST /other HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n")
        .await
        .unwrap();
    assert!(until(&mut stream, "/mcp").await.starts_with("HTTP/1.1 404"));
}

/// Whoever keeps us waiting is cut off: before, within and between requests, and while reading.
#[tokio::test]
async fn slow_clients_are_cut_off() {
    let running = start(small(|limits| {
        limits.http.header_timeout = Duration::from_millis(100);
        limits.http.idle_timeout = Duration::from_millis(200);
    }))
    .await;
    for begun in ["", "POST /mcp HTTP/1.1\r\nhost: local", "P"] {
        let mut stream = running.connect().await;
        stream.write_all(begun.as_bytes()).await.unwrap();
        let rest = until(&mut stream, "never").await;
        assert!(!rest.contains("200 OK"), "{begun:?}: {rest}");
    }
    let mut stream = running.connect().await;
    stream.write_all(call("tools/call", "{}", "").as_bytes()).await.unwrap();
    until(&mut stream, "0 steps").await;
    tokio::time::sleep(Duration::from_millis(120)).await;
    // Silence between requests is not measured like a head that does not end.
    stream.write_all(call("tools/call", "{}", "").as_bytes()).await.unwrap();
    assert!(until(&mut stream, "0 steps").await.contains("200 OK"));
    assert_eq!(until(&mut stream, "never").await, "", "closed after a while");
}

/// What is running when the server stops is answered, and nobody new is let in.
#[tokio::test]
async fn stopping_loses_nothing() {
    let running = start(Limits::default()).await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        let mut stream = running.connect().await;
        let arguments = r#"{"pause_ms":300}"#;
        stream.write_all(call("tools/call", arguments, "").as_bytes()).await.unwrap();
        streams.push(stream);
    }
    let mut idle = running.connect().await;
    idle.write_all(call("tools/call", "{}", "").as_bytes()).await.unwrap();
    until(&mut idle, "0 steps").await;
    running.stop.send(()).unwrap();
    assert_eq!(until(&mut idle, "never").await, "", "an idle connection is closed");
    for mut stream in streams {
        let answer = until(&mut stream, "0 steps").await;
        assert!(answer.contains("200 OK") && answer.contains("0 steps"), "{answer}");
    }
    running.served.await.unwrap().unwrap();
    assert!(TcpStream::connect(running.address).await.is_err(), "nobody listens any more");
}

/// What does not finish in time when the server stops is answered with an error.
#[tokio::test]
async fn stopping_answers_what_does_not_finish() {
    let running = start(small(|limits| {
        limits.http.shutdown_timeout = Duration::from_millis(100);
        limits.http.stream_after = Duration::from_millis(10);
    }))
    .await;
    let mut stream = running.connect().await;
    let endless = call("tools/call", r#"{"pause_ms":3600000}"#, "");
    stream.write_all(endless.as_bytes()).await.unwrap();
    until(&mut stream, "text/event-stream").await;
    running.stop.send(()).unwrap();
    let answer = until(&mut stream, "never").await;
    assert!(answer.contains("the server is shutting down"), "{answer}");
    running.served.await.unwrap().unwrap();
}

/// A request in chunks is the last of its connection: what follows it may be hidden in it.
#[tokio::test]
async fn nothing_is_taken_after_chunks() {
    let running = start(Limits::default()).await;
    let plain = call("tools/call", "{}", "");
    let (head, body) = plain.split_once("\r\n\r\n").unwrap();
    let length = format!("content-length: {}", body.len());
    let head = head.replace(&length, "transfer-encoding: chunked");
    let chunked = format!("{head}\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let mut stream = running.connect().await;
    stream.write_all(format!("{chunked}{plain}").as_bytes()).await.unwrap();
    let answers = until(&mut stream, "never").await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 1, "{answers}");
}

/// Heads that are too long or have too many fields are refused.
#[tokio::test]
async fn heads_are_bounded() {
    let running = start(Limits::default()).await;
    let long = format!("x-long: {}\r\n", "x".repeat(17 << 10));
    let many = "x-many: 1\r\n".repeat(200);
    for extra in [long, many] {
        let mut stream = running.connect().await;
        stream.write_all(call("tools/call", "{}", &extra).as_bytes()).await.unwrap();
        let answer = until(&mut stream, "\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
}
