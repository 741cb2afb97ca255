//! One request over plain HTTP to this machine, and its answer. Nothing is followed or repeated.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const ANSWER_BYTES_MAX: u64 = 1 << 20;

/// What came back.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// Makes a request to an address like `http://127.0.0.1:3000/path`.
///
/// # Errors
/// If the address cannot be used, nobody answers there, or the answer is not understood.
pub async fn send(
    method: &str,
    address: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<Reply> {
    let bad = |why: &str| Error::new(ErrorKind::InvalidData, why.to_owned());
    let rest = address.strip_prefix("http://").ok_or_else(|| bad("only http is spoken"))?;
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(at);
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let mut stream = TcpStream::connect(host).await?;
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text += &format!("content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer).await?;
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.ok_or_else(|| bad("the answer has no end of its head"))?;
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    if headers.contains_key("transfer-encoding") {
        return Err(bad("an answer in chunks is not understood"));
    }
    let status = status.ok_or_else(|| bad("the answer has no status"))?;
    Ok(Reply { status, headers, body: answer.split_off(end + 4) })
}
