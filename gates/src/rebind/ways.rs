//! The three ways in which a request can name its host, each written byte by byte.

use std::fmt::Write as _;
use std::net::SocketAddr;

use super::rows::{Names, Row};
use crate::Result;
use crate::web::connection::Connection;
use crate::web::frames::Framed;
use crate::web::message::Ask;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// HTTP/1.1, `POST /mcp`.
    Origin,
    /// HTTP/1.1, `POST http://host/mcp`.
    Absolute,
    /// HTTP/2 from the first byte on, with `:authority`.
    Framed,
}

pub(super) const WAYS: &[Way] = &[Way::Origin, Way::Absolute, Way::Framed];

impl Way {
    /// Sends a row. Returns the status, if there was an answer.
    pub(super) async fn send(
        self,
        address: SocketAddr,
        names: &Names,
        row: &Row,
        ask: &Ask,
    ) -> Result<Option<u16>> {
        let mut headers = ask.headers.clone();
        if let Some(media) = row.media {
            headers.retain(|(name, _)| name != "content-type");
            if !media.is_empty() {
                headers.push(("content-type".to_owned(), media.to_owned()));
            }
        }
        headers.extend(names.hosts.iter().map(|host| ("host".to_owned(), host.clone())));
        headers.extend(row.headers.iter().cloned());
        match (self, &names.target) {
            (Way::Framed, target) => framed(address, target.as_deref(), &headers, &ask.body).await,
            (_, Some(target)) => {
                plain(address, &format!("http://{target}/mcp"), &headers, &ask.body).await
            }
            (_, None) => plain(address, "/mcp", &headers, &ask.body).await,
        }
    }
}

async fn plain(
    address: SocketAddr,
    target: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> Result<Option<u16>> {
    let mut head = format!("POST {target} HTTP/1.1\r\n");
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let _ = write!(head, "content-length: {}\r\n\r\n", body.len());
    let mut connection = Connection::open(address).await?;
    connection.write(&[head.as_bytes(), body].concat()).await?;
    Ok(connection.answer().await.ok().map(|answer| answer.status()))
}

async fn framed(
    address: SocketAddr,
    authority: Option<&str>,
    headers: &[(String, String)],
    body: &[u8],
) -> Result<Option<u16>> {
    let mut all = vec![(":method", "POST"), (":scheme", "http"), (":path", "/mcp")];
    all.extend(authority.map(|authority| (":authority", authority)));
    all.extend(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    Framed::open(address).await?.ask(&all, body).await
}
