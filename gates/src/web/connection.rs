//! A connection over which HTTP/1.1 is spoken byte by byte, so that nothing tidies up what is sent.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::message::{self, Ask};
use crate::Result;

pub(crate) struct Connection {
    pub(crate) stream: BufReader<TcpStream>,
    host: String,
    /// Whether the body that is being read comes in chunks.
    chunked: bool,
}

/// The beginning of an answer.
pub(crate) struct Head {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.status
    }

    /// The message in it; the last one if it is a stream.
    pub(crate) fn message(&self) -> Result<Value> {
        last_message(&self.body)
    }
}

/// The last message of a body, whether it is a stream of events or not.
pub(crate) fn last_message(body: &[u8]) -> Result<Value> {
    let text = std::str::from_utf8(body)?;
    let mut events = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let last = events.rfind(|data| !data.is_empty());
    Ok(serde_json::from_str(last.unwrap_or(text))?)
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self::over(stream, address))
    }

    pub(crate) fn over(stream: TcpStream, address: SocketAddr) -> Self {
        // Thousands of these are open at once.
        let stream = BufReader::with_capacity(2048, stream);
        Connection { stream, host: address.to_string(), chunked: false }
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.get_mut().write_all(bytes).await?)
    }

    pub(crate) async fn send(&mut self, ask: &Ask) -> Result<()> {
        let bytes = ask.bytes(&self.host);
        self.write(&bytes).await
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn ask(&mut self, ask: &Ask) -> Result<Answer> {
        self.send(ask).await?;
        self.answer().await
    }

    /// Reads a whole answer.
    pub(crate) async fn answer(&mut self) -> Result<Answer> {
        let head = self.head().await?;
        let body = self.body(&head).await?;
        Ok(Answer { head, body })
    }

    async fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err("the server closed the connection".into());
        }
        Ok(line.trim_end().to_owned())
    }

    pub(crate) async fn head(&mut self) -> Result<Head> {
        let line = self.line().await?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| format!("not a status line: {line:?}"))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or("not a header")?;
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let head = Head { status, headers };
        self.chunked = head.header("transfer-encoding").is_some();
        Ok(head)
    }

    async fn body(&mut self, head: &Head) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        if self.chunked {
            while let Some(chunk) = self.chunk().await? {
                body.extend(chunk);
            }
        } else if let Some(length) = head.header("content-length") {
            body.resize(length.parse()?, 0);
            self.stream.read_exact(&mut body).await?;
        }
        Ok(body)
    }

    /// The next piece of a stream; `None` at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        let length = usize::from_str_radix(&self.line().await?, 16)?;
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).await?;
        chunk.truncate(length);
        Ok((length > 0).then_some(chunk))
    }

    /// Reads the beginning of a stream until it has said this.
    pub(crate) async fn begin_stream(&mut self, text: &str) -> Result<()> {
        match self.head().await?.status {
            200 => self.until(text).await,
            status => Err(format!("a stream was refused with {status}").into()),
        }
    }

    /// Reads on until a stream has said this.
    async fn until(&mut self, text: &str) -> Result<()> {
        let mut seen = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            seen.extend(chunk);
            if String::from_utf8_lossy(&seen).contains(text) {
                return Ok(());
            }
        }
        Err(format!("the stream ended before {text:?}").into())
    }

    /// Begins a session. Returns its id.
    pub(crate) async fn begin(&mut self, hello: &Ask) -> Result<std::result::Result<String, Head>> {
        let answer = self.ask(hello).await?;
        let Some(session) = answer.head.header("mcp-session-id").map(str::to_owned) else {
            return Ok(Err(answer.head));
        };
        let mut thanks = message::initialized(&session);
        // Whoever introduced themselves in a header does so again.
        let own = hello.headers.iter().filter(|(name, _)| name.starts_with("x-"));
        thanks.headers.extend(own.cloned());
        let taken = self.ask(&thanks).await?;
        match taken.status() {
            202 => Ok(Ok(session)),
            status => Err(format!("`initialized` was answered with {status}").into()),
        }
    }
}
