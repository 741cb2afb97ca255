//! A wire tap between a client and a server over HTTP/1.1: it passes everything on, keeps the heads
//! of requests, and can cut one connection where a text is about to pass.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::{fmt, io};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// The head of a request. Names of headers are in lower case.
#[derive(Clone)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) headers: BTreeMap<String, String>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    fn parse(text: &str) -> Head {
        let mut lines = text.split("\r\n");
        let method = lines.next().and_then(|line| line.split(' ').next()).unwrap_or_default();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers =
            headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        Head { method: method.to_owned(), headers: headers.collect() }
    }
}

impl fmt::Debug for Head {
    /// What belongs to the protocol; the rest would bury it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.method)?;
        let protocol = |name: &str| name.starts_with("mcp-") || name == "last-event-id";
        for (name, value) in self.headers.iter().filter(|(name, _)| protocol(name)) {
            write!(f, " {name}: {value};")?;
        }
        Ok(())
    }
}

#[derive(Default)]
struct Kept {
    heads: Vec<Head>,
    /// Where connections are cut, once at each text.
    cut_at: Vec<&'static str>,
}

/// Listens before a server until it is dropped with the runtime of its test.
pub(crate) struct Tap {
    /// The address of the server, with the tap's port.
    pub(crate) url: String,
    kept: Arc<Mutex<Kept>>,
}

impl Tap {
    /// Stands before the server of an address like `http://127.0.0.1:1234/mcp`.
    pub(crate) async fn before(url: &str) -> Tap {
        let (server, path) =
            url.strip_prefix("http://").and_then(|url| url.split_once('/')).unwrap();
        let server = server.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/{path}", listener.local_addr().unwrap());
        let kept = Arc::new(Mutex::new(Kept::default()));
        let tap = Tap { url, kept: kept.clone() };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, kept) = (server.clone(), kept.clone());
                tokio::spawn(async move {
                    let Ok(server) = TcpStream::connect(server).await else { return };
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    // When one way ends, both halves of the other are dropped with it.
                    tokio::select! {
                        _ = requests(from_client, to_server, &kept) => {}
                        _ = replies(from_server, to_client, &kept) => {}
                    }
                });
            }
        });
        tap
    }

    /// For each text, cuts the first connection on which the server sends it, just before it.
    pub(crate) fn cut_at(self, texts: &[&'static str]) -> Tap {
        self.kept.lock().unwrap().cut_at = texts.to_vec();
        self
    }

    /// The texts to cut at that have not come by.
    pub(crate) fn uncut(&self) -> Vec<&'static str> {
        self.kept.lock().unwrap().cut_at.clone()
    }

    /// The heads of all requests so far.
    pub(crate) fn heads(&self) -> Vec<Head> {
        self.kept.lock().unwrap().heads.clone()
    }
}

async fn requests(
    mut client: OwnedReadHalf,
    mut server: OwnedWriteHalf,
    kept: &Mutex<Kept>,
) -> io::Result<()> {
    let mut chunk = Vec::with_capacity(64 * 1024);
    let (mut unread, mut body_left) = (Vec::new(), 0_usize);
    while client.read_buf(&mut chunk).await? > 0 {
        unread.extend(&chunk);
        loop {
            let skipped = body_left.min(unread.len());
            unread.drain(..skipped);
            body_left -= skipped;
            let end = unread.windows(4).position(|bytes| bytes == b"\r\n\r\n");
            let Some(end) = end.filter(|_| body_left == 0) else { break };
            let head = Head::parse(&String::from_utf8_lossy(&unread[..end]));
            unread.drain(..end + 4);
            assert_eq!(head.header("transfer-encoding"), None, "bodies come with their length");
            body_left = head.header("content-length").map_or(0, |length| length.parse().unwrap());
            kept.lock().unwrap().heads.push(head);
        }
        server.write_all(&chunk).await?;
        chunk.clear();
    }
    Ok(())
}

async fn replies(
    mut server: OwnedReadHalf,
    mut client: OwnedWriteHalf,
    kept: &Mutex<Kept>,
) -> io::Result<()> {
    // Larger than what a server writes at once, so that a text is not torn apart.
    let mut chunk = Vec::with_capacity(64 * 1024);
    while server.read_buf(&mut chunk).await? > 0 {
        let cut = {
            let cut_at = &mut kept.lock().unwrap().cut_at;
            let place =
                |text: &str| chunk.windows(text.len()).position(|bytes| bytes == text.as_bytes());
            let found = cut_at.iter().enumerate().find_map(|(i, text)| Some((i, place(text)?)));
            found.map(|(i, place)| {
                cut_at.remove(i);
                place
            })
        };
        client.write_all(&chunk[..cut.unwrap_or(chunk.len())]).await?;
        if cut.is_some() {
            break;
        }
        chunk.clear();
    }
    Ok(())
}
