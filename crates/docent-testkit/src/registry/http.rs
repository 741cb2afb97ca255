//! As much of HTTP/1.1 as a registry needs, and as much as it takes to get it wrong.
//!
//! One request for each connection: what is asked twice is seen twice.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::Shared;

const HEAD_BYTES_MAX: usize = 64 << 10;

/// A request that was made.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET`.
    pub method: String,
    /// The path with the query, as sent.
    pub path: String,
    headers: BTreeMap<String, String>,
    /// The head as it came, for looking through.
    pub raw: String,
    /// Whether the client showed a certificate of its own.
    pub certified: bool,
}

impl Request {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// How to answer a request.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    truncate_at: Option<usize>,
    drip: Option<Duration>,
    delimited: bool,
    hang: bool,
}

impl Answer {
    /// A status without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            truncate_at: None,
            drip: None,
            delimited: true,
            hang: false,
        }
    }

    /// A body with its media type.
    #[must_use]
    pub fn body(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let mut answer = Self::status(200).header("content-type", content_type);
        answer.body = body.into();
        answer
    }

    /// A redirect.
    #[must_use]
    pub fn redirect(to: &str) -> Self {
        Self::status(302).header("location", to)
    }

    /// A body of zeros, `bytes` long once its gzip is undone.
    ///
    /// # Panics
    /// Never, as nothing is written but memory.
    #[must_use]
    pub fn gzip_bomb(bytes: usize) -> Self {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let zeros = vec![0; 1 << 16];
        for at in (0..bytes).step_by(zeros.len()) {
            encoder.write_all(&zeros[..zeros.len().min(bytes - at)]).expect("memory");
        }
        Self::body("application/json", encoder.finish().expect("memory"))
            .header("content-encoding", "gzip")
    }

    /// The same answer with its body in gzip.
    ///
    /// # Panics
    /// Never, as nothing is written but memory.
    #[must_use]
    pub fn gzip(mut self) -> Self {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&self.body).expect("memory");
        self.body = encoder.finish().expect("memory");
        self.header("content-encoding", "gzip")
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// The same answer with another status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The same answer with an `ETag`, which a request with `If-None-Match` is answered 304 by.
    #[must_use]
    pub fn etag(self, tag: &str) -> Self {
        self.header("etag", tag)
    }

    /// Declares the whole length and closes after so many bytes of the body.
    #[must_use]
    pub fn truncate_at(mut self, bytes: usize) -> Self {
        self.truncate_at = Some(bytes);
        self
    }

    /// Sends the body byte by byte with this time between.
    #[must_use]
    pub fn drip(mut self, every: Duration) -> Self {
        self.drip = Some(every);
        self
    }

    /// Neither declares the length nor marks the end, but closes.
    #[must_use]
    pub fn until_closed(mut self) -> Self {
        self.delimited = false;
        self
    }

    /// Takes the request and never answers.
    #[must_use]
    pub fn hang() -> Self {
        let mut answer = Self::status(200);
        answer.hang = true;
        answer
    }

    /// The bytes of the body.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// What is sent in place of this answer to a request that knows its tag already.
    fn conditional(self, asked: Option<&str>) -> Self {
        let tag = self.headers.iter().find(|(name, _)| name == "etag").map(|(_, tag)| tag.clone());
        match (tag, asked) {
            (Some(tag), Some(asked)) if asked == tag => Self::status(304).etag(&tag),
            _ => self,
        }
    }
}

pub(super) async fn serve(
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    shared: Arc<Shared>,
) {
    // Connections end with the server, since the set is dropped with it.
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(connected(stream, acceptor.clone(), Arc::clone(&shared)));
        while connections.try_join_next().is_some() {}
    }
}

async fn connected(
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    shared: Arc<Shared>,
) -> std::io::Result<()> {
    let Some(acceptor) = acceptor else { return converse(stream, false, shared).await };
    let stream = acceptor.accept(stream).await?;
    let certified = stream.get_ref().1.peer_certificates().is_some();
    converse(stream, certified, shared).await
}

/// Reads one request and answers it; whatever goes wrong ends the connection.
async fn converse(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    certified: bool,
    shared: Arc<Shared>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < HEAD_BYTES_MAX {
        head.push(stream.read_u8().await?);
    }
    let Some(mut request) = parse(&String::from_utf8_lossy(&head)) else { return Ok(()) };
    request.certified = certified;
    let path = request.path.clone();
    let asked = request.header("if-none-match").map(str::to_owned);
    let answer = shared.answer(request).conditional(asked.as_deref());
    if answer.hang {
        // Nothing more is sent by whoever waits: this ends when they do.
        let _ = stream.read_u8().await;
        shared.abandoned.send_modify(|paths| paths.push(path));
        return Ok(());
    }
    let mut text = format!("HTTP/1.1 {} Answer\r\nconnection: close\r\n", answer.status);
    if answer.delimited && answer.status != 304 {
        text += &format!("content-length: {}\r\n", answer.body.len());
    }
    for (name, value) in &answer.headers {
        text += &format!("{name}: {value}\r\n");
    }
    text += "\r\n";
    stream.write_all(text.as_bytes()).await?;
    let end = answer.truncate_at.unwrap_or(usize::MAX).min(answer.body.len());
    let body = &answer.body[..end];
    match answer.drip {
        None => stream.write_all(body).await?,
        Some(every) => {
            for byte in body {
                stream.write_u8(*byte).await?;
                stream.flush().await?;
                tokio::time::sleep(every).await;
            }
        }
    }
    stream.shutdown().await
}

fn parse(head: &str) -> Option<Request> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    // A proxy is asked for the whole address.
    let path = match target.strip_prefix("http://") {
        Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => target,
    };
    let path = path.to_owned();
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Some(Request { method, path, headers, raw: head.to_owned(), certified: false })
}
