//! Requests to metadata and token endpoints, made as carefully as untrusted addresses demand:
//! https (or this machine), within limits of size and time, redirects checked hop by hop.

use bytes::Bytes;
use http::header::{ACCEPT, LOCATION};
use http::{HeaderMap, HeaderValue, Method};
use reqwest::Url;
use serde::de::DeserializeOwned;

use super::address::{encode_form, origin, safe_url};
use super::pool::Pool;
use crate::auth::reach::{self, Reach};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::AuthLimits;

/// What came back.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body, if it is the JSON that is expected.
    pub(super) fn json<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(&self.body)
    }
}

/// What is sent along with a POST.
pub(super) enum Form<'a> {
    /// Names and values, as forms are encoded.
    Pairs(&'a [(&'a str, &'a str)]),
    Json(&'a serde_json::Value),
}

/// Makes the requests of one login.
pub(super) struct Fetch {
    pub(super) pool: Pool,
    limits: AuthLimits,
}

impl Fetch {
    pub(super) fn new(
        endpoint: &crate::transport::http::HttpEndpoint,
        reach: Reach,
        limits: AuthLimits,
    ) -> Fetch {
        Fetch { pool: Pool::new(endpoint, reach, limits.clone()), limits }
    }

    /// Gets a document, following a few redirects.
    pub(super) async fn get(&self, address: &str) -> Result<Answer> {
        let mut url = self.check(address).await?;
        for _ in 0..=self.limits.redirects_max {
            let answer = self.send(Method::GET, &url, HeaderMap::new(), None).await?;
            if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            let to = answer.headers.get(LOCATION).and_then(|to| to.to_str().ok());
            let Some(to) = to.and_then(|to| url.join(to).ok()) else { return Ok(answer) };
            if url.scheme() == "https" && to.scheme() != "https" {
                let message = format!("{} sends us from https to {}:", origin(&url), to.scheme());
                return Err(refused(message));
            }
            url = self.check(to.as_str()).await?;
        }
        Err(refused(format!("{} sends us from place to place", origin(&url))))
    }

    /// Sends a form. Secrets may be in it, so no redirect is followed.
    pub(super) async fn post(
        &self,
        address: &str,
        headers: HeaderMap,
        form: Form<'_>,
    ) -> Result<Answer> {
        let url = self.check(address).await?;
        let answer = self.send(Method::POST, &url, headers, Some(form)).await?;
        if (300..400).contains(&answer.status) {
            let message = format!("{} sends us elsewhere, which is not followed", origin(&url));
            return Err(refused(message));
        }
        Ok(answer)
    }

    /// Whether an address that others gave us may be used at all.
    async fn check(&self, address: &str) -> Result<Url> {
        let url = safe_url(address, self.limits.address_bytes_max)?;
        let allowed = self.pool.clients().await?.allowed;
        if reach::literal(&url).is_some_and(|address| !allowed.permits(address)) {
            return Err(refused(format!("{} is not on the public net", origin(&url))));
        }
        Ok(url)
    }

    async fn send(
        &self,
        method: Method,
        url: &Url,
        mut headers: HeaderMap,
        form: Option<Form<'_>>,
    ) -> Result<Answer> {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let clients = self.pool.clients().await?;
        let client = match reach::is_loopback(url) {
            true => &clients.direct,
            false => &clients.usual,
        };
        let mut request = client.request(method, url.clone()).headers(headers);
        request = match form {
            Some(Form::Pairs(pairs)) => request
                .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(encode_form(pairs)),
            Some(Form::Json(value)) => request
                .header(http::header::CONTENT_TYPE, "application/json")
                .body(value.to_string()),
            None => request,
        };
        let exchange = async {
            let mut response = request.send().await.map_err(|error| unreachable(url, error))?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let mut body = Vec::new();
            while let Some(piece) =
                response.chunk().await.map_err(|error| unreachable(url, error))?
            {
                if body.len() + piece.len() > self.limits.document_bytes_max {
                    let message = format!(
                        "{} answered with more than {} bytes",
                        origin(url),
                        self.limits.document_bytes_max
                    );
                    return Err(Error::new(ErrorKind::Limit, message));
                }
                body.extend_from_slice(&piece);
            }
            Ok(Answer { status, headers, body: body.into() })
        };
        tokio::time::timeout(self.limits.fetch_timeout, exchange).await.unwrap_or_else(|_| {
            let message = format!("{} did not answer in time", origin(url));
            Err(Error::new(ErrorKind::Transport, message))
        })
    }
}

/// The error of everything that is not done because it would not be safe, or not right.
pub(super) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Authorization, message)
}

fn unreachable(url: &Url, error: reqwest::Error) -> Error {
    let message = format!("{} cannot be reached", origin(url));
    Error::new(ErrorKind::Transport, message).with_source(error.without_url())
}
