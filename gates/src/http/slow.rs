//! Connections that keep a server waiting, each in its way, until it cuts them off.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::Result;
use crate::web::child::Served;
use crate::web::message;

/// How long to wait for a connection that should be gone long before.
const ENOUGH: Duration = Duration::from_secs(20);
/// Between two bytes of those who send one at a time.
const DRIP: Duration = Duration::from_millis(300);

pub(super) struct Gone {
    pub(super) left: usize,
    pub(super) gone_after: Duration,
    pub(super) unread_left: usize,
    pub(super) unread_gone_after: Duration,
}

/// What a slow client does.
#[derive(Clone, Copy)]
enum Slow {
    /// Nothing at all.
    Silent,
    /// Begins a head and goes on with one byte at a time, without end.
    Head,
    /// Sends a head and then its body one byte at a time.
    Body,
}

pub(super) async fn run(served: &Served, each: usize, patience: Duration) -> Result<Gone> {
    let mut tasks = Vec::new();
    for kind in [Slow::Silent, Slow::Head, Slow::Body] {
        for _ in 0..each {
            let stream = TcpStream::connect(served.address).await?;
            tasks.push(tokio::spawn(keep_waiting(stream, kind)));
        }
    }
    let mut unread = Vec::new();
    for _ in 0..each {
        unread.push(ask_without_reading(served).await?);
    }
    let asked = Instant::now();
    let ports = unread.iter().map(|stream| Ok(stream.local_addr()?.port()));
    let ports = ports.collect::<Result<_>>()?;
    let mut unread_left = served.connected(&ports)?;
    while unread_left > 0 && asked.elapsed() < patience + ENOUGH {
        tokio::time::sleep(Duration::from_millis(100)).await;
        unread_left = served.connected(&ports)?;
    }
    let unread_gone_after = asked.elapsed();
    let (mut left, mut gone_after) = (0, Duration::ZERO);
    for task in tasks {
        match task.await? {
            Some(after) => gone_after = gone_after.max(after),
            None => left += 1,
        }
    }
    Ok(Gone { left, gone_after, unread_left, unread_gone_after })
}

/// Keeps a server waiting. Returns when it had enough, or `None` if it never had.
async fn keep_waiting(stream: TcpStream, kind: Slow) -> Option<Duration> {
    let started = Instant::now();
    let (mut reader, mut writer) = stream.into_split();
    let dripping = async move {
        let start = match kind {
            Slow::Silent => "",
            Slow::Head => "POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow: ",
            Slow::Body => {
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 content-length: 100000\r\n\r\n"
            }
        };
        let mut going = writer.write_all(start.as_bytes()).await.is_ok();
        while going && !matches!(kind, Slow::Silent) {
            tokio::time::sleep(DRIP).await;
            going = writer.write_all(b" ").await.is_ok();
        }
        // The writing half stays open until the server ends the connection.
        std::future::pending::<()>().await;
        drop(writer);
    };
    let ended = async move {
        let mut answer = Vec::new();
        let _ = reader.read_to_end(&mut answer).await;
    };
    tokio::select! {
        () = dripping => None,
        ended = tokio::time::timeout(ENOUGH, ended) => ended.ok().map(|()| started.elapsed()),
    }
}

/// Asks for more than fits into all buffers, and reads nothing of it.
async fn ask_without_reading(served: &Served) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4096)?;
    let mut stream = socket.connect(served.address).await?;
    let ask = message::call(1, "fill", &json!({ "bytes": 200 << 10 }));
    // The system takes some megabytes for a connection: these are more.
    let bytes = ask.bytes("localhost").repeat(40);
    stream.write_all(&bytes).await?;
    Ok(stream)
}
